"""A small study whose cases a toy chat model answers through the real script."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from agent_cases import PROMPTS, ROOT
from chat_server import message, reply
from front_ends import SCRIPTS
from tiny_policy import write_cases

from tirec.agent.parse import call_text
from tirec.provenance import record, sidecar

N = 6  # cases per task
SPLITS = ("train", "validation", "test")


def toy(body: dict[str, Any]) -> Any:
    """Asks for labs, then answers with the patient's age in hundredths; native where tools are given."""
    age = re.search(r"age (\d+)", json.dumps(body["messages"][1]))
    asked = len(body["messages"]) > 2
    turn = message(f"<answer>0.{age[1]}</answer>") if asked and age else message(call_text("labs"))
    if not asked and body.get("tool_choice") == "auto":
        turn = message(None, ("labs", "{}"))
    words = sum(len(str(one["content"]).split()) for one in body["messages"])
    return reply(turn, prompt_tokens=words, completion_tokens=3)


def number_views(file: Path, split: str) -> None:
    """Makes every view one of its kind, so that every prompt is."""
    table = pa.ipc.open_file(file.read_bytes()).read_all()
    views = pa.array([f"{view}; {split} {at}" for at, view in enumerate(table["view"].to_pylist())])
    table = table.set_column(table.column_names.index("view"), "view", views)
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


class Study:
    """Episodes of one small study, of a class of data, and its script."""

    def __init__(self, folder: Path, data_class: str) -> None:
        self.folder, self.data_class = folder, data_class
        for split in SPLITS:
            file = folder / f"{split}.arrow"
            write_cases(file, split, 60 if split == "train" else N)
            number_views(file, split)
            record([file], {}, {}, data_class, __file__)

    def arguments(self, base_url: str, name: str = "toy", **chat: Any) -> list[str]:
        entry = {"kind": "chat", "model": "toy", "base_url": base_url, "concurrency": 3, **chat}
        entry.setdefault("retries", {"attempts": 3, "first_wait_s": 0.02, "longest_wait_s": 0.05})
        protocol = {"prompts": str(PROMPTS / "demo"), "calls": 4}
        settings = {"chat": entry, "protocol": protocol, "dataset": "mcmed"}
        flags = ["--model", name, "--settings", json.dumps(settings), "--data-class", self.data_class]
        flags += ["--episodes", str(self.folder / "validation.arrow"), str(self.folder / "test.arrow")]
        flags += ["--train", str(self.folder / "train.arrow"), "--cache", str(self.folder / f"{name}.jsonl")]
        flags += ["--log-server", str(self.folder / f"{name}.server.log")]
        return [*flags, *(f"--{kind}={self.folder / kind / name}" for kind in ("predictions", "trajectories"))]

    def predictions(self, name: str = "toy", split: str = "test") -> pl.DataFrame:
        return pl.read_parquet(self.folder / "predictions" / name / f"{split}.parquet")

    def bytes_of(self, name: str) -> list[bytes]:
        kinds = (("predictions", "parquet"), ("trajectories", "jsonl.zst"))
        return [
            (self.folder / kind / name / f"{split}.{ending}").read_bytes()
            for kind, ending in kinds
            for split in ("validation", "test")
        ]

    def account(self, name: str = "toy", split: str = "test") -> dict[str, Any]:
        file = sidecar(self.folder / "predictions" / name / f"{split}.parquet")
        return json.loads(file.read_text())["settings"]["account"]


def start(arguments: list[str], **environment: str) -> subprocess.Popen[bytes]:
    """The script in a process of its own, which a test may kill."""
    command = [sys.executable, str(SCRIPTS / "predict_chat.py"), *arguments]
    inherited = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), **environment}
    return subprocess.Popen(command, env=inherited, stderr=subprocess.PIPE, start_new_session=True)
