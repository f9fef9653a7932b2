"""Writes docs/functions.md from the registry of clinical functions and their worked examples.

python scripts/document_functions.py [--examples tests/examples] [--output docs/functions.md]
"""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.provenance import write_text
from tirec.report.functions_page.page import functions_page

CHECKOUT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=Path, default=CHECKOUT / "tests" / "examples", help="the worked examples")
    parser.add_argument("--output", type=Path, default=CHECKOUT / "docs" / "functions.md", help="the page")
    given = parser.parse_args()
    write_text(functions_page(given.examples), given.output)


if __name__ == "__main__":
    frontend.run(main)
