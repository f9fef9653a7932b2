"""Studies of how models choose and read evidence: budgets, random groups, edited observations, case pages."""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tirec.config.agent import ProtocolConfig
from tirec.config.base import Model
from tirec.config.evaluation import Precision

Count = Annotated[int, Field(ge=1)]


class StudiesConfig(Model):
    """Which policies are studied, on how many cases, under which budgets."""

    policies: tuple[str, ...] = ()
    """Ablations that play the studies beside `evaluation.reference` and the base, every training seed of each."""
    budgets: Annotated[tuple[Annotated[int, Field(ge=1, le=10)], ...], Field(min_length=2)] = tuple(range(1, 11))
    """Feature groups an agent may request (k), ascending; of the ten rewardable summaries."""
    draws: Count = 3
    """Random orders of the ten groups per patient; the first k of an order are its groups at budget k."""
    cases: Count = 1000
    """Test cases per task of the budget and reading studies: a seeded sample, the same for every model."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of samples and orders."""
    request_budget: Count = 4
    """Budget under which request rates are counted against usable value."""
    loss: Literal["brier", "log_loss"] = "brier"
    """Per-case loss behind the benefit of a group; a stated p of 0 or 1 makes the log loss a matter of a few cases."""
    map_patients: Count = 100
    """Patients per task on the map of calls."""
    edited_cases: Count = 300
    """Test cases per task whose observations are edited (counterfactual)."""
    pairs: Count = 3
    """Case pairs per task and rule on the page of cases."""
    pair_with: str = "base.seed0"
    """Model whose trajectories stand beside those of `evaluation.reference` on the page of cases."""

    @model_validator(mode="after")
    def _usable_budgets(self) -> "StudiesConfig":
        if list(self.budgets) != sorted(set(self.budgets)):
            raise ValueError("budgets: each once, ascending")
        if self.request_budget not in self.budgets:
            raise ValueError(f"budgets: lacks request_budget {self.request_budget}")
        if not any(after == before + 1 for before, after in pairwise(self.budgets)):
            raise ValueError("budgets: two neighbours (k and k + 1) are needed to say what one more group is worth")
        return self


class PolicyStudyConfig(Model):
    """What one policy plays the studies with."""

    protocol: ProtocolConfig = ProtocolConfig()
    """The protocol; the budget is the study's."""
    budgets: tuple[int, ...] = StudiesConfig().budgets
    """Budgets k."""
    dtype: Precision = "float32"
    """Precision of the weights."""
    threads: Count = 1
    """Threads on the CPU."""
    batch: Count = 256
    """Episodes played side by side."""
