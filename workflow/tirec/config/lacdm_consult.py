"""What a dialogue of LA-CDM depends on: the menu, the environment's rules, the budgets, the agents' manners."""

from pathlib import Path

from tirec.config.agent import REPOSITORY
from tirec.config.base import Model
from tirec.config.lacdm import LacdmConfig, LimitsConfig, SwitchesConfig
from tirec.config.lacdm_agents import AgentsConfig


class ConsultConfig(Model):
    """Everything a dialogue depends on, whoever plays it."""

    menu: str = "config/lacdm/menu.yaml"
    """The priced tests."""
    switches: SwitchesConfig = SwitchesConfig()
    """Rules of the environment."""
    limits: LimitsConfig = LimitsConfig()
    """Budgets of a dialogue."""
    agents: AgentsConfig = AgentsConfig()
    """Words and manners."""

    def menu_file(self) -> Path:
        """The absolute path of the menu."""
        return REPOSITORY / self.menu

    @classmethod
    def of(cls, study: LacdmConfig) -> "ConsultConfig":
        """The part of a study's section that dialogues depend on."""
        return cls(menu=study.menu, switches=study.switches, limits=study.limits, agents=study.agents)
