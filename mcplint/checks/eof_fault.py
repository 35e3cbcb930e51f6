"""Which fault it is that a server outlives its client. Each belongs to one rule, and to one only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mcplint.lifecycle.model import STDIN_EVENTS, Ending, Event, Handler, Server, When

Kind = Literal["nothing", "handler", "onclose", "elsewhere"]


@dataclass(frozen=True, slots=True)
class EofFault:
    """Why a server stays when stdin ends.

    Attributes:
        kind: ``handler``: a listener for the end of stdin runs and does not end it; ``onclose``:
            its end hangs on an ``onclose`` that is not called; ``elsewhere``: a listener that
            would end it belongs to another way through the program; ``nothing``: nothing would.
        when: ``start``, or ``call`` if it stays only after a first call.
        ending: what happens when stdin ends.
        handler: the listener, except where there is none.
    """

    kind: Kind
    when: When
    ending: Ending
    handler: Handler | None = None


def eof_faults(server: Server, kind: Kind) -> Iterator[EofFault]:
    """The fault of that kind, if it is the server's."""
    fault = _fault(server)
    if fault is not None and fault.kind == kind:
        yield fault


def _fault(server: Server) -> EofFault | None:
    if server.stdin_eof.verdict == "survives":
        return _sorted(server, server.stdin_eof, "start")
    if server.stdin_eof.verdict == "exits" and server.stdin_eof_after_call.verdict == "survives":
        return _sorted(server, server.stdin_eof_after_call, "call")
    return None


def _sorted(server: Server, ending: Ending, when: When) -> EofFault:
    if ending.handler is not None and ending.handler.event in STDIN_EVENTS:
        return EofFault("handler", when, ending, ending.handler)
    for handler in server.handlers_of(Event.TRANSPORT_CLOSE):
        if handler.certain and not handler.fires and _would_end(handler, ending):
            return EofFault("onclose", when, ending, handler)
    for handler in server.elsewhere:
        if handler.outcome.ends:
            return EofFault("elsewhere", when, ending, handler)
    return EofFault("nothing", when, ending)


def _would_end(handler: Handler, ending: Ending) -> bool:
    """Whether the server would end if its ``onclose`` were called."""
    return handler.outcome.ends or (
        ending.holder is not None and Event.TRANSPORT_CLOSE in ending.holder.released_at
    )
