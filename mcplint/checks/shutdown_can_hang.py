"""MCP302: the exit waits for something without a deadline."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.triggers import Group, by_place, stopping
from mcplint.checks.wording import triggers_of, who
from mcplint.lifecycle.model import STDIN_EVENTS, Handler, Server

CODE = "MCP302"
NAME = "shutdown-can-hang"
WHY = "a client that lives sends SIGKILL in the end; one that died sends nothing, and the process stays"


def check(server: Server) -> Iterator[Finding]:
    """One finding for each thing that is waited for."""
    if server.language == "python":
        return
    waiting = (h for h in stopping(server) if h.waits_for is not None and not _ended_by_another(server, h))
    for group in by_place(waiting, lambda h: h.waits_for.place if h.waits_for else None):
        yield _finding(server, group)


def _ended_by_another(server: Server, handler: Handler) -> bool:
    """Whether the same event has another listener, which ends the process without that wait."""
    same = STDIN_EVENTS if handler.event in STDIN_EVENTS else (handler.event,)
    return any(h.certain and h.outcome.ends and h.waits_for is None for h in server.handlers_of(*same))


def _finding(server: Server, group: Group) -> Finding:
    handler = group[0]
    deed = handler.waits_for
    assert deed is not None
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"the exit can hang: at {triggers_of(group)}, {who(handler)} exits only after `{deed.what}`,"
            f" which {deed.why}, without a deadline"
        ),
        why=WHY,
        severity="warning",
        confidence="medium",
        when="start",
        place=deed.place,
        related=(
            *(Related(h.place, "this starts it") for h in group),
            Related(server.transport.serve, "the server starts here"),
        ),
    )
