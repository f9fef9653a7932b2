"""The base of LA-CDM: a tiny one made and warm-started here, or the description of a local model folder."""

from pathlib import Path

from tirec import frontend
from tirec.config.lacdm_base import CdmBaseConfig
from tirec.config.lacdm_consult import ConsultConfig
from tirec.errors import ConfigError
from tirec.lacdm.base import build_tiny, describe_local
from tirec.lacdm.cases import open_cdm_cases
from tirec.provenance import record


def main() -> None:
    """Writes policy.json, and beside it the weights of a tiny base."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--episodes", nargs="?", type=Path, help="episodes/train.arrow, whose texts a tiny base reads")
    parser.add_argument("--settings", help="lacdm.model, JSON or a file")
    parser.add_argument("--rules", help="menu, switches, limits, agents: JSON or a file")
    parser.add_argument("--output-dir", required=True, type=Path, help="lacdm/policies/base/seed0")
    given = parser.parse_args()
    settings = frontend.read_settings(CdmBaseConfig, given.settings)
    rules = frontend.read_settings(ConsultConfig, given.rules)
    if settings.kind == "hf":
        describe_local(settings, rules, given.output_dir)
    elif given.episodes is None:
        raise ConfigError("--episodes: a tiny base is warm-started on the training cases")
    else:
        build_tiny(settings, open_cdm_cases(given.episodes), rules, given.data_class, given.output_dir)
    inputs = {"menu": rules.menu_file()} | ({"episodes": given.episodes} if given.episodes else {})
    told = settings.model_dump(mode="json") | {"rules": rules.model_dump(mode="json")}
    record([given.output_dir / "policy.json"], inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
