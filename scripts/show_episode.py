"""What the agent would see for one instance, turn by turn, in the terminal."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.agent.cases import open_cases
from tirec.agent.show import show
from tirec.config.agent import AgentConfig


def main() -> None:
    """Prints the messages, the observation of each call, and what the reward of that episode would be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instance", required=True, type=int, help="instance_id")
    parser.add_argument("--episodes", required=True, type=Path, help="the .arrow file that holds the instance")
    parser.add_argument(
        "--calls", default="", help="functions to call, separated by commas (default: the reference set)"
    )
    parser.add_argument("--answer", default="0.5", help="the probability to answer")
    parser.add_argument("--settings", help="protocol and reward: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    case = open_cases(given.episodes)[given.instance]
    calls = [name.strip() for name in given.calls.split(",") if name.strip()] or list(case.reference)
    print(show(case, calls, given.answer, frontend.read_settings(AgentConfig, given.settings)))


if __name__ == "__main__":
    frontend.run(main)
