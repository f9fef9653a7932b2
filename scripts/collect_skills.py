"""The sentences of every task's skill document, one row each; a task without a document gets an empty table."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.agent.skills import collect
from tirec.provenance import write_tsv


def main() -> None:
    """Writes {task}.tsv for every task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skills", required=True, type=Path, help="folder of the documents, {task}.md")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of {task}.tsv")
    given = parser.parse_args()
    for task, table in collect(given.skills).items():
        write_tsv(table, given.output_dir / f"{task}.tsv")


if __name__ == "__main__":
    frontend.run(main)
