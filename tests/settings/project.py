"""Small projects for tests of settings."""

from __future__ import annotations

from pathlib import Path

from mcplint import Options, Report, lint

SDK = '"dependencies": {"@modelcontextprotocol/sdk": "1.30.0"}'

STAYS = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "s", version: "1.0.0" });
setInterval(() => server.sendToolListChanged(), 1000);
process.on("SIGTERM", () => {});
await server.connect(new StdioServerTransport());
"""


def put(folder: Path, **files: str) -> None:
    """Write files; ``__`` in a name is a slash and ``_`` a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(folder: Path, *paths: str, options: Options | None = None) -> set[str]:
    """``path CODE severity`` of each finding."""
    report: Report = lint([folder / path for path in paths] or [folder], options)
    return {
        f"{r.finding.place.path.relative_to(folder).as_posix()} {r.finding.code} {r.finding.severity}"
        for r in report.findings
    }


BOTH = {"index.ts MCP101 error", "index.ts MCP201 error"}
