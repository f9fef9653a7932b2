"""A made-up task for the classical models: two telling columns, one of noise, half of one column missing."""

import numpy as np
import polars as pl

from tirec.config.models import Estimator, TabularConfig
from tirec.policy.tabular.fit import Parts, parts
from tirec.teacher.rows import Rows, join_rows

VISITS = 900
FITTED: tuple[Estimator, ...] = ("logistic", "random_forest", "lightgbm", "xgboost", "mlp")


def features(seed: int = 0) -> pl.DataFrame:
    """One row per visit; `heart_rate__last` and, where observed, `labs__abnormal` tell the outcome."""
    rng = np.random.default_rng(seed)
    columns = {
        "heart_rate__last": rng.normal(size=VISITS),
        "labs__abnormal": np.where(rng.random(VISITS) < 0.5, np.nan, rng.normal(size=VISITS)),
        "temperature__last": rng.normal(size=VISITS),
        "waveforms__minutes": np.full(VISITS, np.nan),
    }
    return pl.DataFrame({"evidence_id": np.arange(VISITS), **{k: v.astype(np.float32) for k, v in columns.items()}})


def instances(seed: int = 0) -> pl.DataFrame:
    """Two settings per visit; half of the patients train, the halves of validation and test share the rest."""
    rng, found, visit = np.random.default_rng(seed + 1), features(seed), np.arange(VISITS)
    odds = 2 * found["heart_rate__last"].to_numpy() + 2 * np.nan_to_num(found["labs__abnormal"].to_numpy()) - 1
    split = np.where(visit < 450, "train", np.where(visit < 750, "validation", "test"))
    half = np.where(split == "validation", np.where(visit % 2, "B", "A"), None)
    return pl.concat(
        pl.DataFrame(
            {
                "instance_id": k * VISITS + visit,
                "evidence_id": visit,
                "mrn": 5000 + visit,
                "split": split,
                "half": pl.Series(half.tolist(), dtype=pl.String),
                "task": "revisit",
                "setting": setting,
                "label": (rng.random(VISITS) < 1 / (1 + np.exp(-odds))).astype(np.int8),
            }
        )
        for k, setting in enumerate(("3d", "7d"))
    )


def listed(found: pl.DataFrame) -> pl.DataFrame:
    """Every third case of each role."""
    role = pl.coalesce(pl.col("half").replace({"A": "select", "B": "threshold"}), "split")
    return found.gather_every(3).select("instance_id", role=role)


def made(
    config: TabularConfig, found: pl.DataFrame | None = None, table: pl.DataFrame | None = None
) -> tuple[Rows, Parts]:
    """All rows, and the parts that a fit may see."""
    found = instances() if found is None else found
    rows = join_rows(found, features() if table is None else table)
    return rows, parts(rows, found.select("instance_id", "half"), listed(found), config)


def quick(estimator: Estimator, **changes: object) -> TabularConfig:
    """Two settings of an estimator."""
    return TabularConfig.model_validate({"estimator": estimator, "search": 2, "threads": 1, **changes})
