"""Which case stands in which slot of which training step, and which skill sentences its prompt keeps."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent.skills import read_collected, schedule
from tirec.config.agent import ScheduleConfig
from tirec.config.cohort import TASKS
from tirec.provenance import record, write_parquet
from tirec.records.stored import read_stored


def main() -> None:
    """Writes schedule.parquet from the sampled training instances and the collected skills."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--results", required=True, type=Path, help="folder that holds sampled/ and skills/")
    parser.add_argument("--seed", required=True, type=int, help="seed of the order of cases and of the draws")
    parser.add_argument("--settings", help="steps, prompts_per_step and skills: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="schedule.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(ScheduleConfig, given.settings)
    sentences = {task: len(kept) for task, kept in read_collected(given.results / "skills").items()}
    instances = pl.concat(_training(given.results, task) for task in TASKS)
    rows = schedule(instances, sentences, given.seed, config.steps, config.prompts_per_step, config.skills)
    write_parquet(rows, given.output)
    names = [name for task in TASKS for name in (f"sampled/{task}.parquet", f"skills/{task}.tsv")]
    inputs = {name: given.results / name for name in names}
    record([given.output], inputs, config.model_dump() | {"seed": given.seed}, given.data_class, __file__)


def _training(results: Path, task: str) -> pl.DataFrame:
    sampled = read_stored(results / "sampled" / f"{task}.parquet", ("instance_id", "role"))
    return sampled.filter(pl.col("role") == "train").select("instance_id", pl.lit(task).alias("task"))


if __name__ == "__main__":
    frontend.run(main)
