"""verl's synchronous trainer with our history, our selection, and one state that a resumed run begins from."""

import shutil
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

import ray
import transfer_queue
from omegaconf import DictConfig
from transfer_queue import KVBatchMeta
from transformers import AutoTokenizer
from verl.trainer import main_ppo
from verl.trainer.ppo.v1 import trainer_base
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync

from tirec.config.training import TrainingConfig
from tirec.errors import TirecError
from tirec.policy.hf import save_model
from tirec.policy.optimization import share_of_rate
from tirec.training.history import rollout_row
from tirec.training.material import prevalence
from tirec.training.practice import Judgement, Row, judgement_row
from tirec.training.run_folder import RunFolder
from tirec.training.selection import from_plain, selected_steps, validate
from tirec.training.verl_engine.advantage import register
from tirec.training.verl_engine.brief import Brief, Scene
from tirec.training.verl_engine.conversion import load_saved
from tirec.training.verl_engine.outcome import Outcome
from tirec.training.verl_engine.settings import ADVANTAGES

# verl's names of what history.tsv has of an update; entropy is of the policy before it, as in the local engine.
UPDATE = {
    "loss": "actor/loss",
    "kl": "actor/kl_loss",
    "entropy": "actor/entropy",
    "clip_fraction": "actor/pg_clipfrac",
    "grad_norm": "actor/grad_norm",
}


class LostEpisodesError(TirecError):
    """Episodes that verl did not bring back."""


class NonFiniteUpdateError(TirecError):
    """A loss or gradient that is not a number."""


class PolicyTrainer(PPOTrainerSync):
    """One policy's training; lives in one process, whatever the number of GPUs."""

    brief: Brief

    def __init__(self, config: DictConfig) -> None:
        super().__init__(config)
        self._scene = Scene(self.brief)
        self._settings = self.brief.settings
        self._prevalence = prevalence(self._scene.material.train)
        self._folder = RunFolder(self.brief.run_folder)
        saved = self._folder.load() or {"history": [], "validations": {}}
        self._history: list[Row] = saved["history"]
        self._validations: dict[int, Judgement] = saved["validations"]
        self._validated: Judgement = {}
        self._saved_step = 0

    def on_sample_end(self) -> None:
        """Called when the episodes of a step are there; a fault in one of them ends the run."""
        if self.brief.fault.exists():
            raise TirecError(self.brief.fault.read_text(encoding="utf-8"))
        super().on_sample_end()

    def _validate(self) -> dict[str, float]:
        metrics = super()._validate()
        if self.global_steps == 0:
            self._history.append({"step": 0, **judgement_row(self._validated)})
        return metrics

    def _val_metrics_update(
        self, data_sources: Any, sample_uids: Any, reward_extra_infos_dict: Any, *others: Any, **named: Any
    ) -> dict[str, float]:
        """verl hands over what every episode of a validation left; its own metrics of that stay as they are."""
        outcomes = [Outcome.from_json(text) for text in reward_extra_infos_dict.pop("outcome", [])]
        self._require(len(outcomes), len(self._scene.material.validation))
        cases = self._scene.validation_case
        found = validate(((cases(one.instance_id), one.record()) for one in outcomes), self._prevalence)
        self._validated = {task: asdict(one) for task, one in found.items()}
        return super()._val_metrics_update(data_sources, sample_uids, reward_extra_infos_dict, *others, **named)

    def _save_checkpoint(self) -> None:
        super()._save_checkpoint()
        self._saved_step = self.global_steps

    def _compute_metrics(
        self, batch: KVBatchMeta, metrics: dict[str, Any], timing_raw: Any, global_steps: int, epoch: int
    ) -> None:
        """The last thing verl does in a step: its own metrics, then our row, and the state where there is one."""
        super()._compute_metrics(batch, metrics, timing_raw, global_steps, epoch)
        self._history.append(self._row(batch, metrics))
        stop = self.brief.stop.exists()
        if self._saved_step == self.global_steps:
            self._keep_checkpoint()
        elif stop:
            self._save_checkpoint()
            self._keep_state()
        if stop:
            self.total_training_steps = self.global_steps  # verl's loop ends here
        self._folder.beat()

    def _row(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> Row:
        outcomes = sorted(_outcomes(batch), key=lambda one: one.slot or 0)
        size = self._settings.group_size
        self._require(len(outcomes), self._settings.prompts_per_step * size)
        rewards = [one.reward for one in outcomes if one.reward]
        records, tokens = [one.record() for one in outcomes], [one.tokens for one in outcomes]
        known = {
            "step": self.global_steps,
            "retention": self._scene.retention(self.global_steps),
            "learning_rate": _rate(self._settings, self.global_steps),
        }
        return {**known, **rollout_row(rewards, records, tokens, size), **self._update(metrics)}

    def _update(self, metrics: dict[str, Any]) -> Row:
        """What verl measured of the update, under our names; a term that is switched off is 0."""
        switched_off = {} if self._settings.objective.kl else {UPDATE["kl"]: 0.0}
        found = {column: float((switched_off | metrics)[name]) for column, name in UPDATE.items()}
        if bad := [column for column, value in found.items() if not isfinite(value)]:
            raise NonFiniteUpdateError(f"step {self.global_steps}: {bad[0]} is not a number; verl would go on without")
        return found

    def _require(self, found: int, expected: int) -> None:
        """verl pads a batch that lost episodes and goes on; we do not."""
        if found != expected:
            raise LostEpisodesError(
                f"step {self.global_steps}: {found} of {expected} episodes came back; the log above says why"
            )

    def _keep_checkpoint(self) -> None:
        """Publishes the weights of a validated step; a kill before the state repeats the steps since the last one."""
        self._validations[self.global_steps] = self._validated
        self._history[-1] |= judgement_row(self._validated)
        self._folder.save_weights(self.global_steps, self._convert)
        self._keep_state()
        kept = selected_steps(from_plain(self._validations), self._settings.selection).values()
        self._folder.keep_weights({self.global_steps, *kept})

    def _convert(self, target: Path) -> None:
        """The checkpoint's full weights in the run's precision, with the base's tokenizer and template."""
        saved = self._checkpoint / "actor" / "huggingface"
        model = load_saved(saved, self._settings.verl.precision, self._settings.lora)
        tokenizer: Any = AutoTokenizer.from_pretrained(self.brief.base, local_files_only=True)
        save_model(model, tokenizer, target)

    def _keep_state(self) -> None:
        self._folder.save({"history": self._history, "validations": self._validations})
        for older in self._checkpoint.parent.glob("global_step_*"):
            if older != self._checkpoint:
                shutil.rmtree(older)

    @property
    def _checkpoint(self) -> Path:
        return self.brief.scratch / "checkpoints" / f"global_step_{self.global_steps}"


def _outcomes(batch: KVBatchMeta) -> list[Outcome]:
    """What the episodes of a step left, padding apart."""
    keys = [key for key, tag in zip(batch.keys, batch.tags, strict=True) if not tag.get("is_padding")]
    data = transfer_queue.kv_batch_get(keys=keys, partition_id=batch.partition_id, select_fields=["extra_fields"])
    fields = [getattr(one, "data", one) for one in data["extra_fields"]]
    return [Outcome.from_json(one["reward_extra_info"]["outcome"]) for one in fields]


def _rate(settings: TrainingConfig, step: int) -> float:
    optimizer = settings.optimizer
    share = share_of_rate(step - 1, settings.steps, optimizer.ramp_steps, optimizer.final_share)
    return optimizer.learning_rate * share


@ray.remote
class PolicyRunner(main_ppo.TaskRunnerV1.__ray_metadata__.modified_class):
    """verl's task runner with our trainer and our advantages."""

    def __init__(self, brief: Brief) -> None:
        super().__init__()
        self._brief = brief

    def run(self, config: DictConfig) -> None:
        """Trains to the end or to a stop."""
        register(ADVANTAGES, self._brief.settings.objective)
        trainer_base.TRAINER_REGISTRY["sync"] = type("BriefedTrainer", (PolicyTrainer,), {"brief": self._brief})
        super().run(config)
