"""The fast window and the slow oracle agree on random departments, at cutoffs that fall on stamps."""

import evidence_oracle as oracle
import polars as pl
import pytest
from evidence_records import RandomDepartment, table

from tirec.config.evidence import EvidenceConfig
from tirec.evidence.window import gather
from tirec.records.schema import Tables

DECISIONS = ("ADMIT TO INPATIENT", "ED DISCHARGE")


def pairs(frame, evidence_id, *columns):
    rows = frame.filter(pl.col("evidence_id") == evidence_id).select(columns).rows()
    return {row if len(columns) > 1 else row[0] for row in rows}


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("margin", [0, 1])
def test_window_agrees_with_the_oracle(seed, margin):
    rows = RandomDepartment(seed).rows(visits=40, patients=12)
    visits = {row["csn"]: row for row in rows["visits"]}
    cutoffs = [(10 * csn + k, csn, row["mrn"], at) for csn, row in visits.items() for k, at in enumerate((3599, 3600))]
    frame = pl.DataFrame(cutoffs, schema=["evidence_id", "csn", "mrn", "cutoff_s"], orient="row")
    records = Tables.of({name: table(name, listed) for name, listed in rows.items()})
    seen = gather(records, frame, EvidenceConfig(history_margin_days=margin))
    assert seen.visit.height == len(cutoffs)
    plain = seen.numerics.with_columns(pl.col("measure").cast(pl.String))
    for evidence_id, csn, mrn, at in cutoffs:
        visit = visits[csn]
        decided = oracle.orders(rows["orders"], csn, at, lambda name: name in DECISIONS)
        assert pairs(seen.orders, evidence_id, "row", "given", "resulted") == decided
        assert pairs(seen.labs, evidence_id, "row") == oracle.results(rows["labs"], csn, at)
        assert pairs(seen.rads, evidence_id, "row") == oracle.results(rows["rads"], csn, at)
        simple = plain.filter(~pl.col("measure").is_in(["Temp", "MAP"]))
        assert pairs(simple, evidence_id, "row", "measure") == oracle.readings(rows["numerics"], csn, at)
        assert pairs(seen.pmh, evidence_id, "row") == oracle.diagnoses(rows["pmh"], mrn, visit["arrival_day"], margin)
        assert pairs(seen.meds, evidence_id, "row") == oracle.medications(rows["meds"], mrn, visit["arrival_day"])
        assert pairs(seen.earlier, evidence_id, "row", "admitted") == oracle.earlier(rows["visits"], visit)
