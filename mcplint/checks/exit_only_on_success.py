"""MCP303: the exit is skipped when a step before it fails."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.triggers import Group, by_place, crashes, stopping
from mcplint.checks.wording import triggers_of, who
from mcplint.lifecycle.model import SIGNALS, STDIN_EVENTS, Handler, Server

CODE = "MCP303"
NAME = "exit-only-on-success"
WHY = (
    "what is closed at the end is often broken already, and a step that fails then keeps the process for good"
)


def check(server: Server) -> Iterator[Finding]:
    """One finding for each step whose failure skips the exit."""
    if server.language == "python":
        return
    skipping = (h for h in stopping(server) if _skips(h) and _stays(server, h))
    for group in by_place(skipping, lambda h: h.ends_unless.place if h.ends_unless else None):
        yield _finding(server, group)


def _skips(handler: Handler) -> bool:
    """Whether a step can skip the exit, and is not one that can hang: that is MCP302's to say."""
    deed, hangs = handler.ends_unless, handler.waits_for
    return deed is not None and (hangs is None or hangs.place != deed.place)


def _stays(server: Server, handler: Handler) -> bool:
    """Whether something holds the process where the exit is skipped: at a signal, stdin does."""
    same = STDIN_EVENTS if handler.event in STDIN_EVENTS else (handler.event,)
    if any(h.outcome.ends and h.ends_unless is None for h in server.handlers_of(*same)):
        return False
    return handler.event in SIGNALS or any(
        h.certain and h.when == "start" and h.seconds is None for h in server.holders
    )


def _finding(server: Server, group: Group) -> Finding:
    handler = group[0]
    deed = handler.ends_unless
    assert deed is not None
    swallowing = [h for h in crashes(server) if h.certain and not h.outcome.ends]
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"the exit is skipped when `{deed.what}` fails: at {triggers_of(group)} {who(handler)}"
            " then leaves the process running"
        ),
        why=WHY,
        severity="warning",
        confidence="high",
        when="start",
        place=deed.place,
        related=(
            *(Related(h.place, "this starts it") for h in group),
            *(Related(h.place, "this takes the failure and goes on") for h in swallowing),
            Related(server.transport.serve, "the server starts here"),
        ),
    )
