"""A very small policy with invented cases, for tests of rollouts and training: seconds, not minutes."""

import random
from functools import cache
from pathlib import Path

import polars as pl
import torch
from agent_cases import FUNCTIONS, PROMPTS
from transformers import Qwen3ForCausalLM

from tirec.agent.cases import Case, Cases, open_cases, write
from tirec.agent.prompt import ChatProtocol
from tirec.agent.tokens import TokenEpisode, TurnEnd
from tirec.config.agent import ProtocolConfig
from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.policy import BaseConfig, TinyConfig, WarmStartConfig
from tirec.evidence.menu import MENU, schemas
from tirec.policy.base import new_model
from tirec.policy.hf import LoadedPolicy
from tirec.policy.tokenizer import demo_tokenizer
from tirec.policy.trainee import Reference, Trainee

RULES = ProtocolConfig(calls=4, prompts=str(PROMPTS / "demo"), prompt_tokens=200, response_tokens=120)
SHAPE = TinyConfig(hidden=32, layers=2, heads=2, key_value_heads=1, head_dim=16, intermediate=48, vocabulary=500)
WARM = WarmStartConfig(steps=6, batch=16)
BASE = BaseConfig(kind="tiny", tiny=SHAPE, warm_start=WARM)
LEVELS = ("VERY LOW", "LOW", "NORMAL", "HIGH")


@cache
def tokenizer():
    return demo_tokenizer(Path(RULES.prompts), schemas(tuple(MENU)), SHAPE.vocabulary)


@cache
def protocol() -> ChatProtocol:
    return ChatProtocol(tokenizer(), RULES.prompts, schemas(tuple(MENU)), RULES.calls, RULES.prompt_tokens)


def model(seed: int = 0) -> Qwen3ForCausalLM:
    """Random weights, loud."""
    return loud(new_model(tokenizer(), SHAPE, seed))


def loud(made: Qwen3ForCausalLM) -> Qwen3ForCausalLM:
    """A model with larger weights than usual, so that greedy texts differ between cases."""
    with torch.no_grad():
        for weight in made.parameters():
            if weight.ndim == 2:
                weight.mul_(4)
    return made.eval()


def trainee(made, reference=None) -> Trainee:
    """A model to train with all its weights; `reference` is what the KL term compares it with."""
    compared = None if reference is None else Reference(reference, adapted=False)
    return Trainee(LoadedPolicy(made, tokenizer(), None), compared, adapted=False)


def turn_end() -> TurnEnd:
    return TurnEnd(protocol())


def episodes(cases: list[Case]) -> list[TokenEpisode]:
    return [TokenEpisode.evaluation(protocol(), case, RULES) for case in cases]


def write_cases(path: Path, split: str, n: int) -> Cases:
    """n cases of each task; the label follows the level of one function."""
    rows = [_row(split, task, number, position) for position, task in enumerate(TASKS) for number in range(n)]
    write([pl.DataFrame(rows)], path)
    return open_cases(path)


def _row(split: str, task: str, number: int, position: int) -> dict[str, object]:
    draw = random.Random(f"{split} {task} {number}")
    levels = {name: draw.choice(LEVELS) for name in FUNCTIONS}
    return {
        "instance_id": position * 1000 + number,
        "task": task,
        "setting": list(SETTINGS[task])[number % 3],
        "cutoff_s": 3600,
        "split": split,
        "half": "AB"[number % 2] if split == "validation" else None,
        "label": int(levels["labs"] in ("VERY LOW", "HIGH")),
        "risk": draw.random(),
        "reference": ["labs", "orders"],
        "view": f"age {draw.randrange(20, 90)} F; acuity 3",
        **{name: f"{levels[name]}, steady: {draw.randrange(200)} /min" for name in FUNCTIONS},
        **{f"rows__{name}": [1] for name in FUNCTIONS},
    }
