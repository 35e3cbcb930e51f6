"""Projects of several packages, and of source that is built: which files make one program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcplint.api import lint
from tests.lifecycle.programs import BEAT, cases, node, package, place, report_of, write

GAPS: dict[str, str] = {}
"""Cases that mcplint does not get right yet, and why."""

START = "export async function start() { BEAT await server.connect(new StdioServerTransport()); }"
CORE = node(connect=START.replace("BEAT", BEAT)).replace(
    "const transport = new StdioServerTransport();\n", ""
)
"""A server that a function starts."""


def manifest(**fields: object) -> str:
    """A package.json of one package among several, which has the SDK from elsewhere."""
    return json.dumps({"version": "1.0.0", "type": "module", **fields})


def uses(name: str) -> str:
    return f'#!/usr/bin/env node\nimport {{ start }} from "{name}";\nawait start();\n'


LIBRARY = {
    "packages/core/package.json": manifest(
        name="@acme/core",
        exports={".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"}},
        dependencies={"@modelcontextprotocol/sdk": "1.30.0"},
    ),
    "packages/core/src/index.ts": 'export * from "./server.js";\n',
    "packages/core/src/server.ts": CORE,
}
COMMAND = {
    "packages/cli/package.json": manifest(
        name="acme", bin={"acme": "dist/cli.js"}, dependencies={"@acme/core": "workspace:*"}
    ),
    "packages/cli/src/cli.ts": uses("@acme/core"),
}
WORKSPACES = {
    "npm": {"package.json": manifest(workspaces=["packages/*"])},
    "npm, one by one": {"package.json": manifest(workspaces=["./packages/core", "packages/cli/"])},
    "yarn": {"package.json": manifest(workspaces={"packages": ["packages/*"], "nohoist": ["**"]})},
    "pnpm": {
        "package.json": manifest(),
        "pnpm-workspace.yaml": 'packages:\n  - "packages/*"\n  - "!**/test/**"\n',
    },
    "pnpm, deep": {"package.json": manifest(), "pnpm-workspace.yaml": "packages:\n- packages/**\n"},
    "lerna": {"package.json": manifest(), "lerna.json": '{"version": "1.0.0", "packages": ["packages/*"]}'},
}


@pytest.mark.parametrize("root", cases(WORKSPACES, GAPS))
def test_a_command_of_one_package_starts_the_server_of_another(
    tmp_path: Path, root: Mapping[str, str]
) -> None:
    (server,) = report_of(tmp_path, {**root, **LIBRARY, **COMMAND}).servers
    assert place(tmp_path, server.transport.made) == "packages/core/src/server.ts:6"
    assert server.entry == tmp_path / "packages/cli/src/cli.ts"
    assert server.stdin_eof.verdict == "survives"
    assert server.transport.version is not None
    assert server.transport.version.version == "1.30.0"


def test_what_the_command_listens_to_counts(tmp_path: Path) -> None:
    files = {**WORKSPACES["npm"], **LIBRARY, **COMMAND}
    files["packages/cli/src/cli.ts"] += 'process.stdin.on("end", () => process.exit(0));\n'
    (server,) = report_of(tmp_path, files).servers
    assert server.stdin_eof.verdict == "exits"


def test_a_command_that_only_loads_what_starts_the_other_package(tmp_path: Path) -> None:
    files = {**WORKSPACES["npm"], **LIBRARY, **COMMAND}
    files["packages/cli/package.json"] = manifest(name="acme", bin="bin/acme.mjs")
    files["packages/cli/bin/acme.mjs"] = 'import "../dist/cli.js";\n'
    (server,) = report_of(tmp_path, files).servers
    assert server.entry == tmp_path / "packages/cli/bin/acme.mjs"


NO_COMMAND = {
    "nobody imports it": {},
    "somebody imports something else": {
        **COMMAND,
        "packages/cli/src/cli.ts": 'import { other } from "@acme/core-tools";\nawait other();\n',
    },
    "somebody imports it and starts nothing": {
        **COMMAND,
        "packages/cli/src/cli.ts": 'import { start } from "@acme/core";\nexport const later = start;\n',
    },
    "a test starts it": {
        "packages/cli/package.json": manifest(name="acme"),
        "packages/cli/cli.test.ts": uses("@acme/core"),
    },
}


@pytest.mark.parametrize("files", cases(NO_COMMAND, GAPS))
def test_a_package_that_no_command_starts_is_a_library(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert report_of(tmp_path, {**WORKSPACES["npm"], **LIBRARY, **files}).servers == ()


EXPORTS = {
    "main": (manifest(name="core", main="./lib/index.js"), "core"),
    "sub-path": (
        manifest(name="core", exports={".": "./dist/other.js", "./run": "./dist/index.js"}),
        "core/run",
    ),
    "pattern": (manifest(name="core", exports={"./*": {"import": {"default": "./dist/*.js"}}}), "core/index"),
    "source condition": (
        manifest(name="core", exports={".": {"source": "./src/index.ts", "default": "./dist/index.js"}}),
        "core",
    ),
    "format folders": (
        manifest(name="core", exports={"require": "./dist/cjs/index.cjs", "import": "./dist/esm/index.mjs"}),
        "core",
    ),
}


@pytest.mark.parametrize(("text", "name"), cases(EXPORTS, GAPS))
def test_exports_of_a_package_lead_to_its_source(tmp_path: Path, text: str, name: str) -> None:
    files = {
        **WORKSPACES["npm"],
        "packages/core/package.json": text,
        "packages/core/src/index.ts": CORE,
        "packages/core/src/other.ts": "export {};\n",
        "packages/cli/package.json": package(bin="dist/cli.js"),
        "packages/cli/src/cli.ts": uses(name),
    }
    (server,) = report_of(tmp_path, files).servers
    assert server.entry == tmp_path / "packages/cli/src/cli.ts"


def config(**options: object) -> str:
    return json.dumps({"compilerOptions": options})


BUILT = {
    "outDir and rootDir": (
        {
            "tsconfig.json": config(outDir="build", rootDir="code"),
            "code/cli.ts": uses("./server.js"),
            "code/server.ts": CORE,
        },
        "build/cli.js",
    ),
    "outDir of a base": (
        {
            "tsconfig.json": '{"extends": "./tsconfig.base.json"}',
            "tsconfig.base.json": config(outDir="out", rootDir="code"),
            "code/cli.ts": uses("./server.js"),
            "code/server.ts": CORE,
        },
        "out/cli.js",
    ),
    "a referenced config": (
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
            "tsconfig.app.json": config(outDir="out", rootDir="code"),
            "code/cli.ts": uses("./server.js"),
            "code/server.ts": CORE,
        },
        "out/cli.js",
    ),
    "by convention": ({"src/cli.ts": uses("./server"), "src/server.ts": CORE}, "dist/cli.js"),
    "with the source folder": ({"src/cli.ts": uses("./server"), "src/server.ts": CORE}, "dist/src/cli.js"),
    "a format folder": ({"src/cli.ts": uses("./server"), "src/server.ts": CORE}, "dist/esm/cli.mjs"),
    "a flat bundle": ({"src/bin/cli.ts": uses("../server"), "src/server.ts": CORE}, "dist/bin/cli.cjs"),
    "a start script": ({"src/cli.ts": uses("./server"), "src/server.ts": CORE}, None),
}


@pytest.mark.parametrize(("files", "command"), cases(BUILT, GAPS))
def test_a_built_command_means_its_source(
    tmp_path: Path, files: Mapping[str, str], command: str | None
) -> None:
    fields: dict[str, object] = {"bin": command} if command else {"scripts": {"start": "node dist/cli.js"}}
    (server,) = report_of(tmp_path, {**files, "package.json": package(**fields)}).servers
    assert server.entry.name == "cli.ts"
    assert server.stdin_eof.verdict == "survives"


MAPPED = {
    "paths": (config(baseUrl=".", paths={"@/*": ["src/*"]}), "@/server"),
    "one path": (config(paths={"~server": ["./src/server.ts"]}), "~server"),
    "base of the imports": (config(baseUrl="src"), "server"),
    "several places": (config(baseUrl=".", paths={"@/*": ["gone/*", "src/*"]}), "@/server.js"),
}


@pytest.mark.parametrize("how", ["own", "extended", "list", "package"])
@pytest.mark.parametrize(("text", "name"), cases(MAPPED, GAPS))
def test_paths_of_a_config(tmp_path: Path, text: str, name: str, how: str) -> None:
    configs = {
        "own": {"tsconfig.json": text},
        "extended": {"tsconfig.json": '{"extends": "./base"}', "base.json": text},
        "list": {
            "tsconfig.json": '{"extends": ["./first.json", "./base.json"]}',
            "first.json": "{}",
            "base.json": text,
        },
        "package": {
            "tsconfig.json": '{"extends": "../shared.json"}',
            "../shared.json": text.replace("src", "app/src").replace("gone", "app/gone"),
        },
    }
    files = {"src/cli.ts": uses(name), "src/server.ts": CORE, "package.json": package(bin="dist/cli.js")}
    root = tmp_path / "app"
    write(root, {**files, **configs[how]})
    (server,) = lint([root]).servers
    assert server.entry == root / "src/cli.ts"


OWN_NAMES = {
    "imports": ({"imports": {"#server": "./dist/server.js"}}, "#server"),
    "imports by pattern": ({"imports": {"#app/*": {"default": "./dist/*.js"}}}, "#app/server"),
    "its own name": (
        {"name": "acme", "exports": {".": "./dist/cli.js", "./server": "./dist/server.js"}},
        "acme/server",
    ),
}


@pytest.mark.parametrize(("fields", "name"), cases(OWN_NAMES, GAPS))
def test_names_inside_a_package(tmp_path: Path, fields: dict[str, object], name: str) -> None:
    files = {"src/cli.ts": uses(name), "src/server.ts": CORE}
    (server,) = report_of(tmp_path, {**files, "package.json": package(bin="dist/cli.js", **fields)}).servers
    assert server.entry.name == "cli.ts"


def test_a_published_package_of_build_output_only(tmp_path: Path) -> None:
    files = {
        "dist/cli.js": uses("./server.js"),
        "dist/server.js": CORE,
        "package.json": package(bin="dist/cli.js"),
    }
    (server,) = report_of(tmp_path, files).servers
    assert server.entry == tmp_path / "dist/cli.js"


def test_build_output_beside_its_source_is_not_judged(tmp_path: Path) -> None:
    files = {
        "dist/cli.js": uses("./server.js"),
        "dist/server.js": CORE.replace(BEAT, ""),
        "src/cli.ts": uses("./server.js"),
        "src/server.ts": CORE,
        "package.json": package(bin="dist/cli.js"),
    }
    (server,) = report_of(tmp_path, files).servers
    assert server.entry == tmp_path / "src/cli.ts"
    assert server.stdin_eof.verdict == "survives"
