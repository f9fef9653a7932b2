"""The page of sensitivity: every unstated choice against its alternatives, as far as a tree teacher can tell."""

from tirec.report.sensitivity_page.page import sensitivity_page

__all__ = ["sensitivity_page"]
