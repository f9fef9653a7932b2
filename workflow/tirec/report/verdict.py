"""Whether a demo did what it must: the planted causes were found, and training beat the base."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl


@dataclass(frozen=True)
class Finding:
    """One sentence of the verdict; a demo fails if a required one does not hold."""

    holds: bool
    sentence: str
    required: bool = True


def failed(findings: Sequence[Finding]) -> bool:
    """Whether a required finding does not hold."""
    return any(finding.required and not finding.holds for finding in findings)


def ending(findings: Sequence[Finding], results: Path, files: Mapping[str, str]) -> str:
    """The verdict, a line per finding, and what each of `files` below `results` shows."""
    judged = [f"  {_mark(finding)}  {finding.sentence}" for finding in findings]
    shown = [f"  {results / name}  {what}" for name, what in files.items()]
    return "\n".join(["", "Verdict", *judged, "", "Where to look next", *shown])


def _mark(finding: Finding) -> str:
    return "ok  " if finding.holds else "FAIL" if finding.required else "note"


def judge(
    ablations: pl.DataFrame,
    references: Mapping[str, Sequence[str]],
    causes: Mapping[str, Sequence[str]],
    policy: str = "full",
) -> list[Finding]:
    """Every finding, required ones first.

    references: task -> reference set; causes: task -> functions through which its planted causes are seen; policy: the
    one that the ablations are compared with.
    """
    found = [recovered(task, references.get(task, ()), planted) for task, planted in causes.items()]
    return [*found, above_base(ablations, policy), *gap_closed(ablations, policy)]


def recovered(task: str, reference: Sequence[str], planted: Sequence[str]) -> Finding:
    """A task's planted causes are all in its reference set, and most of the set is planted."""
    missing = [name for name in planted if name not in reference]
    extra = [name for name in reference if name not in planted]
    holds = not missing and len(extra) < len(planted)
    said = f"{task}: the reference set is {_named(reference)}"
    said += f"; planted but missing: {_named(missing)}" if missing else "; it holds every planted cause"
    return Finding(holds, said + (f"; not planted: {_named(extra)}" if extra else ""))


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) or "empty"


def above_base(ablations: pl.DataFrame, policy: str) -> Finding:
    """The policy has a higher test macro AUROC than `base`; the interval says how sure that is."""
    base = _macro(ablations, "base")
    if base is None or base["auroc_diff"] is None:
        return Finding(False, f"{policy} and base cannot be compared: a macro AUROC is undefined")
    gain, low, high = (0.0 - base[name] for name in ("auroc_diff", "auroc_diff_high", "auroc_diff_low"))
    sure = "above zero" if low > 0 else "not separable from zero"
    return Finding(gain > 0, f"{policy} - base, test macro AUROC: {gain:+.3f} [{low:+.3f}, {high:+.3f}], {sure}")


def gap_closed(ablations: pl.DataFrame, policy: str) -> list[Finding]:
    """How much of the way from base to tree teacher the training went: an aim, not a requirement."""
    rows = {name: _macro(ablations, name) for name in ("base", policy, "teacher")}
    values = [row["auroc"] for row in rows.values() if row is not None and row["auroc"] is not None]
    if len(values) < len(rows) or values[2] <= values[0]:
        return []
    share = (values[1] - values[0]) / (values[2] - values[0])
    return [Finding(share >= 0.5, f"{policy} closes {share:.0%} of the AUROC gap between base and tree teacher", False)]


def _macro(ablations: pl.DataFrame, policy: str) -> dict[str, float] | None:
    rows = ablations.filter((pl.col("policy") == policy) & (pl.col("task") == "macro"))
    return rows.row(0, named=True) if rows.height else None
