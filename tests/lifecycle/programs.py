"""Small programs on disk, and what mcplint says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from mcplint.api import lint
from mcplint.files.place import Place
from mcplint.lifecycle.model import Server
from mcplint.report.result import Report

Files = Mapping[str, str]

BEAT = "const beat = setInterval(() => {}, 1000);\n"
"""A holder that no test doubts, under a name to release it by."""

GONE_ON_CLOSE = "server.server.onclose = () => process.exit(0);\n"
"""Ends a server where its SDK closes the transport."""

LOOP = "def work():\n    while True:\n        time.sleep(1)\n\n"
"""A function that never comes back."""


def package(sdk: str = "@modelcontextprotocol/sdk", version: str = "1.30.0", **fields: object) -> str:
    """A package.json that asks for exactly one version of an SDK."""
    return json.dumps({"name": "t", "type": "module", "dependencies": {sdk: version}, **fields})


def node(body: str = "", after: str = "", connect: str = "await server.connect(transport);") -> str:
    """A server on the first SDK for Node: ``body`` runs before it connects, ``after`` behind."""
    return (
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n'
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        'const server = new McpServer({ name: "t", version: "1.0.0" });\n'
        "const transport = new StdioServerTransport();\n"
        f"{body}\n{connect}\n{after}\n"
    )


def node2(body: str = "", after: str = "") -> str:
    """The same on the second SDK."""
    return (
        'import { McpServer } from "@modelcontextprotocol/server";\n'
        'import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";\n'
        'const server = new McpServer({ name: "t", version: "1.0.0" });\n'
        "const transport = new StdioServerTransport();\n"
        f"{body}\nawait server.connect(transport);\n{after}\n"
    )


def python(body: str = "", after: str = "", serve: str = "mcp.run()") -> str:
    """A server on the Python SDK: ``body`` runs before it serves, ``after`` behind."""
    return (
        "import asyncio, atexit, os, signal, sys, threading, time\n"
        "from mcp.server.fastmcp import FastMCP\n"
        'mcp = FastMCP("t")\n'
        f"{body}\n{serve}\n{after}\n"
    )


def write(root: Path, files: Files) -> None:
    """Lay out a project; without a manifest of its own it asks for a common SDK version."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    suffixes = {Path(name).suffix for name in files}
    if ".py" in suffixes and not {"pyproject.toml", "requirements.txt", "uv.lock"} & set(files):
        (root / "requirements.txt").write_text("mcp==1.30.0\n")
    if suffixes - {".py"} and not any(name.endswith(("package.json", ".toml", ".txt")) for name in files):
        (root / "package.json").write_text(package())


def report_of(root: Path, files: Files) -> Report:
    """Write a project and lint it as a whole."""
    write(root, files)
    return lint([root])


def judge(root: Path, files: Files | str, name: str | None = None) -> Server:
    """The one server of a project, which may be a single file."""
    if isinstance(files, str):
        files = {name or ("server.py" if "\nmcp = " in files else "server.mjs"): files}
    report = report_of(root, files)
    assert not report.skipped
    assert report.servers, "no server found"
    (server,) = report.servers
    return server


def life(server: Server) -> str:
    """Its three verdicts, such as ``exits survives unknown``."""
    return f"{server.stdin_eof.verdict} {server.sigterm.verdict} {server.sigint.verdict}"


def place(root: Path, at: Place) -> str:
    """Such as ``src/index.ts:6``."""
    return f"{at.path.resolve().relative_to(root.resolve()).as_posix()}:{at.begin.line}"


def held_by(root: Path, server: Server) -> set[str]:
    """What surely holds a server from its start and for ever, by place."""
    return {
        place(root, h.place) for h in server.holders if h.certain and h.seconds is None and h.when == "start"
    }


def found(root: Path, files: Files) -> set[str]:
    """Every finding as ``MCP101 src/index.ts:6``."""
    report = report_of(root, files)
    return {f"{r.finding.code} {place(root, r.finding.place)}" for r in report.findings}


def marked(files: Files) -> set[str]:
    """The findings that comments such as ``// MCP101`` ask for on their own lines."""
    return {
        f"{code} {name}:{number}"
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        for code in re.findall(r"MCP\d{3}", line)
    }


def cases(table: Mapping[str, object], gaps: Mapping[str, str] | None = None) -> list[ParameterSet]:
    """Test parameters by name; ``gaps`` are those that are known to fail, and why."""
    known = gaps or {}
    return [
        pytest.param(
            *(values if isinstance(values, tuple) else (values,)),
            id=name,
            marks=pytest.mark.xfail(strict=True, reason=known[name]) if name in known else (),
        )
        for name, values in table.items()
    ]
