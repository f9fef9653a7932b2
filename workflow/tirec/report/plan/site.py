"""Whether a site is ready for a study: partitions, GPUs, records, model, interpreters and disk, each with a verdict."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tirec.config.study import Study
from tirec.errors import TirecError
from tirec.policy.fetch import verify
from tirec.records import formats
from tirec.records.folder import locate_root
from tirec.report.plan.dry_run import PlannedJob

NEEDED = {
    "local": ("torch", "transformers", "polars"),
    "verl": ("torch", "transformers", "verl", "vllm", "flash_attn", "ray"),
}
"""What the interpreter of train_policy imports, by engine."""


@dataclass(frozen=True)
class Verdict:
    """One check of a site."""

    check: str
    passed: bool
    told: str
    """What was found, or what to do."""

    @property
    def line(self) -> str:
        """The verdict for a terminal."""
        return f"{'ok     ' if self.passed else 'MISSING'}  {self.check}: {self.told}"


def check_site(study: Study, jobs: Sequence[PlannedJob], disk_gb: float, python: str) -> Iterator[Verdict]:
    """Every check that needs no GPU, in the order in which a study would fail on them."""
    yield _told("records", lambda: _records(study))
    if study.model.kind == "hf":
        yield _told("base model", lambda: _model(study))
    yield _interpreter(study, python)
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    yield Verdict("disk", free > disk_gb, f"{free:.0f} GB free here, about {disk_gb:.0f} GB needed")
    yield from check_cluster(jobs)


def _told(check: str, question: Callable[[], str]) -> Verdict:
    try:
        return Verdict(check, True, question())
    except TirecError as fault:
        return Verdict(check, False, str(fault))


def _records(study: Study) -> str:
    if study.synthetic:
        return f"generated ({study.synthetic.visits:,} visits)"
    root = locate_root(study.data)
    return f"{len(formats.source_files(root, study.data))} tables in {root}"


def _model(study: Study) -> str:
    model = study.model
    verify(Path(model.base or ""), model.repository, model.revision)
    return f"{model.base}: {model.repository} at {model.revision[:12]}, every file as it was fetched"


def _interpreter(study: Study, python: str) -> Verdict:
    asked = NEEDED[study.training.engine]
    ask = "import importlib.util, sys; print(*[name for name in sys.argv[1:] if not importlib.util.find_spec(name)])"
    try:
        done = subprocess.run([python, "-c", ask, *asked], check=False, capture_output=True, text=True)
    except OSError as fault:
        why = f"{python}: {fault.strerror} (make gpu-env makes .venv-gpu; environments.grpo names its Python)"
        return Verdict("environment", False, why)
    if done.returncode:
        return Verdict("environment", False, f"{python} does not run: {done.stderr.strip().splitlines()[-1]}")
    absent = done.stdout.split()
    told = (
        f"{python} lacks {', '.join(absent)} (make gpu-env; environments.grpo)"
        if absent
        else f"{python} has {', '.join(asked)}"
    )
    return Verdict("environment", not absent, told)


def check_cluster(jobs: Sequence[PlannedJob]) -> Iterator[Verdict]:
    """Whether SLURM is there and each partition can ever run what would be sent to it."""
    if why := no_cluster():
        yield Verdict("cluster", False, f"{why}; `--profile local` trains here")
        return
    if "SLURM_JOB_ID" in os.environ:
        yield Verdict("login node", False, "this is inside a job; start Snakemake on a login node")
    for partition in sorted({str(job.resources["slurm_partition"]) for job in jobs}):
        sent = [job for job in jobs if job.resources["slurm_partition"] == partition]
        yield _partition(partition, sent)


def no_cluster() -> str:
    """Why nothing can be sent to SLURM from this machine; empty where a cluster answers."""
    if shutil.which("sinfo") is None:
        return "no SLURM on this machine"
    asked = subprocess.run(["sinfo", "--noheader"], check=False, capture_output=True, text=True)
    if not asked.returncode:
        return ""
    said = asked.stderr.strip().rpartition("\n")[2]
    return "no SLURM answers here" + (f" ({said})" if said else "")


def _partition(partition: str, jobs: Sequence[PlannedJob]) -> Verdict:
    check = f"partition {partition}"
    done = subprocess.run(
        ["sinfo", "--noheader", f"--partition={partition}", "--format=%c|%m|%l|%G"],
        check=False,
        capture_output=True,
        text=True,
    )
    kinds = [_node(line) for line in done.stdout.split()]
    if not kinds:
        return Verdict(
            check, False, f"not there (TIREC_SLURM_PARTITION, TIREC_SLURM_GPU_PARTITION) {done.stderr.strip()}"
        )
    for job in jobs:
        if not any(_fits(job, node) for node in kinds):
            return Verdict(check, False, f"no node for {job.rule}, which asks for {job.asked}")
    return Verdict(check, True, f"has nodes for all of its {len(jobs)} jobs")


def _node(line: str) -> Mapping[str, str]:
    return dict(zip(("cpus", "memory", "limit", "gres"), line.split("|"), strict=True))


def _fits(job: PlannedJob, node: Mapping[str, str]) -> bool:
    model = str(job.resources.get("gpu_model", ""))
    gpus = [entry.split("(")[0].split(":") for entry in node["gres"].split(",") if entry.startswith("gpu")]
    offered = sum(int(entry[-1]) for entry in gpus if not model or model in entry)
    return (
        job.threads <= int(node["cpus"].rstrip("+"))
        and job.number("mem_mb") <= int(node["memory"].rstrip("+"))
        and job.number("runtime") <= minutes(node["limit"])
        and job.gpus // job.nodes <= offered
    )


def minutes(limit: str) -> float:
    """A time limit as SLURM prints it (days-hours:minutes:seconds, infinite) in minutes."""
    if limit in ("infinite", "UNLIMITED"):
        return float("inf")
    days, _, clock = limit.rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    hours, minute, seconds = [0] * (3 - len(parts)) + parts
    return (int(days or 0) * 24 + hours) * 60 + minute + seconds / 60
