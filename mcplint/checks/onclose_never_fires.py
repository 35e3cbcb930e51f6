"""MCP103: the end hangs on an ``onclose`` that this SDK does not call at the end of stdin."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.eof_fault import eof_faults
from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import holder_at, severity_of, sureness_of, why_of
from mcplint.lifecycle.model import Server

CODE = "MCP103"
NAME = "onclose-never-fires"


def check(server: Server) -> Iterator[Finding]:
    """One finding a server, at the ``onclose`` that would have ended it."""
    for fault in eof_faults(server, "onclose"):
        assert fault.handler is not None
        holder = fault.ending.holder
        assert holder is not None
        after = "" if fault.when == "start" else " after a first call"
        yield Finding(
            code=CODE,
            name=NAME,
            message=(
                f"{_who(server)} when stdin ends, so nothing ends the process{after}:"
                f" {holder_at(holder, fault.handler.place)} keeps it alive"
            ),
            why=why_of(fault.ending.holder),
            severity=severity_of(fault.when, fault.ending.holder),
            confidence=sureness_of(fault.when),
            when=fault.when,
            place=fault.handler.place,
            related=(
                Related(holder.place, "this keeps the process alive"),
                Related(server.transport.serve, "the server starts here"),
            ),
        )


def _who(server: Server) -> str:
    sdk, version = server.transport.sdk, server.transport.version
    if server.transport.at_eof == "closes":
        return f"`{sdk}` does not call this `onclose`"
    if " " in sdk:  # no package, which has versions of its own
        return f"the {sdk} does not call `onclose`"
    if version is None:
        return f"no version of `{sdk}` calls `onclose`"
    return f"`{sdk}` {version.version} does not call `onclose`"
