"""One task's tree teacher: risk of every instance, gain of every feature, contributions per patient."""

import sys
from pathlib import Path

from tirec import frontend
from tirec.config.teacher import TeacherConfig
from tirec.provenance import placed, record, write_parquet, write_text, write_tsv
from tirec.teacher import gbm
from tirec.teacher.importance import by_function
from tirec.teacher.rows import OneClassError, Rows, read_rows
from tirec.teacher.undefined import undefined_teacher


def main() -> None:
    """Writes the model, the risks, the gains, three kinds of importance and the contributions."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--task", required=True)
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the task's instance files")
    parser.add_argument("--features", required=True, type=Path, help="features/{task}.parquet")
    parser.add_argument("--output-model", required=True, type=Path, help="model.txt")
    parser.add_argument("--output-risk", required=True, type=Path, help="risk.parquet")
    parser.add_argument("--output-importance", required=True, type=Path, help="importance.tsv")
    parser.add_argument("--output-by-function", required=True, type=Path, help="importance_by_function.tsv")
    parser.add_argument("--output-contributions", required=True, type=Path, help="contributions.parquet")
    parser.add_argument("--settings", help="the configuration section `teacher`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(TeacherConfig, given.settings)
    rows = read_rows(given.instances, given.features, given.task)
    teacher = _fit_open(rows, rules, given.task) if given.data_class == "open" else gbm.fit(rows, rules)
    write_text(teacher.model, given.output_model)
    write_parquet(teacher.risk, given.output_risk)
    write_tsv(teacher.importance, given.output_importance)
    write_tsv(by_function(rows, teacher, rules), given.output_by_function)
    write_parquet(teacher.contributions, given.output_contributions)
    outputs = [given.output_model, given.output_risk, given.output_importance, given.output_by_function]
    outputs.append(given.output_contributions)
    inputs = placed([*given.instances, given.features])
    record(outputs, inputs, rules.model_dump(), given.data_class, __file__)


def _fit_open(rows: Rows, rules: TeacherConfig, task: str) -> gbm.Teacher:
    """Open records may be too few to learn from: said once, and the task goes on without a tree."""
    try:
        return gbm.fit(rows, rules)
    except OneClassError as fault:
        print(f"note: {task}: the teacher is undefined ({fault})", file=sys.stderr)
        return undefined_teacher(rows, str(fault))


if __name__ == "__main__":
    frontend.run(main)
