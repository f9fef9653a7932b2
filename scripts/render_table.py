"""A result table (main.tsv, ablations.tsv) for people, as HTML and as LaTeX.

python scripts/render_table.py --table results/main.tsv --output-html results/main.html --output-tex results/main.tex
"""

from pathlib import Path

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.provenance import record, write_text
from tirec.records.stored import read_table
from tirec.report.limits import DATA
from tirec.report.result_page import html, latex, result_table

TITLES = {"main": "Table 1: models on the test set", "ablations": "Ablations on the test set"}


def main() -> None:
    """Writes the two forms from one object."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--table", required=True, type=Path, help="main.tsv or ablations.tsv")
    parser.add_argument("--marks", type=Path, help="ablations_marks.tsv; Table 1 holds its own marks")
    parser.add_argument("--output-html", required=True, type=Path, help="a .html file")
    parser.add_argument("--output-tex", required=True, type=Path, help="a .tex file")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    frame = read_table(given.table, ("task", "auroc", "n", "n_pos"))
    if given.marks:
        marks = read_table(given.marks, ("policy", "task"))
        frame = frame.join(marks, on=["policy", "task"], how="left", maintain_order="left")
    title = TITLES.get(given.table.stem, given.table.stem)
    table = result_table(frame, title, rules.reference, rules.confidence, (DATA[given.data_class],))
    write_text(html(table), given.output_html)
    write_text(latex(table), given.output_tex)
    outputs = [given.output_html, given.output_tex]
    read = [given.table, *([given.marks] if given.marks else [])]
    record(outputs, {path.name: path for path in read}, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
