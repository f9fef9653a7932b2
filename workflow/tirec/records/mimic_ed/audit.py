"""What was made of MIMIC-IV-ED, and what it does not have: `audit/ingest.tsv` in the same three columns."""

from collections.abc import Iterator

import polars as pl

from tirec.config.data import DataClass
from tirec.records.audit import Auditor, as_frame, folder_rows, ledger_rows
from tirec.records.mimic_ed.reading import Source
from tirec.records.schema import SPECS, Tables

MADE_FROM = {
    "visits": "edstays, triage, first row of diagnosis",
    "orders": "pyxis: a dispensing stands as a medication order, given when dispensed",
    "labs": "hospital laboratory results whose specimen was taken during the stay",
    "rads": "nothing: MIMIC-IV-ED has no imaging",
    "numerics": "vitalsign, whose rows stand as Monitor; pain of triage as Chart at arrival",
    "waveform_summary": "nothing: MIMIC-IV-ED has no waveforms",
    "meds": "medrecon: visible to later stays, because it is asked during the stay",
    "pmh": "diagnosis: visible to later stays",
}
ABSENT = {
    "visits": (
        "rooming time: arrival stands for it",
        "decision and admission times: blank, so that every patient still there counts as undecided",
        "hadm_id: never read, because people sent home have one too",
        "age: MIMIC-IV-ED has none",
        "ethnicity other than Hispanic/Latino, payor, admitting service, hospital length of stay",
    ),
    "orders": ("laboratory, imaging and other orders: nothing is ever pending",),
    "labs": ("order-level flags",),
    "numerics": ("mean pressure (derived), perfusion, heart rate variability, oxygen flow; rhythm is not read",),
    "meds": ("start and end dates, generic names",),
    "pmh": ("clinical categories (CCS)",),
}
"""What has no counterpart, per table."""


def mapping_audit(tables: Tables, source: Source, listed: int, data_class: DataClass) -> pl.DataFrame:
    """Columns table, check, value: the folder, each file's rows, then each table: its origin, gaps and contents."""
    auditor = Auditor(tables, data_class)
    rows = [*folder_rows(data_class, listed), ("folder", "format", "MIMIC-IV-ED mapped onto MC-MED's tables")]
    for name, ledger in source.ledgers.items():
        rows += [(f"file {name}", check, value) for check, value in ledger_rows(ledger)]
    for name in SPECS:
        rows += [(name, check, value) for check, value in _table(auditor, source, name)]
    return as_frame(rows)


def _table(auditor: Auditor, source: Source, name: str) -> Iterator[tuple[str, str]]:
    yield "made from", MADE_FROM[name]
    yield from (("no counterpart", what) for what in ABSENT.get(name, ()))
    rows = getattr(auditor.tables, name).select(pl.len()).collect().item()
    yield "rows", str(rows)
    yield from ((what, auditor.cell(n, n)) for table, what, n in source.notes if table == name)
    if name == "visits":
        yield from auditor.people({})
    if rows:
        yield from auditor.contents(SPECS[name])
