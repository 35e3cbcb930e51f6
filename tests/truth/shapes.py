"""Handler shapes and outcomes: generated servers, each with what must come of each ending."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cases import link_packages
from .harness import Ending, Run
from .install import ENVIRONMENTS, HERE, Environment

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

VARIANTS = {"leaving": "exit", "staying": "uptime"}
"""What ``EXIT`` is: what ends the process, and a function beside it that does nothing."""
HEARD = {"end": ("eof",), "signals": ("sigterm", "sigint")}
"""The endings that a shape is about, by what it hears."""
ENDINGS: dict[str, Ending] = {
    "eof": "close_pipes",
    "crash": "client_death",
    "sigterm": "sigterm",
    "sigint": "sigint",
}
ASKED = {"eof": "stdin_eof", "crash": "stdin_eof", "sigterm": "sigterm", "sigint": "sigint"}
"""Where the model has the verdict for an ending."""
IMPORTS = {
    "v1": (
        ("McpServer", "@modelcontextprotocol/sdk/server/mcp.js"),
        ("StdioServerTransport", "@modelcontextprotocol/sdk/server/stdio.js"),
    ),
    "v2": (
        ("McpServer", "@modelcontextprotocol/server"),
        ("StdioServerTransport", "@modelcontextprotocol/server/stdio"),
    ),
}
PACKAGES = {"v1": ("@modelcontextprotocol/sdk", "1.32.2"), "v2": ("@modelcontextprotocol/server", "2.4.0")}


@dataclass(frozen=True)
class Shape:
    """A server with one way to write a handler, which leaves or stays."""

    row: Mapping[str, Any]
    variant: str

    @property
    def label(self) -> str:
        """Its part of a test's name."""
        return f"{self.row['name']}-{self.variant}"

    @property
    def sdk(self) -> str:
        """What it runs on."""
        return str(self.row.get("sdk", "v1"))

    @property
    def entry(self) -> str:
        """The server's file."""
        return f"server.{self.row.get('language', 'mjs')}"

    @property
    def asks(self) -> bool:
        """Whether the server can be asked anything; if not, it says a line when it is ready."""
        return bool(self.row.get("asks", True))

    @property
    def verdicts(self) -> dict[str, str]:
        """What must come of each ending that is measured."""
        usual = "exits" if self.variant == "leaving" else "survives"
        found: dict[str, str] = dict.fromkeys(HEARD[self.row.get("hears", "end")], usual) | self.row.get(
            self.variant, {}
        )
        if "eof" in found and self.variant == "leaving" and self.asks:
            found.setdefault("crash", found["eof"])
        return found

    @property
    def sigterm_after_eof(self) -> str:
        """What must come of SIGTERM where the end of stdin did not end it."""
        return str(self.row.get("after_eof", {}).get(self.variant, self.verdicts.get("sigterm", "exits")))

    def allowed(self, ending: str) -> set[str]:
        """The verdicts that mcplint may give."""
        told = self.row.get("open", {})
        known = {"unknown"} if f"{self.variant}.{'eof' if ending == 'crash' else ending}" in told else set()
        return {self.verdicts[ending]} | known

    def files(self) -> dict[str, str]:
        """The whole server."""
        kind = "commonjs" if self.entry.endswith(".cjs") else "module"
        package = {"type": kind, "dependencies": dict([PACKAGES[self.sdk]])}
        files = {
            "package.json": json.dumps(package),
            self.entry: self._server(),
            **self.row.get("files", {}),
        }
        return {name: text.replace("EXIT", VARIANTS[self.variant]) for name, text in files.items()}

    def write(self, folder: Path) -> None:
        """Put the server into a folder."""
        for name, text in self.files().items():
            (folder / name).write_text(text, "utf-8")

    def _server(self) -> str:
        script = self.entry.endswith(".cjs")
        load = 'const {{ {} }} = require("{}");' if script else 'import {{ {} }} from "{}";'
        parts = [
            f"const transport = {self.row.get('made', 'new StdioServerTransport()')};",
            self.row.get("code", ""),
        ]
        return "\n".join([
            *(load.format(*one) for one in IMPORTS[self.sdk]),
            'const server = new McpServer({ name: "truth", version: "1.0.0" });',
            "const beat = setInterval(() => {}, 1000);" if self.row.get("holds", True) else "",
            *(reversed(parts) if "made" in self.row else parts),
            "server.connect(transport);" if script else "await server.connect(transport);",
            self.row.get("after", ""),
            "",
        ])  # fmt: skip


@dataclass(frozen=True)
class ShapeCase:
    """A shape that is ended in one way."""

    shape: Shape
    ending: str

    @property
    def name(self) -> str:
        """The test's name."""
        return f"{self.shape.label}-{self.ending}"

    @property
    def environment(self) -> Environment:
        """What it runs on."""
        return ENVIRONMENTS[self.shape.sdk]

    def run(self, folder: Path) -> Run:
        """Write the server into ``folder``, ready to start."""
        self.shape.write(folder)
        link_packages(self.environment, folder)
        loader = ["--import", "tsx"] if self.shape.entry.endswith(".ts") else []
        command = [str(self.environment.program), *loader, self.shape.entry]
        return Run(
            self.name,
            command,
            folder,
            ENDINGS[self.ending],
            escalate=self.ending == "eof",
            greets=self.shape.asks,
        )


def shapes() -> Iterator[Shape]:
    """Every row of the table, leaving and staying."""
    for row in tomllib.loads((HERE / "shapes.toml").read_text("utf-8"))["shape"]:
        for variant in VARIANTS:
            yield Shape(row, variant)


def shape_cases() -> Iterator[ShapeCase]:
    """Every shape with every ending that it says something of."""
    for shape in shapes():
        for ending in shape.verdicts:
            yield ShapeCase(shape, ending)
