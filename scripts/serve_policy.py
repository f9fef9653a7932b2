"""Serves a policy on the loopback interface with the OpenAI interface, until it is stopped.

    serve_policy.py --policy demo/results/policies/full/seed0/disposition/policy.json [--port 8000] [--name policy]

For trying clients; a trained policy's numbers in a table come from its token ids, never from here (docs/models.md).
"""

import argparse
import signal
import sys
from pathlib import Path

from tirec import frontend
from tirec.policy.hf import load
from tirec.policy.server import PolicyService, http_server


def main() -> None:
    """Answers /health, /v1/models, /v1/chat/completions and /v1/completions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", required=True, type=Path, help="a policy.json of kind hf")
    parser.add_argument("--port", type=int, default=8000, help="port on 127.0.0.1; 0 takes a free one (default: 8000)")
    parser.add_argument("--name", default="policy", help="name under which it is served (default: policy)")
    parser.add_argument("--device", default="auto", help="device (default: a GPU where there is one)")
    given = parser.parse_args()
    service = PolicyService(load(given.policy, given.device), given.name)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with http_server(service, given.port) as server:
        print(f"{given.name} at http://127.0.0.1:{server.server_address[1]}/v1", file=sys.stderr, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    frontend.run(main)
