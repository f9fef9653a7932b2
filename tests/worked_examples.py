"""Worked examples of the clinical functions: tests/examples/<function>/ is at once the test and the documentation.

A folder holds the record as small tables (`<table>.tsv`, columns named as in the tables; `csn` and `mrn` may be left
out), `cutoff_s.txt`, and what the function answers: `text.txt`, `headline.txt` (the headline style), `columns.tsv` and
`rows.txt` (the source rows that stand behind the full text, by table; the first row of a table is 1).
`python tests/worked_examples.py [NAME …]` writes the answers anew, to be read before they are committed.
"""

import math
import sys
from pathlib import Path

import polars as pl
from evidence_records import cutoff, table, visit

from tirec.config.evidence import EvidenceConfig, ObservationRules
from tirec.evidence.functions import REGISTRY
from tirec.evidence.observations import texts
from tirec.evidence.window import gather
from tirec.records.schema import SPECS, Tables

EXAMPLES = Path(__file__).parent / "examples"
COMPLAINTS = ("CHEST PAIN", "NAUSEA", "FALL")


def read_table(folder, name):
    """Rows of one table of an example as dictionaries, typed by the schema."""
    path = folder / f"{name}.tsv"
    if not path.is_file():
        return [visit()] if name == "visits" else []
    types = SPECS[name].schema
    header = path.read_text(encoding="utf-8").partition("\n")[0].split("\t")
    frame = pl.read_csv(
        path, separator="\t", schema={column: types[column] for column in header}, null_values="", quote_char=None
    )
    owner = SPECS[name].owner
    plain = visit() if name == "visits" else {owner: 1}
    return [plain | {key: value for key, value in row.items() if value is not None} for row in frame.to_dicts()]


def evidence_of(folder, style):
    """The evidence of an example at its cutoff."""
    records = Tables.of({name: table(name, read_table(folder, name)) for name in SPECS})
    at = int((folder / "cutoff_s.txt").read_text())
    rules = EvidenceConfig(observations=ObservationRules(style=style))
    return gather(records, cutoff(at=at), rules, COMPLAINTS)


def text_of(name, style):
    """What the agent reads."""
    return texts(evidence_of(EXAMPLES / name, style))[name][0]


def columns_of(name):
    """What the tree sees: lines of `column<TAB>value`; unobserved columns are said to be `-`."""
    row = REGISTRY[name].columns(evidence_of(EXAMPLES / name, "full")).drop("evidence_id").row(0, named=True)
    shown = (f"{column}\t{'-' if math.isnan(value) else f'{value:.6g}'}" for column, value in row.items())
    return "\n".join(shown)


def rows_of_text(name):
    """The source rows that stand behind the full text, a line per table."""
    function = REGISTRY[name]
    shown = texts(evidence_of(EXAMPLES / name, "full"))
    columns = {function.table: f"rows__{name}"}
    columns |= {table: f"rows__{name}__{table}" for table in function.further_tables}
    cited = {table: shown[column].item().to_list() for table, column in columns.items()}
    return "".join(f"{table}: {', '.join(map(str, rows))}\n" for table, rows in cited.items() if rows)


def answers(name):
    """Every expected file of an example by its name."""
    return {
        "text.txt": text_of(name, "full") + "\n",
        "headline.txt": text_of(name, "headline") + "\n",
        "columns.tsv": "column\tvalue\n" + columns_of(name) + "\n",
        "rows.txt": rows_of_text(name),
    }


if __name__ == "__main__":
    for example in sys.argv[1:] or REGISTRY:
        for file, content in answers(example).items():
            (EXAMPLES / example / file).write_text(content, encoding="utf-8")
