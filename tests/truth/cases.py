"""What is measured: fixture programs and the catalog's truth snippets, as runs of the harness."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from .harness import Ending, Run
from .install import ENVIRONMENTS, HERE, Environment

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = HERE.parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
CATALOG = ROOT / "rules" / "catalog"
ENDINGS: dict[str, Ending] = {
    "stdin_eof": "close_pipes",
    "stdin_eof_after_call": "close_pipes",
    "sigterm": "sigterm",
    "sigint": "sigint",
}


@dataclass(frozen=True)
class FixtureCase:
    """A fixture program or an example on one SDK, ended in one way."""

    label: str
    folder: Path
    expect: Mapping[str, Any]
    """Its ``expect.toml``."""
    sdk: str
    trigger: str

    @property
    def name(self) -> str:
        """The test's name."""
        return f"{self.label}-{self.sdk}-{self.trigger}"

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    def run(self, folder: Path) -> Run:
        """Copy the program into ``folder``, ready to start."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        command = [str(self.environment.program)]
        variables = {}
        if self.environment.runtime == "node":
            link_packages(self.environment, folder)
            command += ["--import", "tsx"] if self.expect["entry"].endswith(".ts") else []
            command.append(self.expect["entry"])
        elif "module" in self.expect:
            command += ["-m", self.expect["module"]]
            variables["PYTHONPATH"] = "src"
        else:
            command.append(self.expect["entry"])
        tools = tuple(self.expect["tools"]) if self.trigger == "stdin_eof_after_call" else ()
        return Run(self.name, command, folder, ENDINGS[self.trigger], variables, tools=tools)


def programs() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """The name, the folder and the expectation of every fixture program and example."""
    for path in sorted(FIXTURES.rglob("expect.toml")):
        label = path.parent.relative_to(FIXTURES).as_posix().removeprefix("seed/")
        yield label, path.parent, tomllib.loads(path.read_text("utf-8"))
    examples = tomllib.loads((HERE / "examples.toml").read_text("utf-8"))
    for name, expect in examples.items():
        yield f"examples/{name}", ROOT / "examples" / name, expect


def fixture_cases() -> Iterator[FixtureCase]:
    """Every program on every SDK that it names, with every verdict that it declares."""
    for label, folder, expect in programs():
        for sdk in expect["sdk"]:
            for trigger in expect["verdict"]:
                yield FixtureCase(label, folder, expect, sdk, trigger)


@dataclass(frozen=True)
class SnippetCase:
    """A server with one truth snippet of the catalog in it, whose client dies."""

    name: str
    sdk: str
    imports: str
    code: str
    place: str
    claim: str | float
    table: str = "holder"
    """The kind of entry that it belongs to."""

    SERVERS: ClassVar[dict[str, str]] = {
        "mcp1": "mcp.server.fastmcp.FastMCP",
        "mcp2": "mcp.server.mcpserver.MCPServer",
    }

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    @property
    def entry(self) -> str:
        """The server's file."""
        return "server.mjs" if self.environment.runtime == "node" else "server.py"

    def source(self) -> str:
        """The whole server."""
        return self._javascript() if self.environment.runtime == "node" else self._python()

    def run(self, folder: Path) -> Run:
        """Write the server into ``folder``, ready to start."""
        (folder / self.entry).write_text(self.source(), "utf-8")
        if self.environment.runtime == "node":
            link_packages(self.environment, folder)
        # A claim in seconds is about when it ends, so being idle until then proves nothing.
        idle_for = self.claim + 5 if isinstance(self.claim, (int, float)) else 3.0
        return Run(
            self.name, [str(self.environment.program), self.entry], folder, "close_pipes", {}, idle_for
        )

    def _javascript(self) -> str:
        return "\n".join([
            'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";',
            'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";',
            self.imports,
            'const mcp = new McpServer({ name: "truth", version: "1.0.0" });',
            self.code,
            "await mcp.connect(new StdioServerTransport());",
            "",
        ])  # fmt: skip

    def _python(self) -> str:
        module, _, server = self.SERVERS[self.sdk].rpartition(".")
        at_import, in_lifespan = (self.code, "") if self.place == "module" else ("", self.code)
        return "\n".join([
            "from contextlib import asynccontextmanager",
            f"from {module} import {server}",
            self.imports,
            at_import,
            "@asynccontextmanager",
            "async def lifespan(app):",
            textwrap.indent(in_lifespan, "    "),
            "    yield {}",
            f'mcp = {server}("truth", lifespan=lifespan)',
            'if __name__ == "__main__":',
            "    mcp.run()",
            "",
        ])  # fmt: skip


def catalog_entries() -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Every entry of the catalog that says how it is known, with its file and its kind."""
    for path in sorted(CATALOG.glob("*/*.toml")):
        for table, entries in tomllib.loads(path.read_text("utf-8")).items():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and "known" in entry:
                    yield path, table, entry


def snippet_cases() -> Iterator[SnippetCase]:
    """Every truth snippet of the catalog; in Python an entry's first one also on SDK 2.x."""
    numbers: Counter[str] = Counter()
    for path, table, entry in catalog_entries():
        if path.stem == "stdout":
            continue
        language, label = path.parent.name, entry["names"][0]
        for truth in entry.get("truth", ()):
            numbers[label] += 1
            sdks = ["holders"] if language == "javascript" else ["mcp1"]
            if language == "python" and truth is entry["truth"][0]:
                sdks.append("mcp2")
            for sdk in sdks:
                name = f"{language}-{label}-{numbers[label]}-{sdk}"
                place = truth.get("place", "module")
                yield SnippetCase(
                    name, sdk, truth.get("imports", ""), truth["code"], place, truth["holds"], table
                )


def link_packages(environment: Environment, folder: Path) -> None:
    """Let a program in ``folder`` import the packages of a Node environment."""
    (folder / "node_modules").symlink_to(environment.folder, target_is_directory=True)
