"""Servers that listen on a port beside stdio: whether they do in the usual run."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import cases, judge, node

HTTP = 'import http from "node:http";\nimport net from "node:net";\nconst web = http.createServer((q, s) => s.end());\n'
PROBE = (
    "function inUse(port) {\n  return new Promise((answer) => {\n    const probe = net.createServer()\n"
    '      .once("error", () => answer(true))\n      .once("listening", () => { probe.close(() => answer(false)); })\n'
    "      .listen(port);\n  });\n}\n"
)
FREE = (
    PROBE.replace("inUse", "isFree")
    .replace("answer(true)", "answer(no)")
    .replace("answer(false)", "answer(true)")
)
FREE = FREE.replace("answer(no)", "answer(false)")
LISTEN = 'web.listen(5199, "127.0.0.1");'
TAKEN = 'net.connect(5199).on("connect", () => answer(true)).on("error", () => answer(false));'

GAPS = {
    "leaves if in use": "an arm that leaves its body is not taken for the usual one",
    "only the probe": "a server that closes itself when it listens may hold",
}
"""Cases that mcplint does not get right yet, and why."""

PORTS = {
    "plain": (HTTP + LISTEN, "survives"),
    "in a try": (f"{HTTP}try {{ {LISTEN} }} catch (error) {{ console.error(error); }}", "survives"),
    "with an error listener": (
        f'{HTTP}web.on("error", (e) => console.error(e.message));\n{LISTEN}',
        "survives",
    ),
    "waited for": (
        f'{HTTP}await new Promise((ok, no) => {{ web.once("error", no); web.listen(5199, ok); }}).catch(() => {{}});',
        "survives",
    ),
    "next port if it is taken": (
        f'{HTTP}let port = 5199;\nweb.on("error", () => {{ if (port < 5210) web.listen(++port); }});\nweb.listen(port);',
        "survives",
    ),
    "if not in use": (f"{HTTP}{PROBE}if (!(await inUse(5199))) {{ {LISTEN} }}", "survives"),
    "if not in use, by a variable": (
        f"{HTTP}{PROBE}const used = await inUse(5199);\nif (used) {{ console.error('taken'); }} else {{ {LISTEN} }}",
        "survives",
    ),
    "if free": (f"{HTTP}{FREE}if (await isFree(5199)) {{ {LISTEN} }}", "survives"),
    "leaves if in use": (
        f"{HTTP}{PROBE}async function start() {{ if (await inUse(5199)) return; {LISTEN} }}\nawait start();",
        "survives",
    ),
    "by a package": (
        f'{HTTP}import tcp from "tcp-port-used";\nif (!(await tcp.check(5199))) {{ {LISTEN} }}',
        "survives",
    ),
    "if in use": (f"{HTTP}{PROBE}if (await inUse(5199)) {{ {LISTEN} }}", "unknown"),
    "if somebody answers": (
        f"{HTTP}const there = await new Promise((answer) => {{ {TAKEN} }});\nif (!there) {{ {LISTEN} }}",
        "unknown",
    ),
    "if a promise says so": (
        f"{HTTP}const asked = await new Promise((answer) => {{ process.once('message', answer); answer(true); }});\n"
        f"if (asked) {{ {LISTEN} }}",
        "unknown",
    ),
    "by an option": (f"{HTTP}if (process.env.PORT) {{ {LISTEN} }}", "unknown"),
    "only the probe": (f"{HTTP}{PROBE}await inUse(5199);", "exits"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(PORTS, GAPS))
def test_a_port_beside_stdio(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == verdict
