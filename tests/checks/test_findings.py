"""Findings: which, where, how sure, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import Options, lint
from tests.lifecycle.programs import (
    BEAT,
    LOOP,
    cases,
    found,
    marked,
    node,
    node2,
    package,
    place,
    python,
    report_of,
    write,
)

GAPS = {}
"""Cases that mcplint does not get right yet, and why."""

EXIT = 'process.on("SIGTERM", () => process.exit(0));'

# ---------------------------------------------------------------------------- where a finding stands

PLACES: dict[str, tuple[dict[str, str]]] = {
    "connect": ({"index.mjs": node(BEAT, connect="await server.connect(transport); // MCP101")},),
    "connect of a promise": (
        {
            "index.mjs": node(
                BEAT, connect="server.connect(transport).catch(() => process.exit(1)); // MCP101"
            )
        },
    ),
    "connect over several lines": (
        {"index.mjs": node(BEAT, connect="await server // MCP101\n  .connect(transport)\n;")},
    ),
    "connect in another file": (
        {
            "package.json": package(bin="cli.mjs"),
            "cli.mjs": f'import {{ main }} from "./server.mjs";\n{BEAT}main();\n',
            "server.mjs": node(
                connect="export async function main() {\n  await server.connect(transport); // MCP101\n}"
            ),
        },
    ),
    "serveStdio": (
        {
            "package.json": package("@modelcontextprotocol/server", "2.4.0"),
            "index.mjs": 'import { McpServer } from "@modelcontextprotocol/server";\n'
            'import { serveStdio } from "@modelcontextprotocol/server/stdio";\n'
            f'{BEAT}serveStdio(() => new McpServer({{ name: "t", version: "1" }})); // MCP101\n',
        },
    ),
    "run": (
        {"server.py": python(LOOP + "threading.Thread(target=work).start()", serve="mcp.run()  # MCP101")},
    ),
    "run of stdio_server": (
        {
            "server.py": "import asyncio, threading, time\nfrom mcp.server import Server\n"
            f"from mcp.server.stdio import stdio_server\nserver = Server('t')\n{LOOP}"
            "threading.Thread(target=work).start()\nasync def main():\n"
            "    async with stdio_server() as (r, w):\n        await server.run(r, w, None)  # MCP101\n"
            "asyncio.run(main())\n"
        },
    ),
    "SIGTERM": ({"index.mjs": node('process.on("SIGTERM", () => {}); // MCP201')},),
    "SIGTERM in another file": (
        {
            "src/index.ts": node('import { install } from "./life.js"; install();'),
            "src/life.ts": 'export function install(): void {\n  process.once("SIGTERM", () => {}); // MCP201\n}\n',
        },
    ),
    "both signals apart": (
        {
            "index.mjs": node(
                'process.on("SIGTERM", () => {}); // MCP201\nprocess.on("SIGINT", () => {}); // MCP201'
            )
        },
    ),
    "both signals at once": (
        {"index.mjs": node('for (const s of ["SIGTERM", "SIGINT"])\n  process.on(s, () => {}); // MCP201')},
    ),
    "only SIGINT": ({"index.mjs": node('process.on("SIGINT", () => {}); // MCP201\n' + EXIT)},),
    "signal.signal": (
        {"server.py": python("def stop(s, f):\n    pass\nsignal.signal(signal.SIGTERM, stop)  # MCP201")},
    ),
    "signal.signal twice": (
        {
            "server.py": python(
                "def stop(s, f):\n    pass\nsignal.signal(signal.SIGTERM, stop)  # MCP201\n"
                "signal.signal(signal.SIGINT, stop)  # MCP201"
            )
        },
    ),
    "both faults": (
        {
            "index.mjs": node(
                BEAT + 'process.on("SIGTERM", () => {}); // MCP201',
                connect="await server.connect(transport); // MCP101",
            )
        },
    ),
    "a listener that does nothing": (
        {
            "index.mjs": node(
                BEAT + 'process.stdin.on("end", () => {}); // MCP102',
            )
        },
    ),
    "two servers": (
        {
            "package.json": package(bin={"a": "a.mjs", "b": "b.mjs"}),
            "a.mjs": node(BEAT, connect="await server.connect(transport); // MCP101"),
            "b.mjs": node('process.on("SIGTERM", () => {}); // MCP201'),
        },
    ),
    "clean": ({"index.mjs": node()},),
    "clean with everything": (
        {
            "index.mjs": node(
                BEAT + EXIT + '\nprocess.stdin.on("end", () => process.exit(0));\n'
                'process.stdin.on("close", () => process.exit(0));'
            )
        },
    ),
    "clean in Python": ({"server.py": python()},),
    "unknown is silent": (
        {"index.mjs": node(BEAT + 'import { onGone } from "x";\nprocess.stdin.on("end", onGone);')},
    ),
    "unknown signal is silent": (
        {"index.mjs": node('import { onTerm } from "x";\nprocess.on("SIGTERM", onTerm);')},
    ),
    "unknown thread is silent": (
        {"server.py": python("from x import work\nthreading.Thread(target=work).start()")},
    ),
}


@pytest.mark.parametrize("files", cases(PLACES, GAPS))
def test_where_findings_stand(tmp_path: Path, files: dict[str, str]) -> None:
    assert found(tmp_path, files) == marked(files)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff", "// \U0001d4b3 \u00fcn\u00ef\n", "\t"])
def test_places_survive_odd_text(tmp_path: Path, before: str, end: str) -> None:
    text = before + node(BEAT)
    (tmp_path / "package.json").write_text(package())
    (tmp_path / "index.mjs").write_bytes(text.replace("\n", end).encode())
    (one,) = lint([tmp_path]).findings
    line = text.splitlines()[one.finding.place.begin.line - 1]
    assert line.startswith("await server.connect(")
    assert line[one.finding.place.begin.column - 1 :].startswith("server.connect")


# ---------------------------------------------------------------------------- what a finding says


def one_finding(root: Path, files: dict[str, str]) -> tuple[str, str, str, str, str, set[str]]:
    (reported,) = report_of(root, files).findings
    finding = reported.finding
    related = {place(root, r.place) for r in finding.related}
    return finding.code, finding.severity, finding.confidence, finding.when, finding.message, related


def test_outlives_client_names_its_holder(tmp_path: Path) -> None:
    files = {
        "src/index.ts": node('import { cache } from "./cache.js"; void cache;'),
        "src/cache.ts": "export class Cache {\n  constructor() {\n    setInterval(() => {}, 1000);\n  }\n}\n"
        "export const cache = new Cache();\n",
    }
    code, severity, confidence, when, message, related = one_finding(tmp_path, files)
    assert (code, severity, confidence, when) == ("MCP101", "error", "high", "start")
    assert "`setInterval` in " in message
    assert "cache.ts:3" in message
    assert related == {"src/cache.ts:3"}
    assert not message.endswith(".")


def test_a_handler_that_does_not_help_is_named_with_what_holds(tmp_path: Path) -> None:
    text = node(BEAT + 'function onEnd() {\n  console.error(1);\n}\nprocess.stdin.on("end", onEnd);')
    code, *_, message, related = one_finding(tmp_path, {"index.mjs": text})
    assert code == "MCP102"
    assert "`onEnd`" in message
    lines = text.splitlines()
    words = ("setInterval", "function onEnd", "server.connect")
    assert related == {f"index.mjs:{n}" for n, line in enumerate(lines, 1) if any(w in line for w in words)}


def test_outlives_client_after_a_call_is_a_warning(tmp_path: Path) -> None:
    text = node('server.tool("t", async () => { setInterval(() => {}, 9); return {}; });')
    code, severity, _, when, message, _ = one_finding(tmp_path, {"index.mjs": text})
    assert (code, severity, when) == ("MCP101", "warning", "call")
    assert "call" in message


def test_a_holder_from_the_start_speaks_before_one_of_a_call(tmp_path: Path) -> None:
    text = node(BEAT + 'server.tool("t", async () => { setInterval(() => {}, 9); return {}; });')
    assert one_finding(tmp_path, {"index.mjs": text})[3] == "start"


def test_outlives_client_of_an_sdk_that_is_stuck(tmp_path: Path) -> None:
    files = {"server.py": python(), "requirements.txt": "mcp==1.7.0\n"}
    code, severity, _, when, message, _ = one_finding(tmp_path, files)
    assert (code, severity, when) == ("MCP101", "error", "start")
    assert "1.7.0" in message


def test_python_thread_is_named(tmp_path: Path) -> None:
    files = {"server.py": python(LOOP + "threading.Thread(target=work).start()")}
    message = one_finding(tmp_path, files)[4]
    assert "non-daemon thread" in message


SAYS = {
    "SIGTERM": ('process.on("SIGTERM", () => {});', ("SIGTERM", "SIGKILL"), ("SIGINT",), "error"),
    "SIGINT": ('process.on("SIGINT", () => {});', ("SIGINT",), ("SIGTERM", "SIGKILL"), "error"),
    "both": (
        'for (const s of ["SIGTERM", "SIGINT"]) process.on(s, () => {});',
        ("SIGTERM", "SIGINT"),
        (),
        "error",
    ),
    "named": ('function tidyUp() {}\nprocess.on("SIGTERM", tidyUp);', ("`tidyUp`",), (), "error"),
    "named behind a wrapper": (
        'async function tidyUp(why) { console.error(why); }\nprocess.on("SIGTERM", () => void tidyUp("term"));',
        ("`tidyUp`",),
        (),
        "error",
    ),
}


@pytest.mark.parametrize(("body", "words", "others", "severity"), cases(SAYS, GAPS))
def test_signal_findings_name_signal_and_handler(
    tmp_path: Path, body: str, words: tuple[str, ...], others: tuple[str, ...], severity: str
) -> None:
    code, found_severity, _, when, message, _ = one_finding(tmp_path, {"index.mjs": node(body)})
    assert (code, found_severity, when) == ("MCP201", severity, "start")
    assert all(word in message for word in words)
    assert not any(word in message for word in others)


UNWINDS = {
    "sys.exit": ("sys.exit(0)", "warning"),
    "raise SystemExit": ("raise SystemExit(0)", "warning"),
    "raise KeyboardInterrupt": ("raise KeyboardInterrupt", "warning"),
    "pass": ("pass", "error"),
    "flag": ("stop.gone = True", "error"),
}


@pytest.mark.parametrize(("line", "severity"), cases(UNWINDS, GAPS))
def test_a_python_handler_that_unwinds_is_a_warning_of_its_own(
    tmp_path: Path, line: str, severity: str
) -> None:
    files = {"server.py": python(f"def stop(s, f):\n    {line}\nsignal.signal(signal.SIGTERM, stop)")}
    code, found_severity, _, _, message, related = one_finding(tmp_path, files)
    assert (code, found_severity) == ("MCP201", severity)
    assert ("stdin" in message) == (severity == "warning")
    assert related == {"server.py:4"}


# ---------------------------------------------------------------------------- unguarded shutdown

HOOKS = (
    'process.stdin.on("end", () => shutdown());\nprocess.stdin.on("close", () => shutdown());\n'
    'process.on("SIGTERM", () => shutdown());'
)
SHUTDOWNS = {
    "plain": ("async function shutdown() { await flush(); process.exit(0); }", True),
    "fetch": ("async function shutdown() { await fetch('http://x'); process.exit(0); }", True),
    "a promise that is handed on": (
        "const send = () => fetch('http://x'); async function shutdown() { await send(); process.exit(0); }",
        True,
    ),
    "arrow": ("const shutdown = async () => { await flush(); process.exit(0); };", True),
    "try finally": (
        "async function shutdown() { try { await flush(); } finally { process.exit(0); } }",
        True,
    ),
    "then": ("function shutdown() { flush().then(() => process.exit(0)); }", True),
    "pool end": (
        'import pg from "pg";\nconst pool = new pg.Pool();\n'
        "async function shutdown() { await pool.end(); await flush(); process.exit(0); }",
        True,
    ),
    "a variable that guards nothing": (
        "let n = 0; async function shutdown() { n = 1; await flush(); process.exit(n); }",
        True,
    ),
    "a guard behind the wait": (
        "let done = false; async function shutdown() { await flush(); if (done) return; done = true; process.exit(0); }",
        True,
    ),
    "a flag never set": (
        "let done = false; async function shutdown() { if (done) return; await flush(); process.exit(0); }",
        True,
    ),
    "a flag set behind the wait": (
        "let done = false;\n"
        "async function shutdown() { if (done) return; await flush(); done = true; process.exit(0); }",
        True,
    ),
    "sync": ("function shutdown() { process.exit(0); }", False),
    "sync with a release": ("function shutdown() { clearInterval(beat); process.exit(0); }", False),
    "only the server's close": (
        "async function shutdown() { await server.close(); process.exit(0); }",
        False,
    ),
    "flag": (
        "let done = false; async function shutdown() { if (done) return; done = true; await flush(); process.exit(0); }",
        False,
    ),
    "flag around": (
        "let done = false; async function shutdown() { if (!done) { done = true; await flush(); process.exit(0); } }",
        False,
    ),
    "flag, with a word": (
        "let done = false; async function shutdown() { if (done) { console.error('again'); return; }\n"
        "  done = true; await flush(); process.exit(0); }",
        False,
    ),
    "flag, forced the second time": (
        "let done = false; async function shutdown() { if (done) process.exit(1);\n"
        "  done = true; await flush(); process.exit(0); }",
        False,
    ),
    "set": (
        "const seen = new Set(); async function shutdown() { if (seen.has(1)) return; seen.add(1);\n"
        "  await flush(); process.exit(0); }",
        False,
    ),
    "state": (
        "let state = 'up'; async function shutdown() { if (state !== 'up') return; state = 'down';\n"
        "  await flush(); process.exit(0); }",
        False,
    ),
    "counter": (
        "let n = 0; async function shutdown() { if (n++ > 0) return; await flush(); process.exit(0); }",
        False,
    ),
    "memoised": (
        "let p; function shutdown() { return (p ??= (async () => { await flush(); process.exit(0); })()); }",
        False,
    ),
    "memoised by if": (
        "let p; function shutdown() { if (!p) { p = (async () => { await flush(); process.exit(0); })(); } return p; }",
        False,
    ),
    "memoised by or": (
        "let p; const work = async () => { await flush(); process.exit(0); };\n"
        "const shutdown = () => p || (p = work());",
        False,
    ),
    "lodash once": (
        'import once from "lodash.once"; const shutdown = once(async () => { await flush(); process.exit(0); });',
        False,
    ),
    "listeners removed": (
        "async function shutdown() { process.stdin.removeAllListeners(); process.removeAllListeners();\n"
        "  await flush(); process.exit(0); }",
        False,
    ),
    "an unknown function": ('import { shutdown } from "some-lifecycle";', False),
}


@pytest.mark.parametrize(("text", "reported"), cases(SHUTDOWNS, GAPS))
def test_unguarded_shutdown(tmp_path: Path, text: str, reported: bool) -> None:
    flush = "async function flush() { await fetch('http://127.0.0.1:1/'); }\n"
    files = {"index.mjs": node(f"{BEAT}{flush}{text}\n{HOOKS}")}
    assert any(f.startswith("MCP301") for f in found(tmp_path, files)) == reported


TRIGGERS = {
    "end and close": ('process.stdin.on("end", S); process.stdin.on("close", S);', True),
    "end and SIGTERM": ('process.stdin.on("end", S); process.on("SIGTERM", S);', True),
    "two signals": ('process.on("SIGTERM", S); process.on("SIGINT", S);', True),
    "end alone": ('process.stdin.on("end", S);', False),
    "SIGTERM alone": ('process.on("SIGTERM", S);', False),
    "end and crash": ('process.stdin.on("end", S); process.on("uncaughtException", S);', False),
    "each its own": (
        'process.stdin.on("end", S); process.on("SIGTERM", async () => { await fetch("http://y"); process.exit(0); });',
        False,
    ),
}


@pytest.mark.parametrize(("hooks", "reported"), cases(TRIGGERS, GAPS))
@pytest.mark.parametrize("spelling", ["shutdown", "() => shutdown()", "shutdown.bind(null)"])
def test_which_triggers_meet(tmp_path: Path, spelling: str, hooks: str, reported: bool) -> None:
    text = "async function shutdown() { await fetch('http://x'); process.exit(0); }\n"
    files = {"index.mjs": node(BEAT + text + hooks.replace("S)", f"{spelling})"))}
    assert any(f.startswith("MCP301") for f in found(tmp_path, files)) == reported


def test_unguarded_shutdown_needs_something_alive_beside_it(tmp_path: Path) -> None:
    text = f"async function shutdown() {{ await fetch('http://x'); process.exit(0); }}\n{HOOKS}"
    assert found(tmp_path / "nothing", {"index.mjs": node(text)}) == set()
    held = {"index.mjs": node(BEAT + text.replace("shutdown() {", "shutdown() { // MCP301\n", 1))}
    assert found(tmp_path / "held", held) == marked(held)


def test_unguarded_shutdown_in_a_class(tmp_path: Path) -> None:
    def files(guard: str) -> dict[str, str]:
        return {
            "index.ts": node(
                BEAT + "class App {\n  #done = false;\n  private done = false;\n"
                f"  async stop() {{ {guard} await fetch('http://x'); process.exit(0); }}\n"
                '  install() { process.stdin.on("end", () => this.stop()); process.on("SIGTERM", () => this.stop()); }\n'
                "}\nnew App().install();"
            )
        }

    assert {f[:6] for f in found(tmp_path / "bad", files(""))} == {"MCP301"}
    for field in ("done", "#done"):
        guard = f"if (this.{field}) return; this.{field} = true;"
        assert found(tmp_path / field.strip("#") / str(len(field)), files(guard)) == set()


def test_unguarded_shutdown_by_onclose(tmp_path: Path) -> None:
    body = (
        f"{BEAT}async function shutdown() {{ await fetch('http://x'); process.exit(0); }}\n"
        "server.server.onclose = shutdown;\nprocess.on('SIGTERM', shutdown);"
    )
    for version, reported in (("2.4.0", True), ("2.0.0", False)):
        files = {"index.mjs": node2(body), "package.json": package("@modelcontextprotocol/server", version)}
        assert any(f.startswith("MCP301") for f in found(tmp_path / version, files)) == reported


# ---------------------------------------------------------------------------- choosing

BOTH = {"index.mjs": node(BEAT + 'process.on("SIGTERM", () => {});')}


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (Options(), ["MCP101", "MCP201"]),
        (Options(select=("MCP1",)), ["MCP101"]),
        (Options(select=("MCP201",)), ["MCP201"]),
        (Options(ignore=("MCP1",)), ["MCP201"]),
        (Options(select=("MCP1",), extend_select=("MCP2",)), ["MCP101", "MCP201"]),
        (Options(select=("MCP",), ignore=("MCP101", "MCP201")), []),
    ],
    ids=["default", "prefix", "code", "ignore", "extend", "none left"],
)
def test_selected_rules(tmp_path: Path, options: Options, codes: list[str]) -> None:
    write(tmp_path, BOTH)
    assert sorted(r.finding.code for r in lint([tmp_path], options).findings) == codes


def test_an_assumed_version_counts_where_none_is_known(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"index.mjs": node2(BEAT + "server.server.onclose = () => process.exit(0);"), "package.json": "{}"},
    )
    old = Options(assume={"@modelcontextprotocol/server": "2.0.0"})
    new = Options(assume={"@modelcontextprotocol/server": "2.4.0"})
    assert [r.finding.code for r in lint([tmp_path], old).findings] == ["MCP103"]
    assert lint([tmp_path], new).findings == ()


def test_the_same_project_gives_the_same_findings_in_the_same_order(tmp_path: Path) -> None:
    files = {
        "package.json": package(bin={"a": "a.mjs", "b": "b.mjs"}),
        "a.mjs": node(BEAT),
        "b.mjs": node(BEAT + 'process.on("SIGINT", () => {});'),
    }
    write(tmp_path, files)
    first = [r.finding for r in lint([tmp_path]).findings]
    assert first == [r.finding for r in lint([tmp_path]).findings]
    assert first == [r.finding for r in lint([tmp_path / "b.mjs", tmp_path / "a.mjs"]).findings]
    assert [f.place.path.name for f in first] == ["a.mjs", "b.mjs", "b.mjs"]
