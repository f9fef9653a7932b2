"""The decisions that no paper states, with all their values: one table, checked by a test against the config models."""

from dataclasses import dataclass
from typing import Any

from tirec.config.cohort import TASKS, Task
from tirec.config.sensitivity import AlternativeConfig

Value = str | int


@dataclass(frozen=True)
class Decision:
    """A key of the configuration that decides about cohort, label or evidence."""

    key: str
    values: tuple[Value, ...]
    tasks: tuple[Task, ...]
    """Tasks that can change with it."""

    @property
    def name(self) -> str:
        """The key's own name."""
        return self.key.rpartition(".")[2]

    def value_in(self, config: AlternativeConfig) -> Value:
        """What a configuration decides."""
        section, last = _section(config.model_dump(), self.key)
        return section[last]


DISPOSITION: tuple[Task, ...] = ("disposition",)
DECOMPENSATION: tuple[Task, ...] = ("decompensation",)
REVISIT: tuple[Task, ...] = ("revisit",)

DECISIONS = (
    Decision("cohort.left_against_advice", ("keep", "exclude"), TASKS),
    Decision("cohort.disposition.at_risk", ("undecided", "paper-literal"), DISPOSITION),
    Decision("cohort.disposition.observation", ("admission", "discharge", "excluded"), DISPOSITION),
    Decision("cohort.disposition.died_in_ed", ("exclude", "keep"), DISPOSITION),
    Decision("cohort.decompensation.triage_missing", ("exclude", "ignore"), DECOMPENSATION),
    Decision("cohort.decompensation.label_source", ("monitor", "monitor_and_chart"), DECOMPENSATION),
    Decision("cohort.decompensation.persistence", ("one", "two"), DECOMPENSATION),
    Decision("cohort.decompensation.coverage", ("hr_spo2", "hr_spo2_map", "full_horizon"), DECOMPENSATION),
    Decision("cohort.revisit.cutoff", ("departure", "decision"), REVISIT),
    Decision("evidence.orders.decision_orders", ("drop", "keep"), TASKS),
    Decision("evidence.history_margin_days", (0, 1), TASKS),
)

NOT_COMPARED = {
    "cohort.splits.family": "changes which patients the AUROC is measured on, not who is predicted or what is known",
    "evidence.observations.style": "changes texts only; no tree reads them",
}
"""Keys with alternatives that are left out, and why."""


@dataclass(frozen=True)
class Alternative:
    """One decision made otherwise than the study makes it."""

    decision: Decision
    value: Value

    @property
    def name(self) -> str:
        """A name for files, such as `at_risk=paper-literal`."""
        return f"{self.decision.name}={self.value}"

    @property
    def keeps_evidence(self) -> bool:
        """Whether the same cutoff of the same visit shows the same evidence as in the study."""
        return self.decision.key.startswith("cohort.")

    def applied(self, config: AlternativeConfig) -> AlternativeConfig:
        """The study's configuration with this one decision changed."""
        content = config.model_dump()
        section, last = _section(content, self.decision.key)
        section[last] = self.value
        return AlternativeConfig.model_validate(content)


def alternatives(config: AlternativeConfig) -> list[Alternative]:
    """Every value of every decision that the study did not choose, in the table's order."""
    return [
        Alternative(decision, value)
        for decision in DECISIONS
        for value in decision.values
        if value != decision.value_in(config)
    ]


def _section(content: dict[str, Any], key: str) -> tuple[dict[str, Any], str]:
    """The innermost section that holds a dotted key, and the key's own name."""
    *path, last = key.split(".")
    for name in path:
        content = content[name]
    return content, last
