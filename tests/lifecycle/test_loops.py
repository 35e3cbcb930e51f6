"""Servers without an SDK, which read stdin and answer JSON-RPC themselves; what only looks like one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import lint

from .programs import BEAT, Files, cases, judge, life, node, package, write

ANSWER = """
function send(message) { process.stdout.write(JSON.stringify(message) + "\\n"); }
function answer(request) {
  const { id, method } = request;
  switch (method) {
    case "initialize":
      return send({ jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18", serverInfo: {} } });
    case "tools/list":
      return send({ jsonrpc: "2.0", id, result: { tools: [] } });
    default:
      if (id !== undefined) send({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
  }
}
"""
DATA = (
    'let rest = "";\nprocess.stdin.on("data", (chunk) => {\n'
    '  const lines = (rest + chunk).split("\\n");\n  rest = lines.pop();\n'
    "  for (const line of lines) if (line) answer(JSON.parse(line));\n});\n"
)
LINES = (
    'import { createInterface } from "node:readline";\n'
    "const lines = createInterface({ input: process.stdin });\n"
    'lines.on("line", (line) => answer(JSON.parse(line)));\n'
)
GAPS = {
    "a client with a prompt": "whether a text is a request that goes out is told by `method:` alone",
}
"""Cases that mcplint does not get right yet, and why."""

EXIT = "process.exit(0)"

SERVERS: dict[str, tuple[Files | str, str]] = {
    "not held": (ANSWER + DATA, "exits exits exits"),
    "held": (ANSWER + BEAT + DATA, "survives exits exits"),
    "ended with stdin": (
        ANSWER + BEAT + DATA + f'process.stdin.on("end", () => {EXIT});',
        "exits exits exits",
    ),
    "lines": (ANSWER + BEAT + LINES, "survives exits exits"),
    "lines that end": (ANSWER + BEAT + LINES + f'lines.on("close", () => {EXIT});', "exits exits exits"),
    "lines one after the other": (
        ANSWER + BEAT + LINES.replace('lines.on("line", (line) => ', "for await (const line of lines) ("),
        "survives exits exits",
    ),
    "lines one after the other, and then the end": (
        ANSWER
        + BEAT
        + LINES.replace('lines.on("line", (line) => ', "for await (const line of lines) (")
        + f"{EXIT};",
        "exits exits exits",
    ),
    "lines one after the other in a function": (
        ANSWER
        + BEAT
        + LINES.replace(
            'lines.on("line", (line) => ', "async function main() { for await (const line of lines) ("
        )
        + f"}}\nmain().then(() => {EXIT});",
        "exits exits exits",
    ),
    "deaf to SIGTERM": (ANSWER + BEAT + DATA + 'process.on("SIGTERM", () => {});', "survives survives exits"),
    "comparisons": (
        ANSWER.replace("switch (method) {", "{")
        .replace('case "initialize":', 'if (method === "initialize")')
        .replace('case "tools/list":', 'if (method === "tools/list")')
        .replace("default:", "")
        + BEAT
        + DATA,
        "survives exits exits",
    ),
    "a table of functions": (
        "const answers = {\n  initialize: () => ({ protocolVersion: '2025-06-18' }),\n"
        "  'tools/list': () => ({ tools: [] }),\n};\n"
        "function answer(request) {\n  const result = answers[request.method]?.();\n"
        '  if (result) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }) + "\\n");\n}\n'
        + BEAT
        + DATA,
        "survives exits exits",
    ),
    "a class": (
        "class Server {\n  answer(request) {\n"
        '    if (request.method === "initialize") return { protocolVersion: "2025-06-18" };\n'
        '    if (request.method === "tools/list") return { tools: [] };\n  }\n'
        '  start() {\n    process.stdin.on("data", async (chunk) => {\n'
        "      const result = await this.answer(JSON.parse(chunk));\n"
        '      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", result }) + "\\n");\n    });\n  }\n}\n'
        + BEAT
        + "new Server().start();",
        "survives exits exits",
    ),
    "answers in another file than the loop": (
        {
            "loop.mjs": "export function loop(answer) {\n" + DATA + "}\n",
            "server.mjs": 'import { loop } from "./loop.mjs";\n' + ANSWER + BEAT + "loop(answer);\n",
        },
        "survives exits exits",
    ),
    "the loop in another file than the answers": (
        {
            "answers.mjs": ANSWER.replace("function answer", "export function answer"),
            "server.mjs": 'import { answer } from "./answers.mjs";\n' + BEAT + DATA,
        },
        "survives exits exits",
    ),
}


@pytest.mark.parametrize(("files", "verdicts"), cases(SERVERS, GAPS))
def test_a_server_that_reads_stdin_itself(tmp_path: Path, files: Files | str, verdicts: str) -> None:
    assert life(judge(tmp_path, files)) == verdicts


def test_what_a_request_makes_counts_from_a_first_call_on(tmp_path: Path) -> None:
    text = ANSWER.replace('case "tools/list":', f'case "tools/list":\n{BEAT}') + DATA
    server = judge(tmp_path, text)
    assert server.stdin_eof.verdict == "exits"
    assert server.stdin_eof_after_call.verdict != "exits"


ASKS = (
    'import { spawn } from "node:child_process";\n'
    'const child = spawn("node", ["server.mjs"]);\n'
    'const ask = (method) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method }) + "\\n");\n'
    'child.stdout.on("data", (chunk) => console.log(JSON.parse(chunk)));\n'
    'ask("initialize"); ask("tools/list");\n'
)

OTHERS = {
    "a filter": BEAT
    + 'process.stdin.on("data", (c) => process.stdout.write(JSON.stringify(JSON.parse(c))));',
    "a command loop": BEAT
    + 'import { createInterface } from "node:readline";\nconst lines = createInterface({ input: process.stdin });\n'
    'lines.on("line", (line) => { if (line === "tools/list") console.log(JSON.parse("[]")); });',
    "a language server": BEAT
    + ANSWER.replace("tools/list", "textDocument/hover")
    + DATA
    + '// it knows nothing of "tools/list"',
    "a client that reads what a server answers": BEAT + ASKS,
    "a client with a prompt": BEAT
    + ASKS
    + 'process.stdin.on("data", (c) => { if (`${c}` === "initialize" || `${c}` === "tools/list") ask(JSON.parse(c)); });',
    "a client that waits for its own requests": BEAT
    + 'const sent = [{ method: "initialize" }, { method: "tools/list" }];\n'
    'process.stdin.on("data", (c) => { const m = JSON.parse(c).method;\n'
    '  if (m === "initialize" || m === "tools/list") sent.pop(); });',
    "a web server that a key stops": 'import { createServer } from "node:http";\n'
    + ANSWER
    + 'createServer((request, response) => { request.on("data", (c) => answer(JSON.parse(c))); }).listen(8080);\n'
    + f'process.stdin.on("data", (key) => {{ if (`${{key}}` === "q") {EXIT}; }});',
    "a loop that is never started": ANSWER + BEAT + "export function start() {\n" + DATA + "}\n",
    "lines of a file": ANSWER
    + BEAT
    + LINES.replace("process.stdin", 'createReadStream("log")').replace(
        "import", 'import { createReadStream } from "node:fs";\nimport', 1
    ),
}


@pytest.mark.parametrize("text", cases(OTHERS, GAPS))
def test_what_reads_stdin_and_is_no_server(tmp_path: Path, text: str) -> None:
    (tmp_path / "main.mjs").write_text(text)
    assert not lint([tmp_path]).servers


def test_an_entry_with_an_sdk_is_not_counted_again_for_code_that_answers_elsewhere(tmp_path: Path) -> None:
    files = {
        "package.json": package(main="main.mjs", bin="bin.mjs"),
        "bin.mjs": 'import { start } from "./serve.mjs";\nawait start();\n',
        "main.mjs": 'import { start } from "./serve.mjs";\n'
        'if (process.env.HTTP) await import("./http.mjs");\n'
        'process.stdin.on("data", (c) => JSON.parse(c));\nawait start();\n',
        "http.mjs": 'import { createServer } from "node:http";\n'
        + ANSWER
        + "createServer(answer).listen(1);\n",
        "serve.mjs": node("export async function start() {", "}"),
    }
    write(tmp_path, files)
    assert [s.entry.name for s in lint([tmp_path]).servers] == ["bin.mjs"]
