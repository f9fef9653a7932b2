"""Training in one process on one device; killed anywhere and started again, it ends with the same numbers.

Everything random is drawn from the run's seed and the step, so that a checkpoint needs no random state: weights,
optimizer, history and validations are the whole state. What is practised is another module's business.
"""

import sys
from collections.abc import Mapping
from typing import Any

from tqdm import tqdm

from tirec.config.training import EngineConfig
from tirec.policy.optimization import Rates, optimizers, share_of_rate
from tirec.policy.trainee import Trainee
from tirec.training.material import derived_seed
from tirec.training.practice import Judgement, Practice, Row, judgement_row
from tirec.training.run_folder import RunFolder, StopFlag
from tirec.training.update import update


class LocalEngine:
    """Trains one policy; `run` may be stopped after any step and called again in a new process."""

    def __init__(self, trainee: Trainee, practice: Practice, settings: EngineConfig, seed: int) -> None:
        self._trainee = trainee
        self._practice = practice
        self._settings = settings
        self._seed = seed
        self._optimizers = optimizers(trainee.model, _rates(settings))
        self.history: list[Row] = []
        self.validations: dict[int, Judgement] = {}

    @property
    def step(self) -> int:
        """Optimizer steps done."""
        return int(self.history[-1]["step"]) if self.history else 0

    def run(self, folder: RunFolder, stop: StopFlag) -> bool:
        """Trains to the end, or until `stop` is raised; whether the end was reached. Resumes from the folder."""
        saved = folder.load()
        if saved is not None:
            self._restore(saved)
        else:
            self.history.append({"step": 0, **judgement_row(self._practice.validate())})
        steps = range(self.step + 1, self._settings.steps + 1)
        with tqdm(steps, desc=self._settings.ablation, mininterval=5, file=sys.stderr) as progress:
            for step in progress:
                self._advance(step)
                if self._is_checkpoint(step):
                    self._keep_checkpoint(folder)
                elif stop.raised:
                    folder.save(self._state())
                if stop.raised:
                    return step == self._settings.steps
                folder.beat()
        return True

    def _is_checkpoint(self, step: int) -> bool:
        return step % self._settings.checkpoint_every == 0 or step == self._settings.steps

    def _advance(self, step: int) -> None:
        """One optimizer step: a lesson, the update, history."""
        lesson = self._practice.lesson(step)
        optimizer = self._settings.optimizer
        share = share_of_rate(step - 1, self._settings.steps, optimizer.ramp_steps, optimizer.final_share)
        seed = derived_seed("order", self._seed, step)
        logged = update(self._trainee, self._optimizers, lesson.samples, self._settings, share, seed)
        known = {"step": step, "learning_rate": optimizer.learning_rate * share}
        self.history.append({**known, **lesson.logged, **logged})

    def _keep_checkpoint(self, folder: RunFolder) -> None:
        """Validates, saves the weights, then the state: a kill in between repeats the steps since the last state."""
        judgement = self._practice.validate()
        self.validations[self.step] = judgement
        self.history[-1] |= judgement_row(judgement)
        folder.save_weights(self.step, self._trainee.save)
        folder.save(self._state())
        folder.keep_weights({self.step, *self._practice.kept(self.validations)})

    def _state(self) -> dict[str, Any]:
        return {
            "model": self._trainee.state(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "history": self.history,
            "validations": self.validations,
        }

    def _restore(self, saved: Mapping[str, Any]) -> None:
        self._trainee.restore(saved["model"])
        for optimizer, state in zip(self._optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self.history = saved["history"]
        self.validations = saved["validations"]


def _rates(settings: EngineConfig) -> Rates:
    chosen = settings.optimizer
    matrix_rate = chosen.matrix_rate if chosen.name == "muon" else None
    return Rates(chosen.learning_rate, matrix_rate, chosen.weight_decay, (chosen.beta1, chosen.beta2))
