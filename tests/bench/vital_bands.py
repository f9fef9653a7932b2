"""Which NORMAL bands tell the distance to the decompensation limits best, on training visits only.

Usage: vital_bands.py --results demo/results

For every set of candidates: AUROC of the summed levels of the latest heart rate, saturation and mean pressure
(0 NORMAL, 1 near a limit, 2 beyond it) for decompensation. Nothing of validation or test is read.
"""

import argparse
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

from tirec.config.cohort import SETTINGS
from tirec.evidence.vocabulary.vitals import HEART_RATE, MEAN_PRESSURE, OXYGEN_SATURATION, Vital

COLUMNS = {
    HEART_RATE: "heart_rate__last",
    OXYGEN_SATURATION: "oxygen_saturation__last",
    MEAN_PRESSURE: "blood_pressure__map_last",
}
CANDIDATES = ((90, 95, 100), (93, 94, 95, 96), (70, 75, 80))
"""Upper end of NORMAL heart rate, lower ends of NORMAL saturation and mean pressure."""


def training_rows(results: Path) -> pl.DataFrame:
    """Label and latest values of every training instance of decompensation."""
    files = [results / "instances" / "decompensation" / f"{setting}.parquet" for setting in SETTINGS["decompensation"]]
    instances = pl.concat(pl.read_parquet(file) for file in files).filter(pl.col("split") == "train")
    features = pl.read_parquet(
        results / "features" / "decompensation.parquet", columns=["evidence_id", *COLUMNS.values()]
    )
    return instances.select("evidence_id", "label").join(features, on="evidence_id")


def severity(vital: Vital, values: np.ndarray) -> np.ndarray:
    """(rows,) 0 for NORMAL or not observed, 1 near a limit, 2 beyond it."""
    rank = {"NORMAL": 0, "LOW": 1, "HIGH": 1, "VERY LOW": 2, "VERY HIGH": 2}
    return np.array([0 if np.isnan(value) else rank[vital.level(value)] for value in values])


def main() -> None:
    """Prints every set of candidates, the best first, and the set in use."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("demo/results"))
    rows = training_rows(parser.parse_args().results)
    label = rows["label"].to_numpy()
    shown = {vital: rows[column].to_numpy() for vital, column in COLUMNS.items()}
    print(f"{len(rows)} training instances, {label.mean():.3f} positive")
    found = []
    for heart_rate, saturation, pressure in product(*CANDIDATES):
        vitals = (
            replace(HEART_RATE, high=heart_rate),
            replace(OXYGEN_SATURATION, low=saturation),
            replace(MEAN_PRESSURE, low=pressure),
        )
        total = sum(severity(vital, values) for vital, values in zip(vitals, shown.values(), strict=True))
        found.append((roc_auc_score(label, total), heart_rate, saturation, pressure))
    used = (HEART_RATE.high, OXYGEN_SATURATION.low, MEAN_PRESSURE.low)
    for auroc, *bands in sorted(found, reverse=True):
        mark = "  in use" if tuple(bands) == used else ""
        print(f"{auroc:.4f}  heart rate to {bands[0]}, saturation from {bands[1]}, mean pressure from {bands[2]}{mark}")


if __name__ == "__main__":
    main()
