"""MCP901: nothing handles the end of stdin, and only luck ends the server."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding
from mcplint.lifecycle.model import STDIN_EVENTS, Event, Server

CODE = "MCP901"
NAME = "eof-unhandled"
WHY = "the first timer, pool or socket that anybody adds turns it into a process that stays"


def check(server: Server) -> Iterator[Finding]:
    """One finding a server that ends only because it holds nothing."""
    if server.language == "python" or server.transport.at_eof == "exits":
        return
    if server.stdin_eof.verdict != "exits" or server.stdin_eof_after_call.verdict != "exits":
        return
    closes = server.transport.at_eof == "closes"
    heard = (*STDIN_EVENTS, Event.TRANSPORT_CLOSE) if closes else STDIN_EVENTS
    if not server.handlers_of(*heard):
        yield Finding(
            code=CODE,
            name=NAME,
            message="nothing handles the end of stdin: the server ends only because nothing holds it yet",
            why=WHY,
            severity="warning",
            confidence="high",
            when="start",
            place=server.transport.serve,
        )
