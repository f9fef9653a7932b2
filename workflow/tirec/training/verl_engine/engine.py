"""The verl engine as the rest of the package sees it: `run`, `step`, `history`, `validations`."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tirec.errors import TirecError
from tirec.training.practice import Judgement, Row
from tirec.training.run_folder import RunFolder, StopFlag
from tirec.training.stopping import on_stop_signals
from tirec.training.verl_engine.brief import Brief
from tirec.training.verl_engine.data import write_agent_loop, write_tables
from tirec.training.verl_engine.settings import Places, verl_keys

if TYPE_CHECKING:  # verl finds these by name; they are listed so that they count as code of a run
    from tirec.training.verl_engine import agent_loop, cpu_engine, cpu_platform, cpu_rollout, optimizer  # noqa: F401

_LOGICAL_CPUS = 16  # verl's actors ask for whole CPUs, and wait in silence where there are too few
_OBJECTS = 300_000_000
_PLATFORM = {"VERL_PLATFORM": "cpu", "VERL_USE_EXTERNAL_MODULES": "tirec.training.verl_engine.cpu_platform"}


class VerlEngine:
    """Trains one policy by verl; `run` may be stopped after any step and called again in a new process."""

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self.history: list[Row] = []
        self.validations: dict[int, Judgement] = {}

    @property
    def step(self) -> int:
        """Optimizer steps done."""
        return int(self.history[-1]["step"]) if self.history else 0

    def run(self, folder: RunFolder, stop: StopFlag) -> bool:
        """Trains to the end, or until `stop` is raised; whether the end was reached. Resumes from the folder."""
        self._read_state(folder)
        if self.step < self._brief.settings.steps:
            self._prepare()
            with _surroundings(self._brief):
                self._train(stop)
            self._read_state(folder)
        return self.step == self._brief.settings.steps

    def _read_state(self, folder: RunFolder) -> None:
        saved = folder.load()
        if saved is not None:
            self.history, self.validations = saved["history"], saved["validations"]

    @property
    def _places(self) -> Places:
        scratch = self._brief.scratch
        names = ("train.parquet", "validation.parquet", "agent_loop.yaml", "checkpoints")
        return Places(self._brief.base, *(scratch / name for name in names))

    def _prepare(self) -> None:
        """Writes what verl reads, and clears what a killed run left half done."""
        places = self._places
        self._brief.fault.unlink(missing_ok=True)
        self._brief.stop.unlink(missing_ok=True)
        for left in places.checkpoints.glob("global_step_*"):
            if left.name != f"global_step_{self.step}":
                shutil.rmtree(left)
        write_tables(self._brief.material(), places.train, places.validation)
        write_agent_loop(self._brief.write(), places.agent_loop)

    def _train(self, stop: StopFlag) -> None:
        """Runs verl; its imports are slow and choose the platform from the environment, so they stand here."""
        import ray

        from tirec.training.verl_engine.composition import composed
        from tirec.training.verl_engine.trainer import PolicyRunner

        brief = self._brief
        resume = self.step if self.step else None
        config = composed(verl_keys(brief.settings, brief.rules, brief.seed, self._places, resume))
        ray.init(**_ray(brief))
        try:
            # Ray installs handlers when it starts, so ours come after; they ask the trainer, another process, to stop.
            with on_stop_signals(self._asked_to_stop(stop)):
                ray.get(PolicyRunner.remote(brief).run.remote(config))
        except ray.exceptions.RayError as fault:
            raise self._explained(fault) from None
        finally:
            ray.shutdown()

    def _asked_to_stop(self, stop: StopFlag) -> Callable[..., None]:
        def handler(*_: object) -> None:
            stop()
            self._brief.stop.touch()

        return handler

    def _explained(self, fault: Exception) -> Exception:
        """The line that a process of the run left, or the trainer's own; anything else as it is, with its traceback."""
        if self._brief.fault.exists():
            return TirecError(self._brief.fault.read_text(encoding="utf-8"))
        cause = getattr(fault, "cause", None)
        return TirecError(str(cause)) if isinstance(cause, TirecError) else fault


def _ray(brief: Brief) -> dict[str, Any]:
    """Arguments of `ray.init`: the cluster of RAY_ADDRESS where there is one, else one on this machine."""
    from verl.trainer.constants_ppo import get_ppo_ray_runtime_env

    runtime = get_ppo_ray_runtime_env()
    runtime["env_vars"] |= {"TRANSFER_QUEUE_ENABLE": "1"} | {name: os.environ[name] for name in _passed_on()}
    if "RAY_ADDRESS" in os.environ:
        return {"runtime_env": runtime}
    local: dict[str, Any] = {"include_dashboard": False}
    if brief.settings.verl.rollout == "hf_cpu":
        local |= {"num_cpus": _LOGICAL_CPUS, "num_gpus": brief.settings.verl.gpus_per_node}
        local |= {"object_store_memory": _OBJECTS}
    elif "SLURM_CPUS_PER_TASK" in os.environ:
        local["num_cpus"] = int(os.environ["SLURM_CPUS_PER_TASK"])
    return {"runtime_env": runtime, **local}


def _passed_on() -> list[str]:
    """Environment that Ray's processes need on every node."""
    wanted = ["PYTHONPATH", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_CACHE", "WANDB_MODE", *_PLATFORM]
    return [name for name in wanted if name in os.environ]


@contextmanager
def _surroundings(brief: Brief) -> Iterator[None]:
    """The environment variables that verl and Ray go by, for the time of the run."""
    package = str(Path(__file__).resolve().parents[3])
    wanted = {
        "PYTHONPATH": os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])),
        "HF_DATASETS_CACHE": str(brief.scratch / "datasets"),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_prestart_worker_first_driver": "0",  # not one idle process per logical CPU
        **(_PLATFORM if brief.settings.verl.rollout == "hf_cpu" else {}),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
