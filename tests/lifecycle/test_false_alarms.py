"""Programs that end in a way which is easily overlooked: none of them may be blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.report.result import Report

from .programs import BEAT, LOOP, node, python, report_of

STOPPED = "try:\n    mcp.run()\nfinally:\n    {}"
SERVER = (
    "import http.server\n"
    'web = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)\n'
    "threading.Thread(target=web.serve_forever).start()"
)
ACCEPTING = (
    'import socket\ndoor = socket.create_server(("127.0.0.1", 0))\n'
    "def work():\n    while True:\n        guest, _ = door.accept()\n        guest.close()\n"
    "threading.Thread(target=work).start()"
)
AT_EOF = {
    "a web server that is shut down": python(SERVER, serve=STOPPED.format("web.shutdown()")),
    "a web server whose stop is handed on": python(
        SERVER + "\ndef later(f):\n    f()", serve=STOPPED.format("later(web.shutdown)")
    ),
    "a loop that is stopped from outside": python(
        "loop = asyncio.new_event_loop()\nthreading.Thread(target=loop.run_forever).start()",
        serve=STOPPED.format("loop.call_soon_threadsafe(loop.stop)"),
    ),
    "a socket that is shut down under its loop": python(
        ACCEPTING, serve=STOPPED.format("door.shutdown(socket.SHUT_RDWR)")
    ),
    "a counter that ends a loop": python(
        "def work():\n    tries = 0\n    while True:\n        tries += 1\n        if tries > 5:\n            return\n"
        "        time.sleep(0.1)\nthreading.Thread(target=work).start()"
    ),
    "a counter that runs down": python(
        "def work():\n    left = 3\n    while left:\n        left -= 1\nthreading.Thread(target=work).start()"
    ),
    "a flag in a field, cleared from outside": python(
        "class Job:\n    def __init__(self):\n        self.on = True\n    def run(self):\n"
        "        while self.on:\n            time.sleep(0.1)\n"
        "job = Job()\nthreading.Thread(target=job.run).start()",
        serve=STOPPED.format("job.on = False"),
    ),
    "a flag in a dict, cleared from outside": python(
        'state = {"on": True}\ndef work():\n    while state["on"]:\n        time.sleep(0.1)\n'
        "threading.Thread(target=work).start()",
        serve=STOPPED.format('state["on"] = False'),
    ),
    "a group that is cancelled by what it is given": python(
        "import anyio\nasync def serve(scope):\n    await mcp.run_stdio_async()\n    scope.cancel()\n"
        "async def endless():\n    while True:\n        await anyio.sleep(1)\n"
        "async def main():\n    async with anyio.create_task_group() as group:\n"
        "        group.start_soon(endless)\n        group.start_soon(serve, group.cancel_scope)",
        serve="anyio.run(main)",
    ),
    "timers in a list": node(
        "const timers = [];\ntimers.push(setInterval(() => {}, 1000));\ntimers.forEach((t) => t.unref());"
    ),
    "timers in an object": node(
        "const timers = {};\ntimers.a = setInterval(() => {}, 1000);\n"
        'process.stdin.on("end", () => Object.values(timers).forEach(clearInterval));'
    ),
    "hooks in a list": node(
        BEAT + "const hooks = [];\nhooks.push(() => process.exit(0));\n"
        'process.stdin.on("end", () => { for (const hook of hooks) hook(); });'
    ),
    "hooks in a set": node(
        BEAT + "const hooks = new Set();\nhooks.add(() => process.exit(0));\n"
        'process.stdin.on("end", () => { for (const hook of hooks) hook(); });'
    ),
    "an idle deadline": node(BEAT + "setTimeout(() => process.exit(0), 60000);"),
    "a timer that looks after itself": node(
        "let idle = 0;\nsetInterval(() => { idle += 1; if (idle > 60) process.exit(0); }, 1000);"
    ),
    "a reference that is changed later": node(
        "const ref = { current: true };\nasync function spin() { while (ref.current) "
        "await new Promise((r) => setTimeout(r, 100)); }\nspin();\n"
        'process.stdin.on("end", () => { ref.current = false; });'
    ),
    "a flag of an object that is set only on the first run": node(
        BEAT + "class Life { watch() { if (this.watching) return; this.watching = true;"
        ' process.stdin.on("end", () => process.exit(0)); } }\nnew Life().watch();'
    ),
    "a flag in an object literal that is set only on the first run": node(
        BEAT + "const life = {};\nfunction watch() { if (life.watching) return; life.watching = true;"
        ' process.stdin.on("end", () => process.exit(0)); }\nwatch();'
    ),
    "a second run that is an error": node(
        BEAT + "let started = false;\nfunction watch() { if (started) throw new Error(); started = true;"
        ' process.stdin.on("end", () => process.exit(0)); }\nwatch();'
    ),
}
AT_SIGTERM = {
    "an event that main waits for": python(
        "stop = threading.Event()\nsignal.signal(signal.SIGTERM, lambda *_: stop.set())\n"
        "threading.Thread(target=mcp.run, daemon=True).start()",
        serve="stop.wait()\nos._exit(0)",
    ),
    "a watcher that ends the process": python(
        "gone = threading.Event()\ndef watch():\n    gone.wait()\n    os._exit(0)\n"
        "threading.Thread(target=watch, daemon=True).start()\n"
        "signal.signal(signal.SIGTERM, lambda *_: gone.set())"
    ),
    "an exit that becomes a hard one": python(
        "def stop(number, frame):\n    sys.exit(0)\nsignal.signal(signal.SIGTERM, stop)",
        serve=STOPPED.format("os._exit(0)"),
    ),
    "a handler of a child process": python(
        "import multiprocessing\n"
        + LOOP.replace("def work():", "def work():\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)")
        + "multiprocessing.Process(target=work, daemon=True).start()"
    ),
    "once, then the signal again": node(
        'process.once("SIGTERM", async () => { await fetch("http://x"); process.kill(process.pid, "SIGTERM"); });'
    ),
    "an object of a library that stops": node(
        'import { createApp } from "some-framework";\nconst app = createApp();\n'
        'process.on("SIGTERM", () => app.shutdown());'
    ),
}
REALLY_SURVIVE = {
    "a flag that is set from the start": node(
        BEAT + "class Life { constructor() { this.watching = true; } watch() { if (this.watching) return;"
        ' process.stdin.on("end", () => process.exit(0)); } }\nnew Life().watch();'
    ),
    "a web server that nobody shuts down": python(SERVER),
    "a socket that nobody closes": python(ACCEPTING),
    "a loop that only grows": python(
        "def work():\n    n = 0\n    while True:\n        n += 1\n        time.sleep(1)\n"
        "threading.Thread(target=work).start()"
    ),
    "a list of timers that is only kept": node(
        "const timers = [];\ntimers.push(setInterval(() => {}, 1000));"
    ),
    "hooks that end nothing": node(
        BEAT + "const hooks = [];\nhooks.push(() => console.error(1));\n"
        'process.stdin.on("end", () => { for (const hook of hooks) hook(); });'
    ),
}


def codes(report: Report) -> set[str]:
    return {item.finding.code for item in report.findings}


def project(root: Path, text: str) -> Report:
    return report_of(root, {"server.py" if "\nmcp = " in text else "server.mjs": text})


@pytest.mark.parametrize("text", AT_EOF.values(), ids=AT_EOF)
def test_a_program_that_ends_with_stdin_is_not_blamed(tmp_path: Path, text: str) -> None:
    assert "MCP101" not in codes(project(tmp_path, text))


@pytest.mark.parametrize("text", AT_SIGTERM.values(), ids=AT_SIGTERM)
def test_a_program_that_ends_on_sigterm_is_not_blamed(tmp_path: Path, text: str) -> None:
    assert "MCP201" not in codes(project(tmp_path, text))


@pytest.mark.parametrize("text", REALLY_SURVIVE.values(), ids=REALLY_SURVIVE)
def test_the_near_miss_is_still_found(tmp_path: Path, text: str) -> None:
    assert {"MCP101", "MCP102", "MCP103"} & codes(project(tmp_path, text))
