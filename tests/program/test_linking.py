"""Imports of every form lead to the code that they name, and to no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lifecycle.programs import LOOP, cases, held_by, judge, node, package, report_of

GAPS: dict[str, str] = {}
"""Cases that mcplint does not get right yet, and why."""

TICK = "setInterval(() => {}, 1000);"
START = "export function start() { setInterval(() => {}, 1000); }\n"

# name: the line of src/index that uses it, the other files, the file that holds (None: nothing)
ESM: dict[str, tuple[str, dict[str, str], str | None]] = {
    ".js means .ts": ('import { start } from "./a.js"; start();', {"src/a.ts": START}, "src/a.ts"),
    ".mjs means .mts": ('import { start } from "./a.mjs"; start();', {"src/a.mts": START}, "src/a.mts"),
    ".js means .tsx": ('import { start } from "./a.js"; start();', {"src/a.tsx": START}, "src/a.tsx"),
    ".ts": ('import { start } from "./a.ts"; start();', {"src/a.ts": START}, "src/a.ts"),
    "no suffix": ('import { start } from "./a"; start();', {"src/a.ts": START}, "src/a.ts"),
    "a real .js beside": (
        'import { start } from "./a.js"; start();',
        {"src/a.js": START, "src/b.ts": TICK},
        "src/a.js",
    ),
    "index": ('import { start } from "./a"; start();', {"src/a/index.ts": START}, "src/a/index.ts"),
    "index by name": (
        'import { start } from "./a/index.js"; start();',
        {"src/a/index.ts": START},
        "src/a/index.ts",
    ),
    "parent": ('import { start } from "../lib/a.js"; start();', {"lib/a.ts": START}, "lib/a.ts"),
    "side effects only": ('import "./a.js";', {"src/a.ts": TICK}, "src/a.ts"),
    "not called": ('import { start } from "./a.js"; void start;', {"src/a.ts": START}, None),
    "the other function": (
        'import { stop } from "./a.js"; stop();',
        {"src/a.ts": START + "export function stop() {}\n"},
        None,
    ),
    "renamed": ('import { start as go } from "./a.js"; go();', {"src/a.ts": START}, "src/a.ts"),
    "exported under another name": (
        'import { go } from "./a.js"; go();',
        {"src/a.ts": "function start() { setInterval(() => {}, 1000); }\nexport { start as go };\n"},
        "src/a.ts",
    ),
    "exported as a string": (
        'import { "go now" as go } from "./a.js"; go();',
        {"src/a.ts": 'function start() { setInterval(() => {}, 1000); }\nexport { start as "go now" };\n'},
        "src/a.ts",
    ),
    "default": (
        'import go from "./a.js"; go();',
        {"src/a.ts": "export default function () { setInterval(() => {}, 1000); }\n"},
        "src/a.ts",
    ),
    "default arrow": (
        'import go from "./a.js"; go();',
        {"src/a.ts": "export default () => { setInterval(() => {}, 1000); };\n"},
        "src/a.ts",
    ),
    "default of a name": (
        'import go from "./a.js"; go();',
        {"src/a.ts": "const start = () => { setInterval(() => {}, 1000); };\nexport default start;\n"},
        "src/a.ts",
    ),
    "default object": (
        'import a from "./a.js"; a.start();',
        {"src/a.ts": "export default { start() { setInterval(() => {}, 1000); }, stop() {} };\n"},
        "src/a.ts",
    ),
    "default object, the other": (
        'import a from "./a.js"; a.stop();',
        {"src/a.ts": "export default { start() { setInterval(() => {}, 1000); }, stop() {} };\n"},
        None,
    ),
    "default class": (
        'import A from "./a.js"; new A();',
        {"src/a.ts": "export default class { constructor() { setInterval(() => {}, 1000); } }\n"},
        "src/a.ts",
    ),
    "default by braces": (
        'import { default as go } from "./a.js"; go();',
        {"src/a.ts": "export default function start() { setInterval(() => {}, 1000); }\n"},
        "src/a.ts",
    ),
    "default and named": (
        'import stop, { start } from "./a.js"; start(); stop();',
        {"src/a.ts": START + "export default function () {}\n"},
        "src/a.ts",
    ),
    "namespace": ('import * as a from "./a.js"; a.start();', {"src/a.ts": START}, "src/a.ts"),
    "namespace, not called": ('import * as a from "./a.js"; void a.start;', {"src/a.ts": START}, None),
    "namespace destructured": (
        'import * as a from "./a.js"; const { start } = a; start();',
        {"src/a.ts": START},
        "src/a.ts",
    ),
    "const": (
        'import { start } from "./a.js"; start();',
        {"src/a.ts": "export const start = () => { setInterval(() => {}, 1000); };\n"},
        "src/a.ts",
    ),
    "re-export": (
        'import { start } from "./b.js"; start();',
        {"src/a.ts": START, "src/b.ts": 'export { start } from "./a.js";\n'},
        "src/a.ts",
    ),
    "re-export renamed": (
        'import { go } from "./b.js"; go();',
        {"src/a.ts": START, "src/b.ts": 'export { start as go } from "./a.js";\n'},
        "src/a.ts",
    ),
    "re-export of a default": (
        'import { go } from "./b.js"; go();',
        {
            "src/a.ts": "export default function () { setInterval(() => {}, 1000); }\n",
            "src/b.ts": 'export { default as go } from "./a.js";\n',
        },
        "src/a.ts",
    ),
    "export star": (
        'import { start } from "./b.js"; start();',
        {"src/a.ts": START, "src/b.ts": 'export * from "./a.js";\n'},
        "src/a.ts",
    ),
    "export star twice": (
        'import { start } from "./c.js"; start();',
        {
            "src/a.ts": START,
            "src/b.ts": 'export * from "./a.js";\n',
            "src/c.ts": 'export * from "./b.js";\nexport const x = 1;\n',
        },
        "src/a.ts",
    ),
    "export star in a circle": (
        'import { start } from "./b.js"; start();',
        {"src/a.ts": START + 'export * from "./b.js";\n', "src/b.ts": 'export * from "./a.js";\n'},
        "src/a.ts",
    ),
    "export star as": (
        'import { a } from "./b.js"; a.start();',
        {"src/a.ts": START, "src/b.ts": 'export * as a from "./a.js";\n'},
        "src/a.ts",
    ),
    "own export before a star": (
        'import { start } from "./b.js"; start();',
        {"src/a.ts": START, "src/b.ts": 'export * from "./a.js";\nexport function start() {}\n'},
        None,
    ),
    "imported, then exported": (
        'import { go } from "./b.js"; go();',
        {"src/a.ts": START, "src/b.ts": 'import { start } from "./a.js";\nexport const go = start;\n'},
        "src/a.ts",
    ),
    "imported in a circle": (
        'import { start } from "./a.js"; start(); export const x = 1;',
        {"src/a.ts": 'import { x } from "./index.js";\n' + START + "void x;\n"},
        "src/a.ts",
    ),
    "type only": (
        'import type { A } from "./a.js"; export type B = A;',
        {"src/a.ts": TICK + "\nexport interface A {}\n"},
        None,
    ),
    "type only by name": (
        'import { type A, b } from "./a.js"; void b; export type B = A;',
        {"src/a.ts": "export interface A {}\nexport const b = 1;\n"},
        None,
    ),
    "dynamic": ('const a = await import("./a.js"); a.start();', {"src/a.ts": START}, "src/a.ts"),
    "dynamic destructured": (
        'const { start } = await import("./a.js"); start();',
        {"src/a.ts": START},
        "src/a.ts",
    ),
    "dynamic default": (
        'const { default: go } = await import("./a.js"); go();',
        {"src/a.ts": "export default function () { setInterval(() => {}, 1000); }\n"},
        "src/a.ts",
    ),
    "dynamic side effects": ('await import("./a.js");', {"src/a.ts": TICK}, "src/a.ts"),
    "dynamic then": ('import("./a.js").then((a) => a.start());', {"src/a.ts": START}, "src/a.ts"),
    "dynamic then destructured": (
        'import("./a.js").then(({ start }) => start());',
        {"src/a.ts": START},
        "src/a.ts",
    ),
    "dynamic template literal": ("await import(`./a.js`);", {"src/a.ts": TICK}, "src/a.ts"),
    "dynamic in a function not called": (
        'const later = () => import("./a.js"); void later;',
        {"src/a.ts": TICK},
        None,
    ),
    "tsconfig paths": (
        'import { start } from "@/a"; start();',
        {
            "src/a.ts": START,
            "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}',
        },
        "src/a.ts",
    ),
    "package imports": (
        'import { start } from "#a"; start();',
        {"src/a.ts": START, "package.json": package(imports={"#a": "./src/a.ts"})},
        "src/a.ts",
    ),
    "create by a function": (
        'import { make } from "./a.js"; make().start();',
        {
            "src/a.ts": "class A { start() { setInterval(() => {}, 1000); } }\nexport const make = () => new A();\n",
        },
        "src/a.ts",
    ),
    "method of a singleton": (
        'import { a } from "./a.js"; a.start();',
        {"src/a.ts": "class A { start() { setInterval(() => {}, 1000); } }\nexport const a = new A();\n"},
        "src/a.ts",
    ),
    "subclass in another file": (
        'import { B } from "./b.js"; new B();',
        {
            "src/a.ts": "export class A { constructor() { setInterval(() => {}, 1000); } }\n",
            "src/b.ts": 'import { A } from "./a.js";\nexport class B extends A {}\n',
        },
        "src/a.ts",
    ),
    "object of functions": (
        'import { tasks } from "./a.js"; tasks.start();',
        {"src/a.ts": "export const tasks = { start: () => setInterval(() => {}, 1000) };\n"},
        "src/a.ts",
    ),
    "every function of a list": (
        'import { tasks } from "./a.js"; for (const run of tasks) run();',
        {"src/a.ts": "export const tasks = [() => setInterval(() => {}, 1000)];\n"},
        "src/a.ts",
    ),
    "callback": (
        'import { run } from "./a.js"; run(() => setInterval(() => {}, 1000));',
        {"src/a.ts": "export function run(f: () => void) { f(); }\n"},
        "src/index.ts",
    ),
    "a missing file": ('import { start } from "./gone.js"; start();', {}, None),
    "a dependency": ('import { start } from "gone"; start();', {}, None),
}


@pytest.mark.parametrize(("line", "others", "holder"), cases(ESM, GAPS))
def test_esm(tmp_path: Path, line: str, others: dict[str, str], holder: str | None) -> None:
    server = judge(tmp_path, {"package.json": package(), "src/index.ts": node(line), **others})
    assert {at.partition(":")[0] for at in held_by(tmp_path, server)} == ({holder} if holder else set())
    assert server.stdin_eof.verdict == ("survives" if holder else "exits")


WORKSPACE = {
    "package.json": json.dumps({"private": True, "workspaces": ["packages/*"]}),
    "packages/server/package.json": package(name="@t/server", dependencies={"@t/lib": "*"}),
    "packages/lib/package.json": json.dumps({"name": "@t/lib", "main": "src/index.ts"}),
}


@pytest.mark.parametrize(("call", "verdict"), [("start();", "survives"), ("void start;", "exits")])
def test_another_package_of_a_workspace(tmp_path: Path, call: str, verdict: str) -> None:
    files = {
        **WORKSPACE,
        "packages/server/src/index.ts": node(f'import {{ start }} from "@t/lib"; {call}'),
        "packages/lib/src/index.ts": START,
    }
    assert judge(tmp_path, files).stdin_eof.verdict == verdict


COMMON = (
    'const {{ McpServer }} = require("@modelcontextprotocol/sdk/server/mcp.js");\n'
    'const {{ StdioServerTransport }} = require("@modelcontextprotocol/sdk/server/stdio.js");\n'
    'const server = new McpServer({{ name: "t", version: "1.0.0" }});\n{}\n'
    "server.connect(new StdioServerTransport());\n"
).format
TIMED = "function start() { setInterval(() => {}, 1000); }\nfunction stop() {}\n"
CJS: dict[str, tuple[str, str, bool]] = {
    "destructured": (
        'const { start } = require("./a"); start();',
        TIMED + "module.exports = { start };",
        True,
    ),
    "renamed": (
        'const { start: go } = require("./a.js"); go();',
        TIMED + "module.exports = { start };",
        True,
    ),
    "member": ('const a = require("./a"); a.start();', TIMED + "module.exports = { start, stop };", True),
    "member, the other": (
        'const a = require("./a"); a.stop();',
        TIMED + "module.exports = { start, stop };",
        False,
    ),
    "called on the spot": ('require("./a").start();', TIMED + "module.exports = { start };", True),
    "not called": (
        'const { start } = require("./a"); void start;',
        TIMED + "module.exports = { start };",
        False,
    ),
    "the function itself": ('require("./a")();', TIMED + "module.exports = start;", True),
    "the function kept": ('const go = require("./a"); go();', TIMED + "module.exports = start;", True),
    "exports member": ('require("./a").start();', TIMED + "exports.start = start;", True),
    "module.exports member": ('require("./a").start();', TIMED + "module.exports.start = start;", True),
    "exports function": (
        'require("./a").start();',
        "exports.start = function () { setInterval(() => {}, 1000); };",
        True,
    ),
    "both": ('require("./a").start();', TIMED + "exports = module.exports = { start };", True),
    "renaming": ('require("./a").go();', TIMED + "module.exports = { go: start };", True),
    "inline": (
        'require("./a").start();',
        "module.exports = { start() { setInterval(() => {}, 1000); } };",
        True,
    ),
    "class": (
        'const A = require("./a"); new A();',
        "module.exports = class { constructor() { setInterval(() => {}, 1000); } };",
        True,
    ),
    "named class": (
        'const { A } = require("./a"); new A();',
        "class A { constructor() { setInterval(() => {}, 1000); } }\nmodule.exports = { A };",
        True,
    ),
    "instance": (
        'require("./a").start();',
        "class A { start() { setInterval(() => {}, 1000); } }\nmodule.exports = new A();",
        True,
    ),
    "side effects": ('require("./a");', TICK, True),
    "side effects, not required": ("", TICK, False),
    "spread": (
        'require("./a").start();',
        TIMED + "const all = { start };\nmodule.exports = { ...all };",
        True,
    ),
    "compiled from TypeScript": (
        'const a_1 = require("./a"); (0, a_1.start)();',
        'Object.defineProperty(exports, "__esModule", { value: true });\nexports.start = start;\n' + TIMED,
        True,
    ),
    "default, compiled": (
        'const a_1 = __importDefault(require("./a")); (0, a_1.default)();\n'
        "function __importDefault(m) { return m && m.__esModule ? m : { default: m }; }",
        'Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = start;\n' + TIMED,
        True,
    ),
    "in a function": (
        'function go() { require("./a").start(); }\ngo();',
        TIMED + "module.exports = { start };",
        True,
    ),
    "conditional": ('if (false) require("./a");', TICK, False),
}


@pytest.mark.parametrize(("line", "other", "holds"), cases(CJS, GAPS))
def test_commonjs(tmp_path: Path, line: str, other: str, holds: bool) -> None:
    files = {"index.js": COMMON(line), "a.js": other + "\n", "package.json": package(type="commonjs")}
    server = judge(tmp_path, files)
    assert server.stdin_eof.verdict == ("survives" if holds else "exits")
    assert {at.partition(":")[0] for at in held_by(tmp_path, server)} == ({"a.js"} if holds else set())


def test_commonjs_through_an_index(tmp_path: Path) -> None:
    files = {
        "index.js": COMMON('const { start } = require("./lib"); start();'),
        "lib/index.js": 'module.exports = { ...require("./a"), ...require("./b") };\n',
        "lib/a.js": TIMED + "module.exports = { start };\n",
        "lib/b.js": "module.exports = {};\n",
        "package.json": package(type="commonjs"),
    }
    assert judge(tmp_path, files).stdin_eof.verdict == "survives"


# ---------------------------------------------------------------------------- Python

HEAD = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n"
WORK = "import threading, time\n" + LOOP + "def start():\n    threading.Thread(target=work).start()\n"
RUN = "import threading, time\n" + LOOP + "threading.Thread(target=work).start()\n"

# name: the line of the server, where the server is, the other files, whether a thread holds
PY: dict[str, tuple[str, str, dict[str, str], bool]] = {
    "sibling": ("import jobs\njobs.start()", "server.py", {"jobs.py": WORK}, True),
    "sibling, not called": ("import jobs\njobs", "server.py", {"jobs.py": WORK}, False),
    "from sibling": ("from jobs import start\nstart()", "server.py", {"jobs.py": WORK}, True),
    "renamed": ("from jobs import start as go\ngo()", "server.py", {"jobs.py": WORK}, True),
    "module renamed": ("import jobs as j\nj.start()", "server.py", {"jobs.py": WORK}, True),
    "star": ("from jobs import *\nstart()", "server.py", {"jobs.py": WORK}, True),
    "star, hidden by __all__": (
        "from jobs import *\nfrom other import start\nstart()",
        "server.py",
        {"jobs.py": "__all__ = ['work']\n" + WORK, "other.py": "def start(): pass\n"},
        False,
    ),
    "import alone runs it": ("import jobs", "server.py", {"jobs.py": RUN}, True),
    "in a function": (
        "def main():\n    from jobs import start\n    start()\nmain()",
        "server.py",
        {"jobs.py": WORK},
        True,
    ),
    "relative": (
        "from .jobs import start\nstart()",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "from dot": (
        "from . import jobs\njobs.start()",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "from dot, not called": (
        "from . import jobs\njobs",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        False,
    ),
    "from dot, a name of the package": (
        "from . import start\nstart()",
        "app/server.py",
        {"app/__init__.py": WORK},
        True,
    ),
    "from two dots": (
        "from ..jobs import start\nstart()",
        "app/inner/server.py",
        {"app/__init__.py": "", "app/inner/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "absolute": (
        "from app.jobs import start\nstart()",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "absolute dotted": (
        "import app.jobs\napp.jobs.start()",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "from a package": (
        "from app import jobs\njobs.start()",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "re-export of a package": (
        "from app.inner import start\nstart()",
        "app/server.py",
        {
            "app/__init__.py": "",
            "app/inner/__init__.py": "from .jobs import start\n",
            "app/inner/jobs.py": WORK,
        },
        True,
    ),
    "the package itself runs": (
        "from app import jobs",
        "app/server.py",
        {"app/__init__.py": RUN, "app/jobs.py": ""},
        True,
    ),
    "a parent package runs": (
        "from app.inner.jobs import nothing",
        "server.py",
        {"app/__init__.py": RUN, "app/inner/__init__.py": "", "app/inner/jobs.py": "nothing = 1\n"},
        True,
    ),
    "src layout": (
        "from app.jobs import start\nstart()",
        "src/app/server.py",
        {"src/app/__init__.py": "", "src/app/jobs.py": WORK},
        True,
    ),
    "namespace package": (
        "from app.jobs import start\nstart()",
        "app/server.py",
        {"app/jobs.py": WORK},
        True,
    ),
    "try import": (
        "try:\n    from app.jobs import start\nexcept ImportError:\n    start = None\nstart()",
        "app/server.py",
        {"app/__init__.py": "", "app/jobs.py": WORK},
        True,
    ),
    "class": (
        "from jobs import Jobs\nJobs().start()",
        "server.py",
        {
            "jobs.py": "import threading, time\nclass Jobs:\n    def start(self):\n"
            "        threading.Thread(target=self.work).start()\n"
            "    def work(self):\n        while True:\n            time.sleep(1)\n"
        },
        True,
    ),
    "singleton": (
        "from jobs import jobs\njobs.start()",
        "server.py",
        {
            "jobs.py": "import threading, time\nclass Jobs:\n    def start(self):\n"
            "        threading.Thread(target=self.work).start()\n"
            "    def work(self):\n        while True:\n            time.sleep(1)\njobs = Jobs()\n"
        },
        True,
    ),
    "singleton, not started": (
        "from jobs import jobs\njobs",
        "server.py",
        {
            "jobs.py": "import threading, time\nclass Jobs:\n    def start(self):\n"
            "        threading.Thread(target=self.work).start()\n"
            "    def work(self):\n        while True:\n            time.sleep(1)\njobs = Jobs()\n"
        },
        False,
    ),
    "importlib": (
        "import importlib\nimportlib.import_module('jobs')",
        "server.py",
        {"jobs.py": RUN},
        True,
    ),
}


@pytest.mark.parametrize(("line", "where", "others", "holds"), cases(PY, GAPS))
def test_python(tmp_path: Path, line: str, where: str, others: dict[str, str], holds: bool) -> None:
    main = f"{HEAD}{line}\nif __name__ == '__main__':\n    mcp.run()\n"
    server = judge(tmp_path, {where: main, **others})
    assert server.entry.relative_to(tmp_path).as_posix() == where
    assert server.stdin_eof.verdict == ("survives" if holds else "exits")


def test_the_server_object_of_another_module(tmp_path: Path) -> None:
    files = {
        "app/__init__.py": "",
        "app/core.py": "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n",
        "app/tools.py": "import threading, time\nfrom .core import mcp\n"
        + LOOP
        + "@mcp.tool()\ndef go() -> str:\n"
        "    threading.Thread(target=work).start()\n    return ''\n",
        "app/__main__.py": "from .core import mcp\nfrom . import tools\nmcp.run()\n",
    }
    report = report_of(tmp_path, files)
    (server,) = report.servers
    assert server.entry.name == "__main__.py"
    assert (server.stdin_eof.verdict, server.stdin_eof_after_call.verdict) == ("exits", "survives")
