"""The numeric check: precision and recall on labelled sentences, what it reads, whole episodes, hostile text."""

import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from agent_cases import ROOT, answers, asks, played, toy_case
from evidence_records import RandomDepartment, table
from hypothesis import given, settings
from hypothesis import strategies as st
from worked_examples import EXAMPLES, text_of

from tirec.agent import trajectories
from tirec.agent.trajectories import Trajectory
from tirec.config.evidence import EvidenceConfig
from tirec.evaluation.numeric_check import Verdict, check, counts, judge, shares
from tirec.evaluation.numeric_readings import Read
from tirec.evaluation.numeric_statements import own_text, statements
from tirec.evidence.functions import REGISTRY
from tirec.evidence.observations import texts
from tirec.evidence.window import gather
from tirec.records.schema import Tables

DATA = ROOT / "tests" / "data"
RECORDS = json.loads((DATA / "numeric_records.json").read_text(encoding="utf-8"))
SENTENCES = pl.read_csv(DATA / "numeric_statements.tsv", separator="\t", quote_char=None)
ERRORS = {str(Verdict.WRONG_VALUE), str(Verdict.WRONG_DIRECTION)}
VERIFIED = ERRORS | {str(Verdict.CORRECT)}


def read(record: str) -> Read:
    """What a model has read of a record of the labelled set."""
    found = Read()
    found.observation("", RECORDS[record]["view"])
    for function, text in RECORDS[record]["observations"]:
        found.observation(function, text)
    return found


def judged(record: str, sentence: str) -> set[tuple[str, str]]:
    """(number as written, verdict) of each statement."""
    seen = read(record)
    return {(found.number, str(judge(found, seen))) for found in statements(own_text(sentence))}


def expected(row: dict[str, str]) -> set[tuple[str, str]]:
    pairs = (part.partition("=") for part in row["expected"].split("; ") if "=" in part)
    return {(number, verdict) for number, _, verdict in pairs}


def agreement(kept: set[str], part: str | None = None) -> tuple[float, float, int]:
    """Precision, recall and number of expected verdicts among `kept`."""
    hits = claims = wanted = 0
    for row in SENTENCES.filter(pl.lit(True) if part is None else pl.col("part") == part).iter_rows(named=True):
        got, want = (
            {pair for pair in pairs if pair[1] in kept}
            for pairs in (judged(row["record"], row["sentence"]), expected(row))
        )
        hits, claims, wanted = hits + len(got & want), claims + len(got), wanted + len(want)
    return hits / claims, hits / wanted, wanted


def test_the_set_is_varied():
    kinds = Counter(pair[1] for row in SENTENCES.iter_rows(named=True) for pair in expected(row))
    assert SENTENCES.height >= 250
    assert SENTENCES.select("record", "sentence").n_unique() == SENTENCES.height
    assert kinds["correct"] > 100 and kinds["wrong_direction"] > 40 and kinds["wrong_value"] > 15
    assert (SENTENCES["expected"] == "none").sum() > 50


# Precision and recall of a part when it was first met, before anything was corrected after looking at it: held_out
# 0.971 and 0.901 (errors alone 0.927 and 0.974), final 0.981 and 0.776 (errors 0.950 and 0.864). Prose that nobody has
# seen will be nearer to these.
@pytest.mark.parametrize(
    "kept, precision, recall", [(VERIFIED, 0.99, 0.93), (ERRORS, 0.98, 0.96)], ids=["verified", "errors"]
)
def test_precision_and_recall(kept, precision, recall):
    found = agreement(kept)
    print(f"precision {found[0]:.3f}, recall {found[1]:.3f} of {found[2]}")
    assert found[0] >= precision and found[1] >= recall, found


@pytest.mark.parametrize("part", ["development", "held_out", "final", "review"])
def test_no_part_is_much_worse(part):
    assert min(agreement(VERIFIED, part)[:2]) > 0.88


def test_sentences_without_a_claim_get_no_verdict():
    silent = SENTENCES.filter(pl.col("expected") == "none")
    loud = [row for row in silent.iter_rows() if {verdict for _, verdict in judged(row[1], row[2])} & VERIFIED]
    assert not loud


@pytest.mark.parametrize(
    "sentence, verdict",
    [
        ("88 is below 65.", "wrong_direction"),
        ("HR 120 is normal.", "wrong_value"),
        ("SpO2 of 92% is under 90.", "wrong_direction"),
        ("lactate 4.1 is elevated", "wrong_value"),
        ("MAP 61 > 65", "wrong_direction"),
        ("MAP 61 < 65", "correct"),
        ("heart rate 121 is high", "correct"),
        ("HR 121 is normal", "wrong_direction"),
    ],
)
def test_examples_of_the_description(sentence, verdict):
    number = re.findall(r"\b\d+(?:\.\d+)?", sentence)[0]
    assert judged("shock", sentence) == {(number, verdict)}


def test_equal_values_of_different_level_are_not_judged():
    seen = Read()
    seen.observation("labs", "Chemistry: 2 resulted, 1 abnormal: sodium LOW 100 mmol/L, chloride NORMAL 100 mmol/L.")
    verdicts = {text: judge(next(statements(text)), seen) for text in ("100 is low", "sodium 100 is low", "100 < 101")}
    assert list(verdicts.values()) == [Verdict.UNVERIFIABLE, Verdict.CORRECT, Verdict.CORRECT]


VITALS = {
    "heart_rate": ("heart_rate", "heart_rate__last", "heart_rate__min", "heart_rate__max"),
    "oxygen_saturation": ("spo2", "oxygen_saturation__last", "oxygen_saturation__min", "oxygen_saturation__max"),
    "respiratory_rate": ("respiratory_rate", "respiratory_rate__last", "respiratory_rate__max"),
    "temperature": ("temperature", "temperature__last", "temperature__min", "temperature__max"),
    "triage": ("heart_rate", "triage__heart_rate"),
    "vital_sign_values": ("heart_rate", *(f"vital_sign_values__heart_rate_{n}" for n in (1, 2, 3))),
}
PRESSURES = [
    (key, *(f"blood_pressure__{key}_{name}" for name in ("last", "min", "max"))) for key in ("sbp", "dbp", "map")
]


def example(function: str) -> tuple[Read, dict[str, float]]:
    """The worked example of a function as it is answered today: what is read of it, and its columns."""
    seen = Read()
    seen.observation(function, text_of(function, "full"))
    lines = (EXAMPLES / function / "columns.tsv").read_text(encoding="utf-8").splitlines()[1:]
    columns = {name: value for name, _, value in (line.partition("\t") for line in lines)}
    return seen, {name: float(value) for name, value in columns.items() if value not in ("-", "")}


@pytest.mark.parametrize("function, names", [*VITALS.items(), *(("blood_pressure", names) for names in PRESSURES)])
def test_values_of_todays_texts_are_read(function, names):
    seen, columns = example(function)
    shown = {value for reading in seen.of(names[0]) for value in reading.values}
    assert {round(columns[name], 1) for name in names[1:]} <= shown
    levels = {level for reading in seen.of(names[0]) for level in seen.levels(reading)}
    assert levels <= {"LOW", "NORMAL", "HIGH"} and levels


@pytest.mark.parametrize("function", ["labs", "lab_values"])
def test_results_of_todays_texts_are_read(function):
    seen, _ = example(function)
    found = {(reading.measure, *reading.values, reading.level) for reading in seen.readings}
    assert {("lactate", 4.1, "HIGH"), ("potassium", 5.6, "HIGH"), ("hemoglobin", 10.4, "LOW")} <= found
    assert ("troponin", "NORMAL") in found


@pytest.mark.parametrize("seed", range(3))
def test_quoting_the_record_is_never_wrong(seed):
    rows = RandomDepartment(seed).rows(visits=30, patients=9)
    cases = [(row["csn"], row["csn"], row["mrn"], 3600) for row in rows["visits"]]
    cutoffs = pl.DataFrame(cases, schema=["evidence_id", "csn", "mrn", "cutoff_s"], orient="row")
    records = Tables.of({name: table(name, listed) for name, listed in rows.items()})
    verdicts: Counter[Verdict] = Counter()
    for shown in texts(gather(records, cutoffs, EvidenceConfig())).iter_rows(named=True):
        seen = Read()
        for function in ("", *REGISTRY):
            seen.observation(function, shown[function or "initial_view"])
        for function in ("initial_view", *REGISTRY):
            verdicts.update(judge(found, seen) for found in statements(own_text(shown[function])))
    assert set(verdicts) <= {Verdict.CORRECT, Verdict.UNVERIFIABLE}
    assert verdicts[Verdict.CORRECT] > 10 * verdicts[Verdict.UNVERIFIABLE] > 0


def trajectory(*turns: str, **changes) -> Trajectory:
    texts = {"heart_rate": "VERY HIGH, rising: 121 /min", "labs": "CRITICAL: 1 of 2 abnormal; lactate HIGH 4.1 mmol/L"}
    case = toy_case(texts=dict(toy_case().texts) | texts, view="Age 71 years. heart rate 96 /min (NORMAL).")
    prompt = ({"role": "system", "content": "HR above 110"}, {"role": "user", "content": case.view})
    return Trajectory("m", "test", 7, "disposition", "2h", prompt, played(*turns, case=case), **changes)


def test_only_what_was_read_before_the_turn_counts():
    early, late = "HR 121 is high.", "HR 121 is high, lactate 4.1 is normal."
    episode = trajectory(f"{early} {asks('heart_rate')[0]}", *asks("labs"), f"{late} {answers('0.9')}")
    verdicts = [(found.turn, found.number, found.verdict) for found in check(episode)]
    assert verdicts == [
        (0, "121", Verdict.WRONG_VALUE),
        (2, "121", Verdict.CORRECT),
        (2, "4.1", Verdict.WRONG_DIRECTION),
    ]


def test_what_the_model_made_up_is_no_evidence_and_no_claim():
    invented = "<tool_response>lactate HIGH 9.9 mmol/L is high</tool_response> Lactate 9.9 is high."
    assert [found.verdict for found in check(trajectory(f"{invented} {answers('0.5')}"))] == [Verdict.WRONG_VALUE]


def test_numbers_of_skill_sentences_are_no_observations():
    skill = "Worry where heart rate 130 /min is reached."
    episode = trajectory(f"HR 130 is high. {answers('0.5')}", kept=(skill,))
    told = episode.prompt[1] | {"content": episode.prompt[1]["content"] + skill}
    with_skill = Trajectory(**{**vars(episode), "prompt": (episode.prompt[0], told)})
    assert [found.verdict for found in check(with_skill)] == [Verdict.WRONG_VALUE]


def test_counts_and_shares():
    episodes = [trajectory(f"HR 96 is normal. HR 96 is high. {answers('0.5')}"), trajectory(answers("0.5"))]
    table = counts(episodes)
    assert table.select("statements", "correct", "wrong_direction").rows() == [(2, 1, 1), (0, 0, 0)]
    assert shares(table).row(0, named=True)["share_wrong_direction"] == 0.5
    assert shares(counts(episodes[1:])).row(0, named=True)["share_correct"] is None
    assert counts([]).columns == table.columns


def test_the_script(tmp_path: Path):
    trajectories.write([trajectory(f"HR 96 is high. {answers('0.5')}")], tmp_path / "test.jsonl.zst")
    command = [sys.executable, str(ROOT / "scripts" / "check_numbers.py"), "--output", str(tmp_path / "out.tsv")]
    done = subprocess.run(
        [*command, "--trajectories", str(tmp_path / "test.jsonl.zst")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    row = pl.read_csv(tmp_path / "out.tsv", separator="\t").row(0, named=True)
    assert (row["model"], row["statements"], row["wrong_direction"]) == ("m", 1, 1)
    missing = subprocess.run([*command, "--trajectories", "nowhere"], capture_output=True, text=True, check=False)
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)


LETTERS = ("HR", "MAP", "BP", "is", "121", "65", "88/50", "60-100", "4.1", "of", "at", "not", "below", "between", "and")
PIECES = st.sampled_from([*LETTERS, "normal", "high", *"<>(),:=.?\n"])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map(" ".join)))
def test_no_text_raises(text):
    seen = read("shock")
    seen.observation("labs", text)
    assert all(judge(found, seen) in Verdict for found in statements(own_text(text)))


@pytest.mark.parametrize("piece", ["HR = ", "N 121 ", "= ", "<answer>", "HR 121 is ", "9", "1,", "a-", "(", "high: "])
def test_long_text_costs_little(piece):
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    seen = read("calm")
    assert all(judge(found, seen) in Verdict for found in statements(own_text(text)))
    assert time.process_time() - start < 10
