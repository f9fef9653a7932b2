"""Orders whose mere presence all but gives the disposition away: every name with its predictive value on train."""

import polars as pl

from tirec.config.evidence import OrderRules
from tirec.errors import DataError
from tirec.records.schema import Tables


class OrderLeakError(DataError):
    """A visible order name that is the decision in disguise."""


def predictive_values(tables: Tables, instances: pl.DataFrame, rules: OrderRules) -> pl.DataFrame:
    """procedure_name, visible, n, n_pos, predictive_value among training visits with that order by the cutoff.

    `instances` are those of one disposition set (the 4 h one sees most); a visit counts once per name.
    """
    train = instances.filter(pl.col("split") == "train").select("csn", "cutoff_s", "label")
    orders = tables.orders.select("csn", "order_s", "procedure_name").collect()
    seen = orders.join(train, on="csn").filter(pl.col("order_s") <= pl.col("cutoff_s"))
    named = seen.select("csn", "procedure_name", "label").unique().group_by("procedure_name")
    counts = named.agg(n=pl.len().cast(pl.Int64), n_pos=pl.col("label").cast(pl.Int64).sum())
    shown = [rules.visible(name) for name in counts["procedure_name"]]
    share = (pl.col("n_pos") / pl.col("n")).round(4)
    table = counts.with_columns(visible=pl.Series(shown, dtype=pl.Boolean), predictive_value=share)
    columns = ("procedure_name", "visible", "n", "n_pos", "predictive_value")
    return table.select(columns).sort("predictive_value", "n", "procedure_name", descending=[True, True, False])


def leaking(table: pl.DataFrame, rules: OrderRules) -> list[str]:
    """Visible names above the limit that nobody has decided to keep."""
    common = (pl.col("n") >= rules.leak_min_visits) & (pl.col("predictive_value") > rules.leak_limit)
    found = table.filter(pl.col("visible") & common)["procedure_name"]
    return [name for name in found if name is not None and not rules.kept(name)]


def require_no_leak(table: pl.DataFrame, rules: OrderRules) -> None:
    """Raises OrderLeakError with the names to put under `evidence.orders.drop` or `evidence.orders.keep`."""
    if names := leaking(table, rules):
        raise OrderLeakError(
            f"orders: these names predict admission with more than {rules.leak_limit:g}; put each under "
            f"evidence.orders.drop, or under evidence.orders.keep if it is evidence: {'; '.join(names)}"
        )
