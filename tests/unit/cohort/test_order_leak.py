"""An order that is the decision in disguise stops the run; one that only goes with illness does not."""

import polars as pl
import pytest

from tirec.cohort.order_leak import OrderLeakError, leaking, predictive_values, require_no_leak
from tirec.config.evidence import OrderRules
from tirec.records.schema import SPECS, Tables

RULES = OrderRules(leak_min_visits=3)


def tables_with(orders: list[tuple[int, int, str]]) -> Tables:
    frame = pl.DataFrame(orders, schema=["csn", "order_s", "procedure_name"], orient="row")
    empty = {name: pl.DataFrame() for name in SPECS}
    return Tables.of({**empty, "orders": frame})


def instances(labels: list[int], split: str = "train") -> pl.DataFrame:
    csn = list(range(1, len(labels) + 1))
    return pl.DataFrame({"csn": csn, "cutoff_s": 14_400, "label": labels, "split": split})


# Four admitted visits (1-4) and two discharged ones (5, 6).
LABELS = [1, 1, 1, 1, 0, 0]


def test_each_name_with_its_predictive_value() -> None:
    orders = [
        (1, 600, "TELE BED"),
        (2, 600, "TELE BED"),
        (2, 700, "TELE BED"),  # the same visit counts once
        (3, 14_400, "TELE BED"),  # at the cutoff: seen
        (4, 14_401, "TELE BED"),  # after it: not
        (1, 60, "CBC WITH DIFFERENTIAL"),
        (5, 60, "CBC WITH DIFFERENTIAL"),
        (2, 60, "BED REQUEST"),
    ]
    table = predictive_values(tables_with(orders), instances(LABELS), RULES)
    assert table.rows() == [
        ("TELE BED", True, 3, 3, 1.0),
        ("BED REQUEST", False, 1, 1, 1.0),
        ("CBC WITH DIFFERENTIAL", True, 2, 1, 0.5),
    ]
    assert leaking(table, RULES) == ["TELE BED"]


def test_the_run_stops_with_the_names_to_decide() -> None:
    table = predictive_values(tables_with([(csn, 60, "TELE BED") for csn in (1, 2, 3)]), instances(LABELS), RULES)
    with pytest.raises(OrderLeakError, match=r"evidence\.orders\.drop.*evidence\.orders\.keep.*: TELE BED$"):
        require_no_leak(table, RULES)
    require_no_leak(table, OrderRules(leak_min_visits=3, keep=("tele  bed",)))
    dropped = OrderRules(leak_min_visits=3, drop=("TELE BED",))
    require_no_leak(predictive_values(tables_with([(1, 60, "TELE BED")]), instances(LABELS), dropped), dropped)


def test_other_splits_and_rare_names_decide_nothing() -> None:
    orders = [(csn, 60, "TELE BED") for csn in (1, 2, 3)]
    table = predictive_values(tables_with(orders), instances(LABELS, "test"), RULES)
    assert table.is_empty()
    rare = predictive_values(tables_with(orders[:2]), instances(LABELS), RULES)
    assert leaking(rare, RULES) == []
