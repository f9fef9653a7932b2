"""One policy of LA-CDM in cyclic phases; killed anywhere, the same command continues and ends with the same numbers."""

from pathlib import Path

from tirec import frontend
from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.lacdm_training import CdmTrainingConfig
from tirec.lacdm.train import CdmRun, train
from tirec.provenance import code_id, record


def main() -> None:
    """Writes policy.json with its weights, history.tsv and config.yaml."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--train", required=True, type=Path, help="episodes/train.arrow")
    parser.add_argument("--validation", required=True, type=Path, help="episodes/validation.arrow")
    parser.add_argument("--base", required=True, type=Path, help="policy.json of the base")
    parser.add_argument("--references", type=Path, help="reference_sets.tsv, where matching is rewarded")
    parser.add_argument("--settings", help="resolved training settings, JSON or a file")
    parser.add_argument("--rules", help="menu, switches, limits, agents: JSON or a file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run-root", required=True, type=Path, help="folder of run folders, lacdm/.runs")
    parser.add_argument("--output-dir", required=True, type=Path, help="lacdm/policies/{policy}/seed{n}")
    given = parser.parse_args()
    settings = frontend.read_settings(CdmTrainingConfig, given.settings)
    rules = frontend.read_settings(ConsultConfig, given.rules)
    read = (given.train, given.validation, given.base, given.references)
    run = CdmRun(*read, settings, rules, given.seed, code_id(__file__), given.data_class)
    train(run, given.run_root, given.output_dir)
    outputs = [given.output_dir / name for name in ("policy.json", "history.tsv", "config.yaml")]
    told = {"settings": settings.model_dump(mode="json"), "seed": given.seed}
    record(outputs, run.files() | {"base": given.base}, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
