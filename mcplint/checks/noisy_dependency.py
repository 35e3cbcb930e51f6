"""MCP403: a dependency that prints on stdout as it is used here."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.stdout_write import WHY
from mcplint.checks.wording import moment, quoted
from mcplint.lifecycle.model import Server, Write

CODE = "MCP403"
NAME = "noisy-dependency"


def check(server: Server) -> Iterator[Finding]:
    """One finding for each use that prints."""
    for write in server.writes:
        if write.reaches and write.source == "dependency":
            yield _finding(server, write)


def _finding(server: Server, write: Write) -> Finding:
    sure = write.certain and write.phase != "end"
    known = write.version
    version = f" ({known.name} {known.version}{'' if known.exact else ' or later'})" if known else ""
    return Finding(
        code=CODE,
        name=NAME,
        message=f"{quoted(write.what)}{version} {write.why} on stdout {moment(write.phase)}",
        why=WHY,
        severity="error" if sure else "warning",
        confidence="high" if sure and known is not None and known.exact else "medium",
        when="call" if write.phase == "call" else "start",
        place=write.place,
        related=(Related(server.transport.serve, "the server starts here"),),
    )
