"""The audit page: python scripts/build_audit_page.py --audit results/audit --output results/audit/index.html."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.provenance import write_text
from tirec.report.audit_page import Sources, audit_page


def main() -> None:
    """Writes one self-contained HTML file from the five tables of the audit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audit", required=True, type=Path, help="folder of ingest.tsv, splits.tsv, exclusions.tsv, …")
    parser.add_argument("--output", required=True, type=Path, help="index.html")
    given = parser.parse_args()
    write_text(audit_page(Sources.read(given.audit)), given.output)


if __name__ == "__main__":
    frontend.run(main)
