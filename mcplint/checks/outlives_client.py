"""MCP101: something holds the process and nothing ends it when stdin closes."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.eof_fault import EofFault, eof_faults
from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import holder_at, severity_of, sureness_of, why_of
from mcplint.lifecycle.model import Server

CODE = "MCP101"
NAME = "outlives-client"


def check(server: Server) -> Iterator[Finding]:
    """One finding a server: certain from the start, else what a first call brings about."""
    for fault in eof_faults(server, "nothing"):
        after = "" if fault.when == "start" else " after a first call"
        yield Finding(
            code=CODE,
            name=NAME,
            message=f"server outlives its client{after}: {_cause(server, fault)}",
            why=why_of(fault.ending.holder),
            severity=severity_of(fault.when, fault.ending.holder),
            confidence=sureness_of(fault.when),
            when=fault.when,
            place=server.transport.serve,
            related=_related(fault),
        )


def _cause(server: Server, fault: EofFault) -> str:
    holder = fault.ending.holder
    if holder is None and server.transport.at_eof != "stuck":
        return f"the code around `{server.transport.what}` never comes back, also when stdin closes"
    if holder is None:
        version = server.transport.version
        sdk = f"`{server.transport.sdk}` {version.version}" if version else f"`{server.transport.sdk}`"
        return f"{sdk} itself never comes back when stdin closes"
    held = holder_at(holder, server.transport.serve)
    if server.language == "python":
        return f"{held} goes on after `{server.transport.what}` has returned"
    if fault.ending.handler is not None:
        return f"{held} keeps the process alive and `onclose` does not end it"
    return f"{held} keeps the process alive and nothing ends it when stdin closes"


def _related(fault: EofFault) -> tuple[Related, ...]:
    related = []
    if fault.ending.holder is not None:
        related.append(Related(fault.ending.holder.place, "this keeps the process alive"))
    if fault.ending.handler is not None:
        related.append(Related(fault.ending.handler.place, "this listener runs and the process goes on"))
    return tuple(related)
