"""What the rule pages claim beyond the verdicts, and what the catalog says of shutdown, measured.

Every wait is for an event: a line in a named pipe that the server writes, or the end of a process.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mcplint.api import lint

from .cases import FIXTURES, link_packages
from .harness import READY_WITHIN, Ending, Outcome, Run, Server, Verdict
from .install import ENVIRONMENTS, Environment, missing, prepare

pytestmark = pytest.mark.truth

WILD = FIXTURES / "wild"
MODULES = {
    "@modelcontextprotocol/sdk": ("@modelcontextprotocol/sdk/server/mcp.js", "@modelcontextprotocol/sdk/server/stdio.js"),
    "@modelcontextprotocol/server": ("@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio"),
}  # fmt: skip


def source(body: str, sdk: str = "@modelcontextprotocol/sdk") -> str:
    """A server in which ``body`` runs before it connects."""
    server, stdio = MODULES[sdk]
    return (
        f'import {{ McpServer }} from "{server}";\nimport {{ StdioServerTransport }} from "{stdio}";\n'
        'const mcp = new McpServer({ name: "claim", version: "1.0.0" });\n'
        f"const transport = new StdioServerTransport();\n{body}\nawait mcp.connect(transport);\n"
    )


def lay_out(program: str | Path, folder: Path, environment: Environment) -> str:
    """Put a program, given as its text or as a fixture, into a folder; its entry."""
    link_packages(environment, folder)
    if isinstance(program, str):
        (folder / "server.mjs").write_text(program, "utf-8")
        return "server.mjs"
    shutil.copytree(program, folder, dirs_exist_ok=True)
    return str(next(iter(json.loads((program / "package.json").read_text("utf-8"))["bin"].values())))


# ---------------------------------------------------------------------------- verdicts that differ


@dataclass(frozen=True)
class ClaimCase:
    """A program, perhaps with variables, and what must come of one ending."""

    name: str
    program: str | Path
    verdict: Verdict
    ending: Ending = "close_pipes"
    sdk: str = "v1"
    variables: Mapping[str, str] = field(default_factory=dict)
    exit_code: int | None = None
    finding: str | None = None
    """The rule that speaks of it; None if this is not asked, "" if none does."""

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    def run(self, folder: Path) -> Run:
        """Lay it out, ready to start."""
        entry = lay_out(self.program, folder, self.environment)
        command = [
            str(self.environment.program),
            *(["--import", "tsx"] if entry.endswith("ts") else []),
            entry,
        ]
        return Run(self.name, command, folder, self.ending, self.variables)


BEAT = "setInterval(() => {}, 1000);\n"
LEAVE = "() => process.exit(0)"
ONCLOSE = {
    "inner server": f"mcp.server.onclose = {LEAVE};",
    "transport": f"transport.onclose = {LEAVE};",
    "outer server": f"mcp.onclose = {LEAVE};",
}
VERSIONS = {
    "v1-30": ("@modelcontextprotocol/sdk", "1.30.0"),
    "v1": ("@modelcontextprotocol/sdk", "1.32.2"),
    "v2": ("@modelcontextprotocol/server", "2.4.0"),
}
CALLED = {("v2", "inner server"), ("v2", "transport")}
"""Where `onclose` is called when stdin ends."""


CUT = {
    "connections that are cut": """
import http from "node:http";
import { once } from "node:events";
const web = http.createServer(() => {}).listen(0, "127.0.0.1");
await once(web, "listening");
http.get({ port: web.address().port }).on("error", () => {});
await once(web, "request");
process.stdin.on("end", () => { web.close(() => process.exit(0)); web.closeAllConnections(); });
""",
    "clients that are cut": """
import { WebSocket, WebSocketServer } from "ws";
import { once } from "node:events";
const hub = new WebSocketServer({ port: 0, host: "127.0.0.1" });
await once(hub, "listening");
new WebSocket(`ws://127.0.0.1:${hub.address().port}`).on("error", () => {});
await once(hub, "connection");
process.stdin.on("end", () => {
  for (const client of hub.clients) client.terminate();
  hub.close(() => process.exit(0));
});
""",
}
REFUSED = {"HOTEL_DIARY": "no-such-folder/diary.txt"}


def claims() -> Iterator[ClaimCase]:
    """MCP103, MCP106, MCP202 and MCP303, both ways."""
    for sdk, (package, _) in VERSIONS.items():
        for of, line in ONCLOSE.items():
            called = (sdk, of) in CALLED
            yield ClaimCase(
                f"onclose of the {of} on {sdk}",
                source(BEAT + line, package),
                "exits" if called else "survives",
                sdk=sdk,
                finding="" if called else "MCP103",
            )
    yield ClaimCase(
        "the setting that asks for the end",
        WILD / "opt-in-exit",
        "exits",
        variables={"TRACKER_AUTO_EXIT": "true"},
    )
    for name, body in CUT.items():
        yield ClaimCase(name, source(body), "exits", sdk="holders")
    yield ClaimCase("the parent dies", WILD / "parent-watch", "exits", "client_death")
    yield ClaimCase("a goodbye that is refused", WILD / "success-only", "survives", variables=REFUSED)
    yield ClaimCase(
        "a goodbye that is refused, and an exit all the same",
        WILD / "success-only-fixed",
        "exits",
        variables=REFUSED,
    )
    for event, throwing in (
        ("uncaughtException", 'setTimeout(() => { throw new Error("x"); }, 1);'),
        ("unhandledRejection", "setTimeout(async () => Promise.reject(1), 1);"),
    ):
        own = f'{BEAT}process.stdin.on("end", () => {{ {throwing} }});\n'
        yield ClaimCase(f"{event}, not listened to", source(own), "exits", exit_code=1)
        listening = f'{own}process.on("{event}", '
        yield ClaimCase(f"{event}, swallowed", source(listening + "() => {});"), "survives")
        exiting = source(listening + "() => process.exit(7));")
        yield ClaimCase(f"{event}, taken with an exit", exiting, "exits", exit_code=7)


@pytest.mark.parametrize("case", list(claims()), ids=lambda case: case.name)
def test_a_claim_about_an_ending(case: ClaimCase, outcome: Outcome) -> None:
    assert outcome.verdict == case.verdict, outcome
    if case.exit_code is not None:
        assert outcome.exit_code == case.exit_code, outcome


@pytest.mark.parametrize(
    "case", [case for case in claims() if case.finding is not None], ids=lambda case: case.name
)
def test_the_rule_says_so(case: ClaimCase, tmp_path: Path) -> None:
    assert isinstance(case.program, str)
    (tmp_path / "server.mjs").write_text(case.program, "utf-8")
    sdk, version = VERSIONS[case.sdk]
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {sdk: version}}), "utf-8")
    assert [one.finding.code for one in lint([tmp_path]).findings] == ([case.finding] if case.finding else [])


# ---------------------------------------------------------------------------- what else can be seen


@contextmanager
def served(
    program: str | Path, folder: Path, variables: Mapping[str, str] | None = None, sdk: str = "v1"
) -> Iterator[Server]:
    """A program that has been greeted."""
    environment = ENVIRONMENTS[sdk]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    entry = lay_out(program, folder, environment)
    command = [str(environment.program), *(["--import", "tsx"] if entry.endswith("ts") else []), entry]
    with Server(command, folder, variables or {}) as server:
        server.greet()
        yield server


class Channel:
    """A named pipe by which a program says that it has come to some point."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        # Held open by ourselves, too: a reader without a writer would see an end.
        self._writer = os.open(path, os.O_WRONLY)

    def hear(self) -> str:
        """The next word."""
        ready, _, _ = select.select([self._descriptor], [], [], READY_WITHIN)
        assert ready, "nothing was said"
        return os.read(self._descriptor, 4096).decode()

    def close(self) -> None:
        os.close(self._writer)
        os.close(self._descriptor)


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Channel]:
    found = Channel(tmp_path / "channel")
    yield found
    found.close()


SAY = 'import { appendFileSync } from "node:fs";\nconst say = (word) => appendFileSync("channel", word);\n'


def start(program: str, folder: Path) -> subprocess.Popen[bytes]:
    """A program whose stderr is a pipe of the client, too."""
    environment = ENVIRONMENTS["v1"]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    entry = lay_out(program, folder, environment)
    return subprocess.Popen(
        [str(environment.program), entry],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def leave(process: subprocess.Popen[bytes]) -> None:
    """What a client that dies does: nothing but that its ends of the pipes are gone."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe
        pipe.close()


CRASH_HANDLER = (
    SAY
    + """
let runs = 0;
let first;
setInterval(() => console.error("a line of the log"), 50);
process.on("uncaughtException", (error) => {
  first ??= performance.now();
  if (++runs === 500) say(String(Math.round(500_000 / (performance.now() - first))));
  console.error(error);
  AFTER
});
say("ready");
"""
)


def test_a_crash_handler_that_writes_to_a_closed_stderr_runs_again_and_again(
    tmp_path: Path, channel: Channel
) -> None:
    with start(source(CRASH_HANDLER.replace("AFTER", "")), tmp_path) as process:
        try:
            assert channel.hear() == "ready"
            leave(process)
            # The timer alone would run it twenty times a second.
            assert int(channel.hear()) > 100
            process.send_signal(signal.SIGTERM)
            assert process.wait(READY_WITHIN) == -signal.SIGTERM
        finally:
            process.kill()


HEARD = "process.stderr.on('error', () => say(String(runs)));"


def test_a_failed_write_that_is_listened_for_calls_no_crash_handler(tmp_path: Path, channel: Channel) -> None:
    with start(source(CRASH_HANDLER.replace("AFTER", "") + HEARD), tmp_path) as process:
        try:
            assert channel.hear() == "ready"
            leave(process)
            # Of many failed writes none has run it.
            assert set("".join(channel.hear() for _ in range(3))) == {"0"}
        finally:
            process.kill()


@pytest.mark.parametrize("after", ["process.exit(1);", 'if (error.code === "EPIPE") process.exit(1);'])
def test_a_crash_handler_that_exits_runs_once(tmp_path: Path, channel: Channel, after: str) -> None:
    with start(source(CRASH_HANDLER.replace("AFTER", after)), tmp_path) as process:
        assert channel.hear() == "ready"
        leave(process)
        assert process.wait(READY_WITHIN) == 1


@pytest.mark.parametrize(
    ("name", "ending", "left"),
    [
        ("lock-file", "close_pipes", True),
        ("lock-file", "sigterm", False),
        ("lock-file-fixed", "close_pipes", False),
        ("lock-file-fixed", "sigterm", False),
    ],
)
def test_cleanup_of_signals_is_skipped_at_the_end_of_stdin(
    tmp_path: Path, name: str, ending: Ending, left: bool
) -> None:
    with served(WILD / name, tmp_path, {"BRAIN_LOCK": "lock"}) as server:
        assert (tmp_path / "lock").exists()
        assert server.end(ending).verdict == "exits"
        assert (tmp_path / "lock").exists() == left


SPAWN = 'import { spawn } from "node:child_process";\nconst child = CALL;\nchild.unref();\nprocess.stdin.on("end", () => process.exit(0));\n'
CHILDREN = {
    "nobody ends it, stdin ends": ('spawn("sleep", ["90"], { stdio: "ignore" })', "", "close_pipes", True),
    "nobody ends it, SIGTERM": ('spawn("sleep", ["90"], { stdio: "ignore" })', "", "sigterm", True),
    "killed at the exit, stdin ends": (
        'spawn("sleep", ["90"], { stdio: "ignore" })', 'process.on("exit", () => child.kill());', "close_pipes", False,
    ),
    "killed at the exit, SIGTERM without a handler": (
        'spawn("sleep", ["90"], { stdio: "ignore" })', 'process.on("exit", () => child.kill());', "sigterm", True,
    ),
    "killed at the exit, SIGTERM with a handler": (
        'spawn("sleep", ["90"], { stdio: "ignore" })',
        'process.on("exit", () => child.kill());\nprocess.on("SIGTERM", () => process.exit(0));',
        "sigterm",
        False,
    ),
    "reads a pipe of ours": ('spawn("cat", [], { stdio: ["pipe", "ignore", "ignore"] })', "", "close_pipes", False),
    "killed behind a shell": (
        'spawn("sleep 90; exit", { shell: true, stdio: "ignore" })',
        'process.on("exit", () => child.kill());',
        "close_pipes",
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "more", "ending", "left"), CHILDREN.values(), ids=CHILDREN)
def test_which_children_are_left(tmp_path: Path, call: str, more: str, ending: Ending, left: bool) -> None:
    with served(source(SPAWN.replace("CALL", call) + more), tmp_path) as server:
        assert server.end(ending).verdict == "exits"
        # What is killed, or has seen its end, may need a moment to go; what was left stays.
        assert server.left_behind(0.5 if left else 10.0) == (["sleep 90"] if left else [])


@pytest.mark.parametrize("ending", ["close_pipes", "sigterm"])
def test_a_detached_child_goes_on(tmp_path: Path, ending: Ending) -> None:
    body = SPAWN.replace("CALL", 'spawn("sleep", ["90"], { stdio: "ignore", detached: true })')
    body += 'import { writeFileSync } from "node:fs";\nwriteFileSync("pid", String(child.pid));\n'
    with served(source(body), tmp_path) as server:
        assert server.end(ending).verdict == "exits"
        child = int((tmp_path / "pid").read_text())
        try:
            assert Path(f"/proc/{child}/cmdline").read_bytes() == b"sleep\x0090\x00"
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


BLOCKING = {
    "execSync": ('import { execSync } from "node:child_process";', 'execSync("cat < held");'),
    "execFileSync": ('import { execFileSync } from "node:child_process";', 'execFileSync("cat", ["held"]);'),
    "spawnSync": ('import { spawnSync } from "node:child_process";', 'spawnSync("cat", ["held"]);'),
    "Atomics.wait": ("", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"),
}
PATIENT = {
    "exec": (
        'import { exec } from "node:child_process";',
        'await new Promise((r) => exec("cat < held", r));',
    ),
}
TOOL = """IMPORTS
mcp.registerTool("work", {}, async () => {
  say("working");
  CALL
  return { content: [] };
});
process.stdin.on("end", () => process.exit(0));
"""
ON_SIGTERM = 'process.on("SIGTERM", () => process.exit(0));\n'


@contextmanager
def working(tmp_path: Path, channel: Channel, call: tuple[str, str], more: str = "") -> Iterator[Server]:
    """A server in the middle of a tool call."""
    os.mkfifo(tmp_path / "held")
    body = SAY + TOOL.replace("IMPORTS", call[0]).replace("CALL", call[1]) + more
    with served(source(body), tmp_path) as server:
        server.send(CALL_OF_TOOL)
        assert channel.hear() == "working"
        yield server


CALL_OF_TOOL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "work", "arguments": {}},
}


@pytest.mark.parametrize("call", BLOCKING.values(), ids=BLOCKING)
def test_a_blocking_tool_sees_neither_the_end_nor_a_signal(
    tmp_path: Path, channel: Channel, call: tuple[str, str]
) -> None:
    with working(tmp_path, channel, call, ON_SIGTERM) as server:
        outcome = server.end("close_pipes", escalate=True)
        assert (outcome.verdict, outcome.sigterm) == ("survives", "survives")


def test_a_blocking_tool_dies_of_a_signal_without_a_handler(tmp_path: Path, channel: Channel) -> None:
    with working(tmp_path, channel, BLOCKING["spawnSync"]) as server:
        assert server.end("sigterm").verdict == "exits"


def test_a_limit_ends_the_command_and_with_it_the_process(tmp_path: Path, channel: Channel) -> None:
    limited = (BLOCKING["execSync"][0], 'try { execSync("cat < held", { timeout: 500 }); } catch {}')
    with working(tmp_path, channel, limited) as server:
        assert server.end("close_pipes").verdict == "exits"


@pytest.mark.parametrize("ending", ["close_pipes", "sigterm"])
def test_a_tool_that_waits_without_blocking_ends(tmp_path: Path, channel: Channel, ending: Ending) -> None:
    with working(tmp_path, channel, PATIENT["exec"], ON_SIGTERM) as server:
        assert server.end(ending).verdict == "exits"
