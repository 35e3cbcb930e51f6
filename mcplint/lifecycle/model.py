"""The life of one server: what the rules read.

Everything here is a value: built once by :mod:`mcplint.lifecycle.build`, never changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Literal

from mcplint.files.place import Place
from mcplint.lifecycle.outcomes import Outcome
from mcplint.program.versions import PackageVersion
from mcplint.syntax.ir import Language

Verdict = Literal["exits", "survives", "unknown"]
When = Literal["start", "call"]
Phase = Literal["import", "start", "serving", "call", "end"]
"""When something happens in the life of a server: while its modules load, before it serves, from then
on, when a tool is called or a request comes, and on the way out."""


class Event(str, Enum):
    """What a server can be told of."""

    STDIN_END = "stdin_end"
    STDIN_CLOSE = "stdin_close"
    TRANSPORT_CLOSE = "transport_close"
    SIGTERM = "sigterm"
    SIGINT = "sigint"
    SIGHUP = "sighup"
    UNCAUGHT_EXCEPTION = "uncaught_exception"
    UNHANDLED_REJECTION = "unhandled_rejection"
    OUTPUT_ERROR = "output_error"
    EXIT = "exit"


STDIN_EVENTS = (Event.STDIN_END, Event.STDIN_CLOSE)
SIGNALS = (Event.SIGTERM, Event.SIGINT, Event.SIGHUP)
CRASHES = (Event.UNCAUGHT_EXCEPTION, Event.UNHANDLED_REJECTION)


@dataclass(frozen=True, slots=True)
class Transport:
    """How the server speaks stdio.

    Attributes:
        sdk: the package, such as ``@modelcontextprotocol/sdk``.
        what: the class or call, such as ``StdioServerTransport``.
        version: the SDK's version and how it was learnt; None when nothing says it.
        at_eof: what that version does when stdin ends: ``"nothing"``, ``"closes"`` (closes
            its transport and calls ``onclose``, and leaves the process), ``"exits"``,
            ``"returns"`` (the serve call returns) or ``"stuck"`` (the serve call never does).
        made: where the transport is made.
        serve: the call that starts serving; the same as ``made`` where that is all there is.
        read: the file of the installed SDK that says what it does at the end of stdin; None where
            that is known by version only.
        built_on: the SDK that a framework gets, where that decides and its version is known.
        closed_by: the method that closes what serves, on the object whose method ``serve`` calls; None
            where there is no such object.
    """

    sdk: str
    what: str
    version: PackageVersion | None
    at_eof: str
    made: Place
    serve: Place
    read: Path | None = None
    built_on: PackageVersion | None = None
    closed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """Something that keeps the process alive.

    Attributes:
        what: its name in messages, such as ``setInterval``.
        place: the call that makes it.
        seconds: how long it holds; None for ever, 0 where the code does not say.
        when: ``start`` if it is there from the start, ``call`` if only after a tool call,
            a request or a first connection.
        certain: false when it stands under a branch, an option or a release that could not
            be decided.
        released_at: events whose handlers let go of it.
        perhaps_released_at: events whose handlers may let go of it.
        known: how the catalog knows it.
    """

    what: str
    place: Place
    seconds: float | None
    when: When
    certain: bool
    released_at: frozenset[Event]
    perhaps_released_at: frozenset[Event]
    known: str


@dataclass(frozen=True, slots=True)
class Deed:
    """A call that a rule asks for, such as one that a handler makes on the way.

    Attributes:
        what: what is called, as the code says it: ``pool.end``.
        place: the call.
        why: what is to be known of it, as part of a sentence; may be empty.
    """

    what: str
    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class Handler:
    """One listener for one event.

    Attributes:
        event: what it listens to.
        place: the call that registers it.
        function: the head of the handling function; None if it could not be found.
        name: that function's name, if it has one.
        outcome: how control can leave it.
        guarded: whether a second run returns at once.
        certain: whether it is surely registered on the stdio path.
        closes_transport: whether it lets go of stdin (closes the server or its transport).
        late: whether it is registered only behind an await that may last, so that it can miss
            an end that comes before.
        called: whether anything calls it when its event comes; false for a property that the SDK
            never reads, or replaces when it begins to serve.
        fires: whether the end of stdin can reach it; false for an ``onclose`` that is not called,
            or where neither this version of the SDK nor a listener closes the transport then.
        under: the test of the surroundings, such as an option, that it depends on and that reading
            could not decide.
        writes: what it writes to a standard stream.
        cleans_up: what it does that the end of the process would not do by itself.
        waits_for: what it waits for without a limit before it ends the process.
        ends_unless: the step that skips the end of the process when it fails; None if the
            process ends in any case, or in none.
    """

    event: Event
    place: Place
    function: Place | None
    name: str | None
    outcome: Outcome
    guarded: bool
    certain: bool
    closes_transport: bool
    late: bool = False
    called: bool = True
    fires: bool = True
    under: Place | None = None
    writes: tuple[Deed, ...] = ()
    cleans_up: tuple[Deed, ...] = ()
    waits_for: Deed | None = None
    ends_unless: Deed | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """What happens to the process at one event, and why, in a few words."""

    verdict: Verdict
    reason: str
    holder: Holder | None = None
    handler: Handler | None = None


@dataclass(frozen=True, slots=True)
class Watchdog:
    """Code that asks by itself, now and then, whether its client is gone, in order to end.

    Attributes:
        place: where it asks.
        of_parent: it asks for its parent process and not for its stdin: it takes no notice of a
            client that closes stdin and lives, or of one that is not its parent.
        certain: false where it is only seen to ask, and perhaps does so once.
    """

    place: Place
    of_parent: bool
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Child:
    """A child process that a server starts.

    Attributes:
        what: the call, as the code says it.
        place: where it is started.
        fate: ``left``: nothing ends it; ``daemon``: nothing ends it and it is detached on purpose;
            ``shell``: what should end it reaches only the shell around it.
    """

    what: str
    place: Place
    fate: Literal["left", "daemon", "shell"]


@dataclass(frozen=True, slots=True)
class Write:
    """Something that puts text on stdout which is no message of the protocol.

    Attributes:
        what: the call or the library, as a message names it.
        place: the call that writes, or that makes a logger which does.
        source: the program's own ``code``, a ``logger`` that it set up, or a ``dependency``.
        phase: the first moment at which it reaches the client, or would.
        certain: whether a server that serves surely comes there.
        reaches: whether the text gets to the client; false where the SDK keeps it off.
        why: what is to be known of it, as part of a sentence; may be empty.
        first: the first call of a logger that writes.
        version: that of a dependency.
    """

    what: str
    place: Place
    source: Literal["code", "logger", "dependency"]
    phase: Phase
    certain: bool
    reaches: bool
    why: str = ""
    first: Place | None = None
    version: PackageVersion | None = None


@dataclass(frozen=True, slots=True)
class Sharing:
    """A child process that is given the server's own stdin or stdout.

    Attributes:
        what: the call, as the code says it.
        place: where it is started.
        stdin: whether it can read what the client sends.
        stdout: whether what it prints goes to the client.
        phase: the first moment at which it is started.
        certain: whether a server that serves surely comes there.
        reaches: false where the SDK keeps both streams from it.
    """

    what: str
    place: Place
    stdin: bool
    stdout: bool
    phase: Phase
    certain: bool
    reaches: bool


@dataclass(frozen=True, slots=True)
class Server:
    """One program that serves MCP over stdio.

    ``stdin_eof_after_call`` is what happens when stdin ends after tools have been called and
    connections made, as far as the code shows; ``stdin_eof_if_unheard`` when no listener is
    registered that depends on a decision which reading cannot make, and the parent process lives,
    None where that is the same.
    ``elsewhere`` are listeners for the end of stdin that only another way through the program
    registers, such as the one that serves HTTP. ``opaque_stdin`` says that something which cannot be
    followed is given stdin or reads it. ``blocking`` are calls in tools that block the whole
    process for as long as they like. ``writes`` are what puts text on stdout and ``sharing`` the child
    processes that share the protocol's streams, in the order in which they come about. ``offered`` says
    that nothing here starts it: it is a function for other programs to call.
    """

    entry: Path
    language: Language
    transport: Transport
    holders: tuple[Holder, ...]
    handlers: tuple[Handler, ...]
    stdin_eof: Ending
    stdin_eof_after_call: Ending
    sigterm: Ending
    sigint: Ending
    stdin_eof_if_unheard: Ending | None = None
    watchdog: Watchdog | None = None
    opaque_stdin: bool = False
    elsewhere: tuple[Handler, ...] = ()
    blocking: tuple[Deed, ...] = ()
    children: tuple[Child, ...] = ()
    writes: tuple[Write, ...] = ()
    sharing: tuple[Sharing, ...] = ()
    offered: bool = False

    def handlers_of(self, *events: Event) -> tuple[Handler, ...]:
        """Its handlers for any of ``events``, in order of registration."""
        return tuple(h for h in self.handlers if h.event in events)
