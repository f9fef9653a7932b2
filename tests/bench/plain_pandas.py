"""The benchmark's yardstick: a part of the trees' columns as one would write them with plain pandas group-bys.

Vital signs (five measures, eleven statistics each) and orders (counts by kind, given, resulted, first and last), with
the same limits and the same as-of rule as the package; the benchmark compares the values.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from tirec.config.evidence import OrderRules
from tirec.evidence.vocabulary.vitals import (
    DIASTOLIC,
    HEART_RATE,
    OXYGEN_SATURATION,
    RESPIRATORY_RATE,
    SYSTOLIC,
    Vital,
)
from tirec.records.schema import VALID_RANGES

VITALS: dict[str, Vital] = {
    "heart_rate__": HEART_RATE,
    "respiratory_rate__": RESPIRATORY_RATE,
    "oxygen_saturation__": OXYGEN_SATURATION,
    "blood_pressure__sbp_": SYSTOLIC,
    "blood_pressure__dbp_": DIASTOLIC,
}
KINDS = {"Lab": "kind_lab", "Imaging": "kind_imaging", "Medication": "kind_medication"}


def read(tables: Path, csns: list[int]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Numerics and orders of these visits."""
    chosen = [("csn", "in", csns)]
    numerics = pd.read_parquet(tables / "numerics.parquet", filters=chosen)
    numerics = numerics.astype({"source": str, "measure": str})
    return numerics, pd.read_parquet(tables / "orders.parquet", filters=chosen)


def features(numerics: pd.DataFrame, orders: pd.DataFrame, cutoffs: pd.DataFrame) -> pd.DataFrame:
    """One row per evidence_id, columns as in features/{task}.parquet."""
    ids = pd.DataFrame(index=pd.Index(cutoffs["evidence_id"], name="evidence_id"))
    seen = numerics.merge(cutoffs, on="csn")
    seen = seen[seen["time_s"] <= seen["cutoff_s"]]
    vitals = [_vital(seen, prefix, vital) for prefix, vital in VITALS.items()]
    counted = _orders(orders, cutoffs).reindex(ids.index)
    times = ["orders__first_min", "orders__since_min"]
    counted[counted.columns.difference(times)] = counted[counted.columns.difference(times)].fillna(0)
    return ids.join([*vitals, counted]).sort_index()


def _vital(seen: pd.DataFrame, prefix: str, vital: Vital) -> pd.DataFrame:
    low, high = VALID_RANGES[vital.measure]
    rows = seen[(seen["measure"] == vital.measure) & seen["value"].between(low, high)]
    rows = rows.sort_values(["evidence_id", "time_s", "source", "row"])
    rows = rows.assign(value=rows["value"].astype("float64"))
    return rows.groupby("evidence_id").apply(_statistics, vital=vital, include_groups=False).add_prefix(prefix)


def _statistics(rows: pd.DataFrame, vital: Vital) -> pd.Series:
    value, hours = rows["value"], (rows["time_s"] - rows["cutoff_s"]) / 3600
    span = hours.iloc[-1] - hours.iloc[0]
    slope = np.polyfit(hours, value, 1)[0] if span * 3600 >= 300 else np.nan
    return pd.Series(
        {
            "last": value.iloc[-1],
            "first": value.iloc[0],
            "min": value.min(),
            "max": value.max(),
            "mean": value.mean(),
            "sd": value.std(ddof=0),
            "slope": slope,
            "change": slope * span,
            "count": len(value),
            "since_min": -hours.iloc[-1] * 60,
            "share_abnormal": ((value < vital.low) | (value > vital.high)).mean(),
        }
    )


def _orders(orders: pd.DataFrame, cutoffs: pd.DataFrame) -> pd.DataFrame:
    rules = OrderRules()
    rows = orders[orders["procedure_name"].map(rules.visible)].merge(cutoffs, on="csn")
    rows = rows[rows["order_s"] <= rows["cutoff_s"]]
    before = (rows["cutoff_s"] - rows["order_s"]) / 60
    rows = rows.assign(
        before_min=before,
        given=rows["first_admin_s"] <= rows["cutoff_s"],
        resulted=rows["result_s"] <= rows["cutoff_s"],
        last_hour=before < 60,
        **{column: rows["order_type"] == kind for kind, column in KINDS.items()},
    )
    counts = ["given", "resulted", "last_hour", *KINDS.values()]
    grouped = rows.groupby("evidence_id")
    found = grouped[counts].sum()
    found["count"] = grouped.size()
    found["distinct"] = grouped["procedure_name"].nunique(dropna=False)
    found["first_min"], found["since_min"] = grouped["before_min"].max(), grouped["before_min"].min()
    return found.add_prefix("orders__")
