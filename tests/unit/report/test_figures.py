"""Figures are drawn from tables alone, survive gaps in them, and are the same bytes every time."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from figure_bounds import assert_nothing_is_cut_off
from matplotlib.figure import Figure

from tirec.config.cohort import TASKS
from tirec.evaluation.comparisons import COMPARED, headers
from tirec.provenance import PACKAGE_ROOT, _collect
from tirec.report.figures import ablations, calibration, calls, decision_curve, subgroups, training
from tirec.report.style import looks, save

POLICIES = ("full", "no_match", "alpha_05", "base", "teacher")


def ablation_rows(undefined: bool = False) -> pl.DataFrame:
    """A table in the contract's format; `undefined` empties one task of one policy."""
    rows = []
    for place, policy in enumerate(POLICIES):
        for task in (*TASKS, "macro"):
            row: dict[str, object] = dict.fromkeys(headers()) | {"policy": policy, "task": task, "n": 90, "n_pos": 9}
            if not (undefined and task == "revisit" and policy == "full"):
                for name in COMPARED:
                    row |= {name: 0.8 - place / 20, f"{name}_low": 0.7 - place / 20, f"{name}_high": 0.85 - place / 20}
            rows.append(row | {"seeds": 1 if policy not in ("base", "teacher") else None})
    return pl.DataFrame(rows, infer_schema_length=None)


def history(steps: int = 12, **changes: object) -> pl.DataFrame:
    """A history with validation every fourth step and none of the columns named in `changes` as None."""
    frame = {"step": list(range(steps)), "retention": [max(0.0, 1 - step / 6) for step in range(steps)]}
    frame |= {f"reward_{part}": [None, *(step / steps for step in range(1, steps))] for part in training.PARTS}
    for task in TASKS:
        for metric in ("auroc", "match_f1"):
            frame[f"val_{task}_{metric}"] = [0.5 + step / 50 if step % 4 == 0 else None for step in range(steps)]
    return pl.DataFrame({name: values for name, values in frame.items() if name not in changes})


def test_every_policy_and_task_stands_in_the_forest_plot() -> None:
    figure = ablations.draw(ablation_rows(), "full", 0.95)
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels == ["full", "no match reward", "alpha 05", "base", "tree teacher"] * 4
    groups = [text.get_text() for text in figure.axes[0].texts]
    assert groups == ["Mean of tasks", "Disposition", "Decompensation", "Revisit"]
    assert len(figure.axes) == 3
    assert "one training seed" in figure.get_supxlabel()


def test_another_reference_and_confidence_are_said() -> None:
    note = ablations.draw(ablation_rows(), "no_match", 0.9).get_supxlabel()
    assert "90 % interval" in note and note.endswith("grey line: no_match")


def test_undefined_values_leave_a_gap() -> None:
    full, gap = (
        ablations.draw(ablation_rows(), "full", 0.95),
        ablations.draw(ablation_rows(undefined=True), "full", 0.95),
    )
    assert len(gap.axes[0].lines) == len(full.axes[0].lines) - 3  # point, interval and the reference line


def test_training_figure_has_three_tasks_twice_and_four_reward_parts() -> None:
    figure = training.draw({"full": [history(), history()], "no_skills": [history()]})
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["Disposition", "Decompensation", "Revisit"] * 2 + [
        "Reward: prediction",
        "Reward: match",
        "Reward: format",
        "Reward: execution",
    ]
    assert all(axes.lines for axes in figure.axes)


def test_a_history_that_only_began_or_lacks_columns_is_no_error() -> None:
    training.draw({"full": [history(1)], "no_match": [history(val_revisit_auroc=None, retention=None)]})


@pytest.mark.parametrize("name", ["ablations", "training"])
def test_same_bytes_twice_and_a_png_beside_the_pdf(name: str, tmp_path: Path) -> None:
    for copy in ("one", "two"):
        figure = (
            ablations.draw(ablation_rows(), "full", 0.95)
            if name == "ablations"
            else training.draw({"full": [history()]})
        )
        save(figure, tmp_path / copy / f"{name}.pdf")
    for ending in ("pdf", "png"):
        one, two = ((tmp_path / copy / f"{name}.{ending}").read_bytes() for copy in ("one", "two"))
        assert one == two and len(one) > 5000
    assert len(list((tmp_path / "one").iterdir())) == 2


@pytest.mark.parametrize("name", ["ablations", "calibration", "decision_curve", "subgroups", "training"])
def test_a_figure_is_code_of_one_rule_alone(name: str) -> None:
    module = PACKAGE_ROOT / "report" / "figures" / f"{name}.py"
    reads: list[str] = []
    drawing = (PACKAGE_ROOT.parents[1] / "scripts").glob("plot_*.py")
    for script in sorted(drawing):
        seen: dict[Path, str] = {}
        _collect(script, seen, frozenset())
        reads += [script.stem] if module in seen else []
    assert reads == [f"plot_{name}"]


def test_policies_differ_in_colour_and_in_marker() -> None:
    found = looks(["full", "no_match", "no_skills", "no_gbm_target", "base", "teacher", "a", "b", "c", "d"]).values()
    assert len({look.colour for look in found}) == len({look.marker for look in found}) == 10


def test_many_policies_never_look_alike() -> None:
    found = looks([f"policy_{number}" for number in range(28)]).values()
    assert len({(look.colour, look.marker) for look in found}) == 28


def curve_table() -> pl.DataFrame:
    parts = [
        {
            "task": task,
            "p_kind": kind,
            "bin": number,
            "n": 40,
            "patients": 30,
            "p_mean": number / 8,
            "observed": number / 9,
        }
        | {"ci_low": number / 10, "ci_high": number / 8, "smooth_ece": 0.05}
        for task in TASKS
        for kind in calibration.KINDS
        for number in (1, 2, 3)
    ]
    return pl.DataFrame(parts)


def decision_rows() -> pl.DataFrame:
    points = [(task, step / 100) for task in TASKS for step in range(1, 31)]
    columns = {"net_benefit": 0.1, "ci_low": 0.05, "ci_high": 0.15, "n": 90}
    return pl.DataFrame([{"task": task, "threshold": t, "flag_everyone": 0.15 - t, **columns} for task, t in points])


def subgroup_rows() -> pl.DataFrame:
    rows = [
        {"task": task, "attribute": attribute, "level": level, "metric": metric, "gap": gap}
        | {"gap_low": gap and gap - 0.1, "gap_high": gap and gap + 0.1}
        for task in TASKS
        for attribute, level in (("sex", "F"), ("sex", "M"), ("age", "under 40"))
        for metric in subgroups.GAPS
        for gap in ([0.2] if level == "F" else [0.05] if level == "M" else [None])
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


MANY = ("full", "no_match", "no_skills", "no_gbm_target", "full_calibrated", "alpha_05", "base", "teacher")
MANY += ("logistic", "random_forest", "lightgbm", "xgboost", "mlp", "news2", "acuity", "prevalence", "arrival")


def calls_rows() -> pl.DataFrame:
    asking = MANY[:7]
    rows = [
        {"model": f"{name}.seed0", "task": task, "auroc": 0.8, "auroc_low": 0.7, "auroc_high": 0.9}
        | {"calls": 4.0 if name in asking else None, "calls_low": 3.5 if name in asking else None}
        | {"calls_high": 4.5 if name in asking else None}
        for name in MANY
        for task in TASKS
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: calls.draw(calls_rows()),
        lambda: training.draw({name: [history()] for name in MANY[:7]}),
        lambda: calibration.draw(dict.fromkeys(MANY, curve_table()), 0.95),
        lambda: decision_curve.draw(dict.fromkeys(MANY, decision_rows()), 0.95),
        lambda: subgroups.draw(subgroup_rows(), "full", 0.95),
        lambda: ablations.draw(ablation_rows(), "full", 0.95),
    ],
    ids=["calls", "training", "calibration", "decision_curve", "subgroups", "ablations"],
)
def test_with_many_models_nothing_written_is_cut_off(drawn: Callable[[], Figure]) -> None:
    assert_nothing_is_cut_off(drawn())


def test_calibration_has_both_kinds_of_p_for_every_task_and_says_the_error() -> None:
    figure = calibration.draw({"full": curve_table(), "base": curve_table()}, 0.9)
    assert len(figure.axes) == 6 and "90 % interval" in figure.get_supxlabel()
    assert [text.get_text() for text in figure.axes[0].texts] == ["smooth ECE", "0.050", "0.050"]
    assert {axes.get_xlim() for axes in figure.axes} == {figure.axes[0].get_xlim()}


def test_decision_curves_name_their_two_grey_lines() -> None:
    figure = decision_curve.draw({"full": decision_rows(), "teacher": decision_rows()}, 0.95)
    assert {text.get_text() for text in figure.axes[0].texts} == {"act on nobody", "act on everyone"}
    assert len(figure.axes) == 3 and all(axes.get_xlabel() == "threshold probability" for axes in figure.axes)


def test_subgroups_fill_only_gaps_that_exclude_zero_and_mark_what_is_not_shown() -> None:
    figure = subgroups.draw(subgroup_rows(), "full", 0.95)
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["F", "M", "under 40"]
    faces = [
        line.get_markerfacecolor()
        for line in figure.axes[0].lines
        if line.get_marker() in "os^" and len(line.get_xdata())
    ]
    assert [face == "white" for face in faces] == [False, True] * 3
    assert sum(line.get_marker() == "x" and len(line.get_xdata()) > 0 for line in figure.axes[0].lines) == 3
