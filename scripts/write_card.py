"""The model card with the items of TRIPOD+AI and TRIPOD-LLM, from the artifacts of a study.

python scripts/write_card.py --results results --output-md results/card.md --output-html results/card.html
"""

from pathlib import Path

from tirec import frontend
from tirec.config.report import CardFacts
from tirec.provenance import record, write_text
from tirec.report.card import html, markdown, model_card


def main() -> None:
    """Writes the card in its two forms; an artifact that was not made is named as missing."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--results", required=True, type=Path, help="the study's results folder")
    parser.add_argument("--facts", help="what the configuration says: JSON, or a YAML or JSON file")
    parser.add_argument("--output-md", required=True, type=Path, help="card.md")
    parser.add_argument("--output-html", required=True, type=Path, help="card.html")
    given = parser.parse_args()
    facts = frontend.read_settings(CardFacts, given.facts)
    card = model_card(given.results, facts, given.data_class)
    write_text(markdown(card), given.output_md)
    write_text(html(card), given.output_html)
    record([given.output_md, given.output_html], {}, facts.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
