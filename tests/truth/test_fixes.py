"""What mcplint fixed really ends: when stdin closes, when the client is killed, and at SIGTERM."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mcplint.api import Options
from mcplint.fixing import repair
from tests.fixes.fixed import Served, fixed_files, served

from .cases import link_packages
from .harness import READY_WITHIN, Ending, Outcome, Run, Server
from .install import ENVIRONMENTS, Environment, missing, prepare
from .test_claims import source

pytestmark = pytest.mark.truth

NOT_FIXED = {"bundle/minified"}
"""What is served by no fix after all: nobody edits a bundle."""


@dataclass(frozen=True)
class FixedCase:
    """A fixed fixture on one SDK, ended in one way."""

    served: Served
    sdk: str
    ending: Ending

    @property
    def name(self) -> str:
        """The test's name."""
        return f"{self.served.label}-{self.sdk}-{self.ending}"

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    def run(self, folder: Path) -> Run:
        """Copy the fixed program into ``folder``, ready to start."""
        shutil.copytree(self.served.folder, folder, dirs_exist_ok=True)
        for name, data in fixed_files(self.served.folder).items():
            (folder / name).write_bytes(data)
        link_packages(self.environment, folder)
        entry = self.served.expect["entry"]
        loader = ["--import", "tsx"] if entry.endswith(".ts") else []
        return Run(self.name, [str(self.environment.program), *loader, entry], folder, self.ending)


def fixed_cases() -> Iterator[FixedCase]:
    """Every fixed fixture on every SDK that it names; closed pipes once a rule, as a dead client closes them."""
    closed: set[str] = set()
    for one in served():
        if one.label in NOT_FIXED:
            continue
        sdks = one.expect["sdk"]
        yield from (FixedCase(one, sdk, "client_death") for sdk in sdks)
        yield FixedCase(one, sdks[0], "sigterm")
        if not one.codes <= closed:
            closed |= one.codes
            yield from (FixedCase(one, sdk, "close_pipes") for sdk in sdks)


@pytest.mark.parametrize("case", list(fixed_cases()), ids=lambda case: case.name)
def test_what_was_fixed_ends(case: FixedCase, outcome: Outcome) -> None:
    assert outcome.verdict == "exits", outcome


# ---------------------------------------------------------------------------- cleanup runs once

PAUSE = "const pause = (ms) => new Promise((done) => setTimeout(done, ms));\n"
NOTE = 'import { appendFileSync } from "node:fs";\nconst note = () => appendFileSync("cleanup.txt", "cleaned\\n");\n'
BEAT = "setInterval(() => {}, 1000);\n"
CLEANUPS = {
    "signals that share a function": (
        "MCP101",
        BEAT
        + "async function stop() {\n  note();\n  await pause(100);\n  process.exit(0);\n}\n"
        + 'process.on("SIGTERM", stop);\nprocess.on("SIGINT", stop);\n',
    ),
    "a signal with its own function": (
        "MCP101",
        BEAT
        + 'process.on("SIGTERM", async () => {\n  note();\n  await pause(100);\n  process.exit(0);\n});\n',
    ),
    "a loop over signals": (
        "MCP101",
        BEAT
        + 'for (const name of ["SIGTERM", "SIGINT"]) {\n  process.on(name, async () => {\n    note();\n'
        + "    await pause(100);\n    process.exit(0);\n  });\n}\n",
    ),
    "tidying up that goes on": (
        "MCP201",
        BEAT
        + "async function tidy() {\n  await pause(100);\n  note();\n}\n"
        + 'process.on("SIGTERM", () => void tidy());\n',
    ),
    "onclose that is not called": (
        "MCP103",
        BEAT + "mcp.server.onclose = async () => {\n  await pause(100);\n  note();\n  process.exit(0);\n};\n",
    ),
    "a shutdown without a guard": (
        "MCP301",
        BEAT
        + "const stop = async () => {\n  await pause(100);\n  note();\n  process.exit(0);\n};\n"
        + 'process.on("SIGTERM", stop);\nprocess.stdin.on("end", stop);\nprocess.stdin.on("close", stop);\n',
    ),
    "a shutdown that somebody awaits": (
        "MCP301",
        BEAT
        + "const stop = async () => {\n  await pause(100);\n  note();\n  process.exit(0);\n};\n"
        + 'const leave = async () => {\n  await stop();\n};\nprocess.on("SIGTERM", leave);\n'
        + 'process.stdin.on("end", leave);\nprocess.stdin.on("close", leave);\n',
    ),
}


@pytest.mark.parametrize("name", CLEANUPS)
def test_cleanup_runs_once_when_everything_comes_together(name: str, tmp_path: Path) -> None:
    """Stdin ends and closes, and SIGTERM comes, before the server has had its turn."""
    environment = ENVIRONMENTS["v1"]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    code, body = CLEANUPS[name]
    server = tmp_path / "server.mjs"
    server.write_text(source(NOTE + PAUSE + body), "utf-8")
    link_packages(environment, tmp_path)
    repaired = repair([server], Options(), unsafe=False, to_disk=True)
    assert code in {finding.code for finding in repaired.report.fixed}
    assert not repaired.report.findings
    with Server([str(environment.program), server.name], tmp_path) as running:
        running.greet()
        running.process.send_signal(signal.SIGSTOP)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.stdin
        running.process.stdin.close()
        running.process.send_signal(signal.SIGCONT)
        assert running.process.wait(READY_WITHIN) == 0
    assert (tmp_path / "cleanup.txt").read_text("utf-8") == "cleaned\n"


def test_stdin_that_has_ended_before_is_noticed(tmp_path: Path) -> None:
    """The inserted shutdown comes into a program that has used up its stdin."""
    environment = ENVIRONMENTS["v1"]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    server = tmp_path / "server.mjs"
    server.write_text(source(BEAT), "utf-8")
    early = (
        'import { once } from "node:events";\nprocess.stdin.resume();\nawait once(process.stdin, "end");\n'
    )
    (tmp_path / "early.mjs").write_text(early, "utf-8")
    link_packages(environment, tmp_path)
    assert repair([server], Options(), unsafe=False, to_disk=True).changes
    done = subprocess.run(
        [str(environment.program), "--import", "./early.mjs", server.name],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=READY_WITHIN,
        check=False,
    )
    assert done.returncode == 0, done.stderr
