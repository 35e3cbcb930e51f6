"""What happens to the process at each event, from what it holds and what it listens to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcplint.lifecycle.model import STDIN_EVENTS, Ending, Event, Handler, Holder
from mcplint.lifecycle.outcomes import Outcome, Way

LASTING = 35.0
"""What holds for so many seconds is told as surviving: as long as servers were watched (docs/world.md)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What an ending is decided from.

    Attributes:
        at_eof: what the transport does when stdin ends.
        on_signal: what the framework's own signal listeners do, if it has any.
        holders: everything that holds or may hold.
        handlers: every listener on the stdio path.
        opaque_stdin: whether something that cannot be followed reads or watches stdin.
        ends_after_serving: whether the process is surely ended once the serve call returns.
        may_end_after_serving: whether it is on some path.
        ends_elsewhere: whether other code than a handler may end the process while it serves.
        serve_hangs: whether what surrounds the serve call surely never comes back.
    """

    at_eof: str
    on_signal: str | None
    holders: tuple[Holder, ...]
    handlers: tuple[Handler, ...]
    opaque_stdin: bool
    ends_after_serving: bool
    may_end_after_serving: bool
    serve_hangs: bool
    ends_elsewhere: bool

    def of(self, *events: Event) -> list[Handler]:
        """The handlers of some events, without those that nothing calls."""
        return [h for h in self.handlers if h.event in events and h.called]

    def held(self, *events: Event) -> list[Holder]:
        """What surely holds for ever from the start, less what handlers of ``events`` let go of."""
        return [h for h in self._endless(events) if h.certain and not h.perhaps_released_at & set(events)]

    def lasting(self, *events: Event) -> list[Holder]:
        """What surely holds from the start, for ever or for a long time."""
        passing = [
            h
            for h in self.holders
            if h.certain
            and h.when == "start"
            and h.seconds is not None
            and h.seconds >= LASTING
            and not (h.released_at | h.perhaps_released_at) & set(events)
        ]
        return [*self.held(*events), *passing]

    def doubtful(self, *events: Event) -> list[Holder]:
        """What may hold for ever from the start."""
        return [h for h in self._endless(events) if not h.certain or h.perhaps_released_at & set(events)]

    def _endless(self, events: tuple[Event, ...]) -> list[Holder]:
        return [
            h
            for h in self.holders
            if h.when == "start" and h.seconds is None and not h.released_at & set(events)
        ]


def after_call(facts: Facts) -> Facts:
    """The same once every tool has been called and every connection made.

    What holds for a time only after a call is left out: how long ago the last call was, nobody knows.
    """
    holders = (h for h in facts.holders if h.when == "start" or h.seconds is None)
    return replace(facts, holders=tuple(replace(h, when="start") for h in holders))


# --------------------------------------------------------------------------- Node


def node_at_eof(facts: Facts) -> Ending:
    """A Node process ends when something exits it or nothing holds its event loop."""
    if facts.at_eof == "exits":
        return Ending("exits", "the SDK ends the process when stdin ends")
    events = eof_events(facts)
    handlers = facts.of(*events)
    for handler in handlers:
        if handler.certain and handler.outcome.ends and not handler.late:
            return Ending("exits", "a listener ends the process when stdin ends", handler=handler)
    held = facts.lasting(*events)
    if not held:
        if doubtful := facts.doubtful(*events):
            reason = f"{doubtful[0].what} may keep the process alive"
            return Ending("unknown", reason, doubtful[0])
        return Ending("exits", "nothing holds the event loop once stdin has ended")
    if hope := _hope(handlers):
        return Ending("unknown", "a listener may end the process", held[0], hope)
    if facts.opaque_stdin:
        return Ending("unknown", "something that cannot be followed watches stdin", held[0])
    if facts.ends_elsewhere:
        return Ending("unknown", "other code may end the process", held[0])
    useless = next((h for h in handlers if h.certain), None)
    return Ending("survives", f"{held[0].what} keeps the process alive{_length(held[0])}", held[0], useless)


def _length(holder: Holder) -> str:
    return f" for {holder.seconds:g} s" if holder.seconds else ""


def eof_events(facts: Facts) -> tuple[Event, ...]:
    """The events that come at end of input with this SDK version and these handlers."""
    closed = facts.at_eof == "closes" or _surely_close(facts.of(*STDIN_EVENTS))
    return (*STDIN_EVENTS, Event.TRANSPORT_CLOSE) if closed else STDIN_EVENTS


def _surely_close(handlers: Iterable[Handler]) -> bool:
    """Whether what listens to an event closes the transport, which is an event of its own."""
    return any(h.closes_transport and h.certain for h in handlers)


def with_reach(facts: Facts) -> Facts:
    """The same with every handler's answer to whether the end of stdin can reach it."""
    closes = (
        facts.at_eof == "closes"
        or facts.opaque_stdin
        or any(h.closes_transport or h.function is None for h in facts.of(*STDIN_EVENTS))
    )
    return replace(
        facts,
        handlers=tuple(
            replace(h, fires=h.called and (closes or h.event is not Event.TRANSPORT_CLOSE))
            for h in facts.handlers
        ),
    )


def node_at_signal(facts: Facts, signal: Event) -> Ending:
    """A signal without a listener ends a process; with one, only what the listener does."""
    listeners = facts.of(signal)
    if not listeners:
        if facts.on_signal == "ignored":
            return _framework_ignores(facts)
        return Ending("exits", "no listener: the signal's default action ends the process")
    events = (signal, Event.TRANSPORT_CLOSE) if _surely_close(listeners) else (signal,)
    handlers = facts.of(*events)
    for handler in handlers:
        if handler.certain and handler.outcome.ends:
            return Ending("exits", "the listener ends the process", handler=handler)
    if hope := _hope(handlers):
        return Ending("unknown", "a listener may end the process", handler=hope)
    if not any(h.certain for h in listeners):
        return Ending("unknown", "a listener may be registered", handler=listeners[0])
    handler = next(h for h in listeners if h.certain)
    held = facts.held(*events)
    if not _surely_close(listeners):
        reason = "the listener replaces the signal's default action and does not end the process"
        return Ending("survives", reason, held[0] if held else None, handler)
    if held:
        return Ending("survives", f"{held[0].what} outlives the listener", held[0], handler)
    if facts.doubtful(*events):
        return Ending("unknown", "something may outlive the listener", handler=handler)
    return Ending("exits", "the listener lets go of everything that holds", handler=handler)


def _framework_ignores(facts: Facts) -> Ending:
    held = facts.held()
    if held:
        return Ending("survives", "the framework's own listener closes and never exits", held[0])
    if facts.doubtful():
        return Ending("unknown", "the framework's own listener closes and never exits")
    return Ending("exits", "the framework's own listener lets go of stdin")


def _hope(handlers: Iterable[Handler]) -> Handler | None:
    """A handler that may end the process: a branch, an option or an unknown call decides."""
    return next((h for h in handlers if h.outcome.may_end), None)


# --------------------------------------------------------------------------- Python


def python_at_eof(facts: Facts) -> Ending:
    """A Python SDK returns from its serve call; what runs beside or behind it decides."""
    if facts.at_eof == "stuck":
        return Ending("survives", "this version of the SDK never returns from its serve call")
    if facts.serve_hangs:
        return Ending("survives", "the code around the serve call never comes back")
    if facts.ends_after_serving:
        return Ending("exits", "the process is ended once the serve call has returned")
    if held := facts.lasting():
        if facts.may_end_after_serving:
            return Ending("unknown", "the process may be ended once the serve call has returned", held[0])
        return Ending("survives", f"{held[0].what} keeps the process alive{_length(held[0])}", held[0])
    if doubtful := facts.doubtful():
        return Ending("unknown", f"{doubtful[0].what} may keep the process alive", doubtful[0])
    return Ending("exits", "the serve call returns and nothing is left running")


def python_at_signal(facts: Facts, event: Event) -> Ending:
    """With stdin open, a handler that unwinds or returns leaves the reader thread blocked."""
    handlers = facts.of(event)
    if not handlers:
        if event is Event.SIGINT:
            return Ending("survives", "KeyboardInterrupt waits for the thread that reads stdin")
        return Ending("exits", "no handler: the signal's default action ends the process")
    last = next((h for h in reversed(handlers) if h.certain), None)
    if last is not None and last.outcome.ends:
        return Ending("exits", "the handler ends the process", handler=last)
    if handler := _hope(handlers):
        return Ending("unknown", "a handler may end the process", handler=handler)
    if last is None:
        return Ending("unknown", "a handler may be installed", handler=handlers[0])
    if facts.ends_elsewhere:
        return Ending("unknown", "other code may end the process once the handler has run", handler=last)
    if Way.UNWINDS in last.outcome.ways:
        reason = "the handler asks Python to unwind, which waits for stdin to close"
        return Ending("survives", reason, handler=last)
    reason = "the handler replaces the signal's default action and does not end the process"
    return Ending("survives", reason, handler=last)


def settled(outcome: Outcome, throws_end: bool, unwinds: bool) -> Outcome:
    """An outcome with the platform's answer to an exception put in."""
    ways = outcome.ways
    if Way.THROWS in ways:
        ways &= ~Way.THROWS
        ways |= Way.UNWINDS if unwinds else (Way.ENDS if throws_end else Way.FALLS)
    return Outcome(ways)
