"""The jobs of a planned study, read from what `snakemake -n` prints."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tirec.errors import DataError

ROOT = Path(__file__).resolve().parents[4]
LINE = re.compile(r"^    (wildcards|threads|resources): (.*)$", re.MULTILINE)
HEAD = re.compile(r"^(?:local)?rule (\w+):$", re.MULTILINE)


@dataclass(frozen=True)
class PlannedJob:
    """One job that Snakemake would run."""

    rule: str
    """Name of its rule."""
    wildcards: Mapping[str, str]
    """Values of its wildcards."""
    threads: int
    """CPUs it asks for."""
    resources: Mapping[str, int | str]
    """Everything else it asks for, by Snakemake's names (mem_mb, runtime in minutes, gpu, …)."""

    def number(self, resource: str, default: int = 0) -> int:
        """A resource that is a count."""
        return int(self.resources.get(resource, default))

    @property
    def nodes(self) -> int:
        """Nodes it spans."""
        return self.number("nodes", 1)

    @property
    def gpus(self) -> int:
        """GPUs on all its nodes together; `gres` counts per node."""
        per_node = re.fullmatch(r"gpu(?::[\w.]+)?:(\d+)", str(self.resources.get("gres", "")))
        return self.number("gpu") + (int(per_node[1]) * self.nodes if per_node else 0)

    @property
    def asked(self) -> str:
        """What it asks for, in words; CPUs and memory are those of one node."""
        words = [f"{self.gpus} GPUs {self.resources.get('gpu_model', '')}".strip()] if self.gpus else []
        words += [f"{self.nodes} node{'s' * (self.nodes > 1)}", f"{self.threads} CPUs"]
        return ", ".join([*words, f"{self.number('mem_mb') / 1000:.0f} GB", f"{self.number('runtime')} min"])


def plan(target: str, overlays: Sequence[Path], directory: Path) -> list[PlannedJob]:
    """The jobs that Snakemake would run on a cluster to make a target in a directory."""
    # Enough cores that no job is planned with fewer threads than it asks for.
    words = [sys.executable, "-m", "snakemake", "--profile", "slurm", "-n", target, "--cores", "4096"]
    words += ["--directory", str(directory.resolve())]
    words += ["--configfile", *(str(path.resolve()) for path in overlays)] if overlays else []
    done = subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return planned_jobs(done.stdout)


def planned_jobs(printed: str) -> list[PlannedJob]:
    """The jobs of a dry run; raises DataError where it says that there was none."""
    heads = list(HEAD.finditer(printed))
    if not heads and "Nothing to be done" not in printed:
        raise DataError(f"the plan could not be made: {_fault(printed)}")
    ends = [*(head.start() for head in heads[1:]), len(printed)]
    return [
        job
        for head, end in zip(heads, ends, strict=True)
        if (job := _job(head[1], printed[head.end() : end])) is not None
    ]


def _job(rule: str, told: str) -> PlannedJob | None:
    """None for a target that only collects."""
    lines = dict(LINE.findall(told.partition("Shell command:")[0]))
    if "Shell command:" not in told:
        return None
    resources = {name: _value(value) for name, value in _pairs(lines.get("resources", "")).items()}
    kept = {name: value for name, value in resources.items() if value != "<TBD>"}
    return PlannedJob(rule, _pairs(lines.get("wildcards", "")), int(lines.get("threads", 1)), kept)


def _pairs(text: str) -> dict[str, str]:
    return {name: value for name, value in re.findall(r"(\w+)=(.*?)(?:, (?=\w+=)|$)", text)}


def _value(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _fault(printed: str) -> str:
    told = [line for line in printed.splitlines() if line.startswith("error:")]
    return told[0].removeprefix("error: ") if told else (printed.strip().splitlines() or ["nothing was printed"])[-1]
