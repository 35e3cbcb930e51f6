"""MCP301: a shutdown that two triggers can start, and that nothing keeps from running twice."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import event_name, holder_at, listed
from mcplint.lifecycle.model import Event, Handler, Server
from mcplint.lifecycle.outcomes import Way

CODE = "MCP301"
NAME = "unguarded-shutdown"
WHY = "stdin ends and SIGTERM follows within two seconds: the second run meets what the first has closed"

_TRIGGERS = (Event.STDIN_END, Event.STDIN_CLOSE, Event.SIGTERM, Event.SIGINT, Event.SIGHUP)


def check(server: Server) -> Iterator[Finding]:
    """One finding a function that several triggers start while it still waits."""
    if not server.holders:
        return
    by_function: dict[tuple[str, int], list[Handler]] = {}
    for handler in server.handlers_of(*_triggers(server)):
        if handler.function is not None and handler.certain and _runs_long(handler):
            place = handler.function
            by_function.setdefault((str(place.path), place.start), []).append(handler)
    for handlers in by_function.values():
        if len({h.event for h in handlers}) > 1 and not any(h.guarded for h in handlers):
            yield _finding(server, handlers)


def _triggers(server: Server) -> tuple[Event, ...]:
    """The events that come; ``onclose`` only where the SDK calls it at end of input."""
    closes = server.transport.at_eof == "closes"
    return (*_TRIGGERS, Event.TRANSPORT_CLOSE) if closes else _TRIGGERS


def _runs_long(handler: Handler) -> bool:
    """Whether a second trigger can come while the handler still waits for something."""
    return handler.outcome.ends and Way.PAUSES in handler.outcome.ways


def _finding(server: Server, handlers: list[Handler]) -> Finding:
    function = handlers[0].function
    assert function is not None
    events = list(dict.fromkeys(event_name(h.event) for h in handlers))
    who = f"`{handlers[0].name}`" if handlers[0].name else "the shutdown"
    holder = server.holders[0]
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"{who} starts anew for each of {listed(events)}: nothing stops a second run"
            f" while the first waits, beside {holder_at(holder, function)}"
        ),
        why=WHY,
        severity="warning",
        confidence="high",
        when="start",
        place=function,
        related=(
            *(Related(h.place, f"{event_name(h.event)} starts it") for h in handlers),
            Related(holder.place, "this is still live when it runs"),
        ),
    )
