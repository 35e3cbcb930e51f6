"""The laboratory measures real processes and leaves none of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

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
    done = subprocess.run([sys.executable, "-m", "mcplint", *command], capture_output=True, text=True)
    assert not [p for p in psutil.process_iter() if str(server) in " ".join(_command(p))]
    found = json.loads(done.stdout)
    return done.returncode, {one["ending"]: one for one in found["servers"][0]["endings"]}


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
