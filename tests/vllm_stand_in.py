"""Takes the arguments of vLLM's server and serves the policy beside the weights, for tests of starting and stopping.

`stand_in(folder)` writes an executable that stands where the interpreter with vLLM would.
"""

import argparse
import signal
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve()


def stand_in(folder: Path, behaviour: str = "serve") -> str:
    """An executable: `serve` as vLLM does, `fail` at once, `hang` without ever being healthy."""
    file = folder / f"vllm_{behaviour}"
    environment = f"PYTHONPATH={HERE.parents[1] / 'workflow'} TIREC_STAND_IN={behaviour}"
    file.write_text(f'#!/bin/sh\n{environment} exec {sys.executable} {HERE} {behaviour} "$@"\n')
    file.chmod(0o755)
    return str(file)


def main() -> None:
    """Serves until it is stopped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("behaviour")
    parser.add_argument("-m", dest="module", choices=["vllm.entrypoints.openai.api_server"], required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--served-model-name", required=True)
    parser.add_argument("--host", choices=["127.0.0.1"], required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--enable-auto-tool-choice", action="store_true")
    parser.add_argument("--tool-call-parser", choices=["hermes"])
    given = parser.parse_args()
    if given.behaviour == "fail":
        sys.exit("no such device")
    if given.behaviour == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        time.sleep(600)
    from tirec.policy.hf import load
    from tirec.policy.server import PolicyService, http_server

    service = PolicyService(load(given.model.parent / "policy.json", "cpu"), given.served_model_name)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with http_server(service, given.port) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
