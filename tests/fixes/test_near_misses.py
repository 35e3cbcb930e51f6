"""Where no fix is offered, because it is not clear what to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import lint
from tests.fixes.test_shapes import MANIFEST

HEAD = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "miss", version: "1.0.0" });
setInterval(() => {}, 1000);
"""
GO = "await server.connect(new StdioServerTransport());\n"

MISSES = {
    "a line as only tools write them": ("MCP101", HEAD + f"{'void 0;' * 80}{GO}"),
    "a connect that is tried again": (
        "MCP101",
        HEAD + "for (let turn = 0; turn < 3; turn += 1) {\n  " + GO + "  break;\n}\n",
    ),
    "a function that is made anew for each signal": (
        "MCP101",
        HEAD
        + 'for (const name of ["SIGINT", "SIGTERM"]) {\n  process.on(name, () => {\n    console.error(name);\n'
        + "    process.exit(0);\n  });\n}\n"
        + GO,
    ),
    "a shutdown that must be told two things": (
        "MCP101",
        HEAD
        + "function leave(code, why) {\n  console.error(why);\n  process.exit(code);\n}\n"
        + 'process.on("SIGTERM", leave);\n'
        + GO,
    ),
    "a handler that never comes back": (
        "MCP102",
        HEAD + 'process.stdin.on("end", async () => {\n  await new Promise(() => {});\n});\n' + GO,
    ),
    "a handler that something makes": (
        "MCP201",
        HEAD
        + "const handlerOf = (word) => () => console.error(word);\n"
        + 'process.stdin.on("end", () => process.exit(0));\nprocess.on("SIGTERM", handlerOf("no"));\n'
        + GO,
    ),
}


@pytest.mark.parametrize("name", MISSES)
def test_no_fix_is_offered(name: str, tmp_path: Path) -> None:
    code, text = MISSES[name]
    (tmp_path / "server.mjs").write_text(text, "utf-8")
    (tmp_path / "package.json").write_text(MANIFEST, "utf-8")
    found = [reported for reported in lint([tmp_path]).findings if reported.finding.code == code]
    assert found
    for reported in found:
        assert reported.fix is None
        assert reported.applicability is None


def test_a_server_that_others_start_is_theirs_to_end(tmp_path: Path) -> None:
    text = HEAD.replace("setInterval(() => {}, 1000);\n", "")
    text += "export async function serve() {\n  setInterval(() => {}, 1000);\n  " + GO + "}\n"
    (tmp_path / "server.mjs").write_text(text, "utf-8")
    (tmp_path / "package.json").write_text(MANIFEST, "utf-8")
    (reported,) = lint([tmp_path / "server.mjs"]).findings
    assert reported.finding.code == "MCP101"
    assert reported.fix is None
