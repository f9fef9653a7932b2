"""The two written forms of a result table."""

from pathlib import Path

from tirec.report.pages import render
from tirec.report.result_page.table import Cell, ResultTable

_FOLDER = Path(__file__).resolve().parent
_ESCAPED = {"\\": r"\textbackslash{}", **{sign: "\\" + sign for sign in "&%$#_{}"}, "~": r"\textasciitilde{}"}
_SPELT = {"–": "--", "−": "$-$", "≥": r"$\geq$"}


def html(table: ResultTable) -> str:
    """A page that loads nothing."""
    return render(_FOLDER, table=table)


def latex(table: ResultTable) -> str:
    r"""A `table` environment for booktabs (`\usepackage{booktabs}`); values without intervals, to fit a page."""
    columns = len(table.header)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(table.title)}. {' '.join(escaped(note) for note in table.notes)}}}",
        rf"\begin{{tabular}}{{l{'r' * (columns - 1)}}}",
        r"\toprule",
        " & ".join(escaped(name) for name in table.header) + r" \\",
    ]
    for group in table.groups:
        lines += [r"\midrule", rf"\multicolumn{{{columns}}}{{l}}{{\textit{{{escaped(group.heading)}}}}} \\"]
        lines += [" & ".join([escaped(name), *map(_latex_cell, cells)]) + r" \\" for name, cells in group.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _latex_cell(cell: Cell) -> str:
    text = escaped(cell.text)
    return {"best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}"}.get(cell.mark, text)


def escaped(text: str) -> str:
    """Text in which LaTeX sees nothing special."""
    return "".join(_ESCAPED.get(sign, _SPELT.get(sign, sign)) for sign in text)
