"""The card as Markdown and as HTML."""

from collections.abc import Sequence
from pathlib import Path

from tirec.report.card.sections import Section
from tirec.report.pages import render

_FOLDER = Path(__file__).resolve().parent
TITLE = "Model card"


def html(sections: Sequence[Section]) -> str:
    """A page that loads nothing."""
    return render(_FOLDER, title=TITLE, sections=sections)


def markdown(sections: Sequence[Section]) -> str:
    """The same as Markdown."""
    return "\n\n".join([f"# {TITLE}", *(block for section in sections for block in _blocks(section))]) + "\n"


def _blocks(section: Section) -> list[str]:
    blocks = [f"## {section.heading}", *section.sentences]
    if section.points:
        blocks.append("\n".join(f"- {point}" for point in section.points))
    if section.header:
        lines = [section.header, tuple("---" for _ in section.header), *section.rows]
        blocks.append("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines))
    return blocks
