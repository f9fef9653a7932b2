"""A real vLLM server, started by the rule's own script, as a chat model: `make vllm-check` runs this.

The weights are a warm-started policy of seconds with a template that repeats what opened a turn, so that the
conversation rendered anew is what the policy itself would read: its own predictions are the expected ones.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tiny_policy as tiny
from chat_history import repeats_openings

from tirec.agent.cases import open_cases
from tirec.agent.prompt import protocol_of
from tirec.config.policy import TinyConfig, WarmStartConfig
from tirec.policy.base import build_tiny
from tirec.policy.hf import load, predict_episodes
from tirec.provenance import record, sidecar

ROOT = Path(__file__).resolve().parents[2]
N = 4  # cases per task
SHAPE = TinyConfig(hidden=64, layers=2, heads=2, key_value_heads=1, head_dim=32, intermediate=96, vocabulary=500)
BASE = tiny.BASE.model_copy(update={"tiny": SHAPE, "warm_start": WarmStartConfig(steps=60, batch=32)})
SERVER = ("--dtype", "float32", "--enforce-eager", "--max-model-len", "1024")
STOP = {"stop": ["</tool_call>", "</answer>"], "include_stop_str_in_output": True}

pytestmark = pytest.mark.vllm


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    train = tiny.write_cases(folder / "train.arrow", "train", N)
    file = folder / "test.arrow"
    tiny.write_cases(file, "test", N)
    record([file], {}, {}, "credentialed", __file__)
    build_tiny(BASE, train, tiny.RULES, "synthetic", folder / "base")
    repeats_openings(folder / "base" / "disposition" / "model")
    return folder


def asked(study: Path, name: str, **chat: Any) -> pl.DataFrame:
    """Predictions of the served policy; the rows count as credentialed, which loopback may receive."""
    extra = STOP | {"chat_template_kwargs": {"enable_thinking": False}, "skip_special_tokens": True}
    entry = {"kind": "chat", "model": "tiny", "concurrency": 4, "decoding": {"max_tokens": 60, "extra": extra}, **chat}
    entry["serve"] = {"weights": str(study / "base" / "disposition" / "model"), "arguments": SERVER, "gpus": 0}
    settings = {"chat": entry, "protocol": tiny.RULES.model_dump(mode="json"), "dataset": "mcmed"}
    flags = ["--model", name, "--episodes", str(study / "test.arrow"), "--settings", json.dumps(settings)]
    flags += ["--predictions", str(study / name), "--trajectories", str(study / name)]
    flags += ["--cache", str(study / f"{name}.jsonl"), "--log-server", str(study / f"{name}.log")]
    environment = {"PYTHONPATH": str(ROOT / "workflow"), "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    command = [sys.executable, str(ROOT / "scripts" / "predict_chat.py"), *flags]
    run = subprocess.run(
        command,
        env={**os.environ, **environment, "VLLM_CPU_KVCACHE_SPACE": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert run.returncode == 0, run.stderr[-2000:] + (study / f"{name}.log").read_text()[-3000:]
    return pl.read_parquet(study / name / "test.parquet")


def test_served_in_text_mode_the_predictions_are_the_policys_own(study: Path) -> None:
    policy = load(study / "base" / "disposition" / "policy.json", device="cpu")
    cases = list(open_cases(study / "test.arrow"))
    protocol = protocol_of(policy.tokenizer, tiny.RULES)
    own = [played.episode.record() for _, played in predict_episodes(policy, protocol, cases, tiny.RULES)]
    found = asked(study, "text", functions="template")
    assert sum(len(one.calls) for one in own) > len(cases)
    assert found["p"].to_list() == [one.p for one in own]
    assert found["finish"].to_list() == [str(one.finish) for one in own]
    assert found["calls"].to_list() == [len(one.calls) for one in own]
    account = json.loads(sidecar(study / "text" / "test.parquet").read_text())["settings"]["account"]
    assert account["served_model"] == "tiny" and account["without_usage"] == 0 and account["prompt_tokens"] > 0


def test_native_calls_of_its_parser_are_played(study: Path) -> None:
    found = asked(study, "native", mode="native")
    assert found.height == 3 * N
    assert found["calls"].sum() > 0
