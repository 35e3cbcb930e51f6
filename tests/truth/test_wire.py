"""What gets on the wire of real servers, line by line, is what mcplint says.

Each program has writes whose texts say where they stand: ``at N`` for line N. Whatever a client reads that
is no message is compared with the writes that mcplint claims to reach it.
"""

from __future__ import annotations

import json
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mcplint.api import lint

from .cases import link_packages
from .client import OPENING, READY, TOOLS
from .harness import READY_WITHIN
from .install import ENVIRONMENTS, missing, prepare
from .test_claims import Channel

pytestmark = pytest.mark.truth

MESSAGES: list[dict[str, Any]] = [
    OPENING,
    READY,
    TOOLS,
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "hello", "arguments": {}}},
]


@dataclass(frozen=True)
class Heard:
    """What a client has read: the numbers of the replies, and every line that is no message."""

    replies: frozenset[int]
    noise: tuple[str, ...]


LAST: dict[str, Any] = {"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": {}}


def listen(
    command: list[str], folder: Path, variables: Mapping[str, str], word: Callable[[], None] | None = None
) -> Heard:
    """Start a server, ask it for everything, close its stdin, and read its stdout to the end.

    With ``word``: wait for that after the call of the tool, and then ask once more.
    """
    stderr = (folder / "stderr.txt").open("wb")
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), **variables},
    ) as server:
        assert server.stdin
        assert server.stdout
        try:
            text = b""
            for message in MESSAGES if word is None else (*MESSAGES, LAST):
                server.stdin.write(json.dumps(message).encode() + b"\n")
                server.stdin.flush()
                if word is not None and message is MESSAGES[-1]:
                    word()
                elif "id" in message and message is not LAST:
                    text += _until_quiet_or_answered(server, text, message["id"])
            server.stdin.close()
            text += _to_the_end(server)
        finally:
            server.send_signal(signal.SIGKILL)
    stderr.close()
    return heard(text)


def _until_quiet_or_answered(server: subprocess.Popen[bytes], before: bytes, number: int) -> bytes:
    """Read until a reply with that number, or what may be one that was spoilt."""
    assert server.stdout
    read = b""
    mark = f'"id":{number}'.encode()
    deadline = time.monotonic() + READY_WITHIN
    while mark not in (before + read).replace(b" ", b"") or not read.endswith(b"\n"):
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, deadline - time.monotonic()))
        chunk = server.stdout.read1(65536) if ready else b""  # type: ignore[attr-defined]
        assert chunk, f"no answer to {number}: {read!r}"
        read += chunk
    return read


def _to_the_end(server: subprocess.Popen[bytes]) -> bytes:
    assert server.stdout
    read = b""
    deadline = time.monotonic() + READY_WITHIN
    while True:
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, "stdout stays open"
        chunk = server.stdout.read1(65536)  # type: ignore[attr-defined]
        if not chunk:
            return read
        read += chunk


def heard(text: bytes) -> Heard:
    """Sort what was read into replies and noise; a line that is glued to another is noise."""
    replies: set[int] = set()
    noise: list[str] = []
    for line in text.decode("utf-8", "replace").split("\n"):
        try:
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
        except (ValueError, TypeError, KeyError, AssertionError):
            if line:
                noise.append(line)
        else:
            if isinstance(message.get("id"), int):
                replies.add(message["id"])
    return Heard(frozenset(replies), tuple(noise))


@dataclass(frozen=True)
class Program:
    """A program on one SDK, with writes that say on which line they stand."""

    name: str
    sdk: str
    source: str
    files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_python(self) -> bool:
        return ENVIRONMENTS[self.sdk].runtime == "python"

    @property
    def entry(self) -> str:
        return "server.py" if self.is_python else "server.mjs"


MANIFESTS = {
    "v1-30": ("package.json", '{"dependencies": {"@modelcontextprotocol/sdk": "1.30.0"}}'),
    "v1": ("package.json", '{"dependencies": {"@modelcontextprotocol/sdk": "1.32.2"}}'),
    "v2": ("package.json", '{"dependencies": {"@modelcontextprotocol/server": "2.4.0"}}'),
    "mcp1": ("requirements.txt", "mcp==1.30.0\n"),
    "mcp2": ("requirements.txt", "mcp==2.3.0\n"),
}


def numbered(source: str) -> str:
    """Write each line's number where it says ``HERE``."""
    return "\n".join(
        line.replace("HERE", f"at {number}") for number, line in enumerate(source.split("\n"), 1)
    )


def server_v1(before: str = "", tool: str = "", after: str = "", head: str = "") -> str:
    """A server on the first SDK for Node."""
    return numbered(
        f'{head}import {{ McpServer }} from "@modelcontextprotocol/sdk/server/mcp.js";\n'
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        'const mcp = new McpServer({ name: "wire", version: "1.0.0" });\n'
        f'{before}\nmcp.tool("hello", async () => {{\n{tool}\n  return {{ content: [] }};\n}});\n'
        f"await mcp.connect(new StdioServerTransport());\n{after}\n"
    )


def server_v2(before: str = "", tool: str = "", after: str = "") -> str:
    """A server on the second SDK for Node."""
    return numbered(
        'import { McpServer } from "@modelcontextprotocol/server";\n'
        'import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";\n'
        'const mcp = new McpServer({ name: "wire", version: "1.0.0" });\n'
        f'{before}\nmcp.registerTool("hello", {{}}, async () => {{\n{tool}\n  return {{ content: [] }};\n}});\n'
        f"await mcp.connect(new StdioServerTransport());\n{after}\n"
    )


SERVERS = {
    "mcp1": ("mcp.server.fastmcp", "FastMCP"),
    "mcp2": ("mcp.server.mcpserver", "MCPServer"),
}


def server_py(sdk: str, before: str = "", tool: str = "", after: str = "", lifespan: str = "") -> str:
    """A server on an SDK for Python."""
    module, name = SERVERS[sdk]
    body = "".join(f"    {line}\n" for line in tool.split("\n"))
    inside = "".join(f"    {line}\n" for line in lifespan.split("\n"))
    return numbered(
        "import contextlib, functools, logging, os, pprint, subprocess, sys, threading\n"
        f"from {module} import {name}\n@contextlib.asynccontextmanager\nasync def lifespan(app):\n{inside}"
        f'    yield {{}}\nmcp = {name}("wire", lifespan=lifespan)\n{before}\n@mcp.tool()\ndef hello() -> str:\n{body}'
        f'    return "hi"\nif __name__ == "__main__":\n    mcp.run()\n    {after}\n'
    )


NODE_BEFORE = """\
import { spawnSync } from "node:child_process";
console.log("HERE");
console.info("HERE");
console.error("never");
process.stdout.write("HERE\\n");
function say(text) { console.debug("HERE", text); }
say("a");
if (process.argv.includes("--help")) { console.log("never"); process.exit(0); }
if (process.env.WIRE_DEBUG) console.log("never");
process.stdin.on("end", () => { console.log("HERE"); process.exit(0); });"""
NODE_TOOL = """\
  console.table(["HERE"]);
  say("b");
  spawnSync("echo", ["HERE"], { stdio: "inherit" });
  spawnSync("echo", ["HERE"], { stdio: ["ignore", 1, "ignore"] });
  spawnSync("echo", ["never"]);
  spawnSync("echo", ["never"], { stdio: ["ignore", 2, 2] });"""
NODE_AFTER = 'console.log("HERE");'
NODE_SAFE = """\
console.log("HERE");
const write = process.stdout.write.bind(process.stdout);
console.log = (...args) => console.error(...args);
console.log("never");
console.info("HERE");
process.stdout.write = (chunk, ...rest) =>
  String(chunk).startsWith("{") ? write(chunk, ...rest) : process.stderr.write(chunk, ...rest);
console.info("never");"""
PY_BEFORE = """\
print("HERE")
sys.stdout.write("HERE\\n")
sys.stdout.flush()
os.write(1, b"HERE\\n")
pprint.pprint("HERE")
print("never", file=sys.stderr)
with contextlib.redirect_stdout(sys.stderr):
    print("never")
say = functools.partial(print, file=sys.stderr)
say("never")
logging.basicConfig(stream=sys.stdout)
logging.getLogger("late").warning("never")
early = logging.getLogger("early")
early.propagate = False
early.addHandler(logging.StreamHandler(sys.stdout)); early.warning("HERE")"""
PY_TOOL = """\
print("HERE")
early.warning("once more")
subprocess.run("echo HERE", shell=True, stdin=subprocess.DEVNULL)
os.system("echo HERE")
subprocess.run("echo never", shell=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)"""
PY_SAFE = """\
print("HERE", flush=True)
os.dup2(2, 1)
print("never", flush=True)"""

PROGRAMS = [
    *(Program(f"node-{sdk}", sdk, server_v1(NODE_BEFORE, NODE_TOOL, NODE_AFTER)) for sdk in ("v1-30", "v1")),
    Program("node-v2", "v2", server_v2(NODE_BEFORE, NODE_TOOL, NODE_AFTER)),
    Program("node-made-safe", "v1", server_v1(NODE_SAFE, '  console.log("never");')),
    Program(
        "node-imports-come-first",
        "v1",
        server_v1('console.log = console.error;\nconsole.log("never");', head='import "./late.mjs";\n'),
        {"late.mjs": 'console.log("late at 1");\n'},
    ),
    *(
        Program(
            f"python-{sdk}",
            sdk,
            server_py(sdk, PY_BEFORE, PY_TOOL, 'print("HERE")' if sdk == "mcp2" else "", 'print("HERE")'),
            variables={"PYTHONUNBUFFERED": "1"},
        )
        for sdk in ("mcp1", "mcp2")
    ),
]  # fmt: skip


def claimed(folder: Path) -> dict[tuple[str, int], bool]:
    """The writes of the server in a folder by their places, and whether each reaches the client."""
    (server,) = lint([folder]).servers
    found: dict[tuple[str, int], bool] = {}
    for write in server.writes:
        spot = write.first if write.first is not None else write.place
        found[spot.path.name, spot.begin.line] = write.reaches
    for one in server.sharing:
        if one.stdout:
            found[one.place.path.name, one.place.begin.line] = one.reaches
    return found


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.name)
def laid_out(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Program, Path]:
    program: Program = request.param
    environment = ENVIRONMENTS[program.sdk]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    name, text = MANIFESTS[program.sdk]
    for file, content in {program.entry: program.source, name: text, **program.files}.items():
        (tmp_path / file).write_text(content, "utf-8")
    return program, tmp_path


def test_what_a_client_reads_is_what_mcplint_says(laid_out: tuple[Program, Path]) -> None:
    program, folder = laid_out
    says = claimed(folder)
    if not program.is_python:
        link_packages(ENVIRONMENTS[program.sdk], folder)
    got = listen([str(ENVIRONMENTS[program.sdk].program), program.entry], folder, program.variables)
    assert got.replies == {1, 2, 3}
    assert not [line for line in got.noise if "never" in line]
    lines = [re.search(r"(late )?at (\d+)", line) for line in got.noise]
    read = {("late.mjs" if m[1] else program.entry, int(m[2])) for m in lines if m}
    assert read == {place for place, reaches in says.items() if reaches}


@pytest.mark.parametrize("sdk", ["mcp1", "mcp2"])
def test_a_text_without_an_end_of_line_spoils_the_reply(tmp_path: Path, sdk: str) -> None:
    environment = ENVIRONMENTS[sdk]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    source = server_py(sdk, tool='print("working", end="", flush=True)')
    (tmp_path / "server.py").write_text(source, "utf-8")
    got = listen([str(environment.program), "server.py"], tmp_path, {})
    if sdk == "mcp1":
        assert 3 not in got.replies
        assert any(line.startswith('working{"jsonrpc"') for line in got.noise)
    else:
        assert (got.replies, got.noise) == ({1, 2, 3}, ())


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Channel]:
    found = Channel(tmp_path / "channel")
    yield found
    found.close()


def test_a_child_that_reads_takes_the_next_request(tmp_path: Path, channel: Channel) -> None:
    environment = ENVIRONMENTS["v1"]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    command = "echo ready > channel; head -c 5"
    tool = f'  spawnSync("sh", ["-c", "{command}"], {{ stdio: [0, 2, 2] }});'
    source = server_v1(tool=tool, head='import { spawnSync } from "node:child_process";\n')
    (tmp_path / "server.mjs").write_text(source, "utf-8")
    link_packages(environment, tmp_path)
    got = listen([str(environment.program), "server.mjs"], tmp_path, {}, lambda: _hear(channel))
    assert got.replies == {1, 2, 3}


def _hear(channel: Channel) -> None:
    assert channel.hear().strip() == "ready"


def test_a_child_of_a_server_that_diverts_reads_nothing(tmp_path: Path) -> None:
    environment = ENVIRONMENTS["mcp2"]
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    # It would wait for input that nobody sends.
    source = server_py("mcp2", tool='subprocess.run(["head", "-c", "5"], stdout=sys.stderr)')
    (tmp_path / "server.py").write_text(source, "utf-8")
    got = listen([str(environment.program), "server.py"], tmp_path, {})
    assert got.replies == {1, 2, 3}
