"""Edited observations: what the function itself would say, of one function alone, from available evidence."""

import polars as pl
import pytest
from evidence_records import RandomDepartment, table

from tirec.analysis.edits import CRITICAL, EXCHANGE, NORMAL, VITALS, edit_observations, face, moved_evidence
from tirec.config.evidence import EvidenceConfig
from tirec.errors import EmptyError
from tirec.evidence.functions import REGISTRY
from tirec.evidence.menu import REWARDABLE
from tirec.evidence.window import gather
from tirec.records.schema import Tables

CUTOFF_S = 3600


@pytest.fixture(scope="module")
def tables():
    rows = RandomDepartment(11, CUTOFF_S).rows(visits=8)
    return Tables.of({name: table(name, listed) for name, listed in rows.items()})


@pytest.fixture(scope="module")
def cases(tables):
    visits = tables.visits.select("csn", "mrn").collect().sort("csn")
    return visits.with_columns(
        instance_id=pl.int_range(pl.len(), dtype=pl.Int64) + 500,
        evidence_id=pl.int_range(pl.len(), dtype=pl.Int64) + 40,
        cutoff_s=pl.lit(CUTOFF_S, pl.Int64),
        setting=pl.lit("1h"),
    )


@pytest.fixture(scope="module")
def evidence(tables, cases):
    return gather(tables, cases, EvidenceConfig())


@pytest.fixture(scope="module")
def edits(tables, cases):
    return edit_observations(tables, cases, EvidenceConfig())


def test_every_edit_changes_the_text_and_says_the_wanted_level(edits, evidence, cases):
    usual = pl.concat([face(name, evidence).with_columns(function=pl.lit(name)) for name in REWARDABLE])
    joined = edits.join(cases.select("instance_id", "evidence_id"), on="instance_id").join(
        usual, on=["evidence_id", "function"], suffix="_usual"
    )
    assert joined.height == edits.height > 50
    assert joined.filter(pl.col("text") == pl.col("text_usual")).is_empty()
    vital = joined.filter(pl.col("function").is_in(list(VITALS)))
    said = pl.col("text").str.extract(r"^([A-Z ]+)")
    assert set(vital.filter(edit=CRITICAL).select(said)["text"]) <= {"VERY HIGH", "VERY LOW"}
    assert set(vital.filter(edit=NORMAL).select(said)["text"]) <= {"NORMAL"}
    assert set(vital.filter(edit=CRITICAL)["level"]) == {"NORMAL"}


@pytest.mark.parametrize("function", [*VITALS, "labs"])
@pytest.mark.parametrize("edit", [CRITICAL, NORMAL])
def test_of_the_ten_groups_one_alone_is_altered(evidence, function, edit):
    changed = moved_evidence(evidence, function, edit)
    for name in REWARDABLE:
        same = REGISTRY[name].texts(changed).equals(REGISTRY[name].texts(evidence))
        assert same or name == function, name


def test_one_value_moves_and_its_row_stays_the_source(evidence):
    changed = moved_evidence(evidence, "heart_rate", CRITICAL)
    differs = changed.numerics.filter(changed.numerics["value"] != evidence.numerics["value"])
    assert differs["measure"].cast(pl.String).unique().to_list() == ["HR"]
    assert differs["evidence_id"].is_duplicated().sum() == 0
    assert changed.numerics.drop("value").equals(evidence.numerics.drop("value"))


def potassium(value, flag):
    """One case whose only result is a potassium with the record's own limits."""
    rows = RandomDepartment(1, CUTOFF_S).rows(visits=1)
    result = {"csn": 1, "row": 5, "order_s": 60, "result_s": 900, "display_name": "BMP", "abnormal": None}
    result |= {"component_name": "POTASSIUM", "component_result": str(value), "component_value": str(value)}
    result |= {"value": value, "sign": "", "component_units": "mmol/L", "component_abnormal": flag}
    rows["labs"] = [result | {"nml_low": 3.5, "nml_high": 5.1}]
    case = pl.DataFrame({"evidence_id": [1], "csn": [1], "mrn": [1], "cutoff_s": [CUTOFF_S]})
    return gather(Tables.of({name: table(name, listed) for name, listed in rows.items()}), case, EvidenceConfig())


def test_a_normal_potassium_moves_past_its_critical_limit_and_a_high_one_to_the_middle():
    usual = potassium(4.0, "Normal")
    said = face("labs", moved_evidence(usual, "labs", CRITICAL))["text"][0]
    assert "potassium CRITICAL HIGH 7.8 mmol/L" in said.partition("\n")[0]
    assert moved_evidence(usual, "labs", NORMAL).labs.equals(usual.labs), "nothing is out of range"
    high = potassium(6.9, "High")
    said = face("labs", moved_evidence(high, "labs", NORMAL))["text"][0]
    assert said.startswith("NORMAL: 0 of 1 abnormal")
    assert moved_evidence(high, "labs", CRITICAL).labs.equals(high.labs), "nothing is normal"


def test_an_exchanged_text_is_another_patients(edits, evidence, cases):
    patient = dict(cases.select("instance_id", "mrn").rows())
    told = face("labs", evidence).join(cases, on="evidence_id").select("mrn", "text")
    for one, text in edits.filter(edit=EXCHANGE, function="labs").select("instance_id", "text").rows():
        assert patient[one] not in told.filter(text=text)["mrn"].to_list()
        assert not told.filter(pl.col("text") == text).is_empty()


def test_columns_say_what_the_text_says(edits):
    names = REGISTRY["heart_rate"].columns(gather_nothing()).columns[1:]
    place = names.index("heart_rate__last")
    critical = edits.filter(edit=CRITICAL, function="heart_rate")
    assert {values[place] for values in critical["values"]} == {VITALS["heart_rate"].critical["HR"]}


def gather_nothing():
    rows = RandomDepartment(1, CUTOFF_S).rows(visits=1)
    case = pl.DataFrame({"evidence_id": [1], "csn": [1], "mrn": [1], "cutoff_s": [0]})
    return gather(Tables.of({name: table(name, listed) for name, listed in rows.items()}), case, EvidenceConfig())


def test_no_case_is_said(tables, cases):
    with pytest.raises(EmptyError, match="edits"):
        edit_observations(tables, cases.clear(), EvidenceConfig())
