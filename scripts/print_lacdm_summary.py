"""What a finished LA-CDM demo found: one table, a verdict, where to look next. Exits with 1 when the verdict fails."""

import argparse
import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.lacdm.verdict import judge_demo, summary
from tirec.report.verdict import ending, failed

NEXT = {
    "ablations.tsv": "every value, interval and difference behind the table",
    "figures/frontier.png": "accuracy against cost",
    "figures/reliability.png": "stated confidence against how often it was right",
    "first_tests.tsv": "the first test by suspected condition",
    "adherence.tsv": "what the guidelines ask for, and what was ordered",
    "trajectories/full.seed0/test.jsonl.zst": "every test dialogue of the trained policy",
}


def main() -> None:
    """Prints the table, the verdict and the files to open."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", required=True, type=Path, help="the demo's folder")
    results = parser.parse_args().demo / "results" / "lacdm"
    table = pl.read_csv(results / "ablations.tsv", separator="\t", infer_schema_length=None)
    print(f"\nTest set of {table['n'][0]} cases ({table['cases'][0]}); 95 % intervals over patients\n")
    print(summary(table))
    findings = judge_demo(table)
    print(ending(findings, results, NEXT))
    sys.exit(failed(findings))


if __name__ == "__main__":
    frontend.run(main)
