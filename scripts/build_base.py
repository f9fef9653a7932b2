"""The base policy: a tiny one made and warm-started here, or the description of a local model folder."""

from pathlib import Path

from tirec import frontend
from tirec.agent.cases import open_cases
from tirec.config.agent import ProtocolConfig
from tirec.config.cohort import TASKS
from tirec.config.policy import BaseConfig
from tirec.errors import ConfigError
from tirec.policy.base import build_tiny, describe_local
from tirec.provenance import record


def main() -> None:
    """Writes {task}/policy.json, and beside it the weights of a tiny base."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--episodes", nargs="?", type=Path, help="episodes/train.arrow, whose texts a tiny base reads")
    parser.add_argument("--settings", help="the base, JSON or a file")
    parser.add_argument("--protocol", help="the protocol, JSON or a file")
    parser.add_argument("--output-dir", required=True, type=Path, help="policies/base/seed0")
    given = parser.parse_args()
    settings = frontend.read_settings(BaseConfig, given.settings)
    rules = frontend.read_settings(ProtocolConfig, given.protocol)
    if settings.kind == "hf":
        describe_local(settings, rules, given.output_dir)
    elif given.episodes is None:
        raise ConfigError("--episodes: a tiny base is warm-started on the training cases")
    else:
        build_tiny(settings, open_cases(given.episodes), rules, given.data_class, given.output_dir)
    outputs = [given.output_dir / task / "policy.json" for task in TASKS]
    inputs = {"episodes": given.episodes} if given.episodes else {}
    told = settings.model_dump(mode="json") | {"protocol": rules.model_dump(mode="json")}
    record(outputs, inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
