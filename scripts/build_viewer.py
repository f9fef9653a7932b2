"""The page of trajectories: what each model asked, read, wrote and answered, case by case.

build_viewer.py --trajectories FILE... --episodes FILE --predictions FILE... --metrics FILE... --settings JSON
    --data-class CLASS --output FILE
"""

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path

from tirec import frontend
from tirec.agent.cases import open_cases
from tirec.config.report import ReportConfig
from tirec.evaluation.model_metrics import THRESHOLD_COLUMNS, read_thresholds
from tirec.provenance import record
from tirec.records.stored import read_stored, read_table
from tirec.report.viewer.judging import Place, threshold_of
from tirec.report.viewer.page import render, write
from tirec.report.viewer.payload import Models, named, payload


def main() -> None:
    """Writes trajectories.html."""
    given = arguments()
    rules = frontend.read_settings(ReportConfig, given.settings)
    scores = {name: read_stored(path, ("instance_id", "p")) for name, path in named(given.predictions).items()}
    models = Models(named(given.trajectories), scores, thresholds(given.metrics))
    page = render(payload(open_cases(given.episodes), models, rules, given.data_class))
    write(page, given.output, given.data_class)
    inputs = {str(path): path for path in (*given.trajectories, given.episodes, *given.predictions, *given.metrics)}
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--trajectories", required=True, nargs="+", type=Path, help="test trajectories of agents")
    parser.add_argument("--episodes", required=True, type=Path, help="episodes/test.arrow")
    parser.add_argument("--predictions", nargs="*", default=[], type=Path, help="test predictions of trees")
    parser.add_argument("--metrics", nargs="*", default=[], type=Path, help="metrics/{model}.tsv, for their thresholds")
    parser.add_argument("--settings", help="the configuration section `report`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="trajectories.html; credentialed: restricted/…")
    return parser.parse_args()


def thresholds(metrics: Iterable[Path]) -> dict[str, Mapping[Place, tuple[float, str]]]:
    """Every model's thresholds by task and setting."""
    frames = {path.stem: read_table(path, THRESHOLD_COLUMNS) for path in metrics}
    return {name: threshold_of(read_thresholds(frame)) for name, frame in frames.items()}


if __name__ == "__main__":
    frontend.run(main)
