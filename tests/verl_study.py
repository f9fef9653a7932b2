"""A tiny study for the verl engine: invented cases, a warm-started base, a schedule, and the settings of a CPU run."""

from pathlib import Path

import tiny_policy as tiny

from tirec.agent.skills import schedule
from tirec.config.cohort import TASKS
from tirec.config.training import TrainingConfig
from tirec.policy.base import build_tiny
from tirec.training.verl_engine.settings import Places

PLACES = Places(*(Path("/study") / name for name in ("base", "train", "validation", "loop.yaml", "checkpoints")))
ON_CPU = {
    "rollout": "hf_cpu",
    "precision": "float32",
    "attention": "sdpa",
    "gpus_per_node": 1,
    "agent_workers": 1,
    "micro_batch": 4,
    "logprob_micro_batch": 4,
    "gradient_checkpointing": False,
}
SETTINGS = TrainingConfig(
    engine="verl",
    steps=4,
    prompts_per_step=2,
    group_size=4,
    checkpoint_every=2,
    objective={"kl": 0.01, "entropy": 0.01, "advantage_floor": 0.02},
    optimizer={"learning_rate": 1e-3},
    verl=ON_CPU,
)


def make(folder: Path, settings: TrainingConfig = SETTINGS) -> Path:
    """Writes everything that train_policy reads."""
    train = tiny.write_cases(folder / "train.arrow", "train", 8)
    tiny.write_cases(folder / "validation.arrow", "validation", 8)
    build_tiny(tiny.BASE, train, tiny.RULES, "synthetic", folder / "base")
    (folder / "skills").mkdir()
    for task in TASKS:
        text = "text\tgroup\n" + ("" if task == "revisit" else "check labs .\tselection\n")
        (folder / "skills" / f"{task}.tsv").write_text(text)
    sentences = {task: int(task != "revisit") for task in TASKS}
    plan = schedule(train.frame, sentences, 0, settings.steps, settings.prompts_per_step, settings.skills)
    plan.write_parquet(folder / "schedule.parquet")
    return folder
