"""A real SLURM of one node on loopback: munge, slurmctld and slurmd with four pretended H100s, in folders of its own.

Needs root and the packages `slurm-wlm` and `munge`. The jobs of Snakemake's executor find the cluster at /etc/slurm
only (its inner `srun` loses SLURM_CONF), so three links are put there and taken away again; an installation that has
a configuration of its own is left alone.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PLACE = Path("/etc/slurm")
LINKS = ("slurm.conf", "gres.conf", "cgroup.conf")
MARK = "tirec-one-node-slurm-"

# CPUs and memory are pretended: what is tested is scheduling. Any four character devices do as GPUs, but files or a
# bare count do not. MinJobAge keeps finished jobs visible to squeue.
CONFIGURATION = """\
ClusterName=onenode
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={root}/munge/socket
CommunicationParameters=NoInAddrAny
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=100000
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
MinJobAge=900
KillWait=2
InactiveLimit=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=64 Boards=1 SocketsPerBoard=1 CoresPerSocket=64 ThreadsPerCore=1 \
RealMemory=1000000 Gres=gpu:h100:4 Feature=hopper State=UNKNOWN
PartitionName=cpu Nodes={host} Default=YES MaxTime=1440 State=UP
PartitionName=gpu Nodes={host} Default=NO MaxTime=1440 State=UP
"""
GPUS = "AutoDetect=off\nName=gpu Type=h100 File=/dev/null,/dev/zero,/dev/full,/dev/urandom\n"


def missing() -> str | None:
    """Why no cluster can be started here; None where one can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None]
    if absent:
        return f"{', '.join(absent)} not installed (packages slurm-wlm and munge)"
    if os.geteuid() != 0:
        return "a SLURM of one node needs root"
    ours = (PLACE / LINKS[0]).is_symlink() and MARK in str((PLACE / LINKS[0]).readlink())
    if (PLACE / LINKS[0]).exists() and not ours:
        return f"{PLACE / LINKS[0]} belongs to another cluster"
    return None


class Cluster:
    """The running cluster, asked by SLURM's own commands."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def ask(self, *command: str) -> str:
        """What one of SLURM's commands prints."""
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    def jobs(self) -> list[dict[str, str]]:
        """Every job the controller remembers, as `scontrol show job` tells it, oldest first."""
        told = self.ask("scontrol", "show", "job", "--oneliner").splitlines()
        listed = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in told if "JobId=" in line]
        return sorted(listed, key=lambda job: int(job["JobId"]))

    def of_rule(self, rule: str) -> list[dict[str, str]]:
        """The jobs of one rule."""
        return [job for job in self.jobs() if f"rule_{rule}" in {job["Comment"], job["Comment"].split("_wildcards")[0]}]

    def active(self) -> list[str]:
        """Job ids that wait or run."""
        return self.ask("squeue", "--noheader", "--format=%i").split()

    def wait_idle(self, seconds: float) -> bool:
        """Whether no job is left within some seconds."""
        return wait_until(lambda: not self.active(), seconds)

    def forget(self) -> None:
        """Ends every job."""
        if self.active():
            self.ask("scancel", *self.active())
            self.wait_idle(30)


def wait_until(condition, seconds: float) -> bool:
    """Whether `condition` came true within some seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Starts the cluster, and stops it by the processes that were started."""
    root = Path(tempfile.mkdtemp(prefix=MARK))
    root.chmod(0o755)
    daemons: list[subprocess.Popen] = []
    try:
        _write_configuration(root)
        daemons.append(_start_munge(root))
        daemons.append(_start(root, "slurmctld", "-D", "-i"))
        daemons.append(_start(root, "slurmd", "-D", "-N", socket.gethostname().split(".")[0]))
        cluster = Cluster(root)
        if not wait_until(lambda: _state(root) == "idle", 30):
            raise RuntimeError(f"the test cluster did not start: {_tail(root)}")
        yield cluster
        cluster.forget()
    finally:
        _stop(daemons)
        for name in LINKS:
            (PLACE / name).unlink(missing_ok=True)
        shutil.rmtree(root, ignore_errors=True)


def _write_configuration(root: Path) -> None:
    for folder in ("munge", "state", "spool", "log", "etc"):
        (root / folder).mkdir(mode=0o755)
    host = socket.gethostname().split(".")[0]
    ports = {"controller_port": _free_port(), "node_port": _free_port()}
    texts = {"slurm.conf": CONFIGURATION.format(root=root, host=host, **ports), "gres.conf": GPUS, "cgroup.conf": ""}
    for name, text in texts.items():
        (root / "etc" / name).write_text(text)
        link = PLACE / name
        link.unlink(missing_ok=True)
        link.symlink_to(root / "etc" / name)


def _start_munge(root: Path) -> subprocess.Popen:
    key = root / "munge" / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    paths = {name: root / "munge" / name for name in ("socket", "pid", "log", "seed")}
    options = [f"--{name}-file={paths[name]}" for name in ("pid", "log", "seed")]
    daemon = _start(root, "munged", "--foreground", f"--key-file={key}", f"--socket={paths['socket']}", *options)
    if not wait_until(paths["socket"].exists, 10):
        raise RuntimeError(f"munge did not start: {_tail(root)}")
    return daemon


def _start(root: Path, program: str, *options: str) -> subprocess.Popen:
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    with (root / "log" / f"{program}.log").open("w") as log:
        return subprocess.Popen([found, *options], stdout=log, stderr=log, start_new_session=True)


def _stop(daemons: list[subprocess.Popen]) -> None:
    for daemon in reversed(daemons):
        daemon.terminate()
        try:
            daemon.wait(timeout=10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()


def _state(root: Path) -> str:
    told = subprocess.run(["sinfo", "-h", "-p", "gpu", "-o", "%T"], check=False, capture_output=True, text=True)
    return told.stdout.strip()


def _tail(root: Path) -> str:
    return "\n".join(f"{log.name}: {log.read_text()[-1000:]}" for log in sorted((root / "log").iterdir()))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
