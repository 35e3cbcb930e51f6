"""Programs that speak stdio or something else: only what stands on the stdio path counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lifecycle.programs import BEAT, cases, judge, node, package

GAPS: dict[str, str] = {
    "flag that a loop sets, asked twice": "two tests of a variable that is written twice are two decisions",
}
"""Cases that mcplint does not get right yet, and why."""

HTTP = 'import http from "node:http";\n'
LISTEN = "http.createServer(() => {}).listen(3000);"
CONNECT = "await server.connect(transport);"
EXIT = 'process.stdin.on("end", () => process.exit(0));'

# Each mode says where WEB and STDIO stand: the two things that the program can be started as.
MODES = {
    "flag": 'if (process.argv.includes("--http")) { WEB } else { STDIO }',
    "flag among the rest": 'const args = process.argv.slice(2);\nif (args.includes("--http")) { WEB } else { STDIO }',
    "flag that some is": 'const web = process.argv.some((a) => a === "--http");\nif (web) { WEB } else { STDIO }',
    "flag for stdio": 'if (process.argv.includes("--stdio")) { STDIO } else { WEB }',
    "sub-command": 'if (process.argv[2] === "serve") { WEB } else { STDIO }',
    "sub-command by pattern": 'const [, , command] = process.argv;\nif (command === "stdio") { STDIO } else { WEB }',
    "variable": 'if (process.env.TRANSPORT === "http") { WEB } else { STDIO }',
    "variable with a default": 'const mode = process.env.MODE || "stdio";\nif (mode === "stdio") { STDIO } else if (mode === "http") { WEB }',
    "switch": 'switch (process.argv[2] ?? "stdio") { case "http": WEB break; case "stdio": STDIO break; default: process.exit(1); }',
    "switch over functions": "async function web() { WEB }\nasync function stdio() { STDIO }\n"
    'switch (process.env.MODE) { case "http": await web(); break; default: await stdio(); }',
    "table": "const starters = { http: async () => { WEB }, stdio: async () => { STDIO } };\n"
    'await starters[process.argv[2] ?? "stdio"]();',
    "table, checked": "const starters = { http: async () => { WEB }, stdio: async () => { STDIO } };\n"
    'const start = starters[process.env.MODE || "stdio"];\nif (!start) process.exit(1);\nawait start();',
    "loop": 'let mode = "stdio";\nfor (const arg of process.argv.slice(2)) if (arg === "--http") mode = "http";\n'
    'if (mode === "http") { WEB } else { STDIO }',
    "loop in a function": "function parse(argv) {\n"
    '  const options = { mode: "stdio", port: 3000 };\n'
    "  for (let i = 0; i < argv.length; i++) {\n"
    '    if (argv[i] === "--http") options.mode = "http";\n'
    '    else if (argv[i] === "--port") options.port = Number(argv[++i]);\n  }\n  return options;\n}\n'
    'const options = parse(process.argv.slice(2));\nif (options.mode === "http") { WEB } else { STDIO }',
    "parseArgs": 'import { parseArgs } from "node:util";\n'
    'const { values } = parseArgs({ options: { http: { type: "boolean" } } });\nif (values.http) { WEB } else { STDIO }',
    "yargs": 'import yargs from "yargs";\nimport { hideBin } from "yargs/helpers";\n'
    'const argv = yargs(hideBin(process.argv)).option("http", { type: "boolean" }).parseSync();\n'
    "if (argv.http) { WEB } else { STDIO }",
    "commander": 'import { Command } from "commander";\nconst program = new Command();\n'
    'program.option("--http", "serve HTTP").parse();\nif (program.opts().http) { WEB } else { STDIO }',
    "commander, in its action": 'import { program } from "commander";\n'
    'program.option("--http", "serve HTTP").action(async (options) => { if (options.http) { WEB } else { STDIO } });\n'
    "program.parse();",
    "return": "async function main() { if (process.env.PORT) { WEB return; } STDIO }\nmain();",
    "terminal": "if (process.stdin.isTTY) { WEB } else { STDIO }",
    "flag that a loop sets, asked twice": "let web = false;\n"
    'for (const arg of process.argv.slice(2)) if (arg === "--http") web = true;\n'
    "if (web) { WEB }\nif (!web) { STDIO }",
}


def server(mode: str, web: str, stdio: str, hold: str = "") -> str:
    return node(HTTP + hold, connect=mode.replace("WEB", web).replace("STDIO", f"{stdio} {CONNECT}"))


@pytest.mark.parametrize("mode", cases(MODES, GAPS))
def test_what_the_other_mode_holds_does_not_count(tmp_path: Path, mode: str) -> None:
    assert judge(tmp_path / "held", server(mode, LISTEN, LISTEN)).stdin_eof.verdict == "survives"
    assert judge(tmp_path / "free", server(mode, LISTEN, "")).stdin_eof.verdict == "exits"


@pytest.mark.parametrize("mode", cases(MODES, GAPS))
def test_what_the_other_mode_listens_to_does_not_count(tmp_path: Path, mode: str) -> None:
    missed = server(mode, f"{EXIT} {LISTEN}", "", BEAT)
    assert judge(tmp_path / "missed", missed).stdin_eof.verdict == "survives"
    heard = server(mode, LISTEN, EXIT, BEAT)
    assert judge(tmp_path / "heard", heard).stdin_eof.verdict == "exits"


BOTH = {
    "at once": (f"{LISTEN}\n{CONNECT}", "survives"),
    "web on demand": (f"if (process.env.PORT) {{ {LISTEN} }}\n{CONNECT}", "unknown"),
    "web on a flag, and stdio in any case": (
        f'if (process.argv.includes("--http")) {{ {LISTEN} }}\n{CONNECT}',
        "unknown",
    ),
}


@pytest.mark.parametrize(("connect", "verdict"), cases(BOTH, GAPS))
def test_both_at_once_is_no_choice(tmp_path: Path, connect: str, verdict: str) -> None:
    assert judge(tmp_path, node(HTTP, connect=connect)).stdin_eof.verdict == verdict


IMPORTS = {
    "switch": 'switch (process.argv[2] || "stdio") {\n'
    '  case "stdio": await import("./stdio.mjs"); break;\n  case "http": await import("./http.mjs"); break;\n'
    '  default: console.error("usage"); process.exit(1);\n}\n',
    "if": 'if (process.argv[2] === "http") await import("./http.mjs"); else await import("./stdio.mjs");\n',
    "conditional": 'await (process.env.HTTP ? import("./http.mjs") : import("./stdio.mjs"));\n',
    "table": 'const modes = { stdio: () => import("./stdio.mjs"), http: () => import("./http.mjs") };\n'
    'await modes[process.argv[2] ?? "stdio"]();\n',
    "functions of modules": 'switch (process.argv[2]) {\n  case "http": { const { start } = await import("./http.mjs"); start(); break; }\n'
    '  default: await import("./stdio.mjs");\n}\n',
}


@pytest.mark.parametrize("switch", cases(IMPORTS, GAPS))
def test_a_switch_over_imports(tmp_path: Path, switch: str) -> None:
    files = {
        "package.json": package(bin="cli.mjs"),
        "cli.mjs": switch,
        "http.mjs": f"{HTTP}export function start() {{ {LISTEN} }}\n{LISTEN}\n{EXIT}\n",
        "stdio.mjs": node('import "./shared.mjs";'),
        "shared.mjs": "export {};\n",
    }
    free = judge(tmp_path / "free", files)
    assert free.entry.name == "cli.mjs"
    assert free.stdin_eof.verdict == "exits"
    held = judge(tmp_path / "held", {**files, "shared.mjs": BEAT})
    assert held.stdin_eof.verdict == "survives"


# What changes ONLY, which a timer hangs on, after `let ONLY = false`.
FLAGS = {
    "an option sets it": (
        'for (const a of process.argv.slice(2)) if (a === "--only") only = true;',
        "survives",
    ),
    "an option at an index": (
        "const args = process.argv.slice(2);\nfor (let i = 0; i < args.length; i++) {\n"
        '  if (args[i] === "--port") i++;\n  if (args[i] === "--only") { only = true; }\n}',
        "survives",
    ),
    "a case of a switch": (
        'for (const a of process.argv.slice(2)) switch (a) { case "--only": only = true; break; default: break; }',
        "survives",
    ),
    "a variable of the environment": ("if (process.env.ONLY) only = true;", "survives"),
    "a word, not an option": ('if (process.argv[2] === "only") only = true;', "unknown"),
    "without an option": ('if (process.argv[2] !== "--both") only = true;', "unknown"),
    "in any case": ("only = globalThis.only ?? true;", "unknown"),
    "something else decides": (
        'import fs from "node:fs";\nif (fs.existsSync("only")) only = true;',
        "unknown",
    ),
    "it hangs on itself": ("if (!only && globalThis.x) only = true;", "unknown"),
}


@pytest.mark.parametrize(("change", "verdict"), cases(FLAGS))
def test_a_flag_that_only_options_set_is_as_it_begins(tmp_path: Path, change: str, verdict: str) -> None:
    body = f"let only = false;\n{change}\nif (!only) setInterval(() => {{}}, 1000);\n"
    assert judge(tmp_path, node(body)).stdin_eof.verdict == verdict


def test_a_flag_that_begins_set_leaves_the_timer_out(tmp_path: Path) -> None:
    body = 'let beats = false;\nfor (const a of process.argv.slice(2)) if (a === "--beats") beats = true;\n'
    server = judge(tmp_path, node(body + "if (beats) setInterval(() => {}, 1000);\n"))
    assert server.stdin_eof.verdict == "unknown"
