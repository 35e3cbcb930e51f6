"""MCP107: a call inside a tool that blocks the process for as long as it likes."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.lifecycle.model import Server

CODE = "MCP107"
NAME = "tool-outlives-client"
WHY = "while it blocks, the process sees neither the end of stdin nor a signal, and stays after its client"


def check(server: Server) -> Iterator[Finding]:
    """One finding for each call that blocks."""
    for deed in server.blocking:
        yield Finding(
            code=CODE,
            name=NAME,
            message=f"`{deed.what}` in a tool blocks the whole server: it {deed.why}",
            why=WHY,
            severity="warning",
            confidence="medium",
            when="call",
            place=deed.place,
            related=(Related(server.transport.serve, "the server starts here"),),
        )
