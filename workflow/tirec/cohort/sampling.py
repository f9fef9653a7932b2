"""The fixed list of instances that the agent trains on, selects by, sets thresholds on and is tested on."""

import polars as pl

from tirec.cohort.lottery import tickets
from tirec.config.cohort import SamplingConfig
from tirec.records.small_counts import Counts

ROLES = ("train", "select", "threshold", "test")
COLUMNS = ("instance_id", "evidence_id", "setting", "split", "role")


def sample_instances(instances: pl.DataFrame, config: SamplingConfig) -> pl.DataFrame:
    """The sampled instances of one task, all its settings in `instances`: COLUMNS, by role and order of draw.

    Training, selection and threshold cases are uniform over (visit, setting) with at most one setting per visit;
    test is every instance, or a uniform draw of them. A larger number only appends: smaller samples are prefixes.
    """
    drawn = {
        "train": _one_per_visit(_drawn(instances, "train", None, config)).head(config.train_instances),
        "select": _with_positives(_one_per_visit(_drawn(instances, "validation", "A", config)), config),
        "threshold": _one_per_visit(_drawn(instances, "validation", "B", config)).head(config.threshold_instances),
        "test": _drawn(instances, "test", None, config).head(config.test_instances or len(instances)),
    }
    return pl.concat(rows.with_columns(role=pl.lit(role)).select(COLUMNS) for role, rows in drawn.items())


def shortfalls(sampled: pl.DataFrame, config: SamplingConfig, written: Counts) -> list[str]:
    """One sentence per role that holds fewer instances than asked for."""
    asked = {
        "train": config.train_instances,
        "select": config.select_instances,
        "threshold": config.threshold_instances,
        "test": config.test_instances or 1,
    }
    held = {role: sampled.filter(pl.col("role") == role).height for role in ROLES}
    return [
        f"{role}: {written.text(held[role])} instances of {asked[role]:,} asked for"
        for role in ROLES
        if held[role] < asked[role]
    ]


def _drawn(instances: pl.DataFrame, split: str, half: str | None, config: SamplingConfig) -> pl.DataFrame:
    """The instances of a split (and half) in the order of their tickets."""
    eligible = instances.filter((pl.col("split") == split) & ((pl.col("half") == half) if half else True))
    return _ticketed(eligible, config.seed).sort("ticket", "instance_id")


def _ticketed(instances: pl.DataFrame, seed: int) -> pl.DataFrame:
    """A ticket of its own for each (visit, task, setting), whatever else is in the cohort."""
    parts = [
        rows.with_columns(tickets(rows["csn"], seed, f"{rows['task'][0]} {rows['setting'][0]}"))
        for rows in instances.partition_by("task", "setting", maintain_order=True)
    ]
    return pl.concat(parts) if parts else instances.with_columns(ticket=pl.lit(0, pl.UInt64))


def _one_per_visit(drawn: pl.DataFrame) -> pl.DataFrame:
    """Drawing on with every further setting of a visit already drawn put aside."""
    return drawn.unique("csn", keep="first", maintain_order=True)


def _with_positives(drawn: pl.DataFrame, config: SamplingConfig) -> pl.DataFrame:
    """The asked number, or as many as it takes to hold `select_min_positives` positives."""
    so_far = drawn["label"].cast(pl.Int64).cum_sum()
    needed = int((so_far < config.select_min_positives).sum()) + 1
    return drawn.head(max(config.select_instances, needed))
