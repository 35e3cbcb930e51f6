"""MCP401: what puts text on stdout, and beside each the near miss that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.lifecycle.model import Write
from tests.lifecycle.programs import cases, found, judge, marked, node, package, python

EXITS = "process.exit(0);"


def only(files: dict[str, str] | str) -> dict[str, str]:
    """A project, which may be one file."""
    if isinstance(files, str):
        return {"server.py" if "\nmcp = " in files else "server.mjs": files}
    return files


FLAGGED = {
    "each method of the console that prints": node(
        'console.log("a"); // MCP401\nconsole.info("a"); // MCP401\nconsole.debug("a"); // MCP401\n'
        'console.table(["a"]); // MCP401\nconsole.dir({}); // MCP401\nconsole.group("a"); // MCP401'
    ),
    "a console of one's own": node(
        'import { Console } from "node:console";\nnew Console(process.stdout).log("a"); // MCP401'
    ),
    "the stream": node(
        'process.stdout.write("ready\\n"); // MCP401\nprocess.stdout.write(`${name} is ready`.padEnd(9)); \n'
        "process.stdout.write(`ready ${name}`); // MCP401"
    ),
    "the descriptor": node('import fs from "node:fs";\nfs.writeSync(1, "ready\\n"); // MCP401'),
    "the output of a child": node(
        'import { spawn } from "node:child_process";\n'
        'const build = spawn("make");\nbuild.stdout.pipe(process.stdout); // MCP401'
    ),
    "a helper that is called often": {
        "server.mjs": node(
            'import { note } from "./note.mjs";\nnote("a");\nnote("b");\nserver.tool("x", async () => note("c"));'
        ),
        "note.mjs": "export const note = (text) => console.log(text); // MCP401\n",
    },
    "a module that is imported": {
        "server.mjs": node('import "./late.mjs";\nconsole.log = console.error;'),
        "late.mjs": 'console.log("loaded"); // MCP401\n',
    },
    "before it is made safe": node(
        'console.log("early"); // MCP401\nconsole.log = console.error;\nconsole.log("late");'
    ),
    "after it was given back": node(
        "const log = console.log;\nconsole.log = () => {};\nconsole.log = log;\n"
        'console.log("again"); // MCP401'
    ),
    "a method that only adds to the text": node(
        "const log = console.log;\n"
        'console.log = (...args) => log(new Date(), ...args); \nconsole.log("a"); // MCP401'
    ),
    "behind the connection": node(after='console.log("connected"); // MCP401'),
    "a timer": node('setInterval(() => console.log("alive"), 60_000); // MCP401'),
    "on the way out": node(f'process.on("SIGINT", () => {{ console.log("bye"); {EXITS} }}); // MCP401'),
    "both modes": node(
        'if (process.argv.includes("--http")) console.log("http"); else console.log("stdio"); // MCP401\n'
    ),
    "pino": node('import pino from "pino";\nconst log = pino(); // MCP401\nlog.info("a");'),
    "a child of pino": node(
        'import { pino } from "pino";\nconst log = pino({ level: "info" }); // MCP401\n'
        'log.child({ part: "db" }).info("a");'
    ),
    "pino with a transport for people": node(
        'import pino from "pino";\nconst log = pino({ transport: { target: "pino-pretty" } }); // MCP401\nlog.warn("a");'
    ),
    "winston": node(
        'import winston from "winston";\n'
        "const log = winston.createLogger({\n  transports: [new winston.transports.Console()], // MCP401\n});\n"
        'log.info("a");'
    ),
    "consola": node(
        'import { consola } from "consola";\nconsola.info("a"); // MCP401\nconsola.success("b");'
    ),
    "signale": node('import signale from "signale";\nsignale.error("a"); // MCP401'),
    "bunyan": node(
        'import bunyan from "bunyan";\nconst log = bunyan.createLogger({ name: "a" }); // MCP401\nlog.warn("a");'
    ),
    "log4js": node(
        'import log4js from "log4js";\nlog4js.configure({ // MCP401\n  appenders: { out: { type: "stdout" } },\n'
        '  categories: { default: { appenders: ["out"], level: "info" } },\n});\nlog4js.getLogger().info("a");'
    ),
    "print": python(
        'print("a")  # MCP401\nprint("a", file=sys.stdout)  # MCP401\nprint("a", flush=True)  # MCP401'
    ),
    "in a tool": python('@mcp.tool()\ndef hello() -> str:\n    print("asked")  # MCP401\n    return "hi"'),
    "the stream of Python": python(
        'sys.stdout.write("ready\\n")  # MCP401\nos.write(1, b"x")  # MCP401\nos.write(1, "ready".encode())  # MCP401'
    ),
    "logging to stdout": python(
        'import logging\nhandler = logging.StreamHandler(sys.stdout)  # MCP401\nlogging.getLogger("a").addHandler(handler)'
    ),
    "a configuration that puts itself in place": python(
        "import logging\nlogging.basicConfig(stream=sys.stdout, force=True)  # MCP401\nlogging.warning('a')"
    ),
    "a configuration that comes first": {
        "server.py": "import logging, sys\nfrom mcp.server.fastmcp import FastMCP\n"
        'logging.basicConfig(stream=sys.stdout)  # MCP401\nmcp = FastMCP("t")\nlogging.warning("a")\nmcp.run()\n'
    },
    "libraries of Python": python(
        "import click, rich, pprint\nfrom rich.console import Console\n"
        'click.echo("a")  # MCP401\nrich.print("a")  # MCP401\npprint.pprint({})  # MCP401\n'
        'console = Console()  # MCP401\nconsole.print("a")'
    ),
    "rich as a handler": python(
        "import logging\nfrom rich.logging import RichHandler\n"
        "logging.getLogger().addHandler(RichHandler())  # MCP401"
    ),
    "loguru with a sink": python(
        "from loguru import logger\nlogger.remove()\nlogger.add(sys.stdout)  # MCP401\n"
        'logger.info("a")'
    ),
    "structlog as it is": python(
        'import structlog\nlog = structlog.get_logger()  # MCP401\nlog.info("a")'
    ),
    "tqdm": python('from tqdm import tqdm\ntqdm.write("a")  # MCP401'),
    "behind a redirection": python(
        "import contextlib\nwith contextlib.redirect_stdout(sys.stderr):\n    print('a')\n"
        "print('b')  # MCP401"
    ),
    "an endless helper thread": python(
        "def beat():\n    while True:\n        time.sleep(9)\n        print('alive')  # MCP401\n"
        "threading.Thread(target=beat, daemon=True).start()"
    ),
}  # fmt: skip

CLEAN = {
    "stderr": node('console.error("a");\nconsole.warn("a");\nconsole.trace("a");\nprocess.stderr.write("a");'),
    "a console of one's own on stderr": node(
        'import { Console } from "node:console";\nnew Console(process.stderr).log("a");'
    ),
    "a usage text": node(
        'function usage() { console.log("usage: tides"); process.exit(0); }\n'
        'if (process.argv.includes("--help")) usage();\n'
        'if (process.argv.includes("--version")) { console.log("1.0.0"); process.exit(0); }'
    ),
    "what a command prints that gives up": node(
        'function start(key) { if (!key) { console.log("no key"); process.exit(1); } }\nstart(globalThis.key);'
    ),
    "a start that fails": node(
        connect='async function main() { await server.connect(transport); }\n'
        'main().catch((error) => { console.log("cannot start", error); process.exit(1); });'
    ),
    "an option that an object keeps": node(
        "class Log {\n  enabled = process.env.DEBUG === 'true';\n"
        "  info(text) { if (this.enabled) console.log(text); }\n}\nnew Log().info('a');"
    ),
    "an option that is handed on": node(
        "function show(verbose) { if (verbose) console.log('a'); }\nshow(process.argv.includes('--verbose'));"
    ),
    "an option": node('if (process.env.DEBUG) console.log("debug");'),
    "another mode": node(
        'if (process.env.MODE === "http") { console.log("listening"); } else {',
        after="}",
    ),
    "JSON that is written to the stream": node(
        "const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n');\nsend({});\n"
        "process.stdout.write(globalThis.line);"
    ),
    "another file": node('import fs from "node:fs";\nfs.writeFileSync("log.txt", "a");\nfs.writeSync(2, "a");'),
    "a function of that name": node('function print(text) { console.error(text); }\nprint("a");'),
    "the console, replaced": node(
        'for (const name of ["log", "info"]) console[name] = console.error;\nconsole.log("a");\nconsole.info("b");'
    ),
    "the console, replaced as a whole": node(
        'import { Console } from "node:console";\nglobalThis.console = new Console(process.stderr);\nconsole.log("a");'
    ),
    "the console, filled": node('Object.assign(console, { log: console.error });\nconsole.log("a");'),
    "the stream, patched": node(
        "const write = process.stdout.write.bind(process.stdout);\n"
        "process.stdout.write = (chunk, ...rest) =>\n"
        '  String(chunk).startsWith("{") ? write(chunk, ...rest) : process.stderr.write(chunk, ...rest);\n'
        'console.log("a");\nserver.tool("x", async () => console.info("b"));'
    ),
    "a module that makes it safe first": {
        "server.mjs": node('import "./quiet.mjs";\nimport "./late.mjs";'),
        "quiet.mjs": "console.log = (...args) => console.error(...args);\n",
        "late.mjs": 'console.log("loaded");\n',
    },
    "a function that makes it safe": node(
        'function quiet() { console.log = console.error; }\nquiet();\nconsole.log("a");'
    ),
    "code that nobody calls": node('export function debug() { console.log("a"); }'),
    "pino on stderr": node(
        'import pino from "pino";\nconst log = pino({}, pino.destination(2));\nconst other = pino(process.stderr);\n'
        'const third = pino({ transport: { target: "pino-pretty", options: { destination: 2 } } });\n'
        'log.info("a");\nother.info("a");\nthird.info("a");'
    ),
    "pino that is silent": node('import pino from "pino";\npino({ level: "silent" }).info("a");'),
    "pino that says nothing": node('import pino from "pino";\nconst log = pino();\nlog.debug("a");'),
    "winston on stderr": node(
        'import winston from "winston";\nconst log = winston.createLogger({ transports: ['
        'new winston.transports.Console({ stderrLevels: ["info", "warn", "error"] })] });\nlog.info("a");'
    ),
    "winston into a file": node(
        'import winston from "winston";\n'
        'const log = winston.createLogger({ transports: [new winston.transports.File({ filename: "a" })] });\nlog.info("a");'
    ),
    "errors of consola": node('import { consola } from "consola";\nconsola.error("a");\nconsola.warn("b");'),
    "bunyan on stderr": node(
        'import bunyan from "bunyan";\nbunyan.createLogger({ name: "a", stream: process.stderr }).warn("a");'
    ),
    "signale on stderr": node(
        'import { Signale } from "signale";\nnew Signale({ stream: process.stderr }).info("a");'
    ),
    "print to stderr": python(
        'print("a", file=sys.stderr)\nlog = open("log.txt", "w")\nprint("a", file=log)\ntime.sleep(0)'
    ),
    "print that is something else": python(
        "import functools\nprint = functools.partial(print, file=sys.stderr)\nprint('a')"
    ),
    "print of one's own": python("def print(*args):\n    sys.stderr.write(str(args))\nprint('a')"),
    "stdout that is stderr": python("sys.stdout = sys.stderr\nprint('a')\nsys.stdout.write('b')"),
    "the descriptor that is stderr": python(
        "os.dup2(2, 1)\nprint('a')\n@mcp.tool()\ndef hello() -> str:\n    print('a')\n    return 'hi'"
    ),
    "all within a redirection": python(
        "import contextlib\n@mcp.tool()\ndef hello() -> str:\n    with contextlib.redirect_stdout(sys.stderr):\n"
        "        print('a')\n    return 'hi'"
    ),
    "a configuration that comes too late": python(
        "import logging\nlogging.basicConfig(stream=sys.stdout)\nlogging.warning('a')"
    ),
    "logging as it is": python(
        "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('a')\n"
        "logging.getLogger().addHandler(logging.StreamHandler())\n"
        "logging.getLogger().addHandler(logging.StreamHandler(sys.stderr))"
    ),
    "libraries of Python on stderr": python(
        "import click, pprint\nfrom rich.console import Console\nfrom loguru import logger\nfrom tqdm import tqdm\n"
        "click.echo('a', err=True)\nConsole(stderr=True).print('a')\nConsole(file=sys.stderr).print('a')\n"
        "pprint.pprint({}, stream=sys.stderr)\nlogger.info('a')\nlogger.add(sys.stderr)\n"
        "for _ in tqdm([1]):\n    pass\ntqdm.write('a', file=sys.stderr)"
    ),
    "rich as a handler on stderr": python(
        "import logging\nfrom rich.console import Console\nfrom rich.logging import RichHandler\n"
        "logging.getLogger().addHandler(RichHandler(console=Console(stderr=True)))"
    ),
    "structlog that is configured": python(
        "import structlog\nstructlog.configure(logger_factory=structlog.PrintLoggerFactory(file=sys.stderr))\n"
        "structlog.get_logger().info('a')"
    ),
    "what comes behind the serving, where stdout is closed": python(after="print('bye')"),
    "a command that is not the server": {
        "server.py": "import sys\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n"
        "def main():\n    if len(sys.argv) > 1 and sys.argv[1] == 'setup':\n        print('done')\n        return\n"
        "    mcp.run()\nmain()\n"
    },
    "an HTTP server's own output": {
        "server.py": "import os\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n"
        "def main():\n    transport = os.getenv('TRANSPORT', 'stdio')\n    if transport == 'sse':\n        print('sse')\n"
        "        mcp.run(transport='sse')\n    else:\n        mcp.run(transport='stdio')\nmain()\n"
    },
}  # fmt: skip


@pytest.mark.parametrize("files", cases(FLAGGED))
def test_what_gets_on_the_wire(tmp_path: Path, files: dict[str, str] | str) -> None:
    files = only(files)
    assert {f for f in found(tmp_path, files) if f.startswith("MCP4")} == marked(files)


@pytest.mark.parametrize("files", cases(CLEAN))
def test_what_does_not(tmp_path: Path, files: dict[str, str] | str) -> None:
    assert {f for f in found(tmp_path, only(files)) if f.startswith("MCP401")} == set()


def phases(root: Path, files: dict[str, str] | str) -> dict[int, tuple[str, bool]]:
    """The phase of the write on each line, and whether it reaches the client."""
    writes: tuple[Write, ...] = judge(root, files).writes
    return {w.place.begin.line: (w.phase, w.reaches) for w in writes}


LIFE = """\
import asyncio
from contextlib import asynccontextmanager
IMPORT
print("import")
@asynccontextmanager
async def lifespan(app):
    print("lifespan")
    yield {}
mcp = SERVER("t", lifespan=lifespan)
@mcp.tool()
def hello() -> str:
    print("tool")
    return "hi"
def main():
    print("main")
    mcp.run()
    print("after")
main()
"""
ON = {
    "mcp 1": ("mcp==1.30.0", "from mcp.server.fastmcp import FastMCP", "FastMCP"),
    "mcp 2": ("mcp==2.3.0", "from mcp.server.mcpserver import MCPServer", "MCPServer"),
    "fastmcp 3": ("fastmcp==3.4.11", "from fastmcp import FastMCP", "FastMCP"),
    "fastmcp 4": ("fastmcp==4.2.3", "from fastmcp import FastMCP", "FastMCP"),
}
REACHES = {
    "mcp 1": {4: True, 7: True, 12: True, 15: True, 17: False},
    "mcp 2": {4: True, 7: False, 12: False, 15: True, 17: True},
    "fastmcp 3": {4: True, 7: True, 12: True, 15: True, 17: False},
    "fastmcp 4": {4: True, 7: True, 12: False, 15: True, 17: True},
}


@pytest.mark.parametrize("sdk", ON)
def test_what_each_sdk_lets_through(tmp_path: Path, sdk: str) -> None:
    requirement, line, name = ON[sdk]
    files = {
        "server.py": LIFE.replace("IMPORT", line).replace("SERVER", name),
        "requirements.txt": requirement + "\n",
    }
    said = phases(tmp_path, files)
    assert {line: reaches for line, (_, reaches) in said.items()} == REACHES[sdk]
    in_lifespan = "serving" if sdk == "mcp 2" else "start"
    assert [said[line][0] for line in (4, 7, 12, 15, 17)] == ["import", in_lifespan, "call", "start", "end"]


@pytest.mark.parametrize(
    ("requirement", "body", "reaches"),
    [
        ("mcp>=1.2", "@app.list_tools()\nasync def tools():\n    print('asked')\n    return []", True),
        ("mcp>=1.2", "@app.custom()\nasync def tools():\n    print('asked')\n    return []", False),
        ("mcp>=1.2,<2", "@app.custom()\nasync def tools():\n    print('asked')\n    return []", True),
    ],
)
def test_a_range_is_read_as_what_the_program_uses(
    tmp_path: Path, requirement: str, body: str, reaches: bool
) -> None:
    files = {
        "server.py": "import asyncio\nfrom mcp.server import Server\nfrom mcp.server.stdio import stdio_server\n"
        f"app = Server('t')\n{body}\nasync def main():\n    async with stdio_server() as (r, w):\n"
        "        await app.run(r, w, app.create_initialization_options())\nasyncio.run(main())\n",
        "requirements.txt": requirement + "\n",
    }
    assert phases(tmp_path, files)[7][1] is reaches


def test_the_phases_of_node(tmp_path: Path) -> None:
    files = {
        "server.mjs": node(
            'console.log("loads");\nfunction begin() { console.log("begins"); }\nbegin();\n'
            'server.tool("x", async () => console.log("asked"));\n'
            'process.on("SIGTERM", () => { console.log("bye"); process.exit(0); });',
            after='console.log("connected");',
        ),
        "package.json": package(),
    }
    order = {"loads": "import", "begins": "start", "asked": "call", "bye": "end", "connected": "serving"}
    said = {w.place.begin.line: w.phase for w in judge(tmp_path, files).writes}
    lines = files["server.mjs"].splitlines()
    assert {
        word: said[number] for number, text in enumerate(lines, 1) for word in order if f'"{word}"' in text
    } == order


def test_a_program_without_an_sdk_writes_messages_itself(tmp_path: Path) -> None:
    program = (
        'import readline from "node:readline";\n'
        "const send = (message) => console.log(JSON.stringify(message));\n"
        "const rl = readline.createInterface({ input: process.stdin });\n"
        'rl.on("line", (line) => {\n'
        "  const { id, method } = JSON.parse(line);\n"
        '  if (method === "initialize") send({ jsonrpc: "2.0", id, result: {} });\n'
        '  if (method === "tools/list") {\n'
        '    console.log("asked for tools"); // MCP401\n'
        '    send({ jsonrpc: "2.0", id, result: { tools: [] } });\n'
        "  }\n"
        "});\n"
    )
    files = {"server.mjs": program}
    assert {f for f in found(tmp_path, files) if f.startswith("MCP4")} == marked(files)
