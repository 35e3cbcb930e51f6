"""The laboratory measures real processes and leaves none of them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.truth.cases import FIXTURES, link_packages
from tests.truth.install import ENVIRONMENTS, prepare

ANSWERS = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = {"protocolVersion": "2025-06-18", "tools": []}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""
STAYS = "while True: time.sleep(60)\n"


def probe(folder: Path, program: str, *options: str) -> tuple[int, dict[str, dict[str, object]]]:
    server = folder / "server.py"
    server.write_text(program, "utf-8")
    command = ["probe", "--wait", "1", "--output-format", "json", *options, "--", sys.executable, str(server)]
    done = mcplint(*command)
    assert not processes_of(server)
    found = json.loads(done.stdout)
    return done.returncode, {one["ending"]: one for one in found["servers"][0]["endings"]}


def mcplint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mcplint", *arguments], capture_output=True, text=True)


def processes_of(server: Path) -> list[psutil.Process]:
    return [p for p in psutil.process_iter() if str(server) in _command(p)]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.truth
def test_a_server_that_ends_is_gone_in_every_row(tmp_path: Path) -> None:
    code, rows = probe(tmp_path, ANSWERS, "--ending", "close", "--ending", "exit", "--ending", "crash")
    assert code == 0
    assert {row["state"] for row in rows.values()} == {"gone"}
    assert rows["close"]["step"] == "stdin"


@pytest.mark.truth
def test_a_server_that_stays_is_told_and_ended(tmp_path: Path) -> None:
    code, rows = probe(tmp_path, ANSWERS + STAYS, "--ending", "close", "--ending", "crash")
    assert code == 1
    assert rows["crash"]["state"] == "alive"
    assert rows["crash"]["adopted_by"]
    assert (rows["close"]["state"], rows["close"]["step"]) == ("gone", "SIGTERM")


@pytest.mark.truth
def test_text_that_is_no_message_is_counted(tmp_path: Path) -> None:
    _, rows = probe(tmp_path, "print('ready')\n" + ANSWERS, "--ending", "exit")
    assert (rows["exit"]["stray_lines"], rows["exit"]["first_stray"]) == (1, "ready")


@pytest.mark.truth
def test_a_server_that_ends_at_once_is_no_server(tmp_path: Path) -> None:
    code, rows = probe(tmp_path, "raise SystemExit('no key')\n", "--ending", "exit")
    assert code == 2
    assert rows["exit"]["state"] == "ended early"
    assert "no key" in str(rows["exit"]["reason"])


@pytest.mark.truth
def test_a_server_that_fails_says_with_which_error(tmp_path: Path) -> None:
    noise = "import sys, atexit; atexit.register(print, 'goodbye', file=sys.stderr)\n"
    _, rows = probe(tmp_path, noise + "raise ValueError('no key')\n", "--ending", "exit")
    assert str(rows["exit"]["reason"]).endswith("ValueError: no key")


@pytest.mark.truth
def test_the_rows_of_a_real_sdk(tmp_path: Path) -> None:
    """A plain server, one with a timer, one that exits at the end of stdin, one that takes SIGTERM."""
    prepare(ENVIRONMENTS["v1-30"])
    with ThreadPoolExecutor(2) as pool:
        told = dict(
            zip(SERVERS, pool.map(lambda name: seed_rows(tmp_path / name, name), SERVERS), strict=True)
        )
    seen = {
        (name, ending): (row["state"], row["step"], seconds(row))
        for name, rows in told.items()
        for ending, row in rows.items()
    }
    assert seen == {
        ("plain", "close"): ("gone", "stdin", 0),
        ("plain", "exit"): ("gone", None, 0),
        ("plain", "crash"): ("gone", None, 0),
        ("timer", "close"): ("gone", "SIGTERM", 2),
        ("timer", "exit"): ("alive", None, None),
        ("timer", "crash"): ("alive", None, None),
        ("fixed", "close"): ("gone", "stdin", 0),
        ("fixed", "exit"): ("gone", None, 0),
        ("fixed", "crash"): ("gone", None, 0),
        ("stubborn", "close"): ("gone", "SIGKILL", 4),
    }
    assert {row["predicted"]["agrees"] for rows in told.values() for row in rows.values()} == {True}


SERVERS = {
    "plain": ("close", "exit", "crash"),
    "timer": ("close", "exit", "crash"),
    "fixed": ("close", "exit", "crash"),
    "stubborn": ("close",),
}


def seed_rows(folder: Path, name: str) -> dict[str, Any]:
    shutil.copytree(FIXTURES / "seed" / "node-esm" / name, folder)
    link_packages(ENVIRONMENTS["v1-30"], folder)
    endings = [word for ending in SERVERS[name] for word in ("--ending", ending)]
    done = mcplint("probe", str(folder), *endings, "--output-format", "json")
    return {one["ending"]: one for one in json.loads(done.stdout)["servers"][0]["endings"]}


def seconds(row: dict[str, Any]) -> int | None:
    """Its order: about 0, 2 or 4 seconds."""
    return None if row["milliseconds"] is None else row["milliseconds"] // 2000 * 2


@pytest.mark.truth
@pytest.mark.skipif(os.name != "posix", reason="the wrapper is a POSIX shell")
def test_a_configuration_starts_its_wrappers_too(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(ANSWERS + STAYS, "utf-8")
    wrapped = f"{sys.executable} server.py; true"
    config = tmp_path / ".mcp.json"
    config.write_text(
        "{ // a comment\n"
        + json.dumps({"mcpServers": {"wrapped": {"command": "sh", "args": ["-c", wrapped]}}})[1:]
    )
    done = mcplint(
        "probe", "--config", str(config), "--ending", "sigterm", "--wait", "1", "--output-format", "json"
    )
    (row,) = json.loads(done.stdout)["servers"][0]["endings"]
    assert (row["processes"], row["state"]) == (2, "gone")
    (left,) = row["left"]
    assert left["command"].endswith("server.py")


@pytest.mark.truth
@pytest.mark.parametrize(("program", "code"), [(ANSWERS, 0), (ANSWERS + STAYS, 1)])
def test_the_test_that_it_writes_tells_one_from_the_other(tmp_path: Path, program: str, code: int) -> None:
    (tmp_path / "server.py").write_text(program, "utf-8")
    started = ("--wait", "2", "--", sys.executable, str(tmp_path / "server.py"))
    kinds = {"pytest": ("test_end.py", [sys.executable, "-m", "pytest", "-q"])}
    kinds["node"] = ("end.test.mjs", [str(ENVIRONMENTS["v1-30"].program), "--test"])
    for kind, (name, runner) in kinds.items():
        file = tmp_path / name
        file.write_text(mcplint("probe", "--write-test", kind, *started).stdout, "utf-8")
        done = subprocess.run([*runner, str(file)], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == code, done.stdout + done.stderr
        assert ("outlived its client" in done.stdout) == bool(code)


@pytest.mark.truth
@pytest.mark.skipif(os.name != "posix", reason="SIGINT is a POSIX signal")
def test_an_interrupted_probe_leaves_nothing(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    server = tmp_path / "server.py"
    server.write_text(f"open({str(ready)!r}, 'w').close()\n" + STAYS, "utf-8")
    command = [sys.executable, "-m", "mcplint", "probe", "--", sys.executable, str(server)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        ready.open().close()
        running.send_signal(signal.SIGINT)
        assert running.wait() == 130
    assert not processes_of(server)
