"""Connections and retries that begin anew whenever they end, and those that come to an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import cases, judge, node

WS = 'import WebSocket from "ws";\n'
NET = 'import net from "node:net";\n'


def dial(*listeners: str) -> str:
    """A function that connects, called at once; a listener for errors is there in any case."""
    lines = "".join(f"  c.{listener};\n" for listener in listeners)
    return (
        f'{WS}function dial() {{\n  const c = new WebSocket("ws://127.0.0.1:1");\n'
        f'  c.on("error", () => {{}});\n{lines}}}\ndial();'
    )


AGAIN = "setTimeout(dial, 1000)"

LISTENERS = {
    "close, by a timer": (dial(f'on("close", () => {AGAIN})'), "survives"),
    "close, at once": (dial('on("close", dial)'), "survives"),
    "close, once": (dial(f'once("close", () => {AGAIN})'), "survives"),
    "close, addEventListener": (dial(f'addEventListener("close", () => {AGAIN})'), "survives"),
    "close, assigned": (dial(f"onclose = () => {AGAIN}"), "survives"),
    "close, with words": (dial(f'on("close", () => {{ console.error("gone"); {AGAIN}; }})'), "survives"),
    "close, in both arms": (
        dial(
            f'on("close", (code) => {{ if (code === 1000) {AGAIN}; else setTimeout(() => dial(), 9000); }})'
        ),
        "survives",
    ),
    "close, unless an option forbids it": (
        dial(f'on("close", () => {{ if (process.env.ONCE !== "1") {AGAIN}; }})'),
        "survives",
    ),
    "no listener": (dial(), "unknown"),
    "close, only a word": (dial('on("close", () => console.error("gone"))'), "unknown"),
    "error only": (dial(f'on("error", () => {AGAIN})'), "unknown"),
    "close, by a timer that does not hold": (dial(f'on("close", () => {AGAIN}.unref())'), "unknown"),
    "close, a number of times": (
        "let tries = 0;\n" + dial(f'on("close", () => {{ if (tries++ < 5) {AGAIN}; }})'),
        "unknown",
    ),
    "close, by its code": (dial(f'on("close", (code) => {{ if (code !== 1000) {AGAIN}; }})'), "unknown"),
    "close, if an option asks for it": (
        dial(f'on("close", () => {{ if (process.env.AGAIN) {AGAIN}; }})'),
        "unknown",
    ),
    "close, or an exit": (
        dial(f'on("close", (code) => {{ if (code === 1008) process.exit(1); {AGAIN}; }})'),
        "unknown",
    ),
    "close, taken off again": (dial(f'on("close", () => {AGAIN})', "removeAllListeners()"), "unknown"),
    "one of its own": (
        dial('on("close", () => { const c = new WebSocket("ws://127.0.0.1:1"); c.on("error", () => {}); })'),
        "unknown",
    ),
    "net": (
        f"{NET}function dial() {{\n  const s = net.createConnection(1);\n"
        f'  s.on("error", () => {{}});\n  s.on("close", () => {AGAIN});\n}}\ndial();',
        "survives",
    ),
    "net, unref'd": (
        f"{NET}function dial() {{\n  const s = net.createConnection(1);\n  s.unref();\n"
        f'  s.on("error", () => {{}});\n  s.on("close", () => {AGAIN});\n}}\ndial();',
        "unknown",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(LISTENERS))
def test_a_connection_by_its_listeners(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == verdict


def bridge(
    again: str = "setTimeout(() => this.connect(), 1000);",
    stop: str = "this.stopped = true; this.socket?.close();",
    start: str = "bridge.connect();",
    connect: str = "",
) -> str:
    """A class that keeps a connection, as people write it."""
    return f"""{WS}class Bridge {{
  stopped = false;
  wanted = true;
  tries = 0;
  timer = null;
  connect() {{
    {connect}
    this.socket = new WebSocket("ws://127.0.0.1:1");
    this.socket.on("open", () => {{ this.tries = 0; }});
    this.socket.on("error", (error) => console.error(error.message));
    this.socket.on("close", () => this.scheduleReconnect());
  }}
  scheduleReconnect() {{ {again} }}
  disconnect() {{ {stop} }}
}}
export const bridge = new Bridge();
{start}"""


UNLESS_STOPPED = "if (this.stopped) return; setTimeout(() => this.connect(), 1000);"
BY_TIMER = "this.timer = setTimeout(() => this.connect(), 1000);"
RESET = "this.timer = setTimeout(() => { this.timer = null; this.connect(); }, 1000);"

CLASSES = {
    "plain": (bridge(), "survives"),
    "unless stopped": (bridge(UNLESS_STOPPED), "survives"),
    "while wanted": (
        bridge("if (this.wanted) { setTimeout(() => this.connect(), 1000); }", "this.wanted = false;"),
        "survives",
    ),
    "while wanted, by and": (
        bridge("this.wanted && setTimeout(() => this.connect(), 1000);", "this.wanted = false;"),
        "survives",
    ),
    "backing off for ever": (
        bridge(
            "const wait = Math.min(30000, 1000 * 2 ** this.tries++); setTimeout(() => this.connect(), wait);"
        ),
        "survives",
    ),
    "a guard that is reset": (bridge(f"if (this.timer) return; {RESET}"), "survives"),
    "a timer cleared before the next": (
        bridge(f"if (this.timer) clearTimeout(this.timer); {BY_TIMER}"),
        "survives",
    ),
    "a timer cleared when connected": (
        bridge(
            BY_TIMER, start='bridge.connect();\nbridge.socket.on("open", () => clearTimeout(bridge.timer));'
        ),
        "survives",
    ),
    "a guard by the socket's state": (
        bridge(connect="if (this.socket && this.socket.readyState === WebSocket.OPEN) return;"),
        "survives",
    ),
    "stopped by a tool": (
        bridge(
            UNLESS_STOPPED,
            start='bridge.connect();\nserver.tool("stop", () => { bridge.disconnect(); return { content: [] }; });',
        ),
        "survives",
    ),
    "a number of tries": (
        bridge("if (this.tries >= 10) return; this.tries++; setTimeout(() => this.connect(), 1000);"),
        "unknown",
    ),
    "a guard beside a count": (
        bridge(f"if (this.timer || this.tries++ > 3) return; {RESET}"),
        "unknown",
    ),
    "a guard beside a flag": (
        bridge(f"if (this.stopped || this.timer !== null) return; {RESET}"),
        "survives",
    ),
    "a guard around": (bridge(f"if (!this.timer) {{ {RESET} }}"), "survives"),
    "a guard around, and a count": (
        bridge(f"if (!this.timer && this.tries++ < 3) {{ {RESET} }}"),
        "unknown",
    ),
    "a guard that is never reset": (bridge(f"if (this.timer) return; {BY_TIMER}"), "unknown"),
    "a guard that is set for good": (
        bridge(connect="if (this.started) return; this.started = true;"),
        "unknown",
    ),
    "stopped at the end of stdin": (
        bridge(
            UNLESS_STOPPED, start='bridge.connect();\nprocess.stdin.on("end", () => bridge.disconnect());'
        ),
        "unknown",
    ),
    "stopped by a message": (
        bridge(
            UNLESS_STOPPED, start='bridge.connect();\nbridge.socket.on("message", () => bridge.disconnect());'
        ),
        "unknown",
    ),
    "stopped through a list": (
        bridge(
            UNLESS_STOPPED,
            start="bridge.connect();\nconst all = new Map([[1, bridge]]);\n"
            'process.stdin.on("end", () => { for (const one of all.values()) one.disconnect(); });',
        ),
        "unknown",
    ),
    "stopped from the start": (
        bridge(UNLESS_STOPPED, start="bridge.disconnect();\nbridge.connect();"),
        "unknown",
    ),
    "giving up": (
        bridge("if (this.tries++ > 5) process.exit(1); setTimeout(() => this.connect(), 1000);"),
        "unknown",
    ),
    "never connected": (bridge(start=""), "exits"),
    "connected by a tool": (
        bridge(start='server.tool("go", () => { bridge.connect(); return { content: [] }; });'),
        "exits",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(CLASSES))
def test_a_connection_kept_by_a_class(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == verdict


def test_closing_it_at_a_signal_is_no_survival(tmp_path: Path) -> None:
    after = 'process.on("SIGTERM", () => { bridge.disconnect(); server.close(); });'
    server = judge(tmp_path, node(bridge(UNLESS_STOPPED), after=after))
    assert (server.stdin_eof.verdict, server.sigterm.verdict) == ("survives", "unknown")


FETCH = 'const reply = await fetch("http://127.0.0.1:1");'
HOLD = "setInterval(() => {}, 1000);"
LATER = "setTimeout(() => go(), 900);"


def retry(refused: str, failed: str) -> str:
    """A function that holds something once another process says that it is ready."""
    return (
        f"let tries = 0;\nasync function go() {{\n  try {{\n    {FETCH}\n"
        f"    if (!reply.ok) {{ {refused} return; }}\n    {HOLD}\n"
        f"  }} catch {{ {failed} }}\n}}\ngo();"
    )


RETRIES = {
    "tried again either way": (retry(LATER, LATER), "survives"),
    "by hand": ("function again() { setTimeout(go, 900); }\n" + retry("again();", "again();"), "survives"),
    "not if refused": (retry("", LATER), "unknown"),
    "not if failed": (retry(LATER, ""), "unknown"),
    "a number of times": (retry(LATER, f"if (tries++ < 5) {LATER}"), "unknown"),
    "not holding": (retry(LATER, "setTimeout(go, 900).unref();"), "unknown"),
    "an exit if failed": (retry(LATER, "process.exit(1);"), "unknown"),
    "by the promise's catch": (
        f"async function open() {{ {FETCH} if (!reply.ok) throw new Error(); {HOLD} }}\n"
        f"function go() {{ open().catch(() => {LATER[:-1]}); }}\ngo();",
        "survives",
    ),
    "by the promise's catch, success holds nothing": (
        f"async function open() {{ {FETCH} }}\nfunction go() {{ open().catch(() => {LATER[:-1]}); }}\ngo();",
        "unknown",
    ),
    "success holds nothing": (
        f"async function go() {{ try {{ {FETCH} }} catch {{ {LATER} }} }}\ngo();",
        "unknown",
    ),
    "in finally": (f"async function go() {{ try {{ {FETCH} }} finally {{ {LATER} }} }}\ngo();", "survives"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(RETRIES))
def test_a_retry(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == verdict


def test_the_message_names_the_connection(tmp_path: Path) -> None:
    ending = judge(tmp_path, node(bridge())).stdin_eof
    assert ending.reason == "a WebSocket connection that reconnects keeps the process alive"
    assert ending.holder is not None
    assert ending.holder.certain
