"""How the two agents of LA-CDM speak and are asked."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from tirec.config.agent import REPOSITORY
from tirec.config.base import Model

Cast = Literal["two", "decision", "everything"]
"""Who plays: both agents, the decision agent alone, or the hypothesis agent on every result at once."""


class AgentsConfig(Model):
    """Words and manners of both agents."""

    prompts: str = "config/lacdm/prompts"
    """Folder of the prompt templates; a relative path counts from the repository."""
    malformed: Literal["end", "retry"] = "end"
    """A turn without one readable action: `end` = the dialogue ends as invalid (published), `retry` = it is told so and
    has spent a turn."""
    temperature: float = Field(default=1.0, ge=0)
    """Sampling temperature of evaluation, 1 in the paper; 0 = greedy."""

    def prompts_folder(self) -> Path:
        """The absolute folder of the prompt templates."""
        return REPOSITORY / self.prompts
