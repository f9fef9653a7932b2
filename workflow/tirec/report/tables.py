"""Tables as plain text: aligned columns, intervals in brackets, `undefined` where a value does not exist."""

from collections.abc import Sequence

import polars as pl

UNDEFINED = "undefined"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest entry, the first to the left and the others to the right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    lines = [_line(row, widths) for row in [header, ["-" * width for width in widths], *rows]]
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
    return "  ".join(cells).rstrip()


def number(value: float | None, digits: int = 3) -> str:
    """A number without its leading zero, as journals print it; `-` where there is none."""
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and digits else text


def with_interval(row: dict[str, float | None], name: str) -> str:
    """`.812 [.790, .834]`, or why there is none."""
    if row[name] is None:
        return f"{UNDEFINED} (n_pos = {row['n_pos']})"
    return f"{number(row[name])} [{number(row[f'{name}_low'])}, {number(row[f'{name}_high'])}]"


def ablation_summary(table: pl.DataFrame) -> str:
    """Mean of the tasks, a line per policy: AUROC, AUPRC and F1 with intervals, reference-set F1, calls, unanswered."""
    header = ["policy", "AUROC", "AUPRC", "F1", "match F1", "calls", "unanswered", "seeds"]
    rows = [
        [
            str(row["policy"]),
            *(with_interval(row, name) for name in ("auroc", "auprc", "f1")),
            number(row["match_f1"], 2),
            number(row["calls"], 1),
            number(row["unanswered"], 2),
            "-" if row["seeds"] is None else str(row["seeds"]),
        ]
        for row in table.filter(pl.col("task") == "macro").iter_rows(named=True)
    ]
    return text_table(header, rows)
