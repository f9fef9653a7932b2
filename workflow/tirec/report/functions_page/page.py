"""The page about the clinical functions: generated from the registry and the worked examples, never written by hand."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tirec.config.evidence import ObservationRules
from tirec.errors import DataError
from tirec.evidence.functions import REGISTRY
from tirec.evidence.functions.function import ClinicalFunction
from tirec.evidence.menu import REWARDABLE
from tirec.report.functions_page.meanings import Family, families, spelled

ANSWERS = frozenset({"columns.tsv"})
OPENING = """\
# The clinical functions

What an agent may ask for, and what the trees see: {functions} functions, each one object with a description (the tool's
schema), columns (the trees') and a text (the agent's). Each takes an empty argument object. {rewardable} count in the
function match of the reward; the others are free. A text opens with one headline; a summary holds at most {summary}
tokens of Qwen's vocabulary, a detail at most {detail}.

This page is generated: `make docs` writes it from the registry (`workflow/tirec/evidence/functions/`) and the worked
examples (`tests/examples/<function>/`), which are tests as well. All records on it are invented. Times (`_s`) are
seconds from arrival; days are counted, and the visit arrives on day 115000. Some rows are stamped after the cutoff, or
are impossible values: they show what is not seen. Columns that are alike stand in one row; `in the example` names those
of them that differ from 0, and `-` is a value that was not observed.

| function | | says |
|---|---|---|
"""


def functions_page(examples: Path) -> str:
    """The page as Markdown from a folder of worked examples; raises DataError where an example is missing."""
    rules = ObservationRules()
    opening = OPENING.format(
        functions=len(REGISTRY),
        rewardable=len(REWARDABLE),
        summary=rules.summary_tokens,
        detail=rules.detail_tokens,
    )
    index = "\n".join(
        f"| [{name}](#{name}) | {_kind(entry)} | {entry.item.description} |" for name, entry in REGISTRY.items()
    )
    parts = [_function(entry, examples / name) for name, entry in REGISTRY.items()]
    return "\n\n".join([opening + index, *parts]) + "\n"


def _kind(function: ClinicalFunction) -> str:
    if function.item.detail:
        return "detail"
    return "summary, rewardable" if function.item.rewardable else "summary"


def _function(function: ClinicalFunction, example: Path) -> str:
    if not (example / "text.txt").is_file():
        raise DataError(f"{example}: no worked example of the function {function.name}")
    parts = [f"## {function.name}", function.item.description, _standing(function), *_columns(function, example)]
    return "\n\n".join([*parts, *_example(example)])


def _standing(function: ClinicalFunction) -> str:
    kind = "A detail" if function.item.detail else "A summary"
    reward = "counts in the function match" if function.item.rewardable else "never counts in the function match"
    tables = " and ".join(f"`{table}`" for table in (function.table, *function.further_tables))
    return f"{kind}; {reward}. The source rows of a call are rows of {tables}."


def _columns(function: ClinicalFunction, example: Path) -> Iterator[str]:
    values = _values(function, example)
    if not values:
        yield "Columns: none; the trees do not see this text."
        return
    lines = [_column(function, family, values) for family in families(function.name, values)]
    yield "\n".join(["| column | unit | meaning | in the example |", "|---|---|---|---|", *lines])


def _values(function: ClinicalFunction, example: Path) -> dict[str, str]:
    """The columns' values in the example, by name without the function."""
    rows = [row for row in _rows(example / "columns.tsv")[1:] if len(row) == 2]
    return {name.removeprefix(f"{function.name}__"): value for name, value in rows}


def _column(function: ClinicalFunction, family: Family, values: dict[str, str]) -> str:
    meaning = family.meaning
    return f"| `{spelled(family, function.name)}` | {meaning.unit} | {meaning.words} | {_shown(family, values)} |"


def _shown(family: Family, values: dict[str, str]) -> str:
    """The value of a column; of a family the members that are there."""
    if len(family.columns) == 1:
        return values[family.columns[0]]
    there = [f"{column} {values[column]}" for column in family.columns if values[column] not in ("-", "0")]
    return ", ".join(there) or "-"


def _example(example: Path) -> Iterator[str]:
    cutoff = int((example / "cutoff_s.txt").read_text(encoding="utf-8"))
    yield f"**Worked example**, cutoff {cutoff} s after arrival (`tests/examples/{example.name}/`)."
    for path in sorted(example.glob("*.tsv")):
        if path.name not in ANSWERS:
            yield f"`{path.stem}`:\n\n{_table(_rows(path))}"
    yield f"The agent reads:\n\n{_fenced(example / 'text.txt')}"
    yield f"With `observations.style: headline`:\n\n{_fenced(example / 'headline.txt')}"
    yield f"Source rows behind the text (the first row of a table is 1):\n\n{_fenced(example / 'rows.txt')}"


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; record text cannot break it."""
    header, *body = [[cell.replace("|", "\\|").replace("<", "&lt;") for cell in row] for row in rows]
    lines = [header, ["---"] * len(header), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fenced(path: Path) -> str:
    return f"```text\n{path.read_text(encoding='utf-8').rstrip()}\n```"
