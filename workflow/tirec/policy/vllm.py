"""vLLM as the reader of a policy's greedy episodes on a GPU: token ids in, token ids out, turn by turn.

The counterpart of `tirec.policy.hf` for models too large to be read by plain PyTorch; only `predict_policy` imports it,
in the environment that holds vLLM.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerFast
from vllm import LLM, SamplingParams

from tirec.agent.cases import Case
from tirec.agent.episode import Stop
from tirec.agent.parse import CLOSERS
from tirec.agent.prompt import ChatProtocol
from tirec.agent.tokens import TokenEpisode, TurnEnd, greedy_episodes
from tirec.config.agent import ProtocolConfig
from tirec.config.evaluation import VllmConfig
from tirec.policy.policy_file import PolicyFile, read_hf


@dataclass(frozen=True)
class ServedPolicy:
    """A running vLLM engine with the tokenizer and the file of its policy."""

    engine: LLM
    tokenizer: PreTrainedTokenizerFast
    file: PolicyFile

    def close(self) -> None:
        """Ends the engine's process and frees its memory, so that the next policy may start."""
        self.engine.llm_engine.engine_core.shutdown()


def load(policy_json: Path, dtype: str, rules: ProtocolConfig, settings: VllmConfig) -> ServedPolicy:
    """Starts vLLM on the weights that `policy_json` describes; contexts are as long as the protocol allows."""
    file = read_hf(policy_json)
    folder = str(policy_json.parent / file.weights)
    engine = LLM(
        model=folder,
        dtype=dtype,
        max_model_len=rules.prompt_tokens + rules.response_tokens,
        gpu_memory_utilization=settings.gpu_memory,
        tensor_parallel_size=settings.tensor_parallel,
        enforce_eager=settings.eager,
        enable_prefix_caching=True,
        seed=0,
    )
    tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return ServedPolicy(engine, tokenizer, file)


def predict_episodes(
    policy: ServedPolicy, protocol: ChatProtocol, cases: Iterable[Case], rules: ProtocolConfig, batch: int = 256
) -> Iterator[tuple[Case, TokenEpisode]]:
    """Greedy episodes without skills on `cases`, in their order, played batch by batch as they are asked for."""
    turn_end = TurnEnd(protocol)
    return greedy_episodes(partial(play, policy.engine, turn_end, protocol.end_ids), protocol, cases, rules, batch)


def play(engine: LLM, turn_end: TurnEnd, end_ids: Collection[int], episodes: Sequence[TokenEpisode]) -> None:
    """Plays `episodes` to their end, one turn of all of them at a time; what was read before comes from the cache."""
    live = list(episodes)
    while live:
        prompts: Any = [{"prompt_token_ids": episode.prompt + episode.response} for episode in live]
        answers = engine.generate(prompts, [_greedy(episode, end_ids) for episode in live], use_tqdm=False)
        for episode, answer in zip(live, answers, strict=True):
            written = answer.outputs[0]
            length, stop = turn_end.first(written.token_ids)
            ids = list(written.token_ids[:length])
            chances = [chance[token].logprob for token, chance in zip(ids, written.logprobs[:length], strict=True)]
            episode.accept(ids, chances, stop or Stop.LENGTH)
        live = [episode for episode in live if not episode.finished]


def _greedy(episode: TokenEpisode, end_ids: Collection[int]) -> SamplingParams:
    return SamplingParams(
        temperature=0,
        max_tokens=episode.remaining,
        stop=list(CLOSERS),
        include_stop_str_in_output=True,
        stop_token_ids=sorted(end_ids),
        skip_special_tokens=False,
        logprobs=0,
    )
