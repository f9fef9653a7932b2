"""The page of LA-CDM's dialogues: what each agent read, ordered and said, case by case, in the shared viewer."""

from pathlib import Path

from tirec import frontend
from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.report import ReportConfig
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.menu import read_menu
from tirec.lacdm.predictions import read_predictions
from tirec.lacdm.shown import Dialogues, payload
from tirec.provenance import record
from tirec.report.viewer.page import render, write
from tirec.report.viewer.payload import named


def main() -> None:
    """Writes lacdm/trajectories.html."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--trajectories", required=True, nargs="+", type=Path, help="test dialogues of the policies")
    parser.add_argument("--predictions", required=True, nargs="+", type=Path, help="their test predictions")
    parser.add_argument("--episodes", required=True, type=Path, help="lacdm/episodes/test.arrow")
    parser.add_argument("--settings", help="the configuration section `report`: JSON, or a YAML or JSON file")
    parser.add_argument("--rules", help="menu, switches, limits, agents: JSON or a file")
    parser.add_argument("--output", required=True, type=Path, help="trajectories.html; credentialed: restricted/…")
    given = parser.parse_args()
    shown = frontend.read_settings(ReportConfig, given.settings)
    rules = frontend.read_settings(ConsultConfig, given.rules)
    predictions = {name: read_predictions(path) for name, path in named(given.predictions).items()}
    models = {name: Dialogues(path, predictions[name]) for name, path in named(given.trajectories).items()}
    menu = read_menu(rules.menu_file(), rules.switches)
    page = render(payload(open_cdm_cases(given.episodes), models, menu, shown, given.data_class))
    write(page, given.output, given.data_class)
    inputs = {str(path): path for path in (*given.trajectories, *given.predictions, given.episodes)}
    told = {"report": shown.model_dump(), "rules": rules.model_dump(mode="json")}
    record([given.output], inputs | {"menu": rules.menu_file()}, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
