"""The life of each server on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mcplint.lifecycle.outcomes import Way
from mcplint.report.cells import printable, width_of
from mcplint.report.look import VERDICT_STYLES
from mcplint.report.words import shown, spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcplint.files.place import Place
    from mcplint.lifecycle.model import Child, Ending, Handler, Holder, Server, Sharing, Watchdog, Write
    from mcplint.program.versions import PackageVersion
    from mcplint.report.look import Look
    from mcplint.report.result import Report

_AT_EOF = {
    "nothing": "which takes no notice when stdin ends",
    "closes": "which closes its transport when stdin ends and leaves the process alone",
    "exits": "which ends the process when stdin ends",
    "returns": "which returns from the serve call when stdin ends",
    "stuck": "which never returns from the serve call when stdin ends",
}

_EVENTS = {
    "stdin_end": "stdin end",
    "stdin_close": "stdin close",
    "transport_close": "onclose",
    "sigterm": "SIGTERM",
    "sigint": "SIGINT",
    "sighup": "SIGHUP",
    "uncaught_exception": "exception",
    "unhandled_rejection": "rejection",
    "output_error": "output",
    "exit": "exit",
}

_INDENT = "  "
_LABEL = 11


def write(report: Report, out: TextIO, look: Look) -> None:
    """Write one block for each server, with an empty line between two."""
    for number, server in enumerate(report.servers):
        if number:
            out.write("\n")
        for line in _block(server, look):
            out.write(f"{line}\n")


def _block(server: Server, look: Look) -> Iterator[str]:
    entry = look.paint(printable(shown(server.entry)), "bold")
    yield f"{entry} ({server.language})"
    yield from _rows("transport", _transport(server), look)
    holders = [_holder(holder, server) for holder in server.holders]
    yield from _rows("held by", _columns(holders) or ["nothing"], look)
    handlers = [_handler(handler, server) for handler in server.handlers]
    yield from _rows("listens", _columns(handlers) or ["to nothing"], look)
    if aside := [_handler(handler, server) for handler in server.elsewhere]:
        yield from _rows("elsewhere", _columns(aside), look)
    if server.watchdog is not None:
        yield from _rows("watches", [_watchdog(server.watchdog, server)], look)
    yield from _rows("children", _columns([_child(child, server) for child in server.children]), look)
    yield from _rows("stdout", _columns([_write(write, server) for write in server.writes]), look)
    yield from _rows("shared", _columns([_sharing(one, server) for one in server.sharing]), look)
    yield from _rows("stdin end", _stdin_end(server, look), look)
    yield from _rows("SIGTERM", [_ending(server.sigterm, look)], look)
    yield from _rows("SIGINT", [_ending(server.sigint, look)], look)


def _stdin_end(server: Server, look: Look) -> list[str]:
    """What happens at once, and after a first call where that is something else."""
    lines = [_ending(server.stdin_eof, look)]
    later = server.stdin_eof_after_call
    if later.verdict != server.stdin_eof.verdict:
        lines.append(f"{_ending(later, look)}, after a first call or connection")
    return lines


def _rows(label: str, lines: Sequence[str], look: Look) -> Iterator[str]:
    for number, line in enumerate(lines):
        head = label if number == 0 else ""
        yield f"{_INDENT}{look.paint(head, 'dim')}{' ' * (_LABEL - len(head))}{line}".rstrip()


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The rows with their cells one below the other."""
    if not rows:
        return []
    widths = [max(width_of(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(map(_padded, row, widths)).rstrip() for row in rows]


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - width_of(cell))


def _transport(server: Server) -> list[str]:
    transport = server.transport
    version = _version(transport.version) if transport.version else "of unknown version"
    sdk = f"{transport.sdk} {version}" if transport.sdk else "no SDK: the program reads the requests itself"
    lines = [
        f"{transport.what} at {_where(transport.serve, server)}",
        sdk,
        _AT_EOF.get(transport.at_eof, f"when stdin ends: {transport.at_eof}"),
    ]
    if transport.built_on is not None:
        lines.insert(2, f"built on {transport.built_on.name} {_version(transport.built_on)}")
    if transport.read is not None:
        lines.append(f"as read in {shown(transport.read)}")
    return [printable(line) for line in lines]


def _version(known: PackageVersion) -> str:
    return f"{known.version}{'' if known.exact else ' or later'} ({known.how})"


def _holder(holder: Holder, server: Server) -> tuple[str, ...]:
    length = _length(holder.seconds)
    since = "from the start" if holder.when == "start" else "after a tool call or connection"
    parts = [f"{length}, {since}"]
    if not holder.certain:
        parts.append("perhaps")
    if holder.released_at:
        events = sorted(_EVENTS[event.value] for event in holder.released_at)
        parts.append(f"released at {', '.join(events)}")
    return printable(holder.what), printable(_where(holder.place, server)), ", ".join(parts)


def _handler(handler: Handler, server: Server) -> tuple[str, ...]:
    parts = [*_unheard(handler), _outcome(handler)]
    if handler.closes_transport:
        parts.append("closes the transport")
    if handler.guarded:
        parts.append("guarded")
    if not handler.certain:
        parts.append("perhaps not registered")
    event, at = _EVENTS[handler.event.value], _where(handler.place, server)
    return event, printable(at), printable(handler.name or ""), ", ".join(parts)


def _watchdog(watchdog: Watchdog, server: Server) -> str:
    of = "its parent process" if watchdog.of_parent else "its stdin"
    return printable(f"{of}, at {_where(watchdog.place, server)}")


_FATES = {
    "left": "nothing ends it",
    "daemon": "nothing ends it, on purpose",
    "shell": "a signal reaches only its shell",
}


def _child(child: Child, server: Server) -> tuple[str, ...]:
    return printable(child.what), printable(_where(child.place, server)), _FATES[child.fate]


_PHASES = {
    "import": "while it loads",
    "start": "before it serves",
    "serving": "while it serves",
    "call": "when it is asked for something",
    "end": "on the way out",
}


def _write(write: Write, server: Server) -> tuple[str, ...]:
    return printable(write.what), printable(_where(write.place, server)), _moment(write)


def _sharing(sharing: Sharing, server: Server) -> tuple[str, ...]:
    both = [name for name, shared in (("stdin", sharing.stdin), ("stdout", sharing.stdout)) if shared]
    shares = f"shares {' and '.join(both)}, {_moment(sharing)}"
    return printable(sharing.what), printable(_where(sharing.place, server)), shares


def _moment(one: Write | Sharing) -> str:
    """When something gets on the wire, and whether it does."""
    parts = [_PHASES[one.phase]]
    if not one.certain:
        parts.append("perhaps")
    if not one.reaches:
        parts.append("kept off the wire by the SDK")
    return ", ".join(parts)


def _length(seconds: float | None) -> str:
    if seconds is None:
        return "for ever"
    return f"for {seconds:g} s" if seconds else "for a time that is not known"


def _where(place: Place, server: Server) -> str:
    """Where a place is; the file is not said again where it is the server's own."""
    return f"line {place.begin.line}" if place.path == server.entry else spot(place)


def _unheard(handler: Handler) -> Iterator[str]:
    """Why a handler says nothing about the end of stdin, if it does not."""
    if not handler.called:
        yield "never called"
    elif not handler.fires:
        yield "not called when stdin ends"


def _outcome(handler: Handler) -> str:
    ways = handler.outcome.ways
    if handler.outcome.ends:
        return "may wait without a limit, then ends" if ways & Way.WAITS else "ends the process"
    if Way.UNKNOWN in handler.outcome.ways:
        return "outcome unknown"
    if ways & Way.UNWINDS:
        return "unwinds: ends only when everything else returns"
    if ways & Way.HANGS:
        return "never comes back"
    if ways & (Way.ENDS | Way.LATER):
        return "ends on some paths only"
    return "does not end the process"


def _ending(ending: Ending, look: Look) -> str:
    verdict = look.paint(ending.verdict, VERDICT_STYLES[ending.verdict], "bold")
    return f"{verdict}{' ' * (10 - len(ending.verdict))}{printable(ending.reason)}"
