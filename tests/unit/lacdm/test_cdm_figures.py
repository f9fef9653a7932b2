"""Figures from small tables: every policy is there, undefined values do not stop them."""

import polars as pl
from figure_bounds import assert_nothing_is_cut_off

from tirec.config.lacdm import CONDITIONS
from tirec.lacdm import figures, habits
from tirec.report.style import save


def test_each_figure_draws_what_its_table_holds(tmp_path):
    ends = ("", "_low", "_high")
    values = {"cost": 900.0, "mean_accuracy": 0.8}
    limits = {f"{name}{end}": [value] * 2 for name, value in values.items() for end in ends}
    frontier = figures.frontier(pl.DataFrame({"policy": ["full", "zero_shot"], **limits}))
    assert [one.get_label() for one in frontier.axes[0].containers] == ["full", "zero shot"]
    stated = pl.DataFrame({"model": ["full.seed0"] * 2, "confidence": [0.5, 1.0], "n": [3, 1], "accuracy": [0.4, 1.0]})
    assert figures.reliability(stated).axes[0].get_title(loc="left") == "full"
    first = pl.DataFrame({"model": "full.seed0", "suspected": list(CONDITIONS), "test": "CT", "n": 1, "share": 1.0})
    bars = figures.first_tests(first, ["full.seed0"]).axes[0].patches
    assert sum(bar.get_height() for bar in bars) == len(CONDITIONS)
    history = pl.DataFrame({"step": [0, 10], "val_diagnosis_mean_accuracy": [0.5, None]})
    assert figures.training({"full": history}).axes[0].lines


def test_with_every_policy_nothing_written_is_cut_off():
    policies = ["full", "zero_shot", "react", "decision_only", "no_cost", "no_calibration", "simultaneous", "sft_all"]
    history = pl.DataFrame({"step": [0, 10], **{column: [0.5, 0.6] for column in figures.VALIDATED}})
    tests = [
        "Physical Examination",
        "Complete Blood Count",
        "Liver Function Panel",
        "Renal Function Panel",
        "CT",
        "MRI",
    ]
    first = pl.DataFrame({"test": tests}).join(pl.DataFrame({"suspected": list(CONDITIONS)}), how="cross")
    first = first.with_columns(model=pl.lit("full.seed0"), n=1, share=1 / len(tests))
    ends = ("", "_low", "_high")
    limits = {f"{name}{end}": [0.5] * len(policies) for name in ("cost", "mean_accuracy") for end in ends}
    assert_nothing_is_cut_off(figures.training(dict.fromkeys(policies, history)))
    assert_nothing_is_cut_off(figures.first_tests(first, ["full.seed0"]))
    assert_nothing_is_cut_off(figures.frontier(pl.DataFrame({"policy": policies, **limits})))


def test_policies_that_state_nothing_leave_empty_panels(tmp_path):
    save(figures.reliability(pl.DataFrame(schema=habits.RELIABILITY)), tmp_path / "reliability.pdf")
    save(figures.first_tests(pl.DataFrame(schema=habits.FIRST_TESTS), ["full.seed0"]), tmp_path / "first_tests.pdf")
    assert {path.name for path in tmp_path.glob("*.pdf")} == {"reliability.pdf", "first_tests.pdf"}
