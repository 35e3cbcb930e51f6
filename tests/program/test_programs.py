"""Which programs there are, and how each is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import lint
from tests.lifecycle.programs import BEAT, LOOP, cases, judge, node, package, python, report_of, write

GAPS: dict[str, str] = {}
"""Cases that mcplint does not get right yet, and why."""

MADE = "const transport = new StdioServerTransport();\n"
LIBRARY = node(
    BEAT, connect="export async function main() { await server.connect(new StdioServerTransport()); }"
).replace(MADE, "")
"""A server that somebody else starts; importing it already starts a timer."""


def entries(root: Path, files: dict[str, str]) -> list[str]:
    """The entry of every server, in order."""
    return [s.entry.relative_to(root).as_posix() for s in report_of(root, files).servers]


DECLARED = {
    "bin": ({"bin": "cli.mjs"}, ["cli.mjs"]),
    "bin by name": ({"bin": {"t": "./cli.mjs"}}, ["cli.mjs"]),
    "main": ({"main": "cli.mjs"}, ["cli.mjs"]),
    "start script": ({"scripts": {"start": "node cli.mjs"}}, ["cli.mjs"]),
    "nothing": ({}, ["cli.mjs"]),
    "bin that is not there": ({"bin": "gone.mjs"}, ["cli.mjs"]),
}


@pytest.mark.parametrize(("fields", "expected"), cases(DECLARED, GAPS))
def test_entries_of_a_package(tmp_path: Path, fields: dict[str, object], expected: list[str]) -> None:
    files = {
        "package.json": package(**fields),
        "cli.mjs": 'import { main } from "./src/server.mjs";\nmain();\n',
        "src/server.mjs": LIBRARY,
    }
    assert entries(tmp_path, files) == expected


def test_what_the_entry_holds_counts(tmp_path: Path) -> None:
    server = LIBRARY.replace(BEAT, "")
    files = {
        "package.json": package(bin="cli.mjs"),
        "cli.mjs": f'import {{ main }} from "./server.mjs";\n{BEAT}main();\n',
        "server.mjs": server,
    }
    assert judge(tmp_path / "held", files).stdin_eof.verdict == "survives"
    files["cli.mjs"] = 'import { main } from "./server.mjs";\nmain();\n'
    assert judge(tmp_path / "free", files).stdin_eof.verdict == "exits"


def test_a_handler_of_the_entry_counts(tmp_path: Path) -> None:
    files = {
        "package.json": package(bin="cli.mjs"),
        "cli.mjs": 'process.stdin.on("end", () => process.exit(0));\nconst { main } = await import("./server.mjs");\nmain();\n',
        "server.mjs": LIBRARY,
    }
    assert judge(tmp_path, files).stdin_eof.verdict == "exits"


def test_a_bin_in_build_output_means_its_source(tmp_path: Path) -> None:
    files = {
        "package.json": package(bin={"t": "dist/index.js"}, main="dist/index.js"),
        "tsconfig.json": '{"compilerOptions": {"rootDir": "src", "outDir": "dist"}}',
        "src/index.ts": node(BEAT),
    }
    assert entries(tmp_path, files) == ["src/index.ts"]


def test_a_published_package_is_judged_by_its_build_output(tmp_path: Path) -> None:
    files = {"package.json": package(bin={"t": "dist/index.js"}), "dist/index.js": node(BEAT)}
    assert entries(tmp_path, files) == ["dist/index.js"]


def test_two_programs_of_one_package(tmp_path: Path) -> None:
    files = {
        "package.json": package(bin={"a": "a.mjs", "b": "b.mjs"}),
        "a.mjs": node(BEAT),
        "b.mjs": node(),
    }
    report = report_of(tmp_path, files)
    assert [(s.entry.name, s.stdin_eof.verdict) for s in report.servers] == [
        ("a.mjs", "survives"),
        ("b.mjs", "exits"),
    ]


def test_bin_and_main_that_are_one_program_count_once(tmp_path: Path) -> None:
    files = {"package.json": package(bin="index.mjs", main="./index.mjs"), "index.mjs": node(BEAT)}
    assert entries(tmp_path, files) == ["index.mjs"]


IS_MAIN = {
    "argv by url": "if (import.meta.url === `file://${process.argv[1]}`) { WORK }",
    "argv by pathToFileURL": 'import { pathToFileURL } from "node:url";\n'
    "if (import.meta.url === pathToFileURL(process.argv[1]).href) { WORK }",
    "argv by fileURLToPath": 'import { fileURLToPath } from "node:url";\n'
    "if (process.argv[1] === fileURLToPath(import.meta.url)) { WORK }",
    "argv and realpath": 'import { realpathSync } from "node:fs";\nimport { fileURLToPath } from "node:url";\n'
    "const isMain = realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);\nif (isMain) { WORK }",
    "argv guarded": 'import { fileURLToPath } from "node:url";\n'
    "if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) { WORK }",
    "import.meta.main": "if (import.meta.main) { WORK }",
    "argv by ending": 'if (process.argv[1]?.endsWith("server.mjs")) { WORK }',
    "function": 'import { fileURLToPath } from "node:url";\n'
    "function isMainModule() { return process.argv[1] === fileURLToPath(import.meta.url); }\nif (isMainModule()) { WORK }",
    "negated": 'import { fileURLToPath } from "node:url";\n'
    "if (process.argv[1] !== fileURLToPath(import.meta.url)) { void 0; } else { WORK }",
}


@pytest.mark.parametrize("test", cases(IS_MAIN, GAPS))
def test_is_main_is_true_of_the_entry(tmp_path: Path, test: str) -> None:
    start = "await server.connect(transport);"
    held = node(connect=test.replace("WORK", f"{BEAT}{start}"))
    assert judge(tmp_path / "held", held).stdin_eof.verdict == "survives"
    handled = node(
        BEAT, connect=test.replace("WORK", f'process.stdin.on("end", () => process.exit(0)); {start}')
    )
    assert judge(tmp_path / "handled", handled).stdin_eof.verdict == "exits"


URL = 'import { fileURLToPath, pathToFileURL } from "node:url";\nimport * as fs from "node:fs";\nimport path from "node:path";\n'
STARTED = {
    "url of a path": ("", "import.meta.url === pathToFileURL(process.argv[1]).href"),
    "path of the url": ("", "process.argv[1] === fileURLToPath(import.meta.url)"),
    "template": ("", "import.meta.url === `file://${process.argv[1]}`"),
    "joined": ("", '"file://" + process.argv[1] === import.meta.url'),
    "slashes": ("", 'import.meta.url === `file:///${process.argv[1].replaceAll("\\\\", "/")}`'),
    "ends with": ("", "import.meta.url.endsWith(process.argv[1])"),
    "new URL": ("", "new URL(import.meta.url).pathname === process.argv[1]"),
    "real paths": (
        "",
        "fs.realpathSync(process.argv[1]) === fs.realpathSync(fileURLToPath(import.meta.url))",
    ),
    "resolved": ("", "path.resolve(process.argv[1]) === path.resolve(fileURLToPath(import.meta.url))"),
    "filename": ("", "process.argv[1] === import.meta.filename"),
    "name": ("const __filename = fileURLToPath(import.meta.url);", "process.argv[1] === __filename"),
    "argv of an import": ('import { argv } from "node:process";', "import.meta.url === `file://${argv[1]}`"),
    "variables": (
        "const script = process.argv[1];\nconst self = fileURLToPath(import.meta.url);\n"
        "const isMain = script && script === self;",
        "isMain",
    ),
    "helper": (
        "function started() {\n  if (!process.argv[1]) return false;\n"
        "  try { return fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url); }\n"
        "  catch { return false; }\n}",
        "started()",
    ),
    "arrow": ("const started = () => import.meta.url === pathToFileURL(process.argv[1]).href;", "started()"),
    "awaited": (
        "async function started() { return (await fs.promises.realpath(process.argv[1])) === fileURLToPath(import.meta.url); }",
        "await started()",
    ),
    "helper of another module": ('import { isMain } from "./is-main.mjs";', "isMain(import.meta.url)"),
    "import.meta.main": ("", "import.meta.main"),
    "Bun": ("", "import.meta.path === Bun.main"),
    "es-main": ('import esMain from "es-main";', "esMain(import.meta)"),
    "twice denied": ("", "!(import.meta.url !== `file://${process.argv[1]}`)"),
}
HELPER = (
    'import { pathToFileURL } from "node:url";\n'
    "export const isMain = (url) => Boolean(process.argv[1]) && url === pathToFileURL(process.argv[1]).href;\n"
)


@pytest.mark.parametrize(("setup", "test"), cases(STARTED, GAPS))
def test_each_spelling_of_is_main(tmp_path: Path, setup: str, test: str) -> None:
    module = f'{URL}{setup}\nif ({test}) {{ process.stdin.on("end", () => process.exit(0)); }}\n'
    own = {"cli.mjs": node(f"{BEAT}{module}"), "is-main.mjs": HELPER}
    assert judge(tmp_path / "own", own).stdin_eof.verdict == "exits"
    imported = {
        "package.json": package(bin="cli.mjs"),
        "cli.mjs": node(f'{BEAT}import "./other.mjs";'),
        "other.mjs": module,
        "is-main.mjs": HELPER,
    }
    assert judge(tmp_path / "imported", imported).stdin_eof.verdict == "survives"


NOT_ASKED = {
    "mode": 'process.argv[2] === "watch"',
    "build": "import.meta.env.DEV",
    "folder": 'process.argv[1].includes("node_modules")',
    "runner": 'process.argv[1]?.endsWith("vitest.mjs")',
    "more than that": "import.meta.url === `file://${process.argv[1]}` && globalThis.ready",
    "written again": "again",
}


@pytest.mark.parametrize("test", cases(NOT_ASKED, GAPS))
def test_a_test_that_is_none_of_is_main_decides_nothing(tmp_path: Path, test: str) -> None:
    again = "let again = import.meta.main;\nif (globalThis.x) again = globalThis.y;\n"
    text = node(f'{BEAT}{again}if ({test}) {{ process.stdin.on("end", () => process.exit(0)); }}')
    assert judge(tmp_path, text).stdin_eof.verdict == "unknown"


def test_the_script_that_was_started_may_be_spelt_out(tmp_path: Path) -> None:
    test = 'if (process.argv[1]?.endsWith("cli.js")) { process.stdin.on("end", () => process.exit(0)); }'
    files = {
        "package.json": package(bin="dist/cli.js"),
        "src/cli.ts": node(f'{BEAT}import "./stop.js";'),
        "src/stop.ts": test,
    }
    assert judge(tmp_path / "1", files).stdin_eof.verdict == "exits"
    other = {**files, "src/stop.ts": test.replace("cli.js", "main.js")}
    assert judge(tmp_path / "2", other).stdin_eof.verdict == "survives"


@pytest.mark.parametrize(
    "test",
    [
        "require.main === module",
        "module === require.main",
        "require.main?.filename === __filename",
        "!module.parent",
        "module.parent === null",
        "module.parent == null",
        "!(require.main !== module)",
    ],
)
def test_is_main_of_commonjs(tmp_path: Path, test: str) -> None:
    text = (
        'const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");\n'
        'const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");\n'
        'const server = new McpServer({ name: "t", version: "1" });\n'
        f"if ({test}) {{ setInterval(() => {{}}, 1000); server.connect(new StdioServerTransport()); }}\n"
        "module.exports = { server };\n"
    )
    assert (
        judge(tmp_path, {"server.js": text, "package.json": package(type="commonjs")}).stdin_eof.verdict
        == "survives"
    )


def test_is_main_is_false_of_an_import(tmp_path: Path) -> None:
    test = "if (import.meta.url === `file://${process.argv[1]}`) { WORK }"
    files = {
        "package.json": package(bin="cli.mjs"),
        "cli.mjs": node('import "./cache.mjs";'),
        "cache.mjs": test.replace("WORK", BEAT),
    }
    assert judge(tmp_path, files).stdin_eof.verdict == "exits"


NOBODY = {
    "exported": "export async function run() { BEAT await server.connect(transport); }",
    "default": "export default async function () { BEAT await server.connect(transport); }",
    "class": "export class App { async run() { BEAT await server.connect(transport); } }",
    "factory": "export const create = () => ({ start: async () => { BEAT await server.connect(transport); } });",
}


def offered(body: str) -> str:
    return node(connect=body.replace("transport", "new StdioServerTransport()")).replace(MADE, "")


@pytest.mark.parametrize("body", cases(NOBODY, GAPS))
def test_a_server_that_nobody_starts_is_no_program(tmp_path: Path, body: str) -> None:
    text = offered(body.replace("BEAT", BEAT))
    for fields in ({}, {"main": "index.mjs"}, {"exports": "./index.mjs"}):
        root = tmp_path / next(iter(fields), "nothing")
        assert report_of(root, {"index.mjs": text, "package.json": package(**fields)}).servers == ()


@pytest.mark.parametrize("body", cases(NOBODY, GAPS))
@pytest.mark.parametrize("how", ["bin", "script", "named"])
def test_a_server_that_something_may_start_is_judged_from_its_function(
    tmp_path: Path, body: str, how: str
) -> None:
    """A command may start it in a way that cannot be followed; a file that is named is asked about."""
    fields: dict[str, object] = {"bin": "cli.mjs"} if how == "bin" else {}
    if how == "script":
        fields = {"scripts": {"start": "node cli.mjs"}}
    for name, hold, verdict in (("held", BEAT, "survives"), ("free", "", "exits")):
        files = {"index.mjs": offered(body.replace("BEAT", hold)), "package.json": package(**fields)}
        if how != "named":
            files["cli.mjs"] = "await import(process.argv[2]);\n"
        write(tmp_path / name, files)
        (server,) = lint([tmp_path / name / ("index.mjs" if how == "named" else "")]).servers
        assert server.stdin_eof.verdict == verdict


def test_what_another_file_starts_is_a_program(tmp_path: Path) -> None:
    files = {
        "package.json": package(main="index.mjs"),
        "index.mjs": offered(NOBODY["exported"].replace("BEAT", BEAT)),
        "run.mjs": 'import { run } from "./index.mjs";\nawait run();\n',
    }
    assert entries(tmp_path / "1", files) == ["run.mjs"]
    text = files.pop("index.mjs")
    files |= {"src/index.js": text, "src/run.js": 'const { run } = require(".");\nrun();\n'}
    del files["run.mjs"]
    assert entries(tmp_path / "2", files) == ["src/run.js"]


@pytest.mark.xfail(strict=True, reason="the function that serves is not entered")
def test_a_transport_made_at_the_top_and_served_by_a_function_nobody_calls(tmp_path: Path) -> None:
    assert (
        judge(tmp_path, node(connect=NOBODY["exported"].replace("BEAT", BEAT))).stdin_eof.verdict
        == "survives"
    )


def test_a_test_that_starts_a_server_is_no_program(tmp_path: Path) -> None:
    files = {"package.json": package(), "src/app.test.mjs": node(BEAT), "tests/helper.mjs": node(BEAT)}
    write(tmp_path, files)
    assert lint([tmp_path]).servers == ()
    assert len(lint([tmp_path / "src/app.test.mjs"]).servers) == 1


@pytest.mark.parametrize(
    "text",
    [
        'import { Client } from "@modelcontextprotocol/sdk/client/index.js";\nnew Client({});\n' + BEAT,
        'import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";\n'
        'new StdioClientTransport({ command: "x" });\n' + BEAT,
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nnew McpServer({});\n' + BEAT,
        "// new StdioServerTransport()\n" + BEAT,
        'const text = "new StdioServerTransport()";\n' + BEAT,
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nclass Pipe {}\n'
        "await new McpServer({}).connect(new Pipe());\n" + BEAT,
    ],
    ids=["client", "client transport", "no transport", "comment", "string", "a transport of its own"],
)
def test_what_is_no_stdio_server(tmp_path: Path, text: str) -> None:
    assert report_of(tmp_path, {"index.mjs": text}).servers == ()


def test_a_file_named_alone_belongs_to_its_project(tmp_path: Path) -> None:
    write(tmp_path, {"package.json": package(version="1.25.1"), "src/index.mjs": node(BEAT)})
    (server,) = lint([tmp_path / "src" / "index.mjs"]).servers
    assert server.transport.version is not None
    assert server.transport.version.version == "1.25.1"


# ---------------------------------------------------------------------------- Python

APP = "import threading, time\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n" + LOOP
HELD = "threading.Thread(target=work).start()"
STARTS = {
    "module": ({"server.py": APP + HELD + "\nmcp.run()\n"}, "server.py"),
    "is main": ({"server.py": APP + f"if __name__ == '__main__':\n    {HELD}\n    mcp.run()\n"}, "server.py"),
    "is main, swapped": (
        {"server.py": APP + f'if "__main__" == __name__:\n    {HELD}\n    mcp.run()\n'},
        "server.py",
    ),
    "main function": (
        {
            "server.py": APP
            + f"def main():\n    {HELD}\n    mcp.run()\nif __name__ == '__main__':\n    main()\n"
        },
        "server.py",
    ),
    "nobody calls it": ({"server.py": APP + f"def main():\n    {HELD}\n    mcp.run()\n"}, "server.py"),
    "__main__": (
        {
            "app/__init__.py": "",
            "app/__main__.py": "from .server import main\nmain()\n",
            "app/server.py": APP + f"def main():\n    {HELD}\n    mcp.run()\n",
        },
        "app/__main__.py",
    ),
    "__main__ behind is-main": (
        {
            "app/__init__.py": "",
            "app/__main__.py": "from app.server import main\nif __name__ == '__main__':\n    main()\n",
            "app/server.py": APP + f"def main():\n    {HELD}\n    mcp.run()\n",
        },
        "app/__main__.py",
    ),
    "console script": (
        {
            "pyproject.toml": '[project]\nname = "t"\ndependencies = ["mcp==1.30.0"]\n'
            '[project.scripts]\nt = "app.server:main"\n',
            "app/__init__.py": "",
            "app/server.py": APP + f"def main():\n    {HELD}\n    mcp.run()\n",
        },
        "app/server.py",
    ),
    "console script of a src layout": (
        {
            "pyproject.toml": '[project]\nname = "t"\ndependencies = ["mcp==1.30.0"]\n'
            '[project.scripts]\nt = "app:main"\n',
            "src/app/__init__.py": "from .server import main\n",
            "src/app/server.py": APP + f"def main():\n    {HELD}\n    mcp.run()\n",
        },
        "src/app/__init__.py",
    ),
    "console script of the server itself": (
        {
            "pyproject.toml": '[project]\nname = "t"\ndependencies = ["mcp==1.30.0"]\n'
            '[project.scripts]\nt = "app.server:mcp.run"\n',
            "app/__init__.py": "",
            "app/server.py": APP + HELD + "\n",
        },
        "app/server.py",
    ),
    "poetry script": (
        {
            "pyproject.toml": '[tool.poetry]\nname = "t"\n[tool.poetry.scripts]\nt = "app.server:main"\n',
            "app/__init__.py": "",
            "app/server.py": APP + f"def main():\n    {HELD}\n    mcp.run()\n",
        },
        "app/server.py",
    ),
    "async main": (
        {
            "server.py": "import asyncio\n" + APP + f"async def main():\n    {HELD}\n"
            "    await mcp.run_stdio_async()\nif __name__ == '__main__':\n    asyncio.run(main())\n"
        },
        "server.py",
    ),
    "click command": (
        {
            "server.py": "import click\n"
            + APP
            + f"@click.command()\ndef main():\n    {HELD}\n    mcp.run()\n"
            "if __name__ == '__main__':\n    main()\n"
        },
        "server.py",
    ),
    "typer command": (
        {
            "server.py": "import typer\n"
            + APP
            + f"cli = typer.Typer()\n@cli.command()\ndef main():\n    {HELD}\n"
            "    mcp.run()\nif __name__ == '__main__':\n    cli()\n"
        },
        "server.py",
    ),
    "method": (
        {
            "server.py": APP + f"class App:\n    def run(self):\n        {HELD}\n        mcp.run()\n"
            "if __name__ == '__main__':\n    App().run()\n"
        },
        "server.py",
    ),
    "factory": (
        {
            "server.py": APP.replace("mcp = FastMCP('t')\n", "def make():\n    return FastMCP('t')\n")
            + f"if __name__ == '__main__':\n    {HELD}\n    make().run()\n"
        },
        "server.py",
    ),
    "sys.exit of main": (
        {
            "server.py": "import sys\n" + APP + f"def main():\n    {HELD}\n    mcp.run()\n    return 0\n"
            "if __name__ == '__main__':\n    sys.exit(main())\n"
        },
        "server.py",
    ),
}


@pytest.mark.parametrize(("files", "entry"), cases(STARTS, GAPS))
def test_how_a_python_server_is_started(tmp_path: Path, files: dict[str, str], entry: str) -> None:
    server = judge(tmp_path / "held", files)
    assert server.entry.relative_to(tmp_path / "held").as_posix() == entry
    assert server.stdin_eof.verdict == "survives"
    free = {name: text.replace("target=work)", "target=work, daemon=True)") for name, text in files.items()}
    assert judge(tmp_path / "free", free).stdin_eof.verdict == "exits"


def test_what_is_behind_is_main_of_another_module_does_not_run(tmp_path: Path) -> None:
    files = {
        "server.py": python("import jobs"),
        "jobs.py": "import threading, time\n" + LOOP + f"if __name__ == '__main__':\n    {HELD}\n",
    }
    assert judge(tmp_path, files).stdin_eof.verdict == "exits"


@pytest.mark.parametrize(
    ("serve", "verdict"),
    [
        ("if args.http:\n    HELD\n    mcp.run(transport='sse')\nelse:\n    mcp.run()", "exits"),
        ("if args.http:\n    mcp.run(transport='sse')\nelse:\n    HELD\n    mcp.run()", "survives"),
        (
            "if args.transport == 'stdio':\n    mcp.run()\nelse:\n    HELD\n    mcp.run(transport='sse')",
            "exits",
        ),
        ("HELD\nif args.http:\n    mcp.run(transport='sse')\nelse:\n    mcp.run()", "survives"),
        ("mcp.run(transport=args.transport)", "exits"),
        ("HELD\nmcp.run(transport=args.transport)", "survives"),
        ("HELD\nmcp.run(transport=os.environ.get('MCP_TRANSPORT', 'stdio'))", "survives"),
    ],
    ids=[
        "http holds",
        "stdio holds",
        "else holds",
        "both hold",
        "by argument",
        "by argument, held",
        "by environment, held",
    ],
)
def test_only_the_stdio_branch_of_python_counts(tmp_path: Path, serve: str, verdict: str) -> None:
    args = "import argparse\nargs = argparse.ArgumentParser().parse_args()\n" + LOOP
    assert judge(tmp_path, python(args, serve=serve.replace("HELD", HELD))).stdin_eof.verdict == verdict


def test_two_languages_in_one_project(tmp_path: Path) -> None:
    files = {
        "package.json": package(),
        "web/index.mjs": node(BEAT),
        "py/server.py": python(),
        "py/requirements.txt": "mcp==1.30.0\n",
    }
    report = report_of(tmp_path, files)
    assert {(s.language, s.stdin_eof.verdict) for s in report.servers} == {
        ("javascript", "survives"),
        ("python", "exits"),
    }


def test_a_broken_file_beside_a_server_is_skipped_and_the_server_judged(tmp_path: Path) -> None:
    files = {"requirements.txt": "mcp==1.30.0\n", "server.py": python("import jobs"), "jobs.py": "def (:\n"}
    report = report_of(tmp_path, files)
    assert [s.stdin_eof.verdict for s in report.servers] == ["exits"]
    assert [s.path.name for s in report.skipped] == ["jobs.py"]


def test_the_language_of_a_server(tmp_path: Path) -> None:
    assert judge(tmp_path / "js", {"index.mjs": node()}).language == "javascript"
    assert judge(tmp_path / "ts", {"index.ts": node("const n: number = 1; void n;")}).language == "typescript"
    assert judge(tmp_path / "py", {"server.py": python()}).language == "python"
