"""Small parts of sentences that rules share."""

from __future__ import annotations

from collections.abc import Sequence

from mcplint.lifecycle.model import Event

_EVENTS = {
    Event.STDIN_END: "stdin end",
    Event.STDIN_CLOSE: "stdin close",
    Event.TRANSPORT_CLOSE: "transport close",
    Event.SIGTERM: "SIGTERM",
    Event.SIGINT: "SIGINT",
    Event.SIGHUP: "SIGHUP",
}


def quoted(what: str) -> str:
    """Code in backticks; words of prose as they are."""
    return what if " " in what else f"`{what}`"


def event_name(event: Event) -> str:
    """An event as a message names it."""
    return _EVENTS.get(event, event.value)


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
