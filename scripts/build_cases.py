"""The page of cases: pairs of trajectories of two models, picked by written rules, in the viewer's format."""

from pathlib import Path

from tirec import frontend
from tirec.agent import trajectories
from tirec.agent.cases import open_cases
from tirec.analysis.cases import RULES, judged, pick, summary
from tirec.config.report import ReportConfig
from tirec.config.studies import StudiesConfig
from tirec.evaluation.model_metrics import THRESHOLD_COLUMNS, read_thresholds
from tirec.evaluation.outcomes import read_predictions
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.viewer.judging import threshold_of
from tirec.report.viewer.page import render, write
from tirec.report.viewer.payload import Models, Picked, named, payload


def main() -> None:
    """Writes cases.html."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--trajectories", required=True, nargs=2, type=Path, help="test.jsonl.zst of models A and B")
    parser.add_argument("--metrics", required=True, nargs=2, type=Path, help="metrics/{model}.tsv of A and B")
    parser.add_argument("--episodes", required=True, type=Path, help="episodes/test.arrow")
    parser.add_argument("--predictions", nargs="*", default=[], type=Path, help="test predictions of trees")
    parser.add_argument("--settings", help="the configuration section `studies`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="cases.html; credentialed: restricted/…")
    given = parser.parse_args()
    config = frontend.read_settings(StudiesConfig, given.settings)
    cases = open_cases(given.episodes)
    thresholds = [read_thresholds(read_table(one, THRESHOLD_COLUMNS)) for one in given.metrics]
    a, b = (
        judged(summary(trajectories.read(path)), cases.frame, cut)
        for path, cut in zip(given.trajectories, thresholds, strict=True)
    )
    episodes = named(given.trajectories)
    scores = {name: read_predictions(path) for name, path in named(given.predictions).items()}
    cuts = dict(zip(episodes, map(threshold_of, thresholds), strict=True))
    picked = Picked(pick(a, b, config.pairs), RULES)
    page = render(payload(cases, Models(episodes, scores, cuts), ReportConfig(), given.data_class, picked))
    write(page, given.output, given.data_class)
    inputs = {str(path): path for path in (*given.trajectories, *given.metrics, given.episodes, *given.predictions)}
    record([given.output], inputs, config.model_dump(include={"pairs"}), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
