"""MCP102: the end of stdin is handled, and the handler leaves the process alive."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.eof_fault import EofFault, eof_faults
from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import event_name, holder_at, severity_of, sureness_of, who, why_of
from mcplint.lifecycle.model import Handler, Server
from mcplint.lifecycle.outcomes import Way

CODE = "MCP102"
NAME = "eof-handler-never-exits"


def check(server: Server) -> Iterator[Finding]:
    """One finding a server, at the listener that runs and leaves the process alive."""
    for fault in eof_faults(server, "handler"):
        assert fault.handler is not None
        yield Finding(
            code=CODE,
            name=NAME,
            message=_message(fault, fault.handler),
            why=why_of(fault.ending.holder),
            severity=severity_of(fault.when, fault.ending.holder),
            confidence=sureness_of(fault.when),
            when=fault.when,
            place=fault.handler.place,
            related=_related(server, fault, fault.handler),
        )


def _message(fault: EofFault, handler: Handler) -> str:
    holder = fault.ending.holder
    assert holder is not None
    after = "" if fault.when == "start" else ", after a first call,"
    event = event_name(handler.event)
    does = "never comes back" if Way.HANGS in handler.outcome.ways else "does not end the process"
    held = holder_at(holder, handler.place)
    return f"{event} is handled, but {who(handler)} {does} and{after} {held} keeps it alive"


def _related(server: Server, fault: EofFault, handler: Handler) -> tuple[Related, ...]:
    holder = fault.ending.holder
    assert holder is not None
    function = (
        () if handler.function is None else (Related(handler.function, "this runs, and the process goes on"),)
    )
    return (
        *function,
        Related(holder.place, "this keeps the process alive"),
        Related(server.transport.serve, "the server starts here"),
    )
