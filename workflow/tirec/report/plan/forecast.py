"""GPU hours, disk and the largest job of a study, from its configuration and a table of estimated throughputs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.config.cohort import TASKS
from tirec.config.study import Study
from tirec.config.training import TrainingConfig
from tirec.report.plan.dry_run import PlannedJob

TABLE = Path(__file__).with_name("throughput.tsv")
WARNING_MINUTES = 15
"""Minutes before its time limit at which a training job stops itself."""


@dataclass(frozen=True)
class Rates:
    """Estimated throughputs (throughput.tsv); those of GPUs scale with the model's size."""

    table: dict[str, float]
    parameters: float
    """Billions."""

    @classmethod
    def read(cls, model: Path | None = None, path: Path = TABLE) -> "Rates":
        """The table, with the size of the model in a folder where there is one."""
        rows = pl.read_csv(path, separator="\t")
        table = dict(zip(rows["quantity"].to_list(), rows["value"].cast(pl.Float64).to_list(), strict=True))
        return cls(table, _parameters(model) or table["parameters"])

    def seconds(self, work: str, engine: str, tokens: float) -> float:
        """GPU seconds that some tokens take."""
        return tokens / self.table[f"{work}_{engine}"] * self.parameters / self.table["parameters"]


@dataclass(frozen=True)
class AblationForecast:
    """What training one policy takes."""

    policy: str
    step_minutes: float
    hours: float
    gpu_hours: float
    attempts: int
    """Jobs one after the other, each up to its time limit."""
    job: PlannedJob


def _parameters(folder: Path | None) -> float | None:
    """Billions of parameters in a model folder, of two bytes each as such models are published."""
    weights = list(folder.glob("*.safetensors")) if folder else []
    return sum(path.stat().st_size for path in weights) / 2e9 if weights else None


def of_ablation(study: Study, training: TrainingConfig, job: PlannedJob, rates: Rates) -> AblationForecast:
    """The forecast of one policy: training steps, and validation of every checkpoint."""
    step = episodes_seconds(study, rates, training.prompts_per_step * training.group_size, training=True)
    checkpoints = math.ceil(training.steps / training.checkpoint_every) + 1
    cases = len(TASKS) * study.cohort.sampling.select_instances
    validation = checkpoints * episodes_seconds(study, rates, cases, training=False)
    gpus = max(job.gpus, 1)
    hours = (training.steps * step + validation) / gpus / 3600
    usable = max(job.number("runtime") - WARNING_MINUTES, 1) / 60
    attempts = math.ceil(hours / usable)
    return AblationForecast(training.ablation, step / gpus / 60, hours, hours * gpus, attempts, job)


def episodes_seconds(study: Study, rates: Rates, episodes: int, training: bool) -> float:
    """GPU seconds of some episodes: generation, and for training two passes without and one with gradients."""
    engine, share = study.training.engine, rates.table
    response = study.protocol.response_tokens * share["response_share"]
    whole = study.protocol.prompt_tokens * share["prompt_share"] + response
    generated = rates.seconds("generate", engine, episodes * response * share["written_share"])
    read = rates.seconds("forward", engine, episodes * whole)
    if not training:
        return generated + read
    return generated + 3 * read + rates.seconds("update", engine, episodes * whole)


def prediction_gpu_hours(study: Study, rates: Rates) -> float:
    """GPU hours of one policy's predictions for validation and test."""
    sampling = study.cohort.sampling
    test = sampling.test_instances or rates.table["test_cases"]
    cases = len(TASKS) * (sampling.select_instances + sampling.threshold_instances + test)
    return episodes_seconds(study, rates, round(cases), training=False) / 3600


def disk_gb(study: Study, rates: Rates) -> dict[str, float]:
    """GB by what takes them: records, selected weights of every policy, checkpoints of the runs that are under way."""
    policies = len(study.ablations) * len(study.seeds)
    kept = len(TASKS) + 1
    return {
        "records, features and texts": rates.table["records_gb"],
        "selected weights": policies * kept * rates.parameters * rates.table["weight_bytes"],
        "checkpoints under way": policies * rates.parameters * rates.table["checkpoint_bytes"],
    }


def largest(jobs: Sequence[PlannedJob]) -> PlannedJob:
    """The job that asks for most: GPUs first, then memory."""
    return max(jobs, key=lambda job: (job.gpus, job.number("mem_mb") * job.nodes, job.threads))
