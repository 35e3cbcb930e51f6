"""What ends a Python server; the verdicts are measured with mcp 1.30.0 and 2.3.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import LOOP, cases, judge, life, python, report_of

GAPS = {
    "daemon thread, main sleeps": "a thread whose target is the serve call is no transport",
    "thread, joined": "the serve call as a thread's target is not known to come back",
    "second time exits": "a guard that exits the second time counts as a way of its own",
    "wait behind": "code behind the serve call that never comes back is not seen",
    "joined thread behind": "a join behind the serve call is not seen",
    "dataclass field": "default_factory is not called",
}
"""Cases that mcplint does not get right yet, and why."""

THREAD = LOOP + "threading.Thread(target=work).start()"

# ---------------------------------------------------------------------------- signal handlers

SIGNAL = "signal.signal(signal.SIGTERM, {})".format
HANDLERS = {
    "none": ("", "exits"),
    "pass": ("def stop(s, f):\n    pass\n" + SIGNAL("stop"), "survives"),
    "log": ("def stop(s, f):\n    print('term', file=sys.stderr)\n" + SIGNAL("stop"), "survives"),
    "flag": (
        "gone = False\ndef stop(s, f):\n    global gone\n    gone = True\n" + SIGNAL("stop"),
        "survives",
    ),
    "event": ("gone = threading.Event()\n" + SIGNAL("lambda s, f: gone.set()"), "survives"),
    "SIG_IGN": (SIGNAL("signal.SIG_IGN"), "survives"),
    "SIG_DFL": (SIGNAL("signal.SIG_DFL"), "exits"),
    "sys.exit": ("def stop(s, f):\n    sys.exit(0)\n" + SIGNAL("stop"), "survives"),
    "sys.exit in a lambda": (SIGNAL("lambda s, f: sys.exit(0)"), "survives"),
    "sys.exit imported": (
        "from sys import exit as leave\ndef stop(s, f):\n    leave(0)\n" + SIGNAL("stop"),
        "survives",
    ),
    "raise SystemExit": ("def stop(s, f):\n    raise SystemExit(0)\n" + SIGNAL("stop"), "survives"),
    "raise KeyboardInterrupt": (
        "def stop(s, f):\n    raise KeyboardInterrupt\n" + SIGNAL("stop"),
        "survives",
    ),
    "closes stdin": (
        "def stop(s, f):\n    sys.stdin.close()\n    sys.exit(0)\n" + SIGNAL("stop"),
        "survives",
    ),
    "cancels a task": (
        "def stop(s, f):\n    for task in asyncio.all_tasks():\n        task.cancel()\n" + SIGNAL("stop"),
        "survives",
    ),
    "stops the loop": ("def stop(s, f):\n    asyncio.get_event_loop().stop()\n" + SIGNAL("stop"), "survives"),
    "starts a task": (
        "async def tidy():\n    pass\ndef stop(s, f):\n    asyncio.create_task(tidy())\n" + SIGNAL("stop"),
        "survives",
    ),
    "os._exit": ("def stop(s, f):\n    os._exit(0)\n" + SIGNAL("stop"), "exits"),
    "os._exit in a lambda": (SIGNAL("lambda *_: os._exit(0)"), "exits"),
    "os._exit imported": (
        "from os import _exit\ndef stop(s, f):\n    _exit(0)\n" + SIGNAL("stop"),
        "exits",
    ),
    "os._exit in finally": (
        "def stop(s, f):\n    try:\n        sys.stderr.flush()\n    finally:\n        os._exit(0)\n"
        + SIGNAL("stop"),
        "exits",
    ),
    "os._exit in a helper": (
        "def leave():\n    os._exit(0)\ndef stop(s, f):\n    leave()\n" + SIGNAL("stop"),
        "exits",
    ),
    "os.abort": ("def stop(s, f):\n    os.abort()\n" + SIGNAL("stop"), "exits"),
    "SIGKILL to itself": (
        "def stop(s, f):\n    os.kill(os.getpid(), signal.SIGKILL)\n" + SIGNAL("stop"),
        "exits",
    ),
    "default restored and raised": (
        "def stop(s, f):\n    signal.signal(s, signal.SIG_DFL)\n    os.kill(os.getpid(), s)\n"
        + SIGNAL("stop"),
        "exits",
    ),
    "default restored and raised by name": (
        "def stop(s, f):\n    signal.signal(signal.SIGTERM, signal.SIG_DFL)\n"
        "    signal.raise_signal(signal.SIGTERM)\n" + SIGNAL("stop"),
        "exits",
    ),
    "raised again into itself": (
        "def stop(s, f):\n    os.kill(os.getpid(), signal.SIGTERM)\n" + SIGNAL("stop"),
        "survives",
    ),
    "deadline beside sys.exit": (
        "def stop(s, f):\n    threading.Timer(0.5, os._exit, (0,)).start()\n    sys.exit(0)\n"
        + SIGNAL("stop"),
        "exits",
    ),
    "deadline without os._exit": (
        "def stop(s, f):\n    threading.Timer(0.5, print, ('x',)).start()\n    sys.exit(0)\n"
        + SIGNAL("stop"),
        "survives",
    ),
    "method": (
        "class App:\n    def stop(self, s, f):\n        self.gone = True\napp = App()\n" + SIGNAL("app.stop"),
        "survives",
    ),
    "method that exits": (
        "class App:\n    def stop(self, s, f):\n        os._exit(0)\napp = App()\n" + SIGNAL("app.stop"),
        "exits",
    ),
    "method registered by its object": (
        "class App:\n    def __init__(self):\n        signal.signal(signal.SIGTERM, self._stop)\n"
        "    def _stop(self, s, f):\n        self.gone = True\nApp()",
        "survives",
    ),
    "nested function": (
        "def install():\n    def stop(s, f):\n        pass\n    signal.signal(signal.SIGTERM, stop)\ninstall()",
        "survives",
    ),
    "factory": (
        "def stopper(code):\n    def stop(s, f):\n        os._exit(code)\n    return stop\n"
        + SIGNAL("stopper(0)"),
        "exits",
    ),
    "partial": (
        "import functools\ndef stop(code, s, f):\n    os._exit(code)\n"
        + SIGNAL("functools.partial(stop, 0)"),
        "exits",
    ),
    "loop over signals": (
        "def stop(s, f):\n    pass\nfor one in (signal.SIGTERM, signal.SIGHUP):\n    signal.signal(one, stop)",
        "survives",
    ),
    "loop with a bound name": (
        "for one in [signal.SIGTERM, signal.SIGHUP]:\n    signal.signal(one, lambda s, f, one=one: None)",
        "survives",
    ),
    "Signals member": (
        "def stop(s, f):\n    pass\nsignal.signal(signal.Signals.SIGTERM, stop)",
        "survives",
    ),
    "imported names": (
        "from signal import SIGTERM, signal as on\ndef stop(s, f):\n    pass\non(SIGTERM, stop)",
        "survives",
    ),
    "another signal": ("def stop(s, f):\n    pass\nsignal.signal(signal.SIGUSR1, stop)", "exits"),
    "not called": ("def install():\n    signal.signal(signal.SIGTERM, lambda s, f: None)", "exits"),
    "replaced": (SIGNAL("lambda s, f: None") + "\n" + SIGNAL("lambda s, f: os._exit(0)"), "exits"),
    "unknown function": ("from lifecycle_helpers import stop\n" + SIGNAL("stop"), "unknown"),
    "unknown call inside": (
        "from lifecycle_helpers import hard_exit\ndef stop(s, f):\n    hard_exit()\n" + SIGNAL("stop"),
        "unknown",
    ),
    "under an option": (
        "if os.environ.get('STAY'):\n    signal.signal(signal.SIGTERM, lambda s, f: None)",
        "unknown",
    ),
    "exits by an option": (
        "def stop(s, f):\n    if not os.environ.get('STAY'):\n        os._exit(0)\n" + SIGNAL("stop"),
        "unknown",
    ),
    "second time exits": (
        "gone = False\ndef stop(s, f):\n    global gone\n    if gone:\n        os._exit(1)\n    gone = True\n"
        + SIGNAL("stop"),
        "survives",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(HANDLERS, GAPS))
def test_sigterm_while_stdin_is_open(tmp_path: Path, body: str, verdict: str) -> None:
    server = judge(tmp_path, python(body))
    assert server.sigterm.verdict == verdict
    assert server.stdin_eof.verdict == "exits"


ASYNC = "import asyncio, os, signal, sys\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n"
LOOPED = {
    "task cancel": (
        "loop.add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)\n    await mcp.run_stdio_async()",
        "survives",
    ),
    "event never awaited": (
        "gone = asyncio.Event()\n    loop.add_signal_handler(signal.SIGTERM, gone.set)\n"
        "    await mcp.run_stdio_async()",
        "survives",
    ),
    "stop": (
        "loop.add_signal_handler(signal.SIGTERM, loop.stop)\n    await mcp.run_stdio_async()",
        "survives",
    ),
    "sys.exit": (
        "loop.add_signal_handler(signal.SIGTERM, lambda: sys.exit(0))\n    await mcp.run_stdio_async()",
        "survives",
    ),
    "os._exit": (
        "loop.add_signal_handler(signal.SIGTERM, lambda: os._exit(0))\n    await mcp.run_stdio_async()",
        "exits",
    ),
    "os._exit with its argument": (
        "loop.add_signal_handler(signal.SIGTERM, os._exit, 0)\n    await mcp.run_stdio_async()",
        "exits",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(LOOPED, GAPS))
@pytest.mark.parametrize("getter", ["asyncio.get_running_loop()", "asyncio.get_event_loop()"])
def test_handlers_of_the_event_loop(tmp_path: Path, getter: str, body: str, verdict: str) -> None:
    text = f"{ASYNC}\nasync def main():\n    loop = {getter}\n    {body}\n\nasyncio.run(main())\n"
    assert judge(tmp_path, text).sigterm.verdict == verdict


def test_sigint_waits_for_the_thread_that_reads_stdin(tmp_path: Path) -> None:
    assert judge(tmp_path / "plain", python()).sigint.verdict == "survives"
    exits = python("signal.signal(signal.SIGINT, lambda s, f: os._exit(0))")
    assert judge(tmp_path / "exits", exits).sigint.verdict == "exits"


def test_no_finding_for_the_sigint_of_a_plain_server(tmp_path: Path) -> None:
    assert report_of(tmp_path, {"server.py": python()}).findings == ()


# ---------------------------------------------------------------------------- behind the serve call

AFTER = {
    "nothing": ("mcp.run()", "survives"),
    "finally log": ("try:\n    mcp.run()\nfinally:\n    print('bye', file=sys.stderr)", "survives"),
    "finally sys.exit": ("try:\n    mcp.run()\nfinally:\n    sys.exit(0)", "survives"),
    "finally os._exit": ("try:\n    mcp.run()\nfinally:\n    os._exit(0)", "exits"),
    "then os._exit": ("mcp.run()\nos._exit(0)", "exits"),
    "then kill": ("mcp.run()\nos.kill(os.getpid(), signal.SIGTERM)", "exits"),
    "then os._exit in a function": ("def main():\n    mcp.run()\n    os._exit(0)\nmain()", "exits"),
    "atexit os._exit": ("atexit.register(os._exit, 0)\nmcp.run()", "survives"),
    "os._exit on an error only": ("try:\n    mcp.run()\nexcept Exception:\n    os._exit(1)", "survives"),
    "KeyboardInterrupt os._exit": (
        "try:\n    mcp.run()\nexcept KeyboardInterrupt:\n    os._exit(1)",
        "survives",
    ),
    "os._exit by an option": ("mcp.run()\nif os.environ.get('HARD'):\n    os._exit(0)", "unknown"),
}


@pytest.mark.parametrize(("serve", "verdict"), cases(AFTER, GAPS))
def test_what_follows_the_serve_call(tmp_path: Path, serve: str, verdict: str) -> None:
    assert judge(tmp_path, python(THREAD, serve=serve)).stdin_eof.verdict == verdict


ENDLESS = {
    "restart": ("while True:\n    try:\n        mcp.run()\n    except Exception:\n        pass", "survives"),
    "loop behind": ("mcp.run()\nwhile True:\n    time.sleep(1)", "survives"),
    "wait behind": ("mcp.run()\nthreading.Event().wait()", "survives"),
    "bounded loop": ("for _ in range(3):\n    mcp.run()", "exits"),
    "loop that breaks": ("while True:\n    mcp.run()\n    break", "exits"),
    "joined thread behind": (
        LOOP + "t = threading.Thread(target=work, daemon=True)\nt.start()\nmcp.run()\nt.join()",
        "survives",
    ),
    "joined with a timeout": (
        LOOP + "t = threading.Thread(target=work, daemon=True)\nt.start()\nmcp.run()\nt.join(timeout=1)",
        "exits",
    ),
}


@pytest.mark.parametrize(("serve", "verdict"), cases(ENDLESS, GAPS))
def test_main_that_never_comes_back(tmp_path: Path, serve: str, verdict: str) -> None:
    """Rule MCP104 is for these; the verdict may say unknown until it exists, but never the opposite."""
    assert judge(tmp_path, python(serve=serve)).stdin_eof.verdict in (verdict, "unknown")


# ---------------------------------------------------------------------------- SDKs

LOW = (
    "import asyncio, threading, time\nfrom mcp.server.stdio import stdio_server\n"
    "from mcp.server import Server\nserver = Server('t')\n{}\n\nasync def main():\n"
    "    async with stdio_server() as (read, write):\n"
    "        await server.run(read, write, server.create_initialization_options())\n\nasyncio.run(main())\n"
).format
SDKS = {
    "FastMCP of mcp": ("mcp==1.30.0", python("{}"), "mcp"),
    "FastMCP by package": (
        "mcp==1.30.0",
        "import threading, time\nfrom mcp.server import FastMCP\nmcp = FastMCP('t')\n{}\nmcp.run()\n",
        "mcp",
    ),
    "module import": (
        "mcp==1.30.0",
        "import threading, time\nimport mcp.server.fastmcp\napp = mcp.server.fastmcp.FastMCP('t')\n{}\napp.run()\n",
        "mcp",
    ),
    "transport keyword": (
        "mcp==1.30.0",
        python("{}", serve="mcp.run(transport='stdio')"),
        "mcp",
    ),
    "transport positional": ("mcp==1.30.0", python("{}", serve="mcp.run('stdio')"), "mcp"),
    "run_stdio_async": ("mcp==1.30.0", python("{}", serve="asyncio.run(mcp.run_stdio_async())"), "mcp"),
    "MCPServer": (
        "mcp==2.3.0",
        "import threading, time\nfrom mcp.server.mcpserver import MCPServer\nmcp = MCPServer('t')\n{}\nmcp.run()\n",
        "mcp",
    ),
    "MCPServer by package": (
        "mcp==2.3.0",
        "import threading, time\nfrom mcp.server import MCPServer\nmcp = MCPServer('t')\n{}\nmcp.run()\n",
        "mcp",
    ),
    "low level": ("mcp==1.30.0", LOW("{}"), "mcp"),
    "low level, by module": (
        "mcp==1.30.0",
        LOW("{}")
        .replace("from mcp.server.stdio import stdio_server", "import mcp.server.stdio")
        .replace("with stdio_server()", "with mcp.server.stdio.stdio_server()"),
        "mcp",
    ),
    "low level, anyio": (
        "mcp==1.30.0",
        LOW("{}").replace("import asyncio", "import anyio").replace("asyncio.run(main())", "anyio.run(main)"),
        "mcp",
    ),
    "fastmcp": (
        "fastmcp==4.2.3",
        "import threading, time\nfrom fastmcp import FastMCP\nmcp = FastMCP('t')\n{}\nmcp.run()\n",
        "fastmcp",
    ),
    "fastmcp show_banner": (
        "fastmcp==2.14.7",
        "import threading, time\nfrom fastmcp import FastMCP\nmcp = FastMCP('t')\n{}\nmcp.run(show_banner=False)\n",
        "fastmcp",
    ),
    "fastmcp run_async": (
        "fastmcp==4.2.3",
        "import asyncio, threading, time\nfrom fastmcp import FastMCP\nmcp = FastMCP('t')\n{}\n"
        "asyncio.run(mcp.run_async(transport='stdio'))\n",
        "fastmcp",
    ),
}


@pytest.mark.parametrize(("requirement", "text", "sdk"), cases(SDKS, GAPS))
def test_sdks_and_their_spellings(tmp_path: Path, requirement: str, text: str, sdk: str) -> None:
    for name, body, verdict in (("plain", "", "exits"), ("held", THREAD, "survives")):
        files = {"server.py": text.replace("{}", body), "requirements.txt": requirement + "\n"}
        server = judge(tmp_path / name, files)
        assert life(server) == f"{verdict} exits survives"
        assert server.transport.sdk == sdk
        assert server.transport.version is not None
        assert server.transport.version.version == requirement.partition("==")[2]


@pytest.mark.parametrize(
    "serve",
    ["mcp.run(transport='sse')", "mcp.run(transport='streamable-http')", "mcp.run('sse')", "mcp.sse_app()"],
)
def test_other_transports_are_no_stdio_server(tmp_path: Path, serve: str) -> None:
    assert report_of(tmp_path, {"server.py": python(THREAD, serve=serve)}).servers == ()


VERSIONS = {
    "requirements": ({"requirements.txt": "mcp==1.12.0\n"}, "1.12.0"),
    "pyproject": ({"pyproject.toml": '[project]\nname = "t"\ndependencies = ["mcp==1.12.0"]\n'}, "1.12.0"),
    "extra": ({"pyproject.toml": '[project]\nname = "t"\ndependencies = ["mcp[cli]==1.12.0"]\n'}, "1.12.0"),
    "lock": (
        {
            "pyproject.toml": '[project]\nname = "t"\ndependencies = ["mcp>=1"]\n',
            "uv.lock": 'version = 1\n[[package]]\nname = "mcp"\nversion = "1.12.0"\n',
        },
        "1.12.0",
    ),
    "nothing": ({"pyproject.toml": '[project]\nname = "t"\n'}, None),
}


@pytest.mark.parametrize(("files", "version"), cases(VERSIONS, GAPS))
def test_the_version_of_the_sdk(tmp_path: Path, files: dict[str, str], version: str | None) -> None:
    server = judge(tmp_path, {"server.py": python(), **files})
    assert (server.transport.version.version if server.transport.version else None) == version
    assert server.stdin_eof.verdict == "exits"


@pytest.mark.parametrize(
    ("version", "verdict"),
    [
        ("1.5.0", "exits"),
        ("1.6.0", "survives"),
        ("1.7.0", "survives"),
        ("1.7.1", "survives"),
        ("1.8.0", "exits"),
    ],
)
@pytest.mark.parametrize("text", [python(), LOW("")], ids=["high", "low"])
def test_versions_that_never_end_by_themselves(tmp_path: Path, version: str, verdict: str, text: str) -> None:
    files = {"server.py": text, "requirements.txt": f"mcp=={version}\n"}
    assert judge(tmp_path, files).stdin_eof.verdict == verdict


@pytest.mark.parametrize("asked", ["mcp>=1.6.0", "mcp", "mcp>=1.2,<3"])
def test_a_range_that_allows_a_newer_version_is_no_fault(tmp_path: Path, asked: str) -> None:
    files = {"server.py": python(), "requirements.txt": f"{asked}\n"}
    assert judge(tmp_path, files).stdin_eof.verdict == "exits"


# ---------------------------------------------------------------------------- as people write it

WILD = {
    "signals set up in a helper": (
        {
            "app/__init__.py": "",
            "app/__main__.py": "from .server import main\nmain()\n",
            "app/life.py": "import signal\n\ndef install(stop):\n    for one in (signal.SIGTERM, signal.SIGINT):\n"
            "        signal.signal(one, lambda s, f: stop.set())\n",
            "app/server.py": "import threading\nfrom mcp.server.fastmcp import FastMCP\nfrom .life import install\n"
            "mcp = FastMCP('t')\n\ndef main():\n    install(threading.Event())\n    mcp.run()\n",
        },
        "exits survives survives",
    ),
    "class with a worker": (
        {
            "server.py": "import threading, time\nfrom mcp.server.fastmcp import FastMCP\n\nclass App:\n"
            "    def __init__(self):\n        self.mcp = FastMCP('t')\n        self.running = True\n"
            "        self.worker = threading.Thread(target=self._poll, name='poll')\n\n"
            "    def _poll(self):\n        while self.running:\n            time.sleep(1)\n\n"
            "    def run(self):\n        self.worker.start()\n        self.mcp.run()\n\nApp().run()\n"
        },
        "survives exits survives",
    ),
    "class with a daemon": (
        {
            "server.py": "import threading, time\nfrom mcp.server.fastmcp import FastMCP\n\nclass App:\n"
            "    def __init__(self):\n        self.mcp = FastMCP('t')\n"
            "        self.worker = threading.Thread(target=self._poll, daemon=True)\n\n"
            "    def _poll(self):\n        while True:\n            time.sleep(1)\n\n"
            "    def run(self):\n        self.worker.start()\n        self.mcp.run()\n\nApp().run()\n"
        },
        "exits exits survives",
    ),
    "server of its own beside": (
        {
            "server.py": python(
                "from http.server import HTTPServer, BaseHTTPRequestHandler\n"
                "def health():\n    HTTPServer(('', 8080), BaseHTTPRequestHandler).serve_forever()\n"
                "threading.Thread(target=health).start()"
            )
        },
        "survives exits survives",
    ),
    "server of its own beside, daemon": (
        {
            "server.py": python(
                "from http.server import HTTPServer, BaseHTTPRequestHandler\n"
                "def health():\n    HTTPServer(('', 8080), BaseHTTPRequestHandler).serve_forever()\n"
                "threading.Thread(target=health, daemon=True).start()"
            )
        },
        "exits exits survives",
    ),
    "schedule loop": (
        {
            "server.py": python(
                "import schedule\ndef ticks():\n    while True:\n        schedule.run_pending()\n        time.sleep(1)\n"
                "threading.Thread(target=ticks).start()"
            )
        },
        "survives exits survives",
    ),
    "decorated main": (
        {
            "server.py": "import functools, threading, time\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('t')\n"
            + LOOP
            + "def logged(f):\n    @functools.wraps(f)\n    def inner(*a):\n        return f(*a)\n    return inner\n\n"
            "@logged\ndef main():\n    threading.Thread(target=work).start()\n    mcp.run()\n\nmain()\n"
        },
        "survives exits survives",
    ),
    "executor in a with": (
        {
            "server.py": python(
                LOOP + "from concurrent.futures import ThreadPoolExecutor",
                serve="with ThreadPoolExecutor() as pool:\n    pool.submit(work)\n    mcp.run()",
            )
        },
        "survives exits survives",
    ),
    "one-shot warm-up": (
        {"server.py": python("def warm():\n    time.sleep(1)\nthreading.Thread(target=warm).start()")},
        "exits exits survives",
    ),
    "handler with os._exit and a word": (
        {
            "server.py": python(
                "import logging\nlog = logging.getLogger(__name__)\ndef stop(s, f):\n"
                "    log.info('signal %s', s)\n    try:\n        log.info('tidy')\n    finally:\n        os._exit(0)\n"
                "signal.signal(signal.SIGTERM, stop)\nsignal.signal(signal.SIGINT, stop)"
            )
        },
        "exits exits exits",
    ),
    "dataclass field": (
        {
            "server.py": python(
                LOOP + "from dataclasses import dataclass, field\n@dataclass\nclass App:\n"
                "    t: threading.Thread = field(default_factory=lambda: threading.Thread(target=work))\n"
                "    def go(self):\n        self.t.start()\nApp().go()"
            )
        },
        "survives exits survives",
    ),
}


@pytest.mark.parametrize(("files", "verdicts"), cases(WILD, GAPS))
def test_as_people_write_it(tmp_path: Path, files: dict[str, str], verdicts: str) -> None:
    assert life(judge(tmp_path, files)) == verdicts


POLL = "async def poll():\n    while True:\n        await asyncio.sleep(1)\n"
RUNNERS = {
    "asyncio.run": ("asyncio.run(mcp.run_stdio_async())", "exits"),
    "anyio.run": ("import anyio\nanyio.run(mcp.run_stdio_async)", "exits"),
    "anyio.run of run": (
        "import anyio\nasync def main():\n    await mcp.run_stdio_async()\nanyio.run(main)",
        "exits",
    ),
    "loop": ("asyncio.get_event_loop().run_until_complete(mcp.run_stdio_async())", "exits"),
    "task awaited": (
        "async def both():\n    asyncio.create_task(poll())\n    await mcp.run_stdio_async()\nasyncio.run(both())",
        "exits",
    ),
    "gather": (
        "async def both():\n    await asyncio.gather(mcp.run_stdio_async(), poll())\nasyncio.run(both())",
        "survives",
    ),
    "gather of the serve call alone": (
        "async def one():\n    await asyncio.gather(mcp.run_stdio_async())\nasyncio.run(one())",
        "exits",
    ),
    "thread, joined": ("t = threading.Thread(target=mcp.run)\nt.start()\nt.join()", "exits"),
    "daemon thread, main sleeps": (
        "threading.Thread(target=mcp.run, daemon=True).start()\nwhile True:\n    time.sleep(1)",
        "survives",
    ),
}


@pytest.mark.parametrize(("serve", "verdict"), cases(RUNNERS, GAPS))
def test_what_runs_the_server(tmp_path: Path, serve: str, verdict: str) -> None:
    assert judge(tmp_path, python(POLL, serve=serve)).stdin_eof.verdict == verdict


@pytest.mark.xfail(strict=True, reason="a restored default counts as no call at all")
def test_sigint_with_its_default_action_restored(tmp_path: Path) -> None:
    body = "signal.signal(signal.SIGINT, signal.SIG_DFL)"
    assert judge(tmp_path, python(body)).sigint.verdict == "exits"


def test_a_handler_that_raises_as_sigint_does(tmp_path: Path) -> None:
    body = "signal.signal(signal.SIGTERM, signal.default_int_handler)"
    assert judge(tmp_path, python(body)).sigterm.verdict == "survives"
