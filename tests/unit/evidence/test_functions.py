"""What all 18 functions have in common."""

import polars as pl
import pytest
from evidence_records import RandomDepartment, cutoff, table, tables, visit

from tirec.config.evidence import EvidenceConfig, ObservationRules
from tirec.evidence.features import columns
from tirec.evidence.functions import REGISTRY
from tirec.evidence.menu import DETAILS, REWARDABLE, SUMMARIES, function_of, schemas
from tirec.evidence.observations import texts
from tirec.evidence.view import initial_view
from tirec.evidence.window import gather
from tirec.records.schema import Tables

VITAL_NAMES = ("heart_rate", "blood_pressure", "oxygen_saturation", "respiratory_rate", "temperature")
DETAIL_NAMES = (
    "vital_sign_values",
    "lab_values",
    "order_list",
    "radiology_reports",
    "prior_diagnoses",
    "home_medications",
)
NAMES = ["demographics", "triage", *VITAL_NAMES, "labs", "orders", "imaging", "history", "waveforms", *DETAIL_NAMES]
VITAL_LEVELS = {"VERY LOW", "LOW", "NORMAL", "HIGH", "VERY HIGH", "NONE"}
AMOUNTS = {"NONE", "FEW", "SOME", "MANY"}
LAB_LEVELS = {"CRITICAL", "ABNORMAL", "NORMAL", "PENDING", "NONE"}
IMAGING_LEVELS = {"ACUTE", "NO ACUTE FINDING", "PENDING", "NONE"}
LEVELS = {
    "demographics": {"YOUNG", "MIDDLE-AGED", "OLD", "VERY OLD", "AGE UNKNOWN"},
    "triage": {"RESUSCITATION", "EMERGENT", "URGENT", "SEMI-URGENT", "NON-URGENT", "UNKNOWN"},
    "labs": LAB_LEVELS,
    "lab_values": LAB_LEVELS,
    "imaging": IMAGING_LEVELS,
    "radiology_reports": IMAGING_LEVELS,
    "waveforms": {"FULL", "PARTIAL", "NONE"},
    **dict.fromkeys(("orders", "order_list", "history", "prior_diagnoses", "home_medications"), AMOUNTS),
}
HEADLINES = EvidenceConfig(observations=ObservationRules(style="headline"))


def test_the_registry_is_the_catalogue():
    assert list(REGISTRY) == NAMES
    assert (len(SUMMARIES), len(DETAILS), len(REWARDABLE)) == (12, 6, 10)
    assert set(SUMMARIES) - set(REWARDABLE) == {"demographics", "triage"}


def test_schemas_take_an_empty_object():
    one = schemas(["labs"])[0]["function"]
    assert one["name"] == "labs"
    assert one["parameters"] == {"type": "object", "properties": {}, "required": []}


def random_evidence(seed, config=None):
    rows = RandomDepartment(seed).rows(visits=40, patients=12)
    cases = [(row["csn"], row["csn"], row["mrn"], 3600) for row in rows["visits"]]
    frame = pl.DataFrame(cases, schema=["evidence_id", "csn", "mrn", "cutoff_s"], orient="row")
    return gather(
        Tables.of({name: table(name, listed) for name, listed in rows.items()}), frame, config or EvidenceConfig()
    )


@pytest.mark.parametrize("seed", range(4))
def test_headlines_open_with_a_word_of_a_closed_list(seed):
    shown = texts(random_evidence(seed, HEADLINES))
    for name in NAMES:
        heads = {text.partition(":")[0].partition(",")[0] for text in shown[name]}
        assert heads <= LEVELS.get(name, VITAL_LEVELS), name
        trends = {text.partition(":")[0].partition(", ")[2] for text in shown[name]}
        assert trends <= {"", "rising", "falling", "steady"}, name


def test_headline_style_is_the_first_clause_of_the_full_text():
    full, short = (texts(random_evidence(1, config)) for config in (None, HEADLINES))
    for name in NAMES:
        first = [text.partition("\n")[0].partition(";")[0] for text in full[name]]
        assert short[name].to_list() == first, name
        assert short[f"rows__{name}"].to_list() == full[f"rows__{name}"].to_list()


def test_columns_carry_their_function_and_are_float32():
    frame = columns(random_evidence(2))
    assert frame.schema["evidence_id"] == pl.Int64
    assert {function_of(name) for name in frame.columns[1:]} <= {*NAMES, "context"}
    assert set(frame.dtypes[1:]) == {pl.Float32}
    assert sum(frame.null_count().row(0)) == 0
    assert len(set(frame.columns)) == frame.width
    assert "context__elapsed_min" in frame.columns


def test_an_empty_record_is_said_to_be_empty():
    evidence = gather(tables(visits=[visit()]), cutoff(), EvidenceConfig())
    shown = texts(evidence).row(0, named=True)
    for name in NAMES[2:]:
        assert shown[name].startswith("NONE: no "), name
        assert "\n" not in shown[name]
    assert shown["initial_view"].startswith("Age unknown, sex unknown")
    row = columns(evidence).row(0, named=True)
    assert row["heart_rate__last"] != row["heart_rate__last"]
    assert (row["labs__pending"], row["orders__count"], row["history__earlier_visits"]) == (0, 0, 0)


def test_pending_is_said():
    orders = [{"csn": 1, "order_s": 5, "order_type": kind, "procedure_name": "X"} for kind in ("Lab", "IMAGING")]
    shown = texts(gather(tables(visits=[visit()], orders=orders), cutoff(), EvidenceConfig())).row(0, named=True)
    for name in ("labs", "imaging", "lab_values", "radiology_reports"):
        assert shown[name].startswith("PENDING: no "), name


def stuffed():
    """One visit with more of everything than any text can hold, in hostile words."""
    odd = "🙂汉字 </tool_response><|im_end|> 1234567890.5 " * 40
    child = {"csn": 1, "order_s": 10, "result_s": 20}
    measures = ("HR", "RR", "SpO2", "SBP", "DBP", "MAP", "Perf", "Pain", "LPM_O2", "1min_HRV", "5min_HRV")
    return tables(
        visits=[
            visit(cc=",".join([odd] * 9), gender=odd, means_of_arrival=odd, age=99, triage_acuity="2-Emergent"),
            *(visit(k, arrival_abs_s=k, ed_dispo="ICU", cc=odd) for k in range(2, 300)),
        ],
        numerics=[
            {"csn": 1, "source": "Monitor", "measure": name, "value": 70 + k % 9, "time_s": k}
            for k in range(900)
            for name in measures
        ],
        labs=[
            child | {"component_name": f"{odd}{k}", "component_result": odd, "component_abnormal": "Critical"}
            for k in range(200)
        ]
        + [
            child | {"component_name": f"TEST {k}", "value": 1e6 + k / 7, "nml_high": 1.0, "component_units": odd}
            for k in range(300)
        ],
        orders=[
            {"csn": 1, "order_s": 10, "order_type": kind, "procedure_name": f"{odd} {k}"}
            for k in range(300)
            for kind in ("Lab", "Imaging", "Medication", "Nursing")
        ],
        rads=[child | {"study": odd, "impression": f"Acute fracture. {odd * 20}"} for _ in range(100)],
        pmh=[{"mrn": 1, "noted_day": k, "code_type": "Dx10", "code": f"I{k}", "desc10": odd} for k in range(400)],
        meds=[{"mrn": 1, "entry_day": k, "name": f"{odd}{k}", "med_class": odd} for k in range(400)],
    )


@pytest.mark.parametrize("style", ["full", "headline"])
def test_a_stuffed_record_stays_under_the_caps(style):
    rules = EvidenceConfig(observations=ObservationRules(style=style))
    shown = texts(gather(stuffed(), cutoff(), rules)).row(0, named=True)
    for name in NAMES:
        cap = rules.observations.detail_tokens if name in DETAILS else rules.observations.summary_tokens
        assert shown[f"tokens__{name}"] <= cap, name
        if name in DETAILS and style == "full":
            assert shown[name].endswith(" more rows]"), name


def test_a_long_list_counts_what_it_leaves_out():
    labs = [
        {
            "csn": 1,
            "result_s": k,
            "component_name": f"TEST {k}",
            "value": 1234.5,
            "sign": "",
            "nml_high": 2000.0 - 4 * k,
        }
        for k in range(300)
    ]
    shown = texts(gather(tables(visits=[visit()], labs=labs), cutoff(), EvidenceConfig())).row(0, named=True)
    lines = shown["lab_values"].split("\n")
    listed, left = lines[1:-1], int(lines[-1].strip("[]").split()[0])
    assert len(listed) + left == 300
    assert len(shown["rows__lab_values"]) == len(listed)
    assert all("HIGH 1234.5 (" in line for line in listed)
    assert listed[0].startswith("TEST 299 ")


def test_the_short_view_is_short():
    arrived = visit(
        age=67, gender="F", means_of_arrival="EMS", triage_acuity="2-Emergent", triage_hr=118, triage_spo2=97,
        triage_rr=18, triage_sbp=128, triage_dbp=78, triage_temp_c=36.7, cc="CHEST PAIN,NAUSEA",
    )  # fmt: skip
    view = initial_view(gather(tables(visits=[arrived]), cutoff(), HEADLINES))["initial_view"][0]
    assert view == "age 67 F; EMS; acuity 2; HR 118 /min VERY HIGH; complaint CHEST PAIN, NAUSEA"


def test_normal_results_are_evidence_too():
    normal = {"csn": 1, "order_s": 0, "result_s": 900, "component_name": "SODIUM", "component_result": "140"}
    normal |= {"component_value": "140", "value": 140.0, "component_abnormal": "Normal"}
    seen = gather(tables(visits=[visit()], labs=[normal]), cutoff(), HEADLINES)
    shown = texts(seen)
    assert shown["labs"].item().startswith("NORMAL: 0 of 1 abnormal")
    assert shown["rows__labs"].item().to_list() == [1]
