"""verl's agent loop over the one token episode: token in, token out, append-only."""

from pathlib import Path
from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

from tirec.agent.cases import Case
from tirec.agent.reward import RewardParts, score
from tirec.agent.tokens import TokenEpisode
from tirec.errors import ConfigError, TirecError
from tirec.provenance import write_text
from tirec.training.material import derived_seed
from tirec.training.verl_engine.brief import scene
from tirec.training.verl_engine.outcome import Outcome
from tirec.training.verl_engine.play import play


class EpisodeLoop(AgentLoopBase):
    """Plays one episode with whatever server verl runs; verl makes one of these per episode."""

    def __init__(self, *arguments: Any, brief: str, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._scene = scene(Path(brief))

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """One finished episode of the row's slot or validation case; a fault stops the whole run."""
        where = row["extra_info"]
        try:
            if where["split"] == "validation":
                return await self._validation(int(where["instance_id"]), sampling_params)
            return await self._training(where, int(row["global_steps"]), int(row["session_id"]), sampling_params)
        except TirecError as fault:
            # verl would train on without this episode.
            write_text(str(fault), self._scene.brief.fault)
            raise

    async def _training(
        self, where: dict[str, Any], step: int, session: int, sampling: dict[str, Any]
    ) -> AgentLoopOutput:
        """An episode of a slot; its prompt carries the sentences that the schedule keeps at this step."""
        if where["step"] != step:
            raise ConfigError(f"verl asks for step {where['step']} of the schedule in its step {step}")
        brief = self._scene.brief
        slot = self._scene.slot(step, where["slot"])
        episode = TokenEpisode.training(self._scene.protocol, slot.case, slot.sentences, brief.rules)
        seed = derived_seed("verl", brief.seed, step, where["slot"], session)
        steps = await play(self.server_manager, self._scene.turn_end, episode, {**sampling, "seed": seed})
        reward = score(episode.episode.record(), slot.case, brief.settings.reward)
        return _output(episode, slot.case, reward, where["slot"], steps)

    async def _validation(self, instance_id: int, sampling: dict[str, Any]) -> AgentLoopOutput:
        """A greedy episode without skills."""
        case = self._scene.validation_case(instance_id)
        episode = TokenEpisode.evaluation(self._scene.protocol, case, self._scene.brief.rules)
        steps = await play(self.server_manager, self._scene.turn_end, episode, sampling)
        return _output(episode, case, None, None, steps)


def _output(
    episode: TokenEpisode, case: Case, reward: RewardParts | None, slot: int | None, told: dict[str, Any]
) -> AgentLoopOutput:
    record = episode.episode.record()
    outcome = Outcome.of(case.instance_id, slot, len(episode.response), record, reward)
    return AgentLoopOutput(
        prompt_ids=episode.prompt,
        response_ids=episode.response,
        response_mask=episode.mask,
        response_logprobs=episode.logprobs,
        reward_score=reward.total if reward else 0.0,
        num_turns=len(record.turns),
        metrics=AgentLoopMetrics(),
        extra_fields={**told, "reward_extra_info": {"outcome": outcome.to_json()}},
    )
