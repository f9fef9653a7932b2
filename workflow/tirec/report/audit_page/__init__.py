"""The audit page: what was read and set aside, who was excluded and why, how frequent each outcome is."""

from tirec.report.audit_page.page import Sources, audit_page

__all__ = ["Sources", "audit_page"]
