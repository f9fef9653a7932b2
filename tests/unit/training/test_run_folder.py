"""Fingerprints, locks and checkpoints of run folders."""

import json
import os
import subprocess
import sys

import pytest
import torch

from tirec.policy.folders import link_folder
from tirec.training import run_folder
from tirec.training.run_folder import RunFolder, RunLockedError, fingerprint, locked


def test_a_fingerprint_follows_bytes_and_settings_but_no_path(tmp_path):
    one, two = tmp_path / "a" / "x", tmp_path / "b" / "y"
    for path in (one, two):
        path.parent.mkdir()
        path.write_text("same")
    assert fingerprint({"train": one}, {"steps": 3}) == fingerprint({"train": two}, {"steps": 3})
    assert fingerprint({"train": one}, {"steps": 3}) != fingerprint({"train": one}, {"steps": 4})
    before = fingerprint({"train": one}, {})
    one.write_text("Same")
    assert fingerprint({"train": one}, {}) != before


def test_a_live_predecessor_is_refused_by_name(tmp_path):
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        holder = {**run_folder._me(), "pid": sleeper.pid, "started": run_folder._started(sleeper.pid)}
        (tmp_path / "lock").write_text(json.dumps(holder))
        with pytest.raises(RunLockedError, match=f"process {sleeper.pid} "), locked(tmp_path):
            pass
        assert (tmp_path / "lock").exists()
    finally:
        sleeper.kill()
        sleeper.wait()
    with locked(tmp_path):  # dead now
        assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("left", ["", "{", json.dumps({"host": run_folder._me()["host"], "pid": 1, "started": "0x"})])
def test_what_the_dead_leave_is_cleared(tmp_path, left):
    (tmp_path / "lock").write_text(left)
    with locked(tmp_path):
        pass


def test_another_machine_counts_as_alive_while_it_gives_signs(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text(json.dumps({"host": "elsewhere", "pid": 1, "started": "1"}))
    with pytest.raises(RunLockedError, match="elsewhere"), locked(tmp_path):
        pass
    os.utime(lock, (0, 0))
    with locked(tmp_path):
        pass


def test_the_same_run_is_not_entered_twice(tmp_path):
    with locked(tmp_path), pytest.raises(RunLockedError), locked(tmp_path):
        pass


def test_checkpoint_weights_and_end(tmp_path):
    folder = RunFolder(tmp_path)
    assert folder.load() is None
    assert folder.result is None
    folder.save({"history": [{"step": 1, "x": 0.1}], "model": {"w": torch.ones(2)}})
    assert folder.load()["history"] == [{"step": 1, "x": 0.1}]
    for step in (1, 2, 3):
        folder.save_weights(step, lambda place: (place / "w").write_text("w"))
    folder.keep_weights({1, 3})
    assert sorted(path.name for path in (tmp_path / "weights").iterdir()) == ["000001", "000003"]
    folder.finish({"history": []})
    assert folder.result == {"history": []}
    assert folder.load() is None


def test_equal_weights_share_their_bytes(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "w").write_text("w")
    for name in ("a", "b"):
        link_folder(tmp_path / "source", tmp_path / name)
        link_folder(tmp_path / "source", tmp_path / name)  # again, over what is there
    assert (tmp_path / "a" / "w").stat().st_ino == (tmp_path / "b" / "w").stat().st_ino
