"""What the agent would see for one instance, turn by turn, in the terminal.

    python scripts/show_episode.py --instance ID [--calls heart_rate,labs]

The episode is scripted (the calls named, by default the reference set, then --answer); what models did is in
trajectories.html, whose case numbers are instance ids. Looks in results/, or in demo/results/ where there is only the
demo; --results names another folder.
"""

import argparse
import signal
import sys
from pathlib import Path

from tirec import frontend
from tirec.agent.show import find_case, functions_named, show
from tirec.config.agent import AgentConfig
from tirec.config.cohort import SPLITS
from tirec.config.study import Study
from tirec.errors import DataError

CHECKOUT = Path(__file__).resolve().parents[1]
RESULTS, DEMO = Path("results"), Path("demo/results")


def main() -> None:
    """Prints the messages, the observation of each call, and what the reward of that episode would be."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no fault
    given = _arguments()
    results = given.results or (DEMO if not _episodes(RESULTS) and _episodes(DEMO) else RESULTS)
    case = find_case(given.instance, given.episodes or _episodes(results) or _nothing(results))
    calls, settings = functions_named(case, given.calls), _settings(given, results)
    print(
        f"note: a scripted episode, no model's: it asks for {', '.join(calls) or 'nothing'} and answers "
        f"{given.answer}; what models did is in trajectories.html",
        file=sys.stderr,
    )
    print(show(case, calls, given.answer, settings))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instance", required=True, type=int, help="instance_id")
    parser.add_argument("--calls", default="", help="functions, separated by commas (default: the reference set)")
    parser.add_argument("--answer", default="0.5", help="the probability to answer (default: 0.5)")
    parser.add_argument("--results", type=Path, help="folder of results that holds episodes/ (default: results)")
    parser.add_argument("--episodes", type=Path, nargs="+", help=".arrow files to look in, instead of --results")
    parser.add_argument("--configfile", type=Path, help="the study's overlay, as given to Snakemake (its protocol)")
    parser.add_argument("--settings", help="protocol and reward instead: JSON, or a YAML or JSON file")
    return parser.parse_args()


def _episodes(results: Path) -> list[Path]:
    """The files of cases of a results folder."""
    files = [results / "episodes" / f"{split}.arrow" for split in SPLITS]
    return [file for file in files if file.is_file()]


def _nothing(results: Path) -> list[Path]:
    raise DataError(f"{results / 'episodes'}: no episodes there yet; name a folder by --results, or make them first")


def _settings(given: argparse.Namespace, results: Path) -> AgentConfig:
    """The protocol that the cases are met with: the study's own, the demo's for the demo."""
    if given.settings:
        return frontend.read_settings(AgentConfig, given.settings)
    overlay = given.configfile or (CHECKOUT / "config" / "demo.yaml" if results == DEMO else None)
    if overlay is None:
        return AgentConfig()
    return AgentConfig(protocol=Study.read([overlay]).protocol)


if __name__ == "__main__":
    frontend.run(main)
