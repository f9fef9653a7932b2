"""What has to work on a GPU node before a study is worth starting there, layer by layer, each with a verdict."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from tirec.config.agent import REPOSITORY, ProtocolConfig
from tirec.config.policy import BaseConfig
from tirec.errors import TirecError

POLICY = "results/policies/full/seed0"
LOGPROB_TOLERANCE = 0.1
"""Largest difference, in nats, between what vLLM says of its tokens and a forward pass in the same precision."""


class LayerError(TirecError):
    """A layer that does not work, in one line."""


@dataclass(frozen=True)
class Verdict:
    """What became of one layer."""

    layer: str
    verdict: Literal["ok", "failed", "not run"]
    said: str
    seconds: float


def check(directory: Path, snakemake: Sequence[str], *, on_cpu: bool) -> Iterator[Verdict]:
    """Every layer in turn; with `on_cpu` verl's trainer runs without a GPU, and the layers of a GPU are not run."""
    gpu = _tried("GPU", _gpu)
    yield gpu
    yield _tried("packages", lambda: _packages(on_cpu=on_cpu))
    missing = None if gpu.verdict == "ok" else "no GPU"
    yield _tried("vLLM, token in and token out", _vllm, missing)
    runs = None if on_cpu else missing
    trained = _tried("verl, a few steps", lambda: _train(directory, snakemake, on_cpu=on_cpu), runs)
    yield trained
    untrained = runs or (None if trained.verdict == "ok" else "nothing was trained")
    yield _tried("converted checkpoint", lambda: _predict(directory, snakemake, on_cpu=on_cpu), untrained)


def _tried(layer: str, work: Callable[[], str], missing: str | None = None) -> Verdict:
    """A layer's verdict; `missing` is why it cannot be tried."""
    if missing:
        return Verdict(layer, "not run", missing, 0.0)
    started = time.monotonic()
    try:
        said, verdict = work(), "ok"
    except (TirecError, ImportError, RuntimeError, ValueError) as fault:
        said, verdict = (str(fault).strip() or type(fault).__name__).splitlines()[0], "failed"
    return Verdict(layer, verdict, said, time.monotonic() - started)  # type: ignore[arg-type]


def _gpu() -> str:
    """Name and memory of the first GPU, which multiplies matrices."""
    import torch

    if not torch.cuda.is_available():
        raise LayerError(f"torch {torch.__version__} sees no GPU")
    one = torch.randn(512, 512, device="cuda", dtype=torch.bfloat16)
    ours, theirs = (one @ one).float().cpu(), one.cpu().double() @ one.cpu().double()
    if (ours - theirs).abs().max() > 1.0:
        raise LayerError("a product of two matrices is wrong")
    found = torch.cuda.get_device_properties(0)
    return (
        f"{torch.cuda.device_count()} × {found.name}, {found.total_memory / 2**30:.0f} GiB, torch {torch.__version__}"
    )


def _packages(*, on_cpu: bool) -> str:
    """Versions of what verl trains and plays with."""
    wanted = ["verl", "ray", "transformers"] + ([] if on_cpu else ["vllm", "flash_attn"])
    found = {name: _version(name) for name in wanted}
    if missing := [name for name, known in found.items() if known is None]:
        raise LayerError(f"{sys.executable} has no {', '.join(missing)}")
    return ", ".join(f"{name} {known}" for name, known in found.items())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _vllm() -> str:
    """A tiny model writes from token ids; its log-probabilities are those of a forward pass."""
    import torch
    from vllm import LLM, SamplingParams

    with TemporaryDirectory() as folder:
        _tiny_model(Path(folder))
        engine = LLM(model=folder, dtype="bfloat16", enforce_eager=True, gpu_memory_utilization=0.2, max_model_len=512)
        prompt = list(range(40, 72))
        (request,) = engine.generate(
            [{"prompt_token_ids": prompt}], SamplingParams(temperature=0, max_tokens=24, logprobs=0, ignore_eos=True)
        )
        if list(request.prompt_token_ids) != prompt:
            raise LayerError("the prompt came back in other tokens")
        ids = list(request.outputs[0].token_ids)
        said = [one[token].logprob for token, one in zip(ids, request.outputs[0].logprobs, strict=True)]
        worst = (torch.tensor(said) - _forward(Path(folder), prompt, ids)).abs().max().item()
    if worst > LOGPROB_TOLERANCE:
        raise LayerError(f"its log-probabilities are off by up to {worst:.3f}")
    return f"{len(ids)} tokens, log-probabilities within {worst:.4f} of a forward pass"


def _tiny_model(folder: Path) -> None:
    from tirec.evidence.menu import MENU, schemas
    from tirec.policy.base import new_model
    from tirec.policy.hf import save_model
    from tirec.policy.tokenizer import demo_tokenizer

    prompts = ProtocolConfig(prompts="config/prompts/demo").prompts_folder()
    tokenizer = demo_tokenizer(prompts, schemas(MENU), 900)
    save_model(new_model(tokenizer, BaseConfig().tiny, 0), tokenizer, folder)


def _forward(folder: Path, prompt: list[int], ids: list[int]) -> Any:
    """Log-probabilities of `ids` after `prompt` in one pass, (N,)."""
    from tirec.policy.hf import load_model
    from tirec.policy.likelihood import written

    model, _ = load_model(folder, "auto", "bfloat16")
    return written(model, [[*prompt, *ids]], [[0] * len(prompt) + [1] * len(ids)]).logprobs.detach().cpu()


def _train(directory: Path, snakemake: Sequence[str], *, on_cpu: bool) -> str:
    """The study's own rules, from a synthetic cohort to a policy that verl trained."""
    _made(f"{POLICY}/history.tsv", directory, snakemake, on_cpu=on_cpu)
    rows = (directory / POLICY / "history.tsv").read_text(encoding="utf-8").splitlines()
    last = dict(zip(rows[0].split("\t"), rows[-1].split("\t"), strict=True))
    return f"step {last['step']}: reward {float(last['reward']):.3f}, gradient {float(last['grad_norm']):.3f}"


def _predict(directory: Path, snakemake: Sequence[str], *, on_cpu: bool) -> str:
    """The policy predicts in the environment of CPU stages."""
    _made("results/predictions/full.seed0/validation.parquet", directory, snakemake, on_cpu=on_cpu)
    return "the policy predicts validation cases"


def _made(target: str, directory: Path, snakemake: Sequence[str], *, on_cpu: bool) -> None:
    overlays = ["config/gpu_check.yaml", *(["config/verl_cpu.yaml"] if on_cpu else [])]
    told = _told({"environments": {"grpo": sys.executable, "cpu": snakemake[0]}})
    words = [*snakemake, "--configfile", *overlays, "--config", *told, "--directory", str(directory)]
    words += ["--cores", "all", "--resources", "gpu=1", "--rerun-incomplete", "--show-failed-logs", target]
    log = directory / "gpu_check.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as handle:
        done = subprocess.run(words, cwd=REPOSITORY, check=False, stdout=handle, stderr=subprocess.STDOUT)
    if done.returncode:
        raise LayerError(f"{target} was not made; {log} says why")


def _told(settings: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Settings as words of Snakemake's --config."""
    return [
        f"{section}={{{', '.join(f'{key}: {value}' for key, value in keys.items())}}}"
        for section, keys in settings.items()
    ]
