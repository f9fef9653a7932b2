"""Answers kept: torn lines, damaged lines, a full disk, two runs at once."""

import os
from pathlib import Path

import pytest

from tirec.agent.native import NativeCall
from tirec.policy.chat.cache import AnswerCache, CacheError, request_key
from tirec.policy.chat.completion import Completion


def answer(text: str) -> Completion:
    return Completion(text, (NativeCall("1", "labs", "{}"),), "stop", 10, 0, 2, "toy", "2026-11-30")


def filled(path: Path, *texts: str) -> AnswerCache:
    cache = AnswerCache(path)
    for text in texts:
        cache.put(text, answer(text))
    return cache


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.jsonl"
    filled(path, "a", "ü‹\n").close()
    cache = AnswerCache(path)
    assert (cache.get("a"), cache.get("ü‹\n"), cache.get("b")) == (answer("a"), answer("ü‹\n"), None)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_asked_again_and_spoils_no_later_line(tmp_path: Path) -> None:
    path = tmp_path / "cache.jsonl"
    filled(path, "a", "b").close()
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole)):
        path.write_bytes(whole[:cut])
        cache = AnswerCache(path)
        assert (cache.get("a"), cache.get("b")) == (answer("a"), None)
        cache.put("c", answer("c"))
        cache.close()
        reopened = AnswerCache(path)
        assert (len(reopened), reopened.get("c")) == (2, answer("c"))
        reopened.close()


def test_a_damaged_line_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.jsonl"
    filled(path, "a", "b", "c").close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\0" * 20 + b"\n" + b'{"key": "x"}\n' + lines[2])
    cache = AnswerCache(path)
    assert (cache.get("a"), cache.get("b"), cache.get("x"), cache.get("c")) == (answer("a"), None, None, answer("c"))


def test_a_second_run_waits(tmp_path: Path) -> None:
    path = tmp_path / "cache.jsonl"
    cache = filled(path, "a")
    with pytest.raises(CacheError, match="another run is using this cache"):
        AnswerCache(path)
    cache.close()
    AnswerCache(path).close()


def test_a_full_disk_is_told_and_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache.jsonl"
    cache = filled(path, "a")
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, line: write(file, line[:7]))
    with pytest.raises(CacheError, match="disk is full"):
        cache.put("b", answer("b"))
    monkeypatch.undo()
    cache.put("c", answer("c"))
    cache.close()
    reopened = AnswerCache(path)
    assert (reopened.get("b"), reopened.get("c")) == (None, answer("c"))


def test_a_key_is_all_that_is_sent_and_how() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 0.0}
    key = request_key(body, "text", "")
    assert key == request_key(dict(reversed(body.items())), "text", "")
    others = [
        request_key({**body, "model": "n"}, "text", ""),
        request_key({**body, "temperature": 0.1}, "text", ""),
        request_key({**body, "messages": [{"role": "user", "content": "y"}]}, "text", ""),
        request_key(body, "native", ""),
        request_key(body, "text", "other weights"),
    ]
    assert len({key, *others}) == 6
