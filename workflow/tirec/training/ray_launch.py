"""Ray over the nodes of one allocation: a head, one worker per further node, and the command that uses them.

verl on several nodes needs a Ray that is there before it starts. The command finds it by RAY_ADDRESS; when it ends, or
when anything goes wrong, Ray ends with it on every node.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tirec.errors import ConfigError, TirecError
from tirec.training.stopping import on_stop_signals


class RayError(TirecError):
    """Ray did not come up on every node."""


@dataclass(frozen=True)
class Nodes:
    """Where Ray runs: hosts, the first of which is this one, and what each may use."""

    hosts: tuple[str, ...]
    """Names or addresses; the same one twice gives two Ray nodes on one machine."""
    cpus: int
    """CPUs that Ray may hand out per node."""
    gpus: int
    """GPUs per node."""
    by_srun: bool
    """Start processes with srun; without it they start here, whatever their host is called."""

    def command(self, host: str, words: Sequence[str]) -> list[str]:
        """The words that run `words` on one host of the allocation, beside whatever else runs there."""
        if not self.by_srun:
            return list(words)
        step = ["srun", "--overlap", "--nodes=1", "--ntasks=1", f"--cpus-per-task={self.cpus}", "--mem=0"]
        return [*step, f"--nodelist={host}", *words]


def allocated(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The hosts of the running SLURM job, the one of the batch script first.

    Raises ConfigError outside a job. The node list is asked for: Snakemake's job step drops SLURM_JOB_NODELIST.
    """
    job = environment.get("SLURM_JOB_ID")
    if not job:
        raise ConfigError("several nodes need a SLURM job (SLURM_JOB_ID is not set); on one machine train on one node")
    listed = _asked("squeue", "--noheader", f"--jobs={job}", "--format=%N")
    return tuple(_asked("scontrol", "show", "hostnames", listed).split())


def _asked(*words: str) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode or not done.stdout.strip():
        raise RayError(f"{words[0]}: {done.stderr.strip() or 'no answer'}")
    return done.stdout.strip()


def run_on_ray(nodes: Nodes, command: Sequence[str], patience_s: float = 300.0) -> int:
    """Starts Ray on all nodes, runs `command` on the first, stops Ray; the command's exit code.

    Raises RayError when a node has not joined within `patience_s` seconds.
    """
    # A secret of this run's own: whoever else uses the nodes cannot connect, and all our processes can.
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with _ray(nodes, environment, patience_s) as address:
        words = nodes.command(nodes.hosts[0], command)
        driver = subprocess.Popen(words, env={**environment, "RAY_ADDRESS": address})
        with on_stop_signals(lambda number, _: driver.send_signal(number)):
            return driver.wait()


@contextmanager
def _ray(nodes: Nodes, environment: Mapping[str, str], patience_s: float) -> Iterator[str]:
    """A running Ray; its address."""
    head = socket.gethostbyname(nodes.hosts[0])
    address = f"{head}:{_free_port(head)}"
    scratch = Path(tempfile.mkdtemp(prefix="ray-"))
    started: list[subprocess.Popen[bytes]] = []
    try:
        for index, host in enumerate(nodes.hosts):
            words = nodes.command(host, _ray_start(nodes, address, scratch if index == 0 else None))
            # A session of its own: Ctrl-C reaches the command, which ends, and Ray after it.
            started.append(subprocess.Popen(words, env=environment, start_new_session=True))
        _wait_for(lambda: _joined(address, environment), started, nodes, patience_s)
        yield address
    finally:
        _stop(started)
        shutil.rmtree(scratch, ignore_errors=True)


def _ray_start(nodes: Nodes, address: str, scratch: Path | None) -> list[str]:
    """Starts one Ray node; the head where it has a scratch folder, whose path stays short for the sake of sockets."""
    ip, port = address.rsplit(":", 1)
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
    ray += [f"--num-cpus={nodes.cpus}", f"--num-gpus={nodes.gpus}"]
    if scratch is None:
        return [*ray, f"--address={address}"]
    head = ["--head", f"--node-ip-address={ip}", f"--port={port}", f"--temp-dir={scratch}", "--include-dashboard=false"]
    return [*ray, *head]


def _wait_for(
    joined: Callable[[], int], started: Sequence[subprocess.Popen[bytes]], nodes: Nodes, patience_s: float
) -> None:
    deadline = time.monotonic() + patience_s
    while (count := joined()) < len(nodes.hosts):
        for host, process in zip(nodes.hosts, started, strict=True):
            if process.poll() is not None:
                raise RayError(f"{host}: Ray ended with code {process.returncode} before all nodes had joined")
        if time.monotonic() > deadline:
            raise RayError(f"{count} of {len(nodes.hosts)} Ray nodes joined within {patience_s:.0f} s")
        time.sleep(1)


def _joined(address: str, environment: Mapping[str, str]) -> int:
    """Live nodes of the Ray at `address`, asked in a process of its own so that none stays connected here."""
    ask = f"import ray; ray.init(address={address!r}, logging_level='ERROR', log_to_driver=False); "
    ask += "print(sum(node['Alive'] for node in ray.nodes()))"
    done = subprocess.run([sys.executable, "-c", ask], env=environment, check=False, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) if done.returncode == 0 else 0


def _stop(started: Sequence[subprocess.Popen[bytes]]) -> None:
    """Workers first, the head last."""
    for process in reversed(started):
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
