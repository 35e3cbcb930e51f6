"""Real processes: closed pipes, full disks, colours, encodings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PREFIX = [sys.executable, "-m", "tests.cli.fake"]


def environment(fake: str = "findings", **extra: str) -> dict[str, str]:
    keep = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "FORCE_COLOR", "PYTHONUNBUFFERED") and not name.startswith("MCPLINT")
    }
    return {**keep, "FAKE": fake, "TERM": "xterm", **extra}


def run(*arguments: str, fake: str = "findings", **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PREFIX, *arguments],
        cwd=ROOT,
        env=environment(fake, **extra),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def shell(script: str, fake: str = "findings") -> subprocess.CompletedProcess[str]:
    command = " ".join(PREFIX)
    return subprocess.run(
        ["bash", "-c", script.replace("MCPLINT", command)],
        cwd=ROOT,
        env=environment(fake),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    result = shell("MCPLINT . | head -n 1; echo ${PIPESTATUS[0]}", fake="many")
    first, code = result.stdout.splitlines()
    assert first.startswith("src/index.ts:5:7: MCP101")
    assert code == "1"
    assert result.stderr == "1 server in 2 files\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("fake", ["findings", "many"])
def test_closed_streams_are_no_error(fake: str) -> None:
    assert shell("MCPLINT . >&-; echo $?", fake).stdout == "1\n"
    assert shell("MCPLINT . >/dev/null 2>&-; echo $?", fake).stdout == "1\n"
    assert shell("MCPLINT . >&- 2>&-; exit $?", fake).returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error() -> None:
    result = shell("MCPLINT . >/dev/full", fake="many")
    assert result.returncode == 2
    assert "error: cannot write the output: No space left on device\n" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupt_is_quiet_and_exits_130() -> None:
    result = run(".", fake="interrupted")
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_no_colour_in_a_pipe() -> None:
    result = run(".")
    assert "\x1b" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "coloured"),
    [
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": ""}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_choices(arguments: list[str], variables: dict[str, str], coloured: bool) -> None:
    assert ("\x1b[" in run(".", *arguments, **variables).stdout) == coloured


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colour_on_a_terminal(variables: dict[str, str], coloured: bool) -> None:
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*PREFIX, "."],
        cwd=ROOT,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.DEVNULL,
    )
    os.close(follower)
    text = b""
    while chunk := _read(leader):
        text += chunk
    os.close(leader)
    assert process.wait(timeout=60) == 1
    assert b"MCP101" in text
    assert (b"\x1b[" in text) == coloured


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_every_encoding_of_stdout_will_do(encoding: str) -> None:
    result = subprocess.run(
        [*PREFIX, ".", "--output-format", "concise"],
        cwd=ROOT,
        env=environment("odd", PYTHONIOENCODING=encoding),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 1
    assert result.stdout.startswith(b"src/index.ts:5:7: MCP101 ")
