"""A policy's dialogues about every case of a split: predictions, hypotheses and trajectories."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from tqdm import tqdm

from tirec.agent import trajectories
from tirec.agent.trajectories import Trajectory
from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.lacdm_training import CdmTrainingConfig
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.predictions import PREDICTIONS, PROBABILITIES, write_predictions
from tirec.lacdm.results import HYPOTHESES, hypothesis_rows, prediction_row
from tirec.lacdm.told import trajectory
from tirec.lacdm.train import clinic_of
from tirec.policy.hf import load
from tirec.provenance import write_parquet
from tirec.training.material import derived_seed


@dataclass(frozen=True)
class Written:
    """Where a split's results go."""

    predictions: Path
    hypotheses: Path
    trajectories: Path


def predict(
    model: str,
    policy_json: Path,
    episodes: Path,
    rules: ConsultConfig,
    settings: CdmTrainingConfig,
    seed: int,
    to: Written,
) -> None:
    """Plays every case of `episodes` once and writes what came of it."""
    local = settings.local
    clinic = clinic_of(load(policy_json, local.device, local.dtype, local.threads), rules, settings, policy_json)
    cases = open_cdm_cases(episodes)
    drawn = derived_seed("evaluation", seed)
    played = clinic.consulted(cases, local.validation_batch, rules.agents.temperature, drawn)
    rows: list[dict[str, object]] = []
    stated: list[tuple[object, ...]] = []

    def noted() -> Iterator[Trajectory]:
        with tqdm(played, total=len(cases), desc=model, mininterval=5, file=sys.stderr) as progress:
            for one in progress:
                rows.append(prediction_row(one) | dict.fromkeys(PROBABILITIES))
                stated.extend(hypothesis_rows(one))
                yield trajectory(model, one, clinic.protocol.words)

    trajectories.write(noted(), to.trajectories)
    write_predictions(pl.DataFrame(rows, schema=PREDICTIONS), to.predictions)
    write_parquet(pl.DataFrame(stated, schema=HYPOTHESES, orient="row"), to.hypotheses)
