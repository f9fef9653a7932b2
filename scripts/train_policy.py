"""GRPO for one ablation and seed; killed anywhere, the same command continues and ends with the same numbers."""

from pathlib import Path

from tirec import frontend
from tirec.config.agent import ProtocolConfig
from tirec.config.training import TrainingConfig, foreign_modules
from tirec.provenance import code_id, record
from tirec.training.train import Run, Sources, train


def main() -> None:
    """Writes {task}/policy.json with its weights, history.tsv and config.yaml."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--train", required=True, type=Path, help="episodes/train.arrow")
    parser.add_argument("--validation", required=True, type=Path, help="episodes/validation.arrow")
    parser.add_argument("--schedule", required=True, type=Path, help="schedule.parquet of this policy and seed")
    parser.add_argument("--skills-dir", required=True, type=Path, help="folder of {task}.tsv")
    parser.add_argument("--base", required=True, type=Path, help="folder of the base policy, policies/base/seed0")
    parser.add_argument("--settings", help="resolved training settings, JSON or a file")
    parser.add_argument("--protocol", help="the protocol, JSON or a file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run-root", required=True, type=Path, help="folder of run folders, results/.runs")
    parser.add_argument("--output-dir", required=True, type=Path, help="policies/{policy}/seed{n}")
    given = parser.parse_args()
    settings = frontend.read_settings(TrainingConfig, given.settings)
    rules = frontend.read_settings(ProtocolConfig, given.protocol)
    sources = Sources(given.train, given.validation, given.schedule, given.skills_dir, given.base)
    code = code_id(__file__, foreign_modules(settings.engine))
    run = Run(sources, settings, rules, given.seed, code, given.data_class)
    train(run, given.run_root, given.output_dir)
    outputs = [given.output_dir / "history.tsv", given.output_dir / "config.yaml"]
    told = {"settings": settings.told(), "seed": given.seed}
    record(outputs, sources.files(rules.prompts_folder()), told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
