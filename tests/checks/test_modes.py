"""Listeners for the end of stdin under a condition: which conditions are a fault, and which are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lifecycle.programs import BEAT, found, judge, node

END = 'process.stdin.on("end", () => process.exit(0));'
HTTP = 'process.argv.includes("--http")'
CONTAINER = (
    'import fs from "node:fs";\nfunction inContainer() {\n'
    '  return Boolean(process.env.CONTAINER) || fs.existsSync("/.dockerenv");\n}\n'
)

IN_ONE_MODE = {
    "on one kind of machine": BEAT + f'if (process.platform === "win32") {END}',
    "outside of containers": CONTAINER + BEAT + f"const inside = inContainer();\nif (!inside) {END}",
    "outside of containers, and where stdin is fine": CONTAINER
    + BEAT
    + f"const inside = inContainer();\nif (!inside && process.stdin.readable && !process.stdin.destroyed) {{ {END} }}",
    "with an option": 'import { parseArgs } from "node:util";\n'
    'const { values } = parseArgs({ options: { once: { type: "boolean" } } });\n'
    + BEAT
    + f"if (values.once) {END}",
    "only where the parent is asked for": BEAT
    + "const parent = process.ppid;\nsetInterval(() => { if (process.ppid !== parent) process.exit(0); }, 900).unref();",
}
IN_EVERY_MODE = {
    "stdin is no terminal": BEAT + f"if (!process.stdin.isTTY) {END}",
    "stdin is there": BEAT + f"if (process.stdin) {END}",
    "stdin can be read": BEAT + f"if (process.stdin.readable) {END}",
    "stdin is not gone yet": BEAT + f"if (!process.stdin.destroyed) {END}",
    "stdin can be listened to": BEAT + f'if (typeof process.stdin.on === "function") {END}',
    "nobody listens yet": BEAT + f'if (process.stdin.listenerCount("end") === 0) {END}',
    "the transport is what it is": BEAT + f"if (transport instanceof StdioServerTransport) {END}",
    "the program says which": BEAT
    + f'function watch(kind) {{ if (kind === "stdio") {{ {END} }} }}\nwatch(process.argv[2] ?? "stdio");',
    "unless the user keeps it": BEAT + f'if (process.env.KEEP_ALIVE !== "1") {END}',
    "unless tested": BEAT + f"if (!process.env.VITEST) {END}",
    "a word about the parent": BEAT + "console.error(process.ppid);",
}


def codes(root: Path, text: str) -> set[str]:
    return {finding.split()[0] for finding in found(root, {"server.mjs": text})}


@pytest.mark.parametrize("text", IN_ONE_MODE.values(), ids=IN_ONE_MODE)
def test_a_listener_for_some_surroundings_only(tmp_path: Path, text: str) -> None:
    assert codes(tmp_path, node(text)) == {"MCP106"}


@pytest.mark.parametrize("text", IN_EVERY_MODE.values(), ids=IN_EVERY_MODE)
def test_a_condition_that_holds_over_stdio_or_is_the_programs_own(tmp_path: Path, text: str) -> None:
    assert not codes(tmp_path, node(text))


@pytest.mark.parametrize(
    "test",
    ["!process.stdin.isTTY", "process.stdin.isTTY !== true", "transport instanceof StdioServerTransport"],
)
def test_what_is_always_so_over_stdio_is_decided(tmp_path: Path, test: str) -> None:
    assert judge(tmp_path, node(BEAT + f"if ({test}) {END}")).stdin_eof.verdict == "exits"


@pytest.mark.parametrize("test", ["process.stdin.isTTY", "process.stdout.isTTY === true"])
def test_what_is_never_so_over_stdio_is_decided(tmp_path: Path, test: str) -> None:
    assert codes(tmp_path, node(BEAT + f"if ({test}) {END}")) == {"MCP101"}


SERVES = "await server.connect(transport);"
TWO_WAYS = "async function web() {{ {web} }}\nasync function stdio() {{ {stdio} {serves} }}\n"
CHOOSE = f"if ({HTTP}) await web(); else await stdio();"


@pytest.mark.parametrize(
    ("web", "stdio", "code"),
    [("watch();", "watch();", None), ("watch();", "", "MCP106"), ("", "watch();", None)],
)
def test_a_listener_that_several_ways_share_is_on_each(
    tmp_path: Path, web: str, stdio: str, code: str | None
) -> None:
    ways = TWO_WAYS.format(web=web, stdio=stdio, serves=SERVES)
    text = node(BEAT + f"function watch() {{ {END} }}\n" + ways, connect=CHOOSE)
    assert codes(tmp_path, text) == ({code} if code else set())


@pytest.mark.parametrize(
    ("name", "verdict"), [("flushAndExit", "unknown"), ("quitNow", "unknown"), ("flush", "survives")]
)
def test_a_function_of_a_package_whose_name_speaks_of_an_end(tmp_path: Path, name: str, verdict: str) -> None:
    text = BEAT + f'import {{ {name} }} from "life";\nprocess.stdin.on("end", () => {name}(0));'
    assert judge(tmp_path, node(text)).stdin_eof.verdict == verdict
