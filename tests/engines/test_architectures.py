"""Another architecture, template and vocabulary than Qwen3's: the local engine trains it, whole or by adapters."""

import json

import polars as pl
import pytest
import tiny_llama
import tiny_policy as tiny
import verl_study
from transformers import AutoConfig

from tirec.agent.cases import open_cases
from tirec.config.cohort import TASKS
from tirec.config.evaluation import PredictionConfig
from tirec.config.policy import LoraConfig
from tirec.config.training import TrainingConfig
from tirec.evaluation.predict import predict
from tirec.training.train import Run, Sources, train

SETTINGS = TrainingConfig(
    steps=2,
    prompts_per_step=2,
    group_size=4,
    checkpoint_every=1,
    optimizer={"learning_rate": 1e-3},
    objective={"kl": 0.01},
    local={"device": "cpu", "micro_batch": 8},
)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = verl_study.make(tmp_path_factory.mktemp("study"), SETTINGS)
    base = tiny_llama.write_base(folder / "other")
    return Sources(*(folder / name for name in ("train.arrow", "validation.arrow", "schedule.parquet", "skills")), base)


@pytest.mark.slow
@pytest.mark.parametrize("lora", [None, LoraConfig(rank=2, alpha=4)], ids=["whole", "adapters"])
def test_a_llama_trains_is_kept_and_predicts(sources, tmp_path, lora):
    settings = SETTINGS.model_copy(update={"lora": lora})
    train(Run(sources, settings, tiny.RULES, 0, "code", "synthetic"), tmp_path / "runs", tmp_path / "policy")
    history = pl.read_csv(tmp_path / "policy" / "history.tsv", separator="\t", infer_schema_length=None)
    assert history["step"].to_list() == [0, 1, 2]
    assert (history["grad_norm"].drop_nulls() > 0).all()
    policies = {task: tmp_path / "policy" / task / "policy.json" for task in TASKS}
    for task, path in policies.items():
        assert json.loads(path.read_text())["selected_step"] in (1, 2)
        assert AutoConfig.from_pretrained(path.parent / "model").model_type == "llama", task
    tiny.write_cases(tmp_path / "test.arrow", "test", 2)
    config = PredictionConfig(protocol=tiny.RULES)
    cases = open_cases(tmp_path / "test.arrow")
    assert predict("full.seed0", policies, cases, config, tmp_path / "saved.jsonl.zst").height == 2 * len(TASKS)
