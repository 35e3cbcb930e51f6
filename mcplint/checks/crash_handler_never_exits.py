"""MCP202: what nobody catches is taken by a handler that goes on."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.triggers import Group, by_place, crashes
from mcplint.checks.wording import triggers_of, who
from mcplint.lifecycle.model import Event, Handler, Server
from mcplint.lifecycle.outcomes import Way

CODE = "MCP202"
NAME = "crash-handler-never-exits"
WHY = "what nobody caught would have ended the process; now it stays, in a state that nobody planned"
WHY_LOOP = "one orphan of this kind takes a core of its own, for days, and answers to SIGKILL only"


def check(server: Server) -> Iterator[Finding]:
    """One finding for each function that takes exceptions and goes on."""
    if server.language == "python":
        return
    ended = {h.event for h in crashes(server) if h.certain and h.outcome.ends}
    swallowing = (h for h in crashes(server) if h.event not in ended and _swallows(h))
    for group in by_place(swallowing, lambda h: h.function or h.place):
        yield _finding(server, group)


def _swallows(handler: Handler) -> bool:
    return handler.certain and not handler.outcome.ends and not handler.outcome.may_end


def _loops(server: Server, group: Group) -> bool:
    """Whether a write of the handler, when it fails, calls the handler again."""
    takes = any(h.event is Event.UNCAUGHT_EXCEPTION and h.writes for h in group)
    return takes and not server.handlers_of(Event.OUTPUT_ERROR)


def _finding(server: Server, group: Group) -> Finding:
    handler = group[0]
    loops = _loops(server, group)
    hangs = Way.HANGS in handler.outcome.ways
    does = "never comes back" if hangs else "goes on"
    message = f"{triggers_of(group)} never ends the process: {who(handler)} takes it and {does}"
    if loops:
        message += (
            f", and with the client gone its `{handler.writes[0].what}` fails and calls it again, for ever"
        )
    return Finding(
        code=CODE,
        name=NAME,
        message=message,
        why=WHY_LOOP if loops else WHY,
        severity="warning",
        confidence="high",
        when="start",
        place=handler.place,
        related=(
            *(Related(h.place, "this is the same handler") for h in group[1:]),
            *((Related(handler.function, "this runs, and the process goes on"),) if handler.function else ()),
            *((Related(handler.writes[0].place, "this fails when nobody reads it"),) if loops else ()),
            Related(server.transport.serve, "the server starts here"),
        ),
    )
