"""An SDK that is installed is read, and believed over what its version says."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mcplint.api import lint
from mcplint.report import map as map_report
from mcplint.report.look import Look

from .programs import BEAT, GONE_ON_CLOSE, cases, judge, node, node2, package, report_of

V1 = "node_modules/@modelcontextprotocol/sdk"
V2 = "node_modules/@modelcontextprotocol/server"
ESM = f"{V1}/dist/esm/server/stdio.js"
CJS = f"{V1}/dist/cjs/server/stdio.js"

PLAIN = """
import process from "node:process";
export class StdioServerTransport {
  constructor(input = process.stdin) {
    this._input = input;
    this._started = false;
    this._ondata = (chunk) => this.onmessage?.(String(chunk));
    this._onend = () => END;
  }
  async start() {
    if (this._started) throw new Error("twice");
    this._started = true;
    this._input.on("data", this._ondata);
    START
  }
  async close() {
    this._input.off("data", this._ondata);
    this._input.pause();
    this.onclose?.();
  }
}
"""


def transport(start: str = "", end: str = "undefined") -> str:
    """A transport of some SDK: what it does last when it starts, and at the end of stdin."""
    return PLAIN.replace("START", start).replace("END", end)


LISTENS = 'this._input.on("end", this._onend);'
PATCHES = {
    "as published": (transport(), "nothing"),
    "closes": (transport(LISTENS, "this.close()"), "closes"),
    "closes, written in place": (
        transport('this._input.once("close", () => { void this.close(); });'),
        "closes",
    ),
    "closes, on stdin itself": (
        transport('process.stdin.on("end", async () => { await this.close(); });'),
        "closes",
    ),
    "calls onclose": (transport(LISTENS, "this.onclose?.()"), "closes"),
    "closes by a method": (
        transport("this._watch();")
        .replace("async close()", f"_watch() {{ {LISTENS} }}\n  async close()")
        .replace("undefined", "this.close()"),
        "closes",
    ),
    "ends the process": (transport(LISTENS, "process.exit(0)"), "exits"),
    "closes and ends the process": (transport(LISTENS, "this.close().then(() => process.exit(0))"), "exits"),
    "only listens": (transport(LISTENS, 'console.error("gone")'), "nothing"),
    "another event": (transport('this._input.on("error", () => this.close());'), "nothing"),
    "another stream": (transport('process.stdout.on("close", () => this.close());'), "nothing"),
    "a listener that nobody adds": (transport("", "this.close()"), "nothing"),
}


def installed(text: str, version: str = "1.30.0") -> dict[str, str]:
    return {
        f"{V1}/package.json": f'{{"name": "@modelcontextprotocol/sdk", "version": "{version}"}}',
        ESM: text,
    }


@pytest.mark.parametrize(("text", "does"), cases(PATCHES))
def test_the_installed_transport_is_read(tmp_path: Path, text: str, does: str) -> None:
    files = {"package.json": package(), "server.mjs": node(BEAT + GONE_ON_CLOSE), **installed(text)}
    server = judge(tmp_path, files)
    assert server.transport.at_eof == does
    assert server.transport.read == tmp_path / ESM
    assert server.stdin_eof.verdict == ("survives" if does == "nothing" else "exits")


NOT_FOLLOWED = {
    "an option": transport(f"if (this._options.watch) {{ {LISTENS} }}", "this.close()"),
    "another class": transport(LISTENS, "this.close()").replace("class StdioServerTransport", "class Other"),
    "nothing that starts": transport(LISTENS, "this.close()").replace("async start", "async begin"),
    "broken": "export class StdioServerTransport { start( }",
    "empty": "",
}


@pytest.mark.parametrize("text", NOT_FOLLOWED.values(), ids=NOT_FOLLOWED)
def test_what_cannot_be_followed_is_known_by_its_version(tmp_path: Path, text: str) -> None:
    files = {"package.json": package(), "server.mjs": node(BEAT + GONE_ON_CLOSE), **installed(text)}
    server = judge(tmp_path, files)
    assert server.transport.read is None
    assert server.transport.at_eof == "nothing"


def test_of_two_module_formats_the_one_that_is_patched_counts(tmp_path: Path) -> None:
    files = {"package.json": package(), "server.mjs": node(BEAT), **installed(transport())}
    patched = transport(LISTENS, "this.close()").replace(
        "export class", "exports.StdioServerTransport = class"
    )
    server = judge(tmp_path, {**files, CJS: patched})
    assert server.transport.at_eof == "closes"
    assert server.transport.read == tmp_path / CJS


@pytest.mark.parametrize(("listens", "does"), [(LISTENS, "closes"), ("", "nothing")])
def test_the_second_sdk_is_read_too(tmp_path: Path, listens: str, does: str) -> None:
    """Whatever its version claims: its process comes from a module of its own."""
    text = transport(listens, "this.close()").replace(
        'import process from "node:process";\nexport class',
        'import { process } from "@modelcontextprotocol/server/_shims";\nvar StdioServerTransport = class',
    )
    files = {
        "package.json": package("@modelcontextprotocol/server", "2.0.0"),
        "server.mjs": node2(BEAT),
        f"{V2}/package.json": '{"name": "@modelcontextprotocol/server", "version": "2.0.0"}',
        f"{V2}/dist/stdio.mjs": text,
    }
    assert judge(tmp_path, files).transport.at_eof == does


def test_what_is_installed_above_counts_for_a_package_below(tmp_path: Path) -> None:
    files = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/a/package.json": package(),
        "packages/a/server.mjs": node(BEAT),
        **installed(transport(LISTENS, "this.close()")),
    }
    assert judge(tmp_path, files).transport.read == tmp_path / ESM


def test_the_map_says_where_it_was_read(tmp_path: Path) -> None:
    files = {"package.json": package(), "server.mjs": node(), **installed(transport(LISTENS, "this.close()"))}
    out = io.StringIO()
    map_report.write(report_of(tmp_path, files), out, Look())
    assert "which closes its transport when stdin ends" in out.getvalue()
    assert f"as read in {tmp_path / ESM}" in out.getvalue()


def test_nothing_else_of_the_sdk_is_read(tmp_path: Path) -> None:
    """The modules that it imports may be large, and say nothing about the end of stdin."""
    text = 'import { helper } from "./helper.js";\n' + transport("helper(this);")
    files = {"package.json": package(), "server.mjs": node(BEAT), **installed(text)}
    files[f"{V1}/dist/esm/server/helper.js"] = "export function helper( {"
    report = report_of(tmp_path, files)
    assert report.skipped == ()
    assert lint([tmp_path]).servers[0].transport.at_eof == "nothing"
