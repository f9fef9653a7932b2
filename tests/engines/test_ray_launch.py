"""Ray over several nodes, for real: two nodes on loopback, and the same through srun on a SLURM of one node."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import verl_environment

from tirec.errors import ConfigError
from tirec.training.ray_launch import Nodes, allocated

ROOT = Path(__file__).resolve().parents[2]
ASKS = """
import ray
ray.init(log_to_driver=False)

@ray.remote(num_cpus=0, num_gpus=1, scheduling_strategy="SPREAD")
def where():
    return ray.get_runtime_context().get_node_id()

print("nodes", len({ray.get(where.remote()) for _ in range(8)}), "gpus", ray.cluster_resources()["GPU"])
raise SystemExit(7)
"""
WAITS = """
import pathlib, ray, signal, sys, time
ray.init(log_to_driver=False)

def stop(number, _):
    pathlib.Path(sys.argv[2]).write_text(f"asked by {signal.Signals(number).name}, {len(ray.nodes())} nodes")
    raise SystemExit(2)

signal.signal(signal.SIGURG, stop)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


def launch(script: Path, *options: str) -> list[str]:
    python = verl_environment.verl_python()
    return [python, str(ROOT / "scripts/launch_ray.py"), "--cpus", "1", *options, "--", python, str(script)]


def left_over(folder: str) -> list[str]:
    """Processes of the Ray whose scratch folder is named."""
    told = subprocess.run(["ps", "-eo", "args"], check=True, capture_output=True, text=True).stdout
    return [line for line in told.splitlines() if "raylet" in line and folder in line]


@pytest.mark.slow
def test_a_command_finds_two_nodes_and_ray_ends_with_it(tmp_path: Path) -> None:
    script = tmp_path / "asks.py"
    script.write_text(ASKS)
    run = subprocess.run(
        launch(script, "--hosts", "127.0.0.1,127.0.0.1", "--gpus", "2"),
        env=verl_environment.environment(),
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 7, run.stdout + run.stderr
    assert "nodes 2 gpus 4.0" in run.stdout
    scratch = (run.stdout + run.stderr).partition("/ray-")[2].partition("/")[0]
    assert scratch
    assert not left_over(f"ray-{scratch}")


@pytest.mark.slow
def test_a_signal_to_stop_reaches_the_command_while_ray_lives(tmp_path: Path) -> None:
    script, ready, said = (tmp_path / name for name in ("waits.py", "ready", "said"))
    script.write_text(WAITS)
    command = [*launch(script, "--hosts", "127.0.0.1,127.0.0.1"), str(ready), str(said)]
    process = subprocess.Popen(command, env=verl_environment.environment(), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not ready.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.5)
    subprocess.run(["kill", "-URG", str(process.pid)], check=True)
    assert process.wait(timeout=120) == 2
    assert said.read_text() == "asked by SIGURG, 2 nodes"


def test_outside_a_job_several_nodes_are_refused_in_one_line() -> None:
    with pytest.raises(ConfigError, match="several nodes need a SLURM job"):
        allocated({})


def test_a_process_on_another_host_is_a_step_beside_the_others() -> None:
    nodes = Nodes(("one", "two"), cpus=32, gpus=4, by_srun=True)
    assert nodes.command("two", ["ray", "start"]) == [
        *("srun", "--overlap", "--nodes=1", "--ntasks=1", "--cpus-per-task=32", "--mem=0", "--nodelist=two"),
        *("ray", "start"),
    ]
    assert Nodes(("here",), 1, 0, by_srun=False).command("here", [sys.executable]) == [sys.executable]
