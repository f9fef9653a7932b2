"""The card's content, from artifacts; what is missing is said, nothing is filled in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.config.report import CardFacts
from tirec.records.small_counts import Counts
from tirec.records.stored import read_table
from tirec.report.card.items import EXPECTED, TRIPOD_AI, TRIPOD_LLM, Item
from tirec.report.limits import DATA, JUDGMENT, MONITOR
from tirec.report.style import TASK_LABELS, percent
from tirec.report.tables import number, with_interval

GUIDELINE_NOTE = "Topics in our words; the published checklists rule. “Authors” marks what no artifact can answer."


@dataclass(frozen=True)
class Section:
    """A heading, sentences, points, and a table with its header; any of them may be empty."""

    heading: str
    sentences: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class _Study:
    """Where to look, and what the configuration said."""

    results: Path
    facts: CardFacts
    data_class: str

    @property
    def model(self) -> str:
        return f"{self.facts.reference}.seed{self.facts.seeds[0]}"

    def path(self, pattern: str) -> str:
        """A file's name for this card's policy."""
        return pattern.format(model=self.model, policy=self.facts.reference, seed=self.facts.seeds[0])

    def table(self, name: str) -> pl.DataFrame | None:
        path = self.results / self.path(name)
        return read_table(path, ()) if path.is_file() else None


def model_card(results: Path, facts: CardFacts, data_class: str) -> tuple[Section, ...]:
    """Every section, in order."""
    study = _Study(results, facts, data_class)
    return (
        Section("Read this first", (JUDGMENT, DATA[data_class])),
        _what(study),
        _data(study),
        _results(study),
        _subgroups(study),
        _limits(study),
        Section("What to monitor, should anyone ever run it", points=MONITOR),
        _items("TRIPOD+AI", TRIPOD_AI, study),
        _items("TRIPOD-LLM", TRIPOD_LLM, study),
    )


def _what(study: _Study) -> Section:
    facts = study.facts
    others = ", ".join(facts.models) or "none beside the tree teacher and the base"
    return Section(
        "The model",
        (
            "A language-model agent that asks for evidence through clinical functions on a record up to a cutoff, and "
            "answers with a probability. One policy serves disposition, decompensation and revisit.",
        ),
        (
            f"Policy: {facts.reference}; trained ablations: {', '.join(facts.ablations)}; other models: {others}",
            f"Base: {facts.base}; engine: {facts.engine}; training seeds: {', '.join(map(str, facts.seeds))}",
            f"At most {facts.calls} calls; greedy decoding; no skill sentences in validation or test",
        ),
    )


def _data(study: _Study) -> Section:
    table = study.table("audit/prevalence.tsv")
    if table is None:
        return Section("Data", (_missing("audit/prevalence.tsv"),))
    written = Counts.of(study.data_class)
    test = table.filter(pl.col("split") == "test")
    rows = tuple(
        (TASK_LABELS[task], setting, written.text(n), written.text(n_pos), written.share(n_pos, n))
        for task, setting, n, n_pos in test.select("task", "setting", "n", "n_pos").iter_rows()
    )
    said = f"Data class: {study.data_class}. Eligible test instances; the other splits: audit/prevalence.tsv."
    return Section("Data", (said,), header=("Task", "Setting", "Instances", "Positive", "Share"), rows=rows)


def _results(study: _Study) -> Section:
    table = study.table("ablations.tsv")
    if table is None:
        return Section("Results", (_missing("ablations.tsv"),))
    shown = table.filter(pl.col("policy").is_in([study.facts.reference, "base", "teacher"]))
    rows = tuple(
        (row["policy"], TASK_LABELS[row["task"]], *(with_interval(row, name) for name in ("auroc", "auprc", "f1")))
        for row in shown.iter_rows(named=True)
    )
    said = f"Test set, mean over settings, {percent(study.facts.confidence)} intervals over patients "
    said += f"({study.facts.draws:,} draws); all policies: ablations.tsv, other models: main.tsv."
    header = ("Policy", "Task", "AUROC", "AUPRC", "F1")
    return Section("Results", (said, *_against_base(table)), tuple(_quality(study)), header, rows)


def _against_base(table: pl.DataFrame) -> tuple[str, ...]:
    macro = table.filter((pl.col("policy") == "base") & (pl.col("task") == "macro"))
    if macro.is_empty() or macro["auroc_diff"][0] is None:
        return ("The reference and its base cannot be compared: a macro AUROC is undefined.",)
    gain, low, high = (-macro[name][0] for name in ("auroc_diff", "auroc_diff_high", "auroc_diff_low"))
    holds = "holds" if low > 0 else "does not hold: the interval includes 0 or less"
    return (f"Training against the base, macro AUROC: {gain:+.3f} [{low:+.3f}, {high:+.3f}]; the gain {holds}.",)


_QUALITY = {
    "smooth_ece": ("smooth calibration error of the p as answered", 3),
    "alerts_per_100_visits": ("alerts per 100 visits at the validation threshold", 1),
    "false_negative_rate": ("false-negative rate at that threshold", 3),
    "unanswered": ("share of cases without an answer", 3),
    "numbers_stated": ("numbers set against a threshold or level in the model's own text, per case", 2),
    "cases_with_slip": ("share of cases with a wrong number in the model's own text", 3),
}


def _quality(study: _Study) -> Iterator[str]:
    """One line per task-macro metric of the policy; an undefined one is said to be so."""
    metrics = study.table("metrics/{model}.tsv")
    if metrics is None:
        yield _missing(study.path("metrics/{model}.tsv"))
        return
    macro = metrics.filter((pl.col("task") == "macro") & (pl.col("unanswered_as") == "prevalence"))
    for name, (words, digits) in _QUALITY.items():
        row = macro.filter(pl.col("metric") == name).row(0, named=True)
        if row["value"] is None:
            yield f"{words}: {row['note']}"
            continue
        interval = f"[{number(row['ci_low'], digits)}, {number(row['ci_high'], digits)}]"
        yield f"{words}: {number(row['value'], digits)} {interval} (mean of the tasks)"


def _subgroups(study: _Study) -> Section:
    table = study.table("subgroups/{model}.tsv")
    if table is None:
        return Section("Subgroups", (_missing(study.path("subgroups/{model}.tsv")),))
    judged = table.filter(pl.col("gap_low").is_not_null() & pl.col("metric").is_in(list(_GAPS)))
    apart = judged.filter((pl.col("gap_low") > 0) | (pl.col("gap_high") < 0))
    hidden = table.filter(pl.col("note").str.starts_with("suppressed")).select("task", "attribute", "level")
    said = f"Of {judged.height} gaps to everyone (AUROC, calibration in the large, false-negative rate), "
    said += f"{apart.height} have an interval that excludes 0; chance alone gives about "
    said += f"{(1 - study.facts.confidence) * judged.height:.0f}. Suppressed cells: {hidden.unique().height}."
    points = tuple(
        f"{TASK_LABELS[row['task']]}, {row['attribute']} {row['level']}: {_GAPS[row['metric']]} {row['gap']:+.3f} "
        f"[{row['gap_low']:+.3f}, {row['gap_high']:+.3f}]"
        for row in apart.sort(pl.col("gap").abs(), descending=True).head(8).iter_rows(named=True)
    )
    return Section("Subgroups", (said,), points)


_GAPS = {
    "auroc": "AUROC",
    "calibration_in_the_large": "mean p minus observed share",
    "false_negative_rate": "false-negative rate",
}


def _limits(study: _Study) -> Section:
    facts = study.facts
    points = [DATA[study.data_class]]
    if len(facts.seeds) == 1:
        points.append("One training seed: how much another training would differ is unknown.")
    points.append("One source of records: no external validation, no prospective use, no effect on care was studied.")
    absent = [f"{path} ({what})" for path, what in EXPECTED.items() if not (study.results / path).is_file()]
    points += [f"Not run in this study: {one}" for one in absent]
    return Section("What this does not show", points=tuple(points))


def _items(name: str, items: Sequence[Item], study: _Study) -> Section:
    rows = tuple((item.number, item.topic, _answer(item, study)) for item in items)
    return Section(name, (GUIDELINE_NOTE,), header=("Item", "Topic", "Where"), rows=rows)


def _answer(item: Item, study: _Study) -> str:
    named = [study.path(file) for file in item.files]
    made = [name if (study.results / name).is_file() else _missing(name) for name in named]
    parts = [*made, *item.documents, *([item.said] if item.said else [])]
    return "; ".join(parts) or "Authors"


def _missing(name: str) -> str:
    return f"{name}: not made in this study"
