"""One policy's dialogues about every validation and test case of LA-CDM, each case once."""

from pathlib import Path

from tirec import frontend
from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.lacdm_training import CdmTrainingConfig
from tirec.lacdm.predict import Written, predict
from tirec.provenance import record


def main() -> None:
    """Writes {predictions,hypotheses}/{model}/{split}.parquet and trajectories/{model}/{split}.jsonl.zst."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--model", required=True, help="name of the model, such as full.seed0")
    parser.add_argument("--policy", required=True, type=Path, help="policy.json")
    parser.add_argument("--episodes", required=True, type=Path, nargs="+", help="episodes/{split}.arrow")
    parser.add_argument("--settings", help="resolved training settings of the policy, JSON or a file")
    parser.add_argument("--rules", help="menu, switches, limits, agents: JSON or a file")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draws, where evaluation is not greedy")
    parser.add_argument("--results", required=True, type=Path, help="folder results/lacdm")
    given = parser.parse_args()
    settings = frontend.read_settings(CdmTrainingConfig, given.settings)
    rules = frontend.read_settings(ConsultConfig, given.rules)
    for episodes in given.episodes:
        split = episodes.stem
        tables = [given.results / kind / given.model / f"{split}.parquet" for kind in ("predictions", "hypotheses")]
        to = Written(*tables, given.results / "trajectories" / given.model / f"{split}.jsonl.zst")
        predict(given.model, given.policy, episodes, rules, settings, given.seed, to)
        inputs = {"policy": given.policy, "episodes": episodes, "menu": rules.menu_file()}
        told = {
            "settings": settings.model_dump(mode="json"),
            "rules": rules.model_dump(mode="json"),
            "seed": given.seed,
        }
        record([*tables, to.trajectories], inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
