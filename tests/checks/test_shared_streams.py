"""MCP402 and MCP403: children and dependencies on stdout, and beside each the near miss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lifecycle.programs import cases, found, judge, marked, node, package, python

CP = 'import { spawn, spawnSync, exec, execSync, execFileSync, fork } from "node:child_process";\n'
SP = "import subprocess\n"

SHARED = {
    "all of it": node(CP + 'spawnSync("make", { stdio: "inherit" }); // MCP402\nexecSync("make", { stdio: "inherit" }); // MCP402'),
    "one stream": node(
        CP + 'spawnSync("make", [], { stdio: ["ignore", "inherit", "pipe"] }); // MCP402\n'
        'spawnSync("make", [], { stdio: ["pipe", 1, 2] }); // MCP402\n'
        'spawnSync("make", [], { stdio: ["pipe", process.stdout, "pipe"] }); // MCP402\n'
        'spawnSync("make", [], { stdio: ["inherit", "pipe", "pipe"] }); // MCP402\n'
        'spawnSync("make", [], { stdio: [0, "pipe", "pipe"] }); // MCP402'
    ),
    "a fork": node(CP + 'const child = fork("./worker.mjs"); // MCP402\nprocess.on("exit", () => child.kill());'),
    "options by a name": node(CP + 'const options = { stdio: "inherit" };\nexecFileSync("make", [], options); // MCP402'),
    "in a tool": node(CP + 'server.tool("x", async () => spawnSync("make", { stdio: "inherit" })); // MCP402'),
    "Python as it is": python(
        SP + 'subprocess.run(["make"])  # MCP402\nsubprocess.call(["make"])  # MCP402\nos.system("make")  # MCP402\n'
        'subprocess.run(["make"], stdin=subprocess.DEVNULL, stdout=sys.stdout)  # MCP402'
    ),
    "Python with stdin only": python(
        SP + 'subprocess.run(["make"], capture_output=True)  # MCP402\nsubprocess.check_output(["make"])  # MCP402'
    ),
    "asyncio": python(
        '@mcp.tool()\nasync def build() -> str:\n    child = await asyncio.create_subprocess_exec("make")  # MCP402\n'
        "    await child.wait()\n    return 'built'"
    ),
}  # fmt: skip

APART = {
    "what Node does by itself": node(
        CP + 'spawnSync("make");\nexecSync("make");\nexecFileSync("make");\nexec("make");\n'
        'exec("make", { stdio: "inherit" });'
    ),
    "stderr": node(CP + 'spawnSync("make", { stdio: ["ignore", 2, "inherit"] });\nspawnSync("make", { stdio: "pipe" });'),
    "options that are not known": node(CP + 'spawnSync("make", globalThis.options);'),
    "a fork that is silent": node(
        CP + 'const one = fork("./a.mjs", { silent: true });\nconst two = fork("./a.mjs", [], { stdio: ["ignore", 2, 2, "ipc"] });\n'
        'process.on("exit", () => { one.kill(); two.kill(); });'
    ),
    "a setup command": node(
        CP + 'if (process.argv.includes("setup")) { spawnSync("npm", ["i"], { stdio: "inherit" }); process.exit(0); }'
    ),
    "Python, redirected": python(
        SP + 'subprocess.run(["make"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)\n'
        'subprocess.run(["make"], input="a", capture_output=True)\n'
        'subprocess.check_output(["make"], stdin=subprocess.DEVNULL)\n'
        'subprocess.run(["make"], stdin=subprocess.DEVNULL, stdout=sys.stderr)'
    ),
    "Python, where both are moved away": python(SP + 'os.dup2(2, 1)\nos.dup2(3, 0)\nsubprocess.run(["make"])'),
}  # fmt: skip


def only(files: dict[str, str] | str) -> dict[str, str]:
    """A project, which may be one file."""
    return files if isinstance(files, dict) else {"server.py" if "\nmcp = " in files else "server.mjs": files}


@pytest.mark.parametrize("files", cases(SHARED))
def test_a_child_with_the_streams_of_the_server(tmp_path: Path, files: str) -> None:
    assert {f for f in found(tmp_path, only(files)) if f.startswith("MCP4")} == marked(only(files))


@pytest.mark.parametrize("files", cases(APART))
def test_a_child_with_streams_of_its_own(tmp_path: Path, files: str) -> None:
    assert {f for f in found(tmp_path, only(files)) if f.startswith("MCP402")} == set()


@pytest.mark.parametrize(
    ("sdk", "name", "when", "reported"),
    [
        ("mcp==1.30.0", "mcp.server.fastmcp import FastMCP", "call", True),
        ("mcp==2.3.0", "mcp.server.mcpserver import MCPServer as FastMCP", "call", False),
        ("mcp==2.3.0", "mcp.server.mcpserver import MCPServer as FastMCP", "import", True),
        ("fastmcp==3.4.11", "fastmcp import FastMCP", "call", True),
        ("fastmcp==4.2.3", "fastmcp import FastMCP", "call", False),
    ],
)
def test_an_sdk_that_keeps_children_apart_while_it_serves(
    tmp_path: Path, sdk: str, name: str, when: str, reported: bool
) -> None:
    tool = "@mcp.tool()\ndef build() -> int:\n    return "
    text = python(SP + ("" if when == "import" else tool) + 'subprocess.run(["make"]).returncode')
    files = {
        "server.py": text.replace("mcp.server.fastmcp import FastMCP", name),
        "requirements.txt": f"{sdk}\n",
    }
    (sharing,) = judge(tmp_path, files).sharing
    assert (sharing.phase, sharing.reaches) == (when, reported)


DOTENV = 'import dotenv from "dotenv";\n'


def with_dotenv(version: str, line: str, installed: bool = False) -> dict[str, str]:
    """A server that loads a file of variables with some version of dotenv."""
    asked = {"@modelcontextprotocol/sdk": "1.32.2", "dotenv": version}
    files = {"server.mjs": node(DOTENV + line), "package.json": package(dependencies=asked)}
    if installed:
        files["node_modules/dotenv/package.json"] = json.dumps({"name": "dotenv", "version": version})
    return files


@pytest.mark.parametrize(
    ("version", "line", "reported"),
    [
        ("17.2.3", "dotenv.config();", True),
        ("^17.0.0", "dotenv.config();", True),
        ("~17.4.0", 'dotenv.config({ path: ".env" });', True),
        ("17.0.1", "dotenv.config({ quiet: false });", True),
        ("16.6.1", "dotenv.config({ debug: true });", True),
        ("17.2.3", "dotenv.config({ quiet: true });", False),
        ("17.2.3", "console.log = console.error;\ndotenv.config();", False),
        ("17.2.3", 'process.env.DOTENV_CONFIG_QUIET = "true";\ndotenv.config();', False),
        ("17.0.1", 'process.env.DOTENV_CONFIG_QUIET = "true";\ndotenv.config();', True),
        ("17.2.3", "dotenv.config(globalThis.options);", False),
        ("17.2.3", 'dotenv.parse("A=1");', False),
        ("17.2.3", 'import "dotenv/config";', False),
        ("16.6.1", "dotenv.config();", False),
        ("18.0.10", "dotenv.config();", False),
        (">=16.0.0", "dotenv.config();", False),
    ],
)
def test_the_banner_of_dotenv(tmp_path: Path, version: str, line: str, reported: bool) -> None:
    exact = version[0].isdigit()
    for installed in (False, True) if exact else (False,):
        folder = tmp_path / str(installed)
        codes = {f[:6] for f in found(folder, with_dotenv(version, line, installed))}
        assert codes == ({"MCP403"} if reported else set()), installed


NOISY = {
    "nest": node(
        'import { NestFactory } from "@nestjs/core";\nclass Shop {}\nawait NestFactory.create(Shop); // MCP403'
    ),
    "a web server's log": node(
        'import Fastify from "fastify";\nconst web = Fastify({ logger: true }); // MCP403\n'
        'web.listen({ port: 8123 });\nprocess.stdin.on("end", () => process.exit(0));'
    ),
    "a banner": python(
        "from flask import Flask\nweb = Flask('a')\n"
        "threading.Thread(target=lambda: web.run(port=8123), daemon=True).start()  # MCP403"
    ),
}
QUIET = {
    "nest without": node(
        'import { NestFactory } from "@nestjs/core";\nclass Shop {}\nawait NestFactory.create(Shop, { logger: false });'
    ),
    "a web server without a log": node(
        'import Fastify from "fastify";\nconst web = Fastify();\nweb.listen({ port: 8123 });\n'
        'process.stdin.on("end", () => process.exit(0));'
    ),
}


@pytest.mark.parametrize("text", cases(NOISY))
def test_what_prints_by_itself(tmp_path: Path, text: str) -> None:
    assert {f for f in found(tmp_path, only(text)) if f.startswith("MCP4")} == marked(only(text))


@pytest.mark.parametrize("text", cases(QUIET))
def test_what_was_asked_to_be_quiet(tmp_path: Path, text: str) -> None:
    assert {f for f in found(tmp_path, only(text)) if f.startswith("MCP4")} == set()
