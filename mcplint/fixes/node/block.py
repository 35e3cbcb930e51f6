"""The whole shutdown, for a server that has none."""

from __future__ import annotations

from collections.abc import Sequence

from mcplint.fixes.node.code import Code
from mcplint.lifecycle.model import Event, Server

STDIN_EVENTS = ("end", "close", "error")
_SIGNALS = {Event.SIGTERM: "SIGTERM", Event.SIGINT: "SIGINT"}
DEADLINE = 5000
"""Milliseconds after which the process ends whatever is still being closed."""


def shutdown(code: Code, closing: str | None, signals: Sequence[str]) -> str:
    """A template of statements that end the process once, whichever event comes first."""
    process = code.process
    stopping = code.free("stopping", "isStopping", "shuttingDown")
    name = code.free("shutdown", "shutDown", "stopServer")
    if closing is None:
        body = f"const {name} = () => {{\n  {process}.exit(0);\n}};"
    else:
        body = "\n".join(
            [
                f"let {stopping} = false;",
                f"const {name} = async () => {{",
                f"  if ({stopping}) return;",
                f"  {stopping} = true;",
                f"  setTimeout(() => {process}.exit(1), {DEADLINE}).unref();",
                "  try {",
                f"    await {closing};",
                "  } finally {",
                f"    {process}.exit(0);",
                "  }",
                "};",
            ]
        )
    return f"{body}\n{on_stdin(process, name, name + '()', signals)}"


def missing_signals(server: Server) -> tuple[str, ...]:
    """The signals by which clients stop a server and that it does not listen to."""
    return tuple(name for event, name in _SIGNALS.items() if not server.handlers_of(event))


def on_stdin(process: str, listener: str, call: str, signals: Sequence[str]) -> str:
    """A template of what hears of the end of stdin, also of one that came before, and of signals."""
    return "\n".join(
        [
            *(f'{process}.stdin.once("{event}", {listener});' for event in STDIN_EVENTS),
            f"if ({process}.stdin.readableEnded || {process}.stdin.destroyed) {call};",
            *(f'{process}.once("{signal}", {listener});' for signal in signals),
        ]
    )
