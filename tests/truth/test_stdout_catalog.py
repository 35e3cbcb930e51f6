"""What the catalog says of stdout is what programs do, and what mcplint says of a server with such code."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcplint.api import lint

from .cases import catalog_entries, link_packages
from .harness import READY_WITHIN
from .install import ENVIRONMENTS, Environment, missing, prepare

COMMAND = "echo out; head -c 3 >&2"
"""What stands for SCRIPT: it prints, and shows on stderr what it could read."""
CHILD = """\
import fs from "node:fs";
console.log("out");
const bytes = Buffer.alloc(3);
fs.writeSync(2, bytes.subarray(0, fs.readSync(0, bytes, 0, 3, null)));
"""
SCRIPTS = {"javascript": f'const SCRIPT = "{COMMAND}";\n', "python": f'SCRIPT = "{COMMAND}"\n'}


@dataclass(frozen=True)
class Snippet:
    """A few lines that write on stdout, or do not."""

    name: str
    language: str
    imports: str
    code: str
    prints: bool
    takes: bool
    packages: Mapping[str, str]

    @property
    def environment(self) -> Environment:
        return ENVIRONMENTS["loggers" if self.language == "javascript" else "loggers-py"]

    @property
    def body(self) -> str:
        script = SCRIPTS[self.language] if "SCRIPT" in self.imports + self.code else ""
        return f"{self.imports}\n{script}{self.code}\n"


def snippets() -> Iterator[Snippet]:
    """Every truth of every entry."""
    for path, _, entry in catalog_entries():
        if path.stem != "stdout":
            continue
        for number, truth in enumerate(entry.get("truth", ()), 1):
            language = path.parent.name
            yield Snippet(
                f"{language}-{entry['names'][0]}-{entry.get('versions', '')}-{number}",
                language,
                truth.get("imports", ""),
                truth["code"],
                truth["prints"],
                truth.get("takes", False),
                truth.get("packages", {}),
            )


SNIPPETS = list(snippets())
NAMES = [snippet.name for snippet in SNIPPETS]


def aliased(text: str, packages: Mapping[str, str]) -> str:
    """Code that imports a package of which several versions are installed, each under a name of its own."""
    known = json.loads(ENVIRONMENTS["loggers"].declared.with_name("package.json").read_text("utf-8"))
    for name, version in packages.items():
        alias = f"{name.rpartition('/')[2]}-{version}"
        if alias in known["dependencies"]:
            text = text.replace(f'"{name}', f'"{alias}')
    return text


@pytest.mark.truth
@pytest.mark.parametrize("snippet", SNIPPETS, ids=NAMES)
def test_a_program_prints_as_claimed(snippet: Snippet, tmp_path: Path) -> None:
    environment = snippet.environment
    if reason := missing(environment):
        pytest.skip(reason)
    prepare(environment)
    if snippet.language == "javascript":
        link_packages(environment, tmp_path)
        entry, text = "program.mjs", aliased(snippet.body, snippet.packages)
    else:
        entry, text = "program.py", f"import os, sys\n{snippet.body}"
    for name, content in {entry: text, "child.mjs": CHILD, ".env": "A=1\n"}.items():
        (tmp_path / name).write_text(content, "utf-8")
    done = subprocess.run(
        [str(environment.program), entry],
        cwd=tmp_path,
        input=b"abc\n",
        capture_output=True,
        timeout=READY_WITHIN,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert bool(done.stdout) == snippet.prints, done
    if "SCRIPT" in text or "child.mjs" in text:
        assert (b"abc" in done.stderr) == snippet.takes, done


SERVER = {
    "javascript": (
        'import {{ McpServer }} from "@modelcontextprotocol/sdk/server/mcp.js";\n'
        'import {{ StdioServerTransport }} from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        '{body}await new McpServer({{ name: "t", version: "1.0.0" }}).connect(new StdioServerTransport());\n'
    ),
    "python": "import os, sys\nfrom mcp.server.fastmcp import FastMCP\n{body}mcp = FastMCP('t')\nmcp.run()\n",
}


@pytest.mark.parametrize("snippet", SNIPPETS, ids=NAMES)
def test_a_server_with_that_code_is_judged_so(snippet: Snippet, tmp_path: Path) -> None:
    text = SERVER[snippet.language].format(body=snippet.body)
    files: dict[str, str] = {"server.py": text, "requirements.txt": "mcp==1.30.0\n"}
    if snippet.language == "javascript":
        asked: dict[str, Any] = {"@modelcontextprotocol/sdk": "1.32.2", **snippet.packages}
        files = {"server.mjs": text, "package.json": json.dumps({"dependencies": asked})}
    for name, content in files.items():
        (tmp_path / name).write_text(content, "utf-8")
    (server,) = lint([tmp_path]).servers
    shared = [one for one in server.sharing if one.reaches]
    said = any(write.reaches for write in server.writes) or any(one.stdout for one in shared)
    assert said == snippet.prints, server.writes
    assert any(one.stdin for one in shared) == snippet.takes


MEASURED = [
    (path.parent.name, entry)
    for path, _, entry in catalog_entries()
    if path.stem == "stdout" and "names" in entry and entry["known"].startswith("measured")
]


@pytest.mark.parametrize(
    ("language", "entry"), MEASURED, ids=[f"{language}-{entry['names'][0]}" for language, entry in MEASURED]
)
def test_what_was_measured_can_be_measured_again(language: str, entry: Mapping[str, Any]) -> None:
    diverts = entry["names"] in (["mcp"], ["fastmcp"])
    assert diverts or entry.get("truth") or "as above" in entry["known"]
