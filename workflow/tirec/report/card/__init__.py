"""The model card: what the model is, what holds, what does not, and the guidelines' items with their files."""

from tirec.report.card.page import html, markdown
from tirec.report.card.sections import model_card

__all__ = ["html", "markdown", "model_card"]
