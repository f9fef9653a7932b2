"""What the pages for readers share: one style and one closed file that loads nothing and runs nothing."""

from tirec.report.pages.page import render

__all__ = ["render"]
