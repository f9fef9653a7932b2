"""The page of the leak suite: what would show if the future, the process or the label leaked."""

from tirec.report.leak_page.page import leak_page

__all__ = ["leak_page"]
