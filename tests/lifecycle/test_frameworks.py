"""Frameworks around an SDK: when they serve stdio, and which SDK decides what they do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from .programs import BEAT, cases, judge, package, report_of

GAPS: dict[str, str] = {}
"""Cases that mcplint does not get right yet, and why."""

SDK = "@modelcontextprotocol/server"
MASTRA = (
    'import { MCPServer } from "@mastra/mcp";\n' + BEAT + "await new MCPServer({ tools: {} }).startStdio();\n"
)


def lock(*packages: tuple[str, str]) -> str:
    """A package-lock.json with these packages, each at its place."""
    return json.dumps({"lockfileVersion": 3, "packages": {p: {"version": v} for p, v in packages}})


def manifest(name: str, version: str) -> str:
    return json.dumps({"name": name, "version": version})


OWN = f"node_modules/@mastra/mcp/node_modules/{SDK}"
BUILT_ON = {
    "nothing says which": ({}, "nothing"),
    "locked beside it": (
        {"package-lock.json": lock(("node_modules/@mastra/mcp", "2.0.0"), (f"node_modules/{SDK}", "2.4.0"))},
        "closes",
    ),
    "its own is locked": (
        {
            "package-lock.json": lock(
                ("node_modules/@mastra/mcp", "2.0.0"), (f"node_modules/{SDK}", "2.4.0"), (OWN, "2.0.0")
            )
        },
        "nothing",
    ),
    "its own is newer": (
        {
            "package-lock.json": lock(
                ("node_modules/@mastra/mcp", "2.0.0"), (f"node_modules/{SDK}", "2.0.0"), (OWN, "2.4.0")
            )
        },
        "closes",
    ),
    "installed beside it": (
        {
            "node_modules/@mastra/mcp/package.json": manifest("@mastra/mcp", "2.0.0"),
            f"node_modules/{SDK}/package.json": manifest(SDK, "2.4.0"),
        },
        "closes",
    ),
    "its own is installed": (
        {
            "node_modules/@mastra/mcp/package.json": manifest("@mastra/mcp", "2.0.0"),
            f"node_modules/{SDK}/package.json": manifest(SDK, "2.4.0"),
            f"{OWN}/package.json": manifest(SDK, "2.0.0"),
        },
        "nothing",
    ),
    "only the project asks for it": (
        {"package.json": json.dumps({"dependencies": {"@mastra/mcp": "2.0.0", SDK: "^2.0.0"}})},
        "nothing",
    ),
}


@pytest.mark.parametrize(("files", "does"), cases(BUILT_ON, GAPS))
def test_the_sdk_that_the_framework_gets_decides(tmp_path: Path, files: Mapping[str, str], does: str) -> None:
    server = judge(tmp_path, {"package.json": package("@mastra/mcp", "2.0.0"), "server.mjs": MASTRA, **files})
    assert server.transport.at_eof == does
    assert server.transport.sdk == "@mastra/mcp"
    assert server.stdin_eof.verdict == "survives"


def nest1(options: str) -> str:
    """An application of NestJS with one module that speaks MCP."""
    return (
        'import { Module } from "@nestjs/common";\nimport { NestFactory } from "@nestjs/core";\n'
        'import { McpModule, McpTransportType } from "@rekog/mcp-nest";\n'
        f"@Module({{ imports: [McpModule.forRoot({options})] }})\nclass App {{}}\n"
        "async function bootstrap() {\n  await NestFactory.createApplicationContext(App, { logger: false });\n}\n"
        f"{BEAT}bootstrap();\n"
    )


NEST = {
    "stdio": ('{ name: "t", version: "1", transport: McpTransportType.STDIO }', True),
    "web": ('{ name: "t", version: "1", transport: McpTransportType.STREAMABLE_HTTP }', False),
    "several": (
        '{ name: "t", version: "1", transport: [McpTransportType.SSE, McpTransportType.STDIO] }',
        False,
    ),
    "what there is without saying": ('{ name: "t", version: "1" }', False),
}


@pytest.mark.parametrize(("options", "stdio"), cases(NEST, GAPS))
def test_a_module_that_serves_stdio(tmp_path: Path, options: str, stdio: bool) -> None:
    files = {"src/main.ts": nest1(options), "package.json": package("@rekog/mcp-nest", "1.9.11")}
    servers = report_of(tmp_path, files).servers
    assert [s.stdin_eof.verdict for s in servers] == (["survives"] if stdio else [])


def test_a_strategy_that_serves_stdio(tmp_path: Path) -> None:
    text = (
        'import { NestFactory } from "@nestjs/core";\n'
        'import { McpStrategy, StdioTransport } from "@rekog/mcp-nest";\n'
        'import { App } from "./app.js";\n'
        f"{BEAT}const strategy = new McpStrategy({{ transports: [new StdioTransport()] }});\n"
        "const app = await NestFactory.createMicroservice(App, { strategy, logger: false });\nawait app.listen();\n"
    )
    files = {
        "src/main.ts": text,
        "src/app.ts": "export class App {}\n",
        "package.json": package("@rekog/mcp-nest", "2.0.5"),
    }
    server = judge(tmp_path, files)
    assert server.transport.at_eof == "closes"
    assert server.stdin_eof.verdict == "survives"
    web = {**files, "src/main.ts": text.replace("StdioTransport", "StreamableHttpTransport")}
    assert report_of(tmp_path / "web", web).servers == ()
