"""A client with many servers, which somebody kills: ``python client.py < runs.json``.

It starts each command with pipes of its own, greets the server, prints what became of each, and
waits to be killed. Nobody else holds the pipes, so its death is what every server sees.
"""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "truth", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}


def start(run: dict[str, Any], within: float) -> tuple[int, str]:
    """The process of a server that has answered, or 0 and why it has not."""
    with open(run["stderr"], "wb") as stderr:
        server = subprocess.Popen(
            run["command"],
            cwd=run["folder"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
        )
    KEPT.append(server)
    deadline = time.monotonic() + within
    try:
        # Each answer is waited for: a server that still has to write would die of that.
        answered = ask(server, [OPENING], 1, deadline) and ask(server, [READY, TOOLS], 2, deadline)
    except BrokenPipeError:
        return 0, "stdin is closed"
    return (server.pid, "") if answered else (0, "no answer")


def ask(
    server: subprocess.Popen[bytes], messages: list[dict[str, Any]], number: int, deadline: float
) -> bool:
    """Send messages, and whether the one with that number is answered in time."""
    assert server.stdin
    assert server.stdout
    server.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    answers = b""
    while not any(_number(line) == number for line in answers.split(b"\n")[:-1]):
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, deadline - time.monotonic()))
        chunk = server.stdout.read(65536) if ready else b""
        if not chunk:
            return False
        answers += chunk
    return True


def _number(line: bytes) -> object:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message.get("id") if isinstance(message, dict) else None


KEPT: list[subprocess.Popen[bytes]] = []


def main() -> None:
    """Start all servers and wait for the end."""
    asked = json.load(sys.stdin)
    with ThreadPoolExecutor(asked["at_once"]) as pool:
        started = list(pool.map(lambda run: start(run, asked["within"]), asked["runs"]))
    print(json.dumps({"started": started, "all": [server.pid for server in KEPT]}), flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
