"""Nothing that was not available at the cutoff changes a byte of what a tree, a prompt or an agent is given."""

import io
from dataclasses import replace
from functools import cache, partial

import polars as pl
import pytest
from agent_cases import toy_case
from evidence_records import ARRIVAL_DAY, ARRIVAL_S, RandomDepartment, table
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from qwen3 import qwen3_tokenizer

from tirec.agent.prompt import protocol_of
from tirec.agent.tokens import TokenEpisode
from tirec.analysis.edits import edit_observations
from tirec.config.agent import ProtocolConfig
from tirec.config.evidence import EvidenceConfig, FeatureRules
from tirec.evidence.features import build, columns
from tirec.evidence.menu import MENU, REWARDABLE
from tirec.evidence.observations import render, texts
from tirec.evidence.window import gather
from tirec.records.schema import SPECS, Tables

CUTOFF_S = 3600
CASE = pl.DataFrame({"evidence_id": [7], "csn": [1], "mrn": [1], "cutoff_s": [CUTOFF_S]})
COMPLAINTS = ("CHEST PAIN", "FALL")
STAMPS = {"numerics": "time_s", "orders": "order_s", "labs": "result_s", "rads": "result_s"}
SEEDS = st.integers(0, 2**32 - 1)
# A seed is not a smaller example than another one: shrinking would only take time.
quick = partial(settings, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))


def as_tables(rows):
    return Tables.of({name: table(name, listed) for name, listed in rows.items()})


def everything(rows, cases=CASE):
    """All columns, texts, rows, token counts and views of the cases, as bytes."""
    evidence = gather(as_tables(rows), cases, EvidenceConfig(), COMPLAINTS)
    return [as_bytes(frame) for frame in (columns(evidence), texts(evidence))]


def as_bytes(frame):
    handle = io.BytesIO()
    frame.write_parquet(handle, compression="uncompressed")
    return handle.getvalue()


def later(stamp):
    return stamp is None or stamp > CUTOFF_S


class Scramble:
    """Another future for the case CSN 1 at its cutoff: the same past, everything else drawn again."""

    def __init__(self, seed):
        self.fresh = RandomDepartment(seed, CUTOFF_S)

    def rows(self, rows):
        changed = {name: [self.row(name, row) for row in listed] for name, listed in rows.items()}
        kept = {name: [row for row in listed if row is not None] for name, listed in changed.items()}
        for name, listed in kept.items():
            listed.extend(self.new_rows(name))
        return kept

    def row(self, name, row):
        """The row as another future has it, or None where it never comes to be."""
        if name == "visits":
            return self.visit(row)
        if name in ("meds", "pmh"):
            return self.history(name, row)
        if name == "waveform_summary" or row["csn"] != 1:
            return self.redrawn(name, row)
        if later(row[STAMPS[name]]):
            return self.after(name, row)
        return self.blanked(name, row)

    def redrawn(self, name, row):
        make = {"numerics": self.fresh.numeric, "orders": self.fresh.order, "labs": self.fresh.lab}
        make |= {"rads": self.fresh.rad, "waveform_summary": self.fresh.waveform}
        return make[name](row["csn"]) | {"row": row["row"]}

    def after(self, name, row):
        """A row of the case that comes after the cutoff: gone, or another one after the cutoff."""
        if self.fresh.draw.random() < 0.3:
            return None
        return self.redrawn(name, row) | {STAMPS[name]: self.future()}

    def future(self):
        return CUTOFF_S + int(self.fresh.draw.integers(1, 20_000))

    def blanked(self, name, row):
        """A row that was available: only what became known later is another."""
        if name == "labs":
            return row | {"abnormal": self.fresh.one(("Abnormal", "Critical", None))}
        if name != "orders":
            return row
        stamps = {key: self.fresh.maybe(self.future()) for key in ("first_admin_s", "result_s") if later(row[key])}
        return row | stamps

    def visit(self, row):
        outcomes = self.fresh.outcomes()
        if row["csn"] == 1:
            return row | outcomes
        if row["mrn"] != 1:
            return row | self.fresh.visit(row["csn"], row["mrn"], row["arrival_abs_s"])
        departed = row["arrival_abs_s"] + row["departure_s"]
        if departed >= ARRIVAL_S:
            start = ARRIVAL_S + int(self.fresh.draw.integers(0, 10**6))
            return row | self.fresh.visit(row["csn"], 1, start)
        seen_later = ("ed_dispo", "departure_s")
        return row | {name: value for name, value in outcomes.items() if name not in seen_later}

    def history(self, name, row):
        noted = "noted_day" if name == "pmh" else "entry_day"
        if row["mrn"] != 1 or row[noted] is None or row[noted] >= ARRIVAL_DAY:
            fresh = self.fresh.diagnosis(row["mrn"]) if name == "pmh" else self.fresh.med(row["mrn"])
            return row | fresh | {noted: self.fresh.one((None, ARRIVAL_DAY, ARRIVAL_DAY + 9))}
        if name == "pmh":
            return row
        ends = row["end_day"] is None or row["end_day"] >= ARRIVAL_DAY
        return row | {"active": None} | ({"end_day": self.fresh.one((None, ARRIVAL_DAY))} if ends else {})

    def new_rows(self, name):
        if name not in STAMPS:
            return []
        rows = [self.redrawn(name, {"csn": 1, "row": 90_000 + k}) for k in range(3)]
        return [row | {STAMPS[name]: self.future()} for row in rows]


@quick(max_examples=20)
@given(seed=SEEDS, other=SEEDS)
def test_another_future_changes_no_byte(seed, other):
    rows = RandomDepartment(seed, CUTOFF_S).rows()
    assert everything(rows) == everything(Scramble(other).rows(rows))


def study_prompts(rows):
    """What the studies show of the case: every edit of its observations, and all ids of a menu-restricted episode."""
    records = as_tables(rows)
    known = records.visits.select("csn", "mrn").collect().sort("csn").filter(pl.col("csn") == 1)
    cases = known.with_columns(
        instance_id=pl.lit(3, pl.Int64),
        evidence_id=pl.lit(7, pl.Int64),
        cutoff_s=pl.lit(CUTOFF_S, pl.Int64),
        setting=pl.lit("1h"),
    )
    edits = edit_observations(records, cases, EvidenceConfig())
    shown = texts(gather(records, CASE, EvidenceConfig())).row(0, named=True)
    said = {name: shown[name] for name in MENU}
    case = toy_case(view=shown["initial_view"], texts=said, rows={name: shown[f"rows__{name}"] for name in MENU})
    ids = [episode_ids(case)] + [
        episode_ids(replace(case, texts={**said, function: text}))
        for function, text in edits.select("function", "text").rows()
    ]
    return as_bytes(edits), ids


def episode_ids(case):
    """Prompt and observations of all ten groups, written by the environment."""
    rules = ProtocolConfig(calls=len(REWARDABLE), prompt_tokens=10**6, response_tokens=10**6)
    episode = TokenEpisode.evaluation(restricted_protocol(), case, rules, REWARDABLE)
    for name in REWARDABLE:
        episode.write_call(name)
    return episode.prompt, episode.response


@cache
def restricted_protocol():
    return protocol_of(qwen3_tokenizer(), ProtocolConfig(calls=len(REWARDABLE), prompt_tokens=10**6), REWARDABLE)


@quick(max_examples=3)
@given(seed=SEEDS, other=SEEDS)
def test_another_future_changes_nothing_that_the_studies_show(seed, other):
    rows = RandomDepartment(seed, CUTOFF_S).rows()
    edits, ids = study_prompts(rows)
    assert (edits, ids) == study_prompts(Scramble(other).rows(rows))


def test_the_studies_have_something_to_show():
    """A record may hold no value to edit; most do."""
    shown = [study_prompts(RandomDepartment(seed, CUTOFF_S).rows())[1] for seed in range(4)]
    assert sum(len(ids) > 1 for ids in shown) >= 3


def test_the_scramble_is_not_idle():
    """What it changes would be seen at a later cutoff."""
    rows = RandomDepartment(3, CUTOFF_S).rows()
    late = CASE.with_columns(cutoff_s=pl.lit(50_000, dtype=pl.Int64))
    assert everything(rows, late) != everything(Scramble(4).rows(rows), late)


@pytest.mark.parametrize("label", [0, 1])
def test_labels_beside_the_cutoffs_are_not_read(label):
    rows = RandomDepartment(5, CUTOFF_S).rows()
    labelled = CASE.with_columns(label=pl.lit(label, dtype=pl.Int8), minutes_hr=pl.lit(label * 9))
    plain = build(as_tables(rows), CASE, COMPLAINTS, EvidenceConfig())
    assert as_bytes(build(as_tables(rows), labelled, COMPLAINTS, EvidenceConfig())) == as_bytes(plain)


@quick(max_examples=20)
@given(seed=SEEDS, first=st.integers(0, 8_000), more=st.integers(0, 4_000))
def test_evidence_only_grows(seed, first, more):
    records = as_tables(RandomDepartment(seed, first).rows())
    early = gather(records, CASE.with_columns(cutoff_s=pl.lit(first, dtype=pl.Int64)), EvidenceConfig())
    late = gather(records, CASE.with_columns(cutoff_s=pl.lit(first + more, dtype=pl.Int64)), EvidenceConfig())
    for name in ("numerics", "orders", "labs", "rads", "meds", "pmh", "earlier"):
        keys = ["row", "measure"] if name == "numerics" else ["row"]
        seen, seen_later = (getattr(evidence, name).select(keys) for evidence in (early, late))
        assert seen.join(seen_later, on=keys, how="anti").is_empty(), name
    once = early.orders.join(late.orders, on="row", suffix="_later")
    taken_back = (pl.col(name) & ~pl.col(f"{name}_later") for name in ("given", "resulted"))
    assert once.filter(pl.any_horizontal(taken_back)).is_empty()


@quick(max_examples=4)
@given(seed=SEEDS)
@example(seed=2677868109).via("two mean pressures of one systolic row")
def test_a_case_does_not_depend_on_its_company(seed):
    """Alone, in chunks or all at once: the same bytes."""
    rows = RandomDepartment(seed, CUTOFF_S).rows(visits=6)
    visits = [(row["csn"], row["mrn"]) for row in rows["visits"]]
    cases = pl.DataFrame(
        [(10 * csn + k, csn, mrn, at) for csn, mrn in visits for k, at in enumerate((1800, CUTOFF_S, 9000))],
        schema=CASE.schema,
        orient="row",
    )
    together, few = EvidenceConfig(), EvidenceConfig(features=FeatureRules(chunk_visits=1))
    records = as_tables(rows)
    assert as_bytes(build(records, cases, (), few)) == as_bytes(build(records, cases, (), together))
    assert as_bytes(render(records, cases, few)) == as_bytes(render(records, cases, together))


def test_every_table_is_scrambled():
    assert set(SPECS) == {"visits", "meds", "pmh", "waveform_summary", *STAMPS}
