"""The handlers that run when a server is told to go, sorted as rules need them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcplint.files.place import Place
from mcplint.lifecycle.model import CRASHES, SIGNALS, STDIN_EVENTS, Event, Handler, Server

Group = tuple[Handler, ...]


def stopping(server: Server) -> Iterator[Handler]:
    """The handlers that surely run at the end of stdin or at a signal."""
    for handler in server.handlers_of(*STDIN_EVENTS, Event.TRANSPORT_CLOSE, *SIGNALS):
        if handler.certain and handler.fires:
            yield handler


def by_place(handlers: Iterator[Handler], place: Callable[[Handler], Place | None]) -> Iterator[Group]:
    """The handlers that share a place, in order; those without one are left out."""
    groups: dict[tuple[str, int], list[Handler]] = {}
    for handler in handlers:
        at = place(handler)
        if at is not None:
            groups.setdefault((str(at.path), at.start), []).append(handler)
    for group in groups.values():
        yield tuple(group)


def crashes(server: Server) -> tuple[Handler, ...]:
    """The handlers of exceptions and rejections that nobody catches."""
    return server.handlers_of(*CRASHES)
