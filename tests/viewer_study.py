"""A study small enough to look at: invented cases, and scripted players that go through the real episode machine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from agent_cases import FUNCTIONS, PROMPTS, answers, asks, toy_case

from tirec.agent import cases, trajectories
from tirec.agent.cases import Case
from tirec.agent.environment import RecordEnvironment
from tirec.agent.episode import Episode, EpisodeRecord, Stop
from tirec.agent.inert import escape_tags
from tirec.agent.reward import score
from tirec.agent.trajectories import Tokens, Trajectory
from tirec.agent.words import PromptWords
from tirec.config.agent import RewardConfig
from tirec.config.cohort import INSTANCE_SETS
from tirec.evaluation.predictions import from_risk
from tirec.provenance import write_parquet, write_tsv

HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
HOSTILE_NAME = "<b>labs</b></script><img src=x onerror=alert(1)>"
HOSTILE_CASE = 100
REFERENCES = {
    "disposition": ("labs", "orders", "imaging", "history"),
    "decompensation": ("heart_rate", "blood_pressure"),
    "revisit": (),
}
OBSERVATION = (
    "HIGH, rising: {name} of case {case}\nMean 104, range 96 to 121 /min over 2 h.\nLast value 6 min before the cutoff."
)
HEART_RATE = "HIGH, rising: 121 /min\nHeart rate: 10 readings, first 84, range 78-121, mean 96 /min."
CALLS = 12


def case(number: int) -> Case:
    """Case 100 + number; the first one carries markup in its complaint and in an observation."""
    task, setting = INSTANCE_SETS[number % len(INSTANCE_SETS)]
    hostile = number == 0
    texts = {name: OBSERVATION.format(name=name, case=HOSTILE_CASE + number) for name in FUNCTIONS}
    texts["heart_rate"] = HEART_RATE
    if hostile:
        texts["labs"] = f"ABNORMAL: {HOSTILE}\n{HOSTILE}"
    return toy_case(
        instance_id=HOSTILE_CASE + number,
        task=task,
        setting=setting,
        cutoff_s=3600 * (1 + number % 3),
        split="test",
        label=int(number % 3 == 0),
        risk=(number * 37 % 100) / 100,
        reference=REFERENCES[task],
        view=f"Age {40 + number} years, female.\nComplaint: {HOSTILE if hostile else 'chest pain'}.",
        texts=texts,
        rows={name: (number, number + 1, 900) if name != "imaging" else () for name in FUNCTIONS},
    )


def frame(shown: Iterable[Case]) -> pl.DataFrame:
    """Cases as a file of cases holds them."""
    return pl.DataFrame([_row(one) for one in shown], infer_schema_length=None)


def _row(one: Case) -> dict[str, object]:
    head = {key: value for key, value in vars(one).items() if key not in ("texts", "rows", "further_rows", "reference")}
    rows = {f"rows__{name}": list(values) for name, values in one.rows.items()}
    for name, tables in one.further_rows.items():
        rows |= {f"rows__{name}__{table}": list(values) for table, values in tables.items()}
    return {**head, "reference": list(one.reference), **one.texts, **rows}


Player = Callable[[Case], list[str]]


def careful(one: Case) -> list[str]:
    """Reads the reference set, a detail, and answers near the teacher."""
    said = [f"Whether {name.replace('_', ' ')} speaks for it. {call}" for name, call in _calls(one.reference)]
    return [*said, *asks("vital_sign_values"), answers(f"{one.risk:.2f}")]


def _calls(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    return ((name, asks(name)[0].partition(". ")[2]) for name in names)


def hasty(one: Case) -> list[str]:
    """Answers at once, the other way round from the teacher; sometimes writes on after its answer."""
    after = " I am sure." if one.instance_id % 4 == 0 else ""
    return [answers(f"{1 - (one.risk or 0):.2f}") + after]


def exhaustive(one: Case) -> list[str]:
    """Asks for everything until the budget is spent, misreads a fast heart unless there was an event, and answers, in
    words where the case number is odd."""
    said = f"The heart rate of 121 /min is {'high' if one.label else 'normal'}. "
    return [*asks(*FUNCTIONS[:CALLS]), said + answers("likely" if one.instance_id % 2 else "0.5")]


def broken(one: Case) -> list[str]:
    """Repeats itself, invents functions and syntax, and never ends."""
    return [
        *asks("labs", "labs", HOSTILE_NAME),
        "<think>hm</think><tool_call>{</tool_call>",
        HOSTILE + " risk" * 400,
    ]


PLAYERS: dict[str, Player] = {
    "full.seed0": careful,
    "no_skills.seed0": hasty,
    "base.seed0": exhaustive,
    "untrained.seed0": broken,
}


def play(player: Player, one: Case) -> EpisodeRecord:
    """The player's episode; text that closes no tag is taken as cut by length."""
    episode = Episode(RecordEnvironment(one), CALLS)
    for text in player(one):
        closed = text.rstrip().endswith(">") or "</answer>" in text
        episode.take(text, Stop.CLOSED if closed else Stop.LENGTH)
    episode.out_of_room()
    return episode.record()


def trajectory(model: str, player: Player, one: Case) -> Trajectory:
    """The saved form of the player's episode, with the study's own prompt and reward."""
    record = play(player, one)
    prompt = PromptWords(PROMPTS, CALLS).messages(one, escape_tags(one.view), ())
    written = sum(len(turn.text.split()) for turn in record.turns)
    return Trajectory(
        model=model,
        split=one.split,
        instance_id=one.instance_id,
        task=one.task,
        setting=one.setting,
        prompt=tuple(prompt),
        episode=record,
        tokens=Tokens(900, 3 * written, written),
        reward=score(record, one, RewardConfig()),
    )


@dataclass(frozen=True)
class Files:
    """Where the study lies."""

    root: Path
    episodes: Path
    trajectories: list[Path]
    predictions: Path
    metrics: list[Path]

    @property
    def arguments(self) -> list[str]:
        """The inputs as the script takes them."""
        given = ["--trajectories", *self.trajectories, "--episodes", self.episodes]
        return [str(one) for one in [*given, "--predictions", self.predictions, "--metrics", *self.metrics]]


def write_study(root: Path, shown: list[Case], players: dict[str, Player] = PLAYERS) -> Files:
    """Writes cases, episodes of every player, the teacher's predictions, and thresholds of all but the last player."""
    cases.write([frame(shown)], root / "episodes" / "test.arrow")
    saved = []
    for model, player in players.items():
        saved.append(root / "trajectories" / model / "test.jsonl.zst")
        trajectories.write((trajectory(model, player, one) for one in shown), saved[-1])
    teacher = root / "predictions" / "teacher" / "test.parquet"
    risk = pl.DataFrame({"instance_id": [c.instance_id for c in shown], "p": [c.risk for c in shown]})
    listed = pl.DataFrame([{name: getattr(c, name) for name in ("instance_id", "task", "setting")} for c in shown])
    write_parquet(from_risk(risk, listed, "teacher"), teacher)
    metrics = [root / "metrics" / f"{model}.tsv" for model in [*list(players)[:-1], "teacher"]]
    for place, path in enumerate(metrics):
        write_tsv(thresholds(0.3 + place / 10), path)
    return Files(root, root / "episodes" / "test.arrow", saved, teacher, metrics)


def thresholds(value: float) -> pl.DataFrame:
    """The part of a metrics table that holds thresholds."""
    rows = [(task, setting, "f1", 0.5, value, "validation B") for task, setting in INSTANCE_SETS]
    names = ["task", "setting", "metric", "value", "threshold", "threshold_source"]
    return pl.DataFrame(rows, schema=names, orient="row")
