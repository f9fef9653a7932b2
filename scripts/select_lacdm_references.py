"""Reference sets of tests by condition, from a tree teacher on the training cases' results."""

from pathlib import Path

from tirec import frontend
from tirec.config.teacher import TeacherConfig
from tirec.evaluation.intervals import rounded
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.references import reference_tests
from tirec.provenance import record, write_tsv


def main() -> None:
    """Writes reference_sets.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--train", required=True, type=Path, help="episodes/train.arrow")
    parser.add_argument("--settings", help="the configuration section `teacher`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path)
    given = parser.parse_args()
    rules = frontend.read_settings(TeacherConfig, given.settings)
    write_tsv(rounded(reference_tests(open_cdm_cases(given.train), rules)), given.output)
    record([given.output], {"train": given.train}, rules.model_dump(mode="json"), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
