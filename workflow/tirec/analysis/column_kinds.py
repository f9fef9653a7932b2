"""Which columns say what staff did, which how the patient was, and which are known at arrival; each column alone."""

import re
from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.stats import rankdata

from tirec.evaluation.intervals import rounded
from tirec.evidence.menu import function_of
from tirec.policy.tabular.columns import is_arrival, keep
from tirec.teacher.rows import Rows

PROCESS_FUNCTIONS = frozenset(("orders", "waveforms", "context"))
_PROCESS = re.compile(r"(^|_)(count|since_min|first_min|resulted|pending|results|done)$|_[123]_min$")


def is_process(column: str) -> bool:
    """Whether a column says what staff did and when (orders, counts, times) rather than how the patient was."""
    function, _, feature = column.partition("__")
    return function in PROCESS_FUNCTIONS or bool(_PROCESS.search(feature))


ARMS = {
    "both": lambda _: True,
    "process": is_process,
    "physiology": lambda column: not is_process(column),
    "arrival": is_arrival,
}
"""Which columns each teacher sees; all see the setting."""


def restricted(rows: Rows, arm: str) -> Rows:
    """The rows with the columns of one arm."""
    return keep(rows, ARMS[arm])


def rank_columns(rows: Rows) -> pl.DataFrame:
    """column, function, setting, auroc, observed: every column alone on train, in the setting that it ranks best.

    Either direction counts; a value that was not observed ranks below all others. Best first.
    """
    parts = [_ranked(name, part) for name, part in _by_setting(rows.of_split("train"))]
    if not parts:
        return pl.DataFrame(schema=_COLUMNS)
    best = pl.concat(parts).sort("auroc", "column", descending=[True, False]).unique("column", keep="first")
    return rounded(best.sort("auroc", "column", descending=[True, False]))


def _by_setting(train: Rows) -> Iterator[tuple[str, Rows]]:
    for name in train.keys["setting"].unique(maintain_order=True):
        part = train.where((train.keys["setting"] == name).to_numpy())
        if 0 < part.label.sum() < part.label.size:
            yield str(name), part


def _ranked(setting: str, part: Rows) -> pl.DataFrame:
    rank = rankdata(np.nan_to_num(part.values, nan=-np.inf), axis=0)  # (instances, columns)
    positive = part.label.astype(bool)
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    area = (rank[positive].sum(axis=0) - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)
    return pl.DataFrame(
        {
            "column": part.features,
            "function": [function_of(name) for name in part.features],
            "setting": [setting] * len(part.features),
            "auroc": np.maximum(area, 1 - area),
            "observed": 1 - np.isnan(part.values).mean(axis=0),
        },
        schema=_COLUMNS,
    )


_COLUMNS = {
    "column": pl.String,
    "function": pl.String,
    "setting": pl.String,
    "auroc": pl.Float64,
    "observed": pl.Float64,
}
