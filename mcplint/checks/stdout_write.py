"""MCP401: text on stdout that is no message of the protocol."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import moment, quoted
from mcplint.lifecycle.model import Server, Write

CODE = "MCP401"
NAME = "stdout-write"
WHY = (
    "the client reads every line of stdout as a message: one that is none is an error there,"
    " and a line without an end spoils the reply behind it"
)


def check(server: Server) -> Iterator[Finding]:
    """One finding for each place that writes, or that makes a logger which does."""
    for write in server.writes:
        if write.reaches and write.source != "dependency":
            yield _finding(server, write)


def _finding(server: Server, write: Write) -> Finding:
    sure = write.certain and write.phase != "end"
    first = () if write.first is None else (Related(write.first, "the first line that it writes"),)
    return Finding(
        code=CODE,
        name=NAME,
        message=_message(write),
        why=WHY,
        severity="error" if sure else "warning",
        confidence="high" if sure else "medium",
        when="call" if write.phase == "call" else "start",
        place=write.place,
        related=(*first, Related(server.transport.serve, "the server starts here")),
    )


def _message(write: Write) -> str:
    name = quoted(write.what)
    perhaps = "" if write.certain else "may "
    if write.source == "logger":
        put = "log" if perhaps else "logs"
        return f"{name} {perhaps}{put} to stdout {moment(write.phase)}: it {write.why}"
    put = "put" if perhaps else "puts"
    why = f": it {write.why}" if write.why else ", where only messages may go"
    return f"{name} {perhaps}{put} text on stdout {moment(write.phase)}{why}"
