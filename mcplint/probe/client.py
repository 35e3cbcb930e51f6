"""A client of one server, in a process of its own, so that it can die: ``python -m mcplint.probe.client``.

The first line of its stdin is the job, each later one an order; both are JSON, and so are the lines
that it reports on stdout. Only this process holds the pipes of the server. When whoever gives the
orders is gone, it ends the server and itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any, NoReturn

from mcplint.probe.conversation import Conversation, SilenceError

GRACE = 2.0
"""Seconds that a client gives a server for each step of an orderly close."""


def report(event: str, **what: Any) -> None:
    """Tell whoever gives the orders."""
    sys.stdout.write(json.dumps({"event": event, **what}) + "\n")
    sys.stdout.flush()


def start(job: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start the server with pipes of its own.

    Raises:
        OSError: the command cannot be started.
    """
    with open(job["stderr"], "ab") as stderr:
        return subprocess.Popen(
            job["command"],
            cwd=job["cwd"],
            env=job["env"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
        )


def close(server: subprocess.Popen[bytes], talk: Conversation) -> str:
    """End the server as an orderly client does, and say which step it took."""
    try:
        talk.stdin.close()
    except OSError:
        pass
    for step, end in (("stdin", None), ("SIGTERM", server.terminate), ("SIGKILL", server.kill)):
        if end is not None:
            end()
        try:
            server.wait(GRACE)
        except subprocess.TimeoutExpired:
            continue
        return step
    return "nothing"


def watch(server: subprocess.Popen[bytes], talk: Conversation) -> None:
    """Report the end of the server, whatever ends it."""
    code = server.wait()
    report("ended", code=code, at=time.time(), **strays(talk))


def strays(talk: Conversation) -> dict[str, Any]:
    """What came on stdout that was no message."""
    return {"stray_lines": talk.stray_lines, "first_stray": talk.first_stray}


def main() -> None:
    """Start the server, then do what is ordered."""
    job = json.loads(sys.stdin.readline())
    try:
        server = start(job)
    except (OSError, ValueError) as error:
        report("failed", reason=f"{getattr(error, 'strerror', None) or error}")
        return
    assert server.stdin
    assert server.stdout
    talk = Conversation(server.stdin, server.stdout)
    report("started", pid=server.pid)
    try:
        greeting = talk.greet(job["within"])
        heard = {"protocol": greeting.protocol, "name": greeting.name, "tools": greeting.tools}
        report("greeted", **heard, **strays(talk))
    except SilenceError as error:
        report("silent", reason=str(error), **strays(talk))
    threading.Thread(target=watch, args=(server, talk), daemon=True).start()
    for line in sys.stdin:
        obey(json.loads(line), server, talk)
    abandon(server)


def obey(order: dict[str, Any], server: subprocess.Popen[bytes], talk: Conversation) -> None:
    """Do one thing that was ordered."""
    if order["do"] == "exit":
        vanish()
    elif order["do"] == "close":
        report("closed", step=close(server, talk))
    elif order["do"] == "call":
        try:
            report("called", running=talk.call(order["tool"], order["arguments"]))
        except SilenceError as error:
            report("called", running=False, reason=str(error))


def abandon(server: subprocess.Popen[bytes]) -> None:
    """End the server and what it started: nobody measures any more."""
    server.kill()
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)


def vanish() -> NoReturn:
    """Leave without a word: the system closes the pipes."""
    os._exit(0)


if __name__ == "__main__":
    main()
