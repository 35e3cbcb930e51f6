"""MCP203: cleanup runs at signals only, and the ordinary way to stop skips it."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.triggers import Group
from mcplint.checks.wording import triggers_of
from mcplint.lifecycle.model import SIGNALS, STDIN_EVENTS, Deed, Event, Handler, Server
from mcplint.lifecycle.outcomes import Way

CODE = "MCP203"
NAME = "cleanup-misses-eof"
WHY = "a client stops a server by closing its stdin; the signal comes only to one that does not go"

_AT_THE_END = (*STDIN_EVENTS, Event.TRANSPORT_CLOSE, Event.EXIT)


def check(server: Server) -> Iterator[Finding]:
    """One finding for each deed that the end of stdin skips, whatever else starts it."""
    if server.language == "python" or server.stdin_eof.verdict != "exits" or _is_watched(server):
        return
    at_end = server.handlers_of(*_AT_THE_END)
    if any(_cannot_be_followed(h) for h in at_end if h.fires):
        return
    done = {d.what for h in at_end for d in h.cleans_up if h.fires}
    wired = (h for h in server.handlers_of(*SIGNALS, Event.TRANSPORT_CLOSE) if h.certain)
    missed: dict[str, tuple[Deed, list[Handler]]] = {}
    for handler in wired:
        deed = _missed(handler, done) if _is_beside(handler) else None
        if deed is not None:
            missed.setdefault(deed.what, (deed, []))[1].append(handler)
    for deed, handlers in missed.values():
        yield _finding(server, tuple(handlers), deed)


def _is_watched(server: Server) -> bool:
    """Whether other code than a listener takes notice of the end of stdin, and may clean up there."""
    return server.watchdog is not None or server.opaque_stdin


def _missed(handler: Handler, done: set[str]) -> Deed | None:
    """The first deed that nothing of the same name does at the end."""
    return next((d for d in handler.cleans_up if d.what not in done), None)


def _is_beside(handler: Handler) -> bool:
    """Whether it listens to something else than the end of stdin: an ``onclose`` may be called then."""
    return handler.event in SIGNALS or not handler.fires


def _cannot_be_followed(handler: Handler) -> bool:
    return handler.function is None or Way.UNKNOWN in handler.outcome.ways


def _finding(server: Server, group: Group, deed: Deed) -> Finding:
    handler = group[0]
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"cleanup misses the ordinary end: when stdin ends the process goes, and `{deed.what}` in"
            f" {deed.place.seen_from(handler.place)} runs at {triggers_of(group)} only"
        ),
        why=WHY,
        severity="warning",
        confidence="medium",
        when="start",
        place=handler.place,
        related=(
            *(Related(h.place, "this starts it, too") for h in group[1:]),
            Related(deed.place, "this is skipped"),
            Related(server.transport.serve, "the server starts here"),
        ),
    )
