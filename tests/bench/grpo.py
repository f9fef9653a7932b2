"""GRPO steps on a tiny base, by the local engine and by TRL doing the same work; not a test.

python tests/bench/grpo.py --demo demo --trl-python /elsewhere/trl/bin/python [--steps 3] [--repeats 3]

Both play the same cases of a finished demo (`make demo`) with the same prompts, functions, token budget and group size,
from the same weights, in one thread, and take one update per step with KL, entropy and clip on. TRL plays them through
its `rollout_func` with Hugging Face's generate, turn by turn, and our episode as environment. Printed per engine, as
medians over steps: seconds of rollout and update, episodes and tokens per second, and the process's peak memory.
TRL needs an environment of its own: pip install torch trl==1.16.0 polars pydantic pyyaml hydra-core jinja2 zstandard
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROMPTS, GROUP, MICRO = 16, 8, 32
RATE, KL, ENTROPY = 2e-3, 0.02, 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", type=Path, default=ROOT / "demo", help="a finished demo")
    parser.add_argument("--trl-python", type=Path, help="an interpreter that has TRL; without it only ours is measured")
    parser.add_argument("--steps", type=int, default=3, help="measured steps; one before them is not counted")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each engine, in turn")
    parser.add_argument("--inside", choices=("ours", "trl"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        measured = (ours if given.inside == "ours" else trl)(given.demo, given.steps + 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(json.dumps({"steps": measured[1:], "peak": peak}))
        return
    pythons = {"ours": sys.executable} | ({"trl": str(given.trl_python)} if given.trl_python else {})
    runs = {name: [inside(name, python, given) for _ in range(given.repeats)] for name, python in pythons.items()}
    report({name: summary(found) for name, found in runs.items()})


def inside(name: str, python: str, given: argparse.Namespace) -> dict[str, Any]:
    """One run of one engine in a process of its own."""
    words = [python, __file__, "--inside", name, "--demo", str(given.demo.resolve()), "--steps", str(given.steps)]
    offline = {
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "WANDB_MODE": "disabled",
    }
    environment = {**os.environ, **offline, "PYTHONPATH": str(ROOT / "workflow"), "TRL_EXPERIMENTAL_SILENCE": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name} failed: {done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def summary(runs: list[dict[str, Any]]) -> dict[str, float]:
    """Medians over the steps of all runs; processor seconds, so that other work on the machine counts less."""
    steps = [step for run in runs for step in run["steps"]]
    found = {key: statistics.median(step[key] for step in steps) for key in steps[0]}
    return found | {"peak": max(run["peak"] for run in runs)}


def report(found: dict[str, dict[str, float]]) -> None:
    """The table, and the ratios."""
    heads = ("engine", "rollout s", "update s", "episodes/s", "written tok/s", "read tok/s", "peak GiB")
    print(("{:<10}" + "{:>14}" * 6).format(*heads))
    for name, one in found.items():
        whole = one["rollout"] + one["update"]
        rates = (one["episodes"] / whole, one["written"] / one["rollout"], one["tokens"] / one["update"])
        row = (one["rollout"], one["update"], *rates, one["peak"])
        print(f"{name:<10}" + "".join(f"{value:>14.2f}" for value in row))
    if "trl" in found:
        slower, faster = found["trl"], found["ours"]
        told = {
            key: slower[key] / slower["episodes"] * faster["episodes"] / faster[key] for key in ("rollout", "update")
        }
        whole = sum(slower[key] for key in told) / sum(faster[key] for key in told)
        print(f"TRL / ours: rollout {told['rollout']:.1f}, update {told['update']:.1f}, step {whole:.1f}")


def study(demo: Path) -> tuple[Any, Any]:
    """The demo's protocol rules and the cases of the steps, in their order."""
    import polars as pl

    from tirec.agent.cases import open_cases
    from tirec.config.study import Study

    rules = Study.read([ROOT / "config" / "demo.yaml"]).protocol
    cases = open_cases(demo / "results/episodes/train.arrow")
    schedule = pl.read_parquet(demo / "results/policies/full/seed0/schedule.parquet").sort("step", "slot")
    return rules, [cases[one] for one in schedule["instance_id"]]


def counted(episodes: list[Any], rollout: float) -> dict[str, float]:
    """What a step's episodes come to."""
    written = sum(episode.written for episode in episodes)
    tokens = sum(len(episode.prompt) + len(episode.response) for episode in episodes)
    return {"rollout": rollout, "episodes": len(episodes), "written": written, "tokens": tokens}


def ours(demo: Path, steps: int) -> list[dict[str, float]]:
    """The local engine's own two halves of a step."""
    import torch

    from tirec.agent.prompt import protocol_of
    from tirec.agent.reward import score
    from tirec.agent.tokens import TokenEpisode, TurnEnd
    from tirec.config.agent import RewardConfig
    from tirec.config.training import TrainingConfig
    from tirec.policy.optimization import Rates, optimizers
    from tirec.policy.rollout import Sampling, play
    from tirec.policy.trainee import load_trainee
    from tirec.training.grpo import advantages
    from tirec.training.tool_use import sample_of
    from tirec.training.update import update

    rules, cases = study(demo)
    objective = {"kl": KL, "entropy": ENTROPY}
    optimizer = {"learning_rate": RATE, "weight_decay": 0.0}
    local = {"device": "cpu", "micro_batch": MICRO, "rollout_batch": 256}
    settings = TrainingConfig(
        steps=steps, prompts_per_step=PROMPTS, objective=objective, optimizer=optimizer, local=local
    )
    trainee = load_trainee(demo / "results/policies/base/seed0/disposition/policy.json", settings)
    protocol = protocol_of(trainee.policy.tokenizer, rules)
    turn_end, chosen = TurnEnd(protocol), optimizers(trainee.model, Rates(RATE, None, 0.0, (0.9, 0.999)))
    measured = []
    for step in range(steps):
        met = [case for case in cases[step * PROMPTS : (step + 1) * PROMPTS] for _ in range(GROUP)]
        started = time.process_time()
        episodes = [TokenEpisode.training(protocol, case, (), rules) for case in met]
        play(trainee.model, turn_end, episodes, Sampling(step, 1.0))
        played = time.process_time()
        totals = [
            score(one.episode.record(), case, RewardConfig()).total for one, case in zip(episodes, met, strict=True)
        ]
        groups = [index // GROUP for index in range(len(met))]
        found = advantages(torch.tensor(totals, dtype=torch.float64), torch.tensor(groups), settings.objective).tolist()
        samples = [sample_of(*one) for one in zip(episodes, met, groups, found, strict=True)]
        update(trainee, chosen, samples, settings, 1.0, step)
        done = time.process_time()
        measured.append({**counted(episodes, played - started), "update": done - played})
    return measured


def trl(demo: Path, steps: int) -> list[dict[str, float]]:
    """TRL's trainer with the same episodes behind its rollout function."""
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    from tirec.agent.prompt import protocol_of
    from tirec.agent.reward import score
    from tirec.agent.tokens import TokenEpisode
    from tirec.config.agent import RewardConfig

    torch.set_num_threads(1)
    rules, cases = study(demo)
    folder = demo / "results/policies/base/seed0/disposition/model"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    protocol, player = protocol_of(tokenizer, rules), Player(tokenizer)
    measured: list[dict[str, float]] = []

    def rollout(prompts: list[str], trainer: Any) -> dict[str, Any]:
        started = time.process_time()
        met = [cases[int(prompt)] for prompt in prompts]
        episodes = [TokenEpisode.training(protocol, case, (), rules) for case in met]
        model = trainer.accelerator.unwrap_model(trainer.model)
        player.play(model, episodes, protocol)
        totals = [
            score(one.episode.record(), case, RewardConfig()).total for one, case in zip(episodes, met, strict=True)
        ]
        measured.append(counted(episodes, time.process_time() - started))
        return {
            "prompt_ids": [one.prompt for one in episodes],
            "completion_ids": [one.response for one in episodes],
            "logprobs": [one.logprobs for one in episodes],
            "env_mask": [one.mask for one in episodes],
            "paid": totals,
        }

    class Clock(TrainerCallback):
        """Time of a whole step."""

        def on_step_begin(self, *_: Any, **__: Any) -> None:
            self.started = time.process_time()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            measured[-1]["update"] = time.process_time() - self.started - measured[-1]["rollout"]

    with TemporaryDirectory() as scratch:
        config = GRPOConfig(
            output_dir=scratch,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            per_device_train_batch_size=MICRO,
            gradient_accumulation_steps=PROMPTS * GROUP // MICRO,
            num_generations=GROUP,
            max_completion_length=rules.response_tokens,
            max_steps=steps,
            learning_rate=RATE,
            lr_scheduler_type="constant",
            beta=KL,
            entropy_coef=ENTROPY,
            epsilon=0.2,
            epsilon_high=0.28,
            temperature=1.0,
            shuffle_dataset=False,
            report_to="none",
            save_strategy="no",
            logging_steps=1000,
            disable_tqdm=True,
        )
        trainer = GRPOTrainer(
            model=AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32),
            reward_funcs=lambda paid, **_: paid,
            args=config,
            train_dataset=Dataset.from_dict({"prompt": [str(index) for index in range(len(cases))]}),
            processing_class=tokenizer,
            rollout_func=rollout,
            callbacks=[Clock()],
        )
        trainer.train()
    return measured


class Player:
    """Episodes by Hugging Face's generate: all unfinished ones write a turn together, read anew each turn."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def play(self, model: Any, episodes: list[Any], protocol: Any) -> None:
        """Plays all episodes to their end."""
        from tirec.agent.episode import Stop
        from tirec.agent.tokens import TurnEnd

        turn_end = TurnEnd(protocol)
        while live := [episode for episode in episodes if not episode.finished]:
            for episode, turn, logprobs in self._turns(model, live, sorted(turn_end.closing_ids)):
                cut, stop = turn_end.first(turn[: episode.remaining])
                episode.accept(turn[:cut], logprobs[:cut], stop or Stop.LENGTH)

    def _turns(self, model: Any, live: list[Any], ends: list[int]) -> Iterator[tuple[Any, list[int], list[float]]]:
        import torch

        contexts = [episode.prompt + episode.response for episode in live]
        width = max(map(len, contexts))
        pad = self._tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (width - len(one)) + one for one in contexts])
        mask = torch.tensor([[0] * (width - len(one)) + [1] * len(one) for one in contexts])
        with torch.no_grad():
            made = model.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                max_new_tokens=max(episode.remaining for episode in live),
                eos_token_id=ends,
                pad_token_id=pad,
                return_dict_in_generate=True,
                output_scores=True,
            )
        written = made.sequences[:, width:]
        scores = torch.stack(made.scores, 1).log_softmax(-1).gather(2, written[..., None])[..., 0]
        for row, episode in enumerate(live):
            yield episode, written[row].tolist(), scores[row].tolist()


if __name__ == "__main__":
    main()
