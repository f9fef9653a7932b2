"""Asks a policy for its predictions: greedy, without skills, every listed case once."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from tqdm import tqdm

from tirec.agent import trajectories
from tirec.agent.cases import Case, Cases
from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.agent.reward import score
from tirec.agent.trajectories import Trajectory
from tirec.config.agent import ProtocolConfig
from tirec.config.evaluation import PredictionConfig
from tirec.errors import ConfigError, DataError
from tirec.evaluation.outcomes import PREDICTION_SCHEMA
from tirec.evaluation.predictions import conform, prediction
from tirec.policy import hf
from tirec.policy.policy_file import PolicyFile


class PolicyMismatchError(DataError):
    """A policy that cannot answer these cases, or was trained with another chat template."""


def predict(
    model: str, policies: Mapping[str, Path], cases: Cases, config: PredictionConfig, trajectory_path: Path
) -> pl.DataFrame:
    """Plays every case with its task's policy.json; writes the trajectories and returns the predictions."""
    rows: list[dict[str, object]] = []

    def noted() -> Iterator[Trajectory]:
        for trajectory in _played(model, policies, cases, config):
            rows.append(prediction(trajectory))
            yield trajectory

    trajectories.write(noted(), trajectory_path)
    return conform(pl.DataFrame(rows, schema=PREDICTION_SCHEMA))


def _played(model: str, policies: Mapping[str, Path], cases: Cases, config: PredictionConfig) -> Iterator[Trajectory]:
    by_task = ids_by_task(cases, policies)
    with tqdm(total=len(cases), desc=model, mininterval=5, file=sys.stderr) as progress:
        for task, ids in by_task.items():
            for trajectory in _of_task(model, policies[task], [cases[one] for one in ids], config):
                progress.update()
                yield trajectory


def ids_by_task(cases: Cases, policies: Mapping[str, Path]) -> dict[str, list[int]]:
    """The cases of each task, ascending; raises PolicyMismatchError where a task has no policy."""
    grouped = cases.frame.group_by("task", maintain_order=True).agg("instance_id")
    found = {str(task): list(ids) for task, ids in grouped.iter_rows()}
    if missing := sorted(set(found) - set(policies)):
        raise PolicyMismatchError(f"no policy.json for the task {missing[0]}")
    return found


def _of_task(model: str, path: Path, cases: list[Case], config: PredictionConfig) -> Iterator[Trajectory]:
    rules = config.protocol.model_copy(update={"calls": PolicyFile.read(path).calls})
    with _opened(path, rules, config) as (policy, episodes):
        protocol = protocol_of(policy.tokenizer, rules)
        require_template(policy.file, protocol, path)
        for case, played in episodes(policy, protocol, cases, rules, config.batch):
            messages = protocol.evaluation_messages(case)
            yield trajectories.of(model, case, played, messages, score(played.episode.record(), case, config.reward))


@contextmanager
def _opened(path: Path, rules: ProtocolConfig, config: PredictionConfig) -> Iterator[tuple[Any, Callable[..., Any]]]:
    """A policy in the engine that reads it, and that engine's way to play cases."""
    if config.engine == "hf":
        yield hf.load(path, dtype=config.dtype, threads=config.threads), hf.predict_episodes
        return
    try:
        from tirec.policy import vllm  # only where this engine is asked for: it lives in an environment of its own
    except ModuleNotFoundError as fault:
        raise ConfigError(f"evaluation.engine: vllm: {fault}; name its interpreter as environments.grpo") from None
    served = vllm.load(path, config.dtype, rules, config.vllm)
    try:
        yield served, vllm.predict_episodes
    finally:
        served.close()


def require_template(file: PolicyFile, protocol: ChatProtocol, path: Path) -> None:
    """Raises PolicyMismatchError unless the policy was made with these words around a record."""
    if file.template_hash != protocol.template_hash:
        raise PolicyMismatchError(f"{path}: the tokenizer's chat template is not the one the policy was made with")
