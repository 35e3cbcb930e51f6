"""MCP106: the end of stdin is handled, but not on every way to the stdio transport."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.eof_fault import EofFault, eof_faults
from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import ORPHAN, event_name, holder_at, severity_of, sureness_of, why_of
from mcplint.lifecycle.model import STDIN_EVENTS, Handler, Holder, Server, Watchdog

CODE = "MCP106"
NAME = "eof-handled-in-one-mode"


def check(server: Server) -> Iterator[Finding]:
    """One finding a server: on another path, which is sure, or under a condition."""
    for fault in eof_faults(server, "elsewhere"):
        yield _on_another_path(server, fault)
    unheard = server.stdin_eof_if_unheard
    if server.stdin_eof.verdict != "unknown" or unheard is None or unheard.verdict != "survives":
        return
    if unheard.holder is None:
        return
    for handler in server.handlers_of(*STDIN_EVENTS):
        if handler.under is not None and not handler.certain and handler.outcome.ends:
            yield _under_condition(server, handler, unheard.holder)
            return
    if server.watchdog is not None and server.watchdog.of_parent and server.watchdog.certain:
        yield _by_watchdog(server, server.watchdog, unheard.holder)


def _on_another_path(server: Server, fault: EofFault) -> Finding:
    handler, holder = fault.handler, fault.ending.holder
    assert handler is not None
    assert holder is not None
    after = "" if fault.when == "start" else " after a first call"
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"{event_name(handler.event)} is handled on another path only: where"
            f" `{server.transport.what}` serves, nothing ends the process{after} and"
            f" {holder_at(holder, handler.place)} keeps it alive"
        ),
        why=why_of(fault.ending.holder),
        severity=severity_of(fault.when, fault.ending.holder),
        confidence=sureness_of(fault.when),
        when=fault.when,
        place=handler.place,
        related=_related(server, handler, holder),
    )


def _under_condition(server: Server, handler: Handler, holder: Holder) -> Finding:
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"{event_name(handler.event)} is handled under a condition: where it does not hold,"
            f" {holder_at(holder, handler.place)} keeps the process alive"
        ),
        why=ORPHAN,
        severity="warning",
        confidence="medium",
        when="start",
        place=handler.place,
        related=_related(server, handler, holder),
    )


def _by_watchdog(server: Server, watchdog: Watchdog, holder: Holder) -> Finding:
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            "only the death of the parent process is watched: when a client closes stdin and lives, or a"
            f" wrapper stands between, {holder_at(holder, watchdog.place)} keeps the process alive"
        ),
        why=ORPHAN,
        severity="warning",
        confidence="medium",
        when="start",
        place=watchdog.place,
        related=(
            Related(holder.place, "this keeps the process alive"),
            Related(server.transport.serve, "the server starts here"),
        ),
    )


def _related(server: Server, handler: Handler, holder: Holder) -> tuple[Related, ...]:
    under = () if handler.under is None else (Related(handler.under, "this decides"),)
    return (
        *under,
        Related(holder.place, "this keeps the process alive"),
        Related(server.transport.serve, "the server starts here"),
    )
