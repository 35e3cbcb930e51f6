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
WHY_LOOP = "an orphan of this kind takes as much of a core as it can get, until somebody finds it and ends it"


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


def _message(group: Group, loops: bool) -> str:
    handler = group[0]
    end, it = ("end", "them") if len({h.event for h in group}) > 1 else ("ends", "it")
    does = "never comes back" if Way.HANGS in handler.outcome.ways else "goes on"
    said = f"{triggers_of(group)} no longer {end} the process: {who(handler)} takes {it} and {does}"
    if not loops:
        return said
    return (
        f"{said}; once the client is gone, its `{handler.writes[0].what}` fails and calls it again, for ever"
    )


def _finding(server: Server, group: Group) -> Finding:
    handler = group[0]
    loops = _loops(server, group)
    return Finding(
        code=CODE,
        name=NAME,
        message=_message(group, loops),
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
