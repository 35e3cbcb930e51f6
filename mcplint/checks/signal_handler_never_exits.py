"""MCP201: a handler for SIGTERM or SIGINT that leaves the process running."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import event_name, listed, who
from mcplint.lifecycle.model import Event, Handler, Server
from mcplint.lifecycle.outcomes import Way

CODE = "MCP201"
NAME = "signal-handler-never-exits"
WHY = "a handler takes the place of the signal's default action, which would have ended the process"
WHY_UNWINDS = "the thread that reads stdin keeps the interpreter until the client closes stdin"


def check(server: Server) -> Iterator[Finding]:
    """One finding a registration, for all the signals that it serves."""
    by_place: dict[tuple[str, int], list[Handler]] = {}
    for ending in (server.sigterm, server.sigint):
        if ending.verdict == "survives" and ending.handler is not None:
            place = ending.handler.place
            by_place.setdefault((str(place.path), place.start), []).append(ending.handler)
    for handlers in by_place.values():
        yield _finding(handlers)


def _finding(handlers: list[Handler]) -> Finding:
    handler = handlers[0]
    unwinds = Way.UNWINDS in handler.outcome.ways
    signals = listed([event_name(h.event) for h in handlers])
    several = len(handlers) > 1
    return Finding(
        code=CODE,
        name=NAME,
        message=_message(handler, signals, several, unwinds),
        why=WHY_UNWINDS if unwinds else WHY,
        severity="warning" if unwinds else "error",
        confidence="high",
        when="start",
        place=handler.place,
        related=_related(handler),
    )


def _message(handler: Handler, signals: str, several: bool, unwinds: bool) -> str:
    if unwinds:
        do = "do" if several else "does"
        return f"{signals} {do} nothing while stdin is open: {who(handler)} only asks Python to unwind"
    rest = "" if signals == event_name(Event.SIGINT) else ", so only SIGKILL stops this server"
    end = "end" if several else "ends"
    return f"{signals} never {end} the process: {who(handler)} returns and nothing exits{rest}"


def _related(handler: Handler) -> tuple[Related, ...]:
    if handler.function is None:
        return ()
    return (Related(handler.function, "this runs, and the process goes on"),)
