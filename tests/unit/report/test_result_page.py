"""One table object, two written forms: marks, undefined cells, notes, and text that attacks them."""

import polars as pl

from tirec.report.result_page import Cell, Group, ResultTable, html, latex, result_table

LIMIT = "Synthetic data: they say nothing about patients."


def frame(name: str = "policy") -> pl.DataFrame:
    rows = []
    for place, policy in enumerate(("full", "base")):
        for task in ("revisit", "macro"):
            row: dict[str, object] = {
                name: policy,
                "task": task,
                "n": 90,
                "n_pos": 9,
                "seeds": 2 if policy == "full" else None,
            }
            for metric in ("auroc", "auprc", "f1"):
                row |= {metric: 0.8 - place / 10, f"{metric}_low": 0.7, f"{metric}_high": 0.9}
            row |= {"precision": 0.5, "recall": 0.25, "flagged": 0.2, "calls": 3.14, "unanswered": 0.0}
            rows.append(
                row | {"auroc_mark": ("best", None)[place], "f1_mark": (None, "second")[place], "recall_mark": "best"}
            )
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.with_columns(auprc=pl.when(pl.col("task") == "revisit").then(None).otherwise("auprc"))


def test_the_mean_comes_first_and_cells_tell_value_interval_and_mark() -> None:
    table = result_table(frame(), "Ablations", "full", 0.9, (LIMIT,))
    assert [group.heading.partition(" (")[0] for group in table.groups] == ["Mean of tasks", "Revisit"]
    assert table.header == (
        "Policy",
        "AUROC",
        "AUPRC",
        "F1",
        "Precision",
        "Recall",
        "Flagged",
        "Calls",
        "Unanswered",
        "Seeds",
    )
    name, cells = table.groups[0].rows[0]
    assert (name, cells[0]) == ("full", Cell(".800", "[.700, .900]", "best"))
    assert [cell.text for cell in cells[-3:]] == ["3.1", ".000", "2"]
    assert table.groups[1].rows[0][1][1] == Cell("undefined (n_pos = 9)")
    assert table.groups[0].rows[1][1][-1] == Cell("–")
    assert "90 % bootstrap" in table.notes[0] and "2 training seeds" in table.notes[0] and table.notes[-1] == LIMIT


def test_the_highest_recall_is_no_merit() -> None:
    table = result_table(frame(), "Ablations", "full", 0.95, ())
    assert table.groups[0].rows[0][1][table.header.index("Recall") - 1] == Cell(".250")


def test_a_table_of_models_is_read_too() -> None:
    assert result_table(frame("model"), "Table 1", "full", 0.95, ()).header[0] == "Model"


def test_html_marks_and_escapes_and_loads_nothing() -> None:
    hostile = ResultTable(
        "<b>x</b>",
        ("Model", "F1"),
        (Group("g", (("<script>", (Cell(".5", "", "best"), Cell("1", "", "second"))),)),),
        (),
    )
    page = html(hostile)
    assert "<strong>.5</strong>" in page and "<u>1</u>" in page
    assert "<script" not in page and "&lt;script&gt;" in page and "http" not in page.replace("http-equiv", "")


def test_latex_marks_and_escapes() -> None:
    table = result_table(frame(), "50 % of a_b & c", "full", 0.95, (LIMIT,))
    text = latex(table)
    assert r"\caption{50 \% of a\_b \& c. " in text and LIMIT in text
    assert r"full & \textbf{.800} & .800 & .800" in text and r"base & .700 & .700 & \underline{.700}" in text
    assert text.count(r"\\") == 1 + 2 + 4 and text.count("&") >= 5 * 9
