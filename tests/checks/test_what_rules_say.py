"""What a finding says: how bad, how sure, when, where, beside what, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from mcplint.api import Options, lint
from tests.lifecycle.programs import BEAT, cases, node, node2, package, place, write


@dataclass(frozen=True)
class Says:
    """A program of which one rule speaks once, and what it says.

    ``@`` in the program marks the line of the finding, ``~`` those of its related places. The
    message holds each of ``words`` and none of ``others``.
    """

    code: str
    text: str
    severity: str
    confidence: str
    words: tuple[str, ...]
    others: tuple[str, ...] = ()
    when: str = "start"


END = 'process.stdin.on("end", () => process.exit(0));\n'
CONNECT = "await server.connect(transport); /*~*/"
TERM = 'process.on("SIGTERM", () => process.exit(0));\n'
HELD = BEAT.replace("\n", " /*~*/\n")
FS = 'import fs from "node:fs";\n'
FILES = 'import { unlink } from "node:fs/promises";\n'
CHILD = 'import { spawn } from "node:child_process";\n'
WEB = 'import http from "node:http";\nconst web = http.createServer().listen(0);\n'
SHELL = 'import { execSync } from "node:child_process";\n'


def one(body: str = "", after: str = "", connect: str = CONNECT) -> str:
    return node(body, after, connect)


SAID = {
    # ------------------------------------------------------------ the end of stdin
    "a named listener that logs": Says(
        "MCP102",
        one(HELD + 'function onEnd() { /*~*/ console.error("bye"); }\nprocess.stdin.on("end", onEnd); /*@*/'),
        "error",
        "high",
        ("stdin end is handled", "`onEnd` does not end the process", "`setInterval` in line"),
        ("stdin close", "never comes back"),
    ),
    "a listener that waits for ever": Says(
        "MCP102",
        one(HELD + 'process.stdin.on("close", async () => { await new Promise(() => {}); }); /*@~*/'),
        "error",
        "high",
        ("stdin close is handled", "the handler never comes back"),
    ),
    "a listener that is not enough after a call": Says(
        "MCP102",
        one(
            'server.tool("t", async () => {\n  setInterval(() => {}, 9); /*~*/\n  return {};\n});\n'
            'process.stdin.on("end", () => console.error(1)); /*@~*/'
        ),
        "warning",
        "medium",
        ("after a first call",),
        when="call",
    ),
    "an onclose of the first SDK": Says(
        "MCP103",
        one(HELD + "server.server.onclose = () => process.exit(0); /*@*/"),
        "error",
        "high",
        ("`@modelcontextprotocol/sdk` 1.30.0 does not call `onclose` when stdin ends", "`setInterval`"),
        ("after a first call",),
    ),
    "an onclose that only lets go": Says(
        "MCP103",
        one(HELD + "transport.onclose = () => clearInterval(beat); /*@*/"),
        "error",
        "high",
        ("does not call `onclose`",),
    ),
    "another way through the program": Says(
        "MCP106",
        one(
            HELD + "if (process.argv.includes('--web')) { /*~*/\n"
            f"  {END.strip()} /*@*/\n  listen();\n}} else await serve();\n"
            "function listen() {}\nasync function serve() {\n  " + CONNECT + "\n}",
            connect="",
        ),
        "error",
        "high",
        ("stdin end is handled on another path only", "`StdioServerTransport` serves", "`setInterval`"),
    ),
    "a condition": Says(
        "MCP106",
        one(FS + HELD + f"if (!fs.existsSync('/.dockerenv')) {{ /*~*/\n  {END.strip()} /*@*/\n}}"),
        "warning",
        "medium",
        ("stdin end is handled under a condition", "`setInterval`"),
    ),
    "the parent only": Says(
        "MCP106",
        one(
            HELD + "const parent = process.ppid;\nsetInterval(() => {\n"
            "  if (process.ppid !== parent) process.exit(0); /*@*/\n}, 99).unref();"
        ),
        "warning",
        "medium",
        ("only the death of the parent process is watched", "`setInterval`"),
    ),
    "the parent, asked when stdin ends": Says(
        "MCP106",
        one(
            HELD + "const parent = process.ppid;\nprocess.stdin.on('end', () => {\n"
            "  if (process.ppid === parent) return; /*@*/\n  process.exit(0);\n});"
        ),
        "warning",
        "medium",
        ("only the death of the parent process is watched",),
    ),
    "a command of the caller": Says(
        "MCP107",
        one(
            SHELL + 'server.tool("t", { c: {} }, async ({ c }) => {\n  execSync(c); /*@*/\n  return {};\n});'
        ),
        "warning",
        "medium",
        ("`execSync` in a tool blocks the whole server", "without a `timeout`"),
        when="call",
    ),
    "nothing at all": Says(
        "MCP901",
        one(connect="await server.connect(transport); /*@*/"),
        "warning",
        "high",
        ("nothing handles the end of stdin",),
    ),
    # ------------------------------------------------------------ crashes and cleanup
    "a rejection that is taken": Says(
        "MCP202",
        one('process.on("unhandledRejection", (why) => { console.error(why); }); /*@~*/'),
        "warning",
        "high",
        ("unhandledRejection no longer ends the process", "the handler takes it and goes on"),
        ("for ever", "uncaughtException"),
    ),
    "an exception that is taken in silence": Says(
        "MCP202",
        one('process.on("uncaughtException", () => {}); /*@~*/'),
        "warning",
        "high",
        ("uncaughtException no longer ends the process",),
        ("for ever",),
    ),
    "an exception that is logged": Says(
        "MCP202",
        one(
            "const log = {\n  error(e) {\n    process.stderr.write(String(e)); /*~*/\n  },\n};\n"
            'process.on("uncaughtException", (e) => { log.error(e); more(); }); /*@~*/\nfunction more() {}'
        ),
        "warning",
        "high",
        ("once the client is gone", "`process.stderr.write` fails and calls it again, for ever"),
    ),
    "both, by one function": Says(
        "MCP202",
        one(
            "function note(e) { /*~*/\n  console.error(e); /*~*/\n}\n"
            'process.on("uncaughtException", note); /*@*/\nprocess.on("unhandledRejection", note); /*~*/'
        ),
        "warning",
        "high",
        ("uncaughtException and unhandledRejection no longer end the process", "`note` takes them"),
    ),
    "a lock that signals let go of": Says(
        "MCP203",
        one(
            FS + "function stop() {\n  fs.unlinkSync('/tmp/l'); /*~*/\n  process.exit(0);\n}\n"
            'process.on("SIGTERM", stop); /*@*/\nprocess.on("SIGINT", stop); /*~*/'
        ),
        "warning",
        "medium",
        ("cleanup misses the ordinary end", "`fs.unlinkSync` in line", "at SIGTERM and SIGINT only"),
    ),
    # ------------------------------------------------------------ exits that may not come
    "a wait": Says(
        "MCP302",
        one(
            WEB + "function stop() {\n  web.close(() => process.exit(0)); /*@*/\n}\n"
            'process.stdin.on("end", stop); /*~*/\nprocess.on("SIGTERM", stop); /*~*/'
        ),
        "warning",
        "medium",
        ("the exit can hang", "`stop` exits only after `web.close`", "waits for every connection to end"),
    ),
    "a step that may be refused": Says(
        "MCP303",
        one(
            FILES + 'process.on("SIGTERM", async () => { /*~*/\n  try {\n    await unlink("x"); /*@*/\n'
            "    process.exit(0);\n  } catch {}\n});"
        ),
        "warning",
        "high",
        ("the exit is skipped when `unlink` fails", "at SIGTERM the handler"),
    ),
    "a step whose refusal somebody takes": Says(
        "MCP303",
        one(
            FILES + 'process.on("unhandledRejection", () => {}); /*~*/\n'
            'process.on("SIGTERM", async () => { /*~*/\n  await unlink("x"); /*@*/\n  process.exit(0);\n});'
        ),
        "warning",
        "high",
        ("the exit is skipped when `unlink` fails",),
    ),
    # ------------------------------------------------------------ children
    "a child": Says(
        "MCP304",
        one(CHILD + END + 'spawn("vite", [], { stdio: "ignore" }); /*@*/'),
        "warning",
        "medium",
        ("`spawn` starts a child process that nothing ends",),
    ),
    "a child that the process does not wait for": Says(
        "MCP304",
        one(CHILD + 'const child = spawn("vite", [], { stdio: "ignore" }); /*@*/\nchild.unref();'),
        "warning",
        "medium",
        ("that nothing ends",),
    ),
    "a daemon": Says(
        "MCP304",
        one(CHILD + 'spawn("vite", [], { stdio: "ignore", detached: true }).unref(); /*@*/'),
        "info",
        "medium",
        ("meant to outlive the server",),
    ),
    "a shell": Says(
        "MCP304",
        one(
            CHILD + END + 'const child = spawn("vite", { shell: true }); /*@*/\n'
            'process.on("exit", () => child.kill());'
        ),
        "warning",
        "medium",
        ("`spawn` starts its command in a shell", "ends the shell and not the command"),
    ),
}


def lines(text: str, mark: str) -> set[str]:
    """Where a mark stands, as places."""
    return {
        f"index.mjs:{number}"
        for number, line in enumerate(text.splitlines(), 1)
        for comment in line.split("/*")[1:]
        if mark in comment.split("*/")[0]
    }


@pytest.mark.parametrize("says", cases(SAID))
def test_what_a_finding_says(tmp_path: Path, says: Says) -> None:
    write(tmp_path, {"index.mjs": says.text})
    report = lint([tmp_path], Options(extend_select=(says.code,)))
    (finding,) = [r.finding for r in report.findings if r.finding.code == says.code]
    assert (finding.severity, finding.confidence, finding.when) == (says.severity, says.confidence, says.when)
    assert {place(tmp_path, finding.place)} == lines(says.text, "@")
    assert {place(tmp_path, r.place) for r in finding.related} == lines(says.text, "~")
    assert [word for word in says.words if word not in finding.message] == []
    assert [word for word in says.others if word in finding.message] == []
    assert not finding.message.endswith(".")


NEAR = {
    "MCP102, an exit": BEAT + END,
    "MCP102, what holds is let go of": BEAT + 'process.stdin.on("end", () => clearInterval(beat));',
    "MCP102, another listener exits": BEAT + 'process.stdin.on("end", () => {});\n' + END,
    "MCP103, a listener that closes": BEAT
    + 'server.server.onclose = () => process.exit(0);\nprocess.stdin.on("end", () => server.close());',
    "MCP103, nothing is held": "server.server.onclose = () => process.exit(0);",
    "MCP103, an onclose that does nothing": "server.server.onclose = () => {};",
    "MCP106, on both ways": BEAT + END + "if (process.argv.includes('--web')) console.error('web');",
    "MCP106, nothing is held": FS + f"if (!fs.existsSync('/.dockerenv')) {{ {END} }}",
    "MCP106, the parent and stdin": BEAT
    + END
    + "const parent = process.ppid;\nsetInterval(() => { if (process.ppid !== parent) process.exit(0); }, 99);",
    "MCP106, the parent is a word in the log": BEAT
    + "process.stdin.on('end', () => { console.error(process.ppid); process.exit(0); });",
    "MCP106, the parent is asked for and left": BEAT
    + "const parent = process.ppid;\nprocess.stdin.on('end', () => { process.exit(process.ppid === parent ? 0 : 1); });",
    "MCP107, a limit": SHELL
    + 'server.tool("t", { c: {} }, async ({ c }) => { execSync(c, { timeout: 9 }); return {}; });',
    "MCP107, before serving": SHELL + "execSync(process.argv[2]);",
    "MCP202, an exit": 'process.on("uncaughtException", (e) => { console.error(e); process.exit(1); });',
    "MCP202, an exit code and a throw": 'process.on("uncaughtException", (e) => { throw e; });',
    "MCP202, another listener exits": 'process.on("uncaughtException", (e) => { console.error(e); });\n'
    'process.on("uncaughtException", () => process.exit(1));',
    "MCP203, a timer": BEAT + END + 'process.on("SIGTERM", () => { clearInterval(beat); process.exit(0); });',
    "MCP203, at both": FS
    + 'function stop() { fs.unlinkSync("/tmp/l"); process.exit(0); }\nprocess.on("SIGTERM", stop);\n'
    'process.stdin.on("end", stop);',
    "MCP302, a deadline": WEB
    + 'process.stdin.on("end", () => { setTimeout(() => process.exit(0), 9).unref(); '
    "web.close(() => process.exit(0)); });",
    "MCP303, finally": FILES
    + 'process.on("SIGTERM", async () => { try { await unlink("x"); } finally { process.exit(0); } });',
    "MCP303, a failure ends it as well": FILES
    + 'process.on("SIGTERM", async () => { await unlink("x"); process.exit(0); });',
    "MCP304, killed": CHILD
    + END
    + 'const child = spawn("vite", [], { stdio: "ignore" });\nprocess.on("exit", () => child.kill());',
    "MCP304, killed though not waited for": CHILD
    + 'const child = spawn("vite", [], { stdio: "ignore" });\nchild.unref();\n'
    'process.on("exit", () => child.kill());',
    "MCP304, it reads a pipe of ours": CHILD + END + 'spawn("vite");',
    "MCP304, in a tool": CHILD
    + 'server.tool("t", async () => { spawn("open", [], { stdio: "ignore" }).unref(); return {}; });',
    "MCP901, a listener": END,
    "MCP901, something is held": BEAT,
}


@pytest.mark.parametrize(("name", "text"), NEAR.items(), ids=NEAR)
def test_a_near_miss_is_not_reported(tmp_path: Path, name: str, text: str) -> None:
    code = name.split(",")[0]
    write(tmp_path, {"index.mjs": node(text)})
    report = lint([tmp_path], Options(extend_select=(code,)))
    assert report.servers
    assert code not in {r.finding.code for r in report.findings}


def test_onclose_never_fires_says_whose_fault_it_is(tmp_path: Path) -> None:
    body = BEAT + "server.onclose = () => process.exit(0);"
    manifest = package("@modelcontextprotocol/server", "2.4.0")
    write(tmp_path, {"index.mjs": node2(body), "package.json": manifest})
    (reported,) = lint([tmp_path]).findings
    assert reported.finding.code == "MCP103"
    assert "`@modelcontextprotocol/server` does not call this `onclose`" in reported.finding.message


def test_eof_unhandled_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"index.mjs": node()})
    assert lint([tmp_path]).findings == ()
