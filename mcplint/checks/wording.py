"""Small parts of sentences that rules share."""

from __future__ import annotations

from collections.abc import Sequence

from mcplint.checks.finding import Confidence, Severity
from mcplint.files.place import Place
from mcplint.lifecycle.model import Event, Handler, Holder, Phase, When

ORPHAN = "a client that crashes leaves this process behind, with its memory and its connections, for good"
_FOR_A_WHILE = "a client that goes early leaves this process behind, and the next one starts beside it"

_EVENTS = {
    Event.STDIN_END: "stdin end",
    Event.STDIN_CLOSE: "stdin close",
    Event.TRANSPORT_CLOSE: "transport close",
    Event.SIGTERM: "SIGTERM",
    Event.SIGINT: "SIGINT",
    Event.SIGHUP: "SIGHUP",
    Event.UNCAUGHT_EXCEPTION: "uncaughtException",
    Event.UNHANDLED_REJECTION: "unhandledRejection",
}

_MOMENTS: dict[Phase, str] = {
    "import": "while the program loads",
    "start": "before the server starts",
    "serving": "while the server runs",
    "call": "when the client asks for something",
    "end": "on the way out",
}


def moment(phase: Phase) -> str:
    """When something happens, as the end of a clause."""
    return _MOMENTS[phase]


def quoted(what: str) -> str:
    """Code in backticks; words of prose as they are."""
    return what if " " in what else f"`{what}`"


def holder_at(holder: Holder, seen: Place) -> str:
    """What holds and where, as from a place: ``setInterval`` in src/cache.ts:12."""
    length = f" (for {holder.seconds:g} s)" if holder.seconds else ""
    return f"{quoted(holder.what)} in {holder.place.seen_from(seen)}{length}"


def why_of(holder: Holder | None) -> str:
    """Why it matters that something holds the process: for good, or for a time of its own."""
    return _FOR_A_WHILE if holder is not None and holder.seconds else ORPHAN


def who(handler: Handler) -> str:
    """The function that handles, by its name if it has one."""
    return f"`{handler.name}`" if handler.name else "the handler"


def severity_of(when: When, holder: Holder | None = None) -> Severity:
    """An error if it is so from the start and for good; a warning if it takes a call, or passes."""
    passes = holder is not None and holder.seconds
    return "error" if when == "start" and not passes else "warning"


def sureness_of(when: When) -> Confidence:
    """High if it is so from the start; medium if it takes a first call."""
    return "high" if when == "start" else "medium"


def event_name(event: Event) -> str:
    """An event as a message names it."""
    return _EVENTS.get(event, event.value)


def triggers_of(handlers: Sequence[Handler]) -> str:
    """The events of some handlers: ``stdin end and SIGTERM``."""
    return listed(list(dict.fromkeys(event_name(h.event) for h in handlers)))


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
