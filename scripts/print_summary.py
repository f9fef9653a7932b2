"""What a finished demo found: one table, a verdict, and where to look next. Exits with 1 when the verdict fails."""

import argparse
import json
import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.errors import DataError
from tirec.records.stored import read_table
from tirec.report.style import percent
from tirec.report.tables import ablation_summary
from tirec.report.verdict import ending, failed, judge
from tirec.teacher.reference_sets import read as read_reference_sets

NEXT = {
    "ablations.tsv": "every value, interval and difference behind the table",
    "figures/ablations.png": "the same as a forest plot",
    "figures/training.png": "validation without skills and the reward, step by step",
    "trajectories.html": "test cases step by step: what was asked, read and answered (open in a browser)",
    "audit/index.html": "what was read and excluded, and why (open in a browser)",
    "reference_sets.tsv": "which functions carry the tree teacher",
}


def main() -> None:
    """Prints the table, the verdict and the files to open."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", required=True, type=Path, help="the demo's folder")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    demo, rules = given.demo, frontend.read_settings(EvaluationConfig, given.settings)
    results = demo / "results"
    ablations = read_table(results / "ablations.tsv", ("policy", "task", "n"))
    cases = ablations.filter(pl.col("task") == "macro")["n"][0]
    print(f"\nTest set, mean of the three tasks ({cases} cases; {percent(rules.confidence)} intervals over patients)\n")
    print(ablation_summary(ablations))
    references = read_reference_sets(results / "reference_sets.tsv")
    findings = judge(ablations, references, read_causes(demo), rules.reference)
    print(ending(findings, results, NEXT))
    sys.exit(failed(findings))


def read_causes(demo: Path) -> dict[str, list[str]]:
    """The planted causes from the synthetic records' truth.json."""
    found = sorted(demo.glob("*/truth.json"))
    if not found:
        raise DataError(f"{demo}: no truth.json beside the synthetic records")
    return json.loads(found[0].read_text(encoding="utf-8"))["planted"]


if __name__ == "__main__":
    frontend.run(main)
