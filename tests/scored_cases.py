"""A made-up study for evaluation tests: instances of nine settings, written lists, and models of a chosen skill."""

import numpy as np
import polars as pl

from tirec.config.cohort import INSTANCE_SETS
from tirec.evaluation.model_metrics import Benchmark
from tirec.evaluation.outcomes import PREDICTION_SCHEMA, prevalence


def study(visits: int = 300, rate: float = 0.3, seed: int = 0) -> pl.DataFrame:
    """Instances in the artifact's format; many patients have two visits; 40, 30 and 30 % of them in the splits."""
    rng = np.random.default_rng(seed)
    visit = np.arange(visits)
    mrn = 1000 + visit * 2 // 3
    place = (mrn - mrn[0]) / (mrn[-1] - mrn[0])
    split = np.where(place < 0.4, "train", np.where(place < 0.7, "validation", "test"))
    half = np.where(split == "validation", np.where(mrn % 2, "B", "A"), None)
    parts = []
    for k, (task, setting) in enumerate(INSTANCE_SETS):
        parts.append(
            pl.DataFrame(
                {
                    "instance_id": k * visits + visit,
                    "evidence_id": visit,
                    "csn": 5000 + visit,
                    "mrn": mrn,
                    "split": split,
                    "half": pl.Series(half.tolist(), dtype=pl.String),
                    "task": task,
                    "setting": setting,
                    "label": pl.Series(rng.random(visits) < rate, dtype=pl.Int8),
                }
            )
        )
    return pl.concat(parts)


def benchmark(instances: pl.DataFrame) -> Benchmark:
    """All test instances, and all of validation half B to set thresholds."""
    test = instances.filter(pl.col("split") == "test").select("instance_id")
    return Benchmark(test, half_b(instances).select("instance_id"), instances, prevalence(instances))


def half_b(instances: pl.DataFrame) -> pl.DataFrame:
    """The instances that set thresholds."""
    return instances.filter(pl.col("half") == "B")


def predictions(
    instances: pl.DataFrame, skill: float = 1.5, unanswered: float = 0.0, digits: int = 2, seed: int = 0
) -> pl.DataFrame:
    """A model whose log odds rise by `skill` for a positive; some cases unanswered; p rounded, so with ties."""
    rng = np.random.default_rng([seed, instances.height])
    odds = skill * instances["label"].to_numpy() - 1 + rng.normal(size=instances.height)
    p = np.round(1 / (1 + np.exp(-odds)), digits)
    answered = rng.random(instances.height) >= unanswered
    frame = instances.select("instance_id", "task", "setting").with_columns(
        p=pl.Series(
            [float(value) if given else None for value, given in zip(p, answered, strict=True)], dtype=pl.Float64
        ),
        finish=pl.Series(np.where(answered, "answered", "no_answer")),
        calls=pl.Series(rng.integers(0, 12, instances.height)),
        tokens=pl.lit(100),
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in PREDICTION_SCHEMA.items())


def of_split(instances: pl.DataFrame, split: str) -> pl.DataFrame:
    """The instances of a split."""
    return instances.filter(pl.col("split") == split)
