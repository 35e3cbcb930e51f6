"""MCP101: something holds the process and nothing ends it when stdin closes."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import quoted
from mcplint.lifecycle.model import Ending, Server, When

CODE = "MCP101"
NAME = "outlives-client"
WHY = "a client that crashes leaves this process behind, with its memory and its connections, for good"


def check(server: Server) -> Iterator[Finding]:
    """One finding a server: certain from the start, else what a first call brings about."""
    if server.stdin_eof.verdict == "survives":
        yield _finding(server, server.stdin_eof, "start")
    elif server.stdin_eof.verdict == "exits" and server.stdin_eof_after_call.verdict == "survives":
        yield _finding(server, server.stdin_eof_after_call, "call")


def _finding(server: Server, ending: Ending, when: When) -> Finding:
    certain = when == "start"
    after = "" if certain else " after a first call"
    return Finding(
        code=CODE,
        name=NAME,
        message=f"server outlives its client{after}: {_cause(server, ending)}",
        why=WHY,
        severity="error" if certain else "warning",
        confidence="high" if certain else "medium",
        when=when,
        place=server.transport.serve,
        related=_related(ending),
    )


def _cause(server: Server, ending: Ending) -> str:
    if ending.holder is None and server.transport.at_eof != "stuck":
        return f"the code around `{server.transport.what}` never comes back, also when stdin closes"
    if ending.holder is None:
        version = server.transport.version
        sdk = f"`{server.transport.sdk}` {version.version}" if version else f"`{server.transport.sdk}`"
        return f"{sdk} itself never comes back when stdin closes"
    holder = f"{quoted(ending.holder.what)} in {ending.holder.place.seen_from(server.transport.serve)}"
    if server.language == "python":
        return f"{holder} goes on after `{server.transport.what}` has returned"
    if ending.handler is not None:
        return f"{holder} keeps the process alive and the stdin listener does not end it"
    return f"{holder} keeps the process alive and nothing ends it when stdin closes"


def _related(ending: Ending) -> tuple[Related, ...]:
    related = []
    if ending.holder is not None:
        related.append(Related(ending.holder.place, "this keeps the process alive"))
    if ending.handler is not None:
        related.append(Related(ending.handler.place, "this listener runs and the process goes on"))
    return tuple(related)
