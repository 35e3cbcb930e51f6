"""What is measured: fixture programs and the catalog's truth snippets, as runs of the harness."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
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
SEED = ROOT / "tests" / "fixtures" / "seed"
CATALOG = ROOT / "rules" / "catalog"
ENDINGS: dict[str, Ending] = {"stdin_eof": "close_pipes", "sigterm": "sigterm", "sigint": "sigint"}


@dataclass(frozen=True)
class FixtureCase:
    """A fixture program on one SDK, ended in one way."""

    fixture: Path
    sdk: str
    trigger: str

    @property
    def name(self) -> str:
        """The test's name."""
        return f"{self.fixture.relative_to(SEED).as_posix()}-{self.sdk}-{self.trigger}"

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    def expectation(self) -> dict[str, Any]:
        """The fixture's ``expect.toml``."""
        return tomllib.loads((self.fixture / "expect.toml").read_text("utf-8"))

    def run(self, folder: Path) -> Run:
        """Copy the program into ``folder``, ready to start."""
        expect = self.expectation()
        shutil.copytree(self.fixture, folder, dirs_exist_ok=True)
        command = [str(self.environment.program)]
        variables = {}
        if self.environment.runtime == "node":
            link_packages(self.environment, folder)
            command += ["--import", "tsx"] if expect["entry"].endswith(".ts") else []
            command.append(expect["entry"])
        elif "module" in expect:
            command += ["-m", expect["module"]]
            variables["PYTHONPATH"] = "src"
        else:
            command.append(expect["entry"])
        return Run(self.name, command, folder, ENDINGS[self.trigger], variables)


def fixture_cases() -> Iterator[FixtureCase]:
    """Every fixture on every SDK that it names, with every verdict that it declares."""
    for path in sorted(SEED.rglob("expect.toml")):
        expect = tomllib.loads(path.read_text("utf-8"))
        for sdk in expect["sdk"]:
            for trigger in expect["verdict"]:
                yield FixtureCase(path.parent, sdk, trigger)


@dataclass(frozen=True)
class SnippetCase:
    """A server with one truth snippet of the catalog in it, whose client dies."""

    name: str
    sdk: str
    imports: str
    code: str
    place: str
    claim: str | float

    SERVERS: ClassVar[dict[str, str]] = {"mcp1": "mcp.server.fastmcp.FastMCP", "mcp2": "mcp.server.mcpserver.MCPServer"}

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.sdk]

    def run(self, folder: Path) -> Run:
        """Write the server into ``folder``, ready to start."""
        if self.environment.runtime == "node":
            entry, text = "server.mjs", self._javascript()
            link_packages(self.environment, folder)
        else:
            entry, text = "server.py", self._python()
        (folder / entry).write_text(text, "utf-8")
        # A claim in seconds is about when it ends, so being idle until then proves nothing.
        idle_for = self.claim + 5 if isinstance(self.claim, (int, float)) else 3.0
        return Run(self.name, [str(self.environment.program), entry], folder, "close_pipes", {}, idle_for)

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


def snippet_cases() -> Iterator[SnippetCase]:
    """Every truth snippet of the catalog; those of Python's standard library on both SDK lines."""
    for path in sorted(CATALOG.glob("*/*.toml")):
        for entries in tomllib.loads(path.read_text("utf-8")).values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and "truth" in entry:
                    yield from _snippets(path, entry)


def _snippets(path: Path, entry: dict[str, Any]) -> Iterator[SnippetCase]:
    language = path.parent.name
    sdks = ("holders",) if language == "javascript" else ("mcp1", "mcp2")
    for number, truth in enumerate(entry["truth"], 1):
        for sdk in sdks:
            name = f"{language}-{entry['names'][0]}-{number}-{sdk}"
            place = truth.get("place", "module")
            yield SnippetCase(name, sdk, truth.get("imports", ""), truth["code"], place, truth["holds"])


def link_packages(environment: Environment, folder: Path) -> None:
    """Let a program in ``folder`` import the packages of a Node environment."""
    (folder / "node_modules").symlink_to(environment.folder, target_is_directory=True)
