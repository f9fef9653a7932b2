"""All studies of one policy in one process: its own groups, random groups, edited observations."""

import time
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent.cases import open_cases
from tirec.analysis.edits import read_edits
from tirec.analysis.play import arms, counterfactuals
from tirec.analysis.reading import read_drawn
from tirec.config.studies import PolicyStudyConfig
from tirec.provenance import record, write_parquet


def main() -> None:
    """Writes studies/{budget,reading,counterfactual}/{model}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--policies", required=True, type=Path, nargs="+", help="{task}/policy.json, every task")
    parser.add_argument("--episodes", required=True, type=Path, help="episodes/test.arrow")
    parser.add_argument("--drawn", required=True, type=Path, help="studies/drawn.parquet")
    parser.add_argument("--edits", required=True, type=Path, nargs="+", help="studies/edits/{task}.parquet, every task")
    parser.add_argument("--settings", help="a PolicyStudyConfig (protocol, budgets, threads, batch): JSON or a file")
    parser.add_argument("--output-budget", required=True, type=Path, help="own arm")
    parser.add_argument("--output-reading", required=True, type=Path, help="random arm")
    parser.add_argument("--output-counterfactual", required=True, type=Path, help="edited observations")
    given = parser.parse_args()
    config = frontend.read_settings(PolicyStudyConfig, given.settings)
    started = time.monotonic()
    policies = {path.parent.name: path for path in given.policies}
    cases = open_cases(given.episodes)
    own, random = arms(policies, cases, read_drawn(given.drawn), config)
    edits = pl.concat(read_edits(path) for path in given.edits)
    outputs = {
        given.output_budget: own,
        given.output_reading: random,
        given.output_counterfactual: counterfactuals(policies, cases, edits, config),
    }
    for output, frame in outputs.items():
        write_parquet(frame, output)
    inputs = policies | {"episodes": given.episodes, "drawn": given.drawn}
    inputs |= {f"edits/{path.name}": path for path in given.edits}
    told = config.model_dump() | {"seconds": round(time.monotonic() - started, 1)}
    record(list(outputs), inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
