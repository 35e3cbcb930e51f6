"""The harness tells a survivor from a slow exit, and cleans up after itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .harness import NotReady, Outcome, Run, Server, measure, measure_all

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and process groups")

ANSWERS = """
import json, signal, subprocess, sys, threading, time
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
"""


def program(folder: Path, *, before: str = "", after: str = "") -> list[str]:
    """A server without an SDK."""
    file = folder / "server.py"
    file.write_text(f"{before}\n{ANSWERS}\n{after}\n", "utf-8")
    return [sys.executable, str(file)]


def test_end_of_input_ends_a_plain_server(tmp_path: Path) -> None:
    with Server(program(tmp_path), tmp_path) as server:
        server.greet()
        outcome = server.end("close_pipes")
    assert (outcome.verdict, outcome.exit_code) == ("exits", 0)


def test_a_sleeper_survives(tmp_path: Path) -> None:
    with Server(program(tmp_path, after="time.sleep(600)"), tmp_path) as server:
        server.greet()
        outcome = server.end("close_pipes", idle_for=1)
    assert (outcome.verdict, outcome.exit_code) == ("survives", None)


def test_a_slow_exit_is_no_survival(tmp_path: Path) -> None:
    busy = "began = time.monotonic()\nwhile time.monotonic() - began < 2.5: pass"
    with Server(program(tmp_path, after=busy), tmp_path) as server:
        server.greet()
        outcome = server.end("close_pipes", idle_for=1)
    assert outcome.verdict == "exits"
    assert outcome.seconds > 2


def test_a_signal_leaves_stdin_open(tmp_path: Path) -> None:
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    with Server(program(tmp_path, before=ignore), tmp_path) as server:
        server.greet()
        assert server.end("sigterm", idle_for=1).verdict == "survives"
        assert server.end("sigint", idle_for=1).exit_code is not None


def test_children_are_named_and_ended(tmp_path: Path) -> None:
    child = "import subprocess; child = subprocess.Popen(['sleep', '600'], stdin=subprocess.DEVNULL)"
    keep = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))"
    with Server(program(tmp_path, before=f"{child}; {keep}"), tmp_path) as server:
        server.greet()
        outcome = server.end("close_pipes")
        pid = int((tmp_path / "pid").read_text())
        os.kill(pid, 0)
    if sys.platform == "linux":
        assert outcome.left_behind == ("sleep 600",)
        assert not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text()


def test_a_broken_server_is_no_survivor(tmp_path: Path) -> None:
    command = program(tmp_path, before="raise SystemExit('no config')")
    with pytest.raises(NotReady, match="no config"), Server(command, tmp_path) as server:
        server.greet()


def test_many_at_once(tmp_path: Path) -> None:
    runs = []
    for name in ("plain", "broken"):
        folder = tmp_path / name
        folder.mkdir()
        before = "raise SystemExit('no config')" if name == "broken" else ""
        runs.append(Run(name, program(folder, before=before), folder, "close_pipes"))
    found = measure_all(runs)
    assert isinstance(found["plain"], Outcome)
    assert found["plain"].verdict == "exits"
    assert "no config" in str(found["broken"])


def test_a_program_that_is_not_there_is_reported(tmp_path: Path) -> None:
    assert "FileNotFoundError" in str(measure(Run("none", [str(tmp_path / "none")], tmp_path, "close_pipes")))
