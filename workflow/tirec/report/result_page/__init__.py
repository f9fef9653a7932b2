"""A result table for people: one object, written as HTML and as LaTeX."""

from tirec.report.result_page.page import html, latex
from tirec.report.result_page.table import Cell, Group, ResultTable, result_table

__all__ = ["Cell", "Group", "ResultTable", "html", "latex", "result_table"]
