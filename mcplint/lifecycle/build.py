"""From a program to the life of its server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.lifecycle.deeds import deeds
from mcplint.lifecycle.effects import closing_method
from mcplint.lifecycle.loops import find_loops
from mcplint.lifecycle.model import Event, Server, Transport
from mcplint.lifecycle.places import head
from mcplint.lifecycle.sdk import Sdks
from mcplint.lifecycle.stdio_path import StdioPath
from mcplint.lifecycle.transports import FoundTransport, find_transports
from mcplint.lifecycle.uses import Uses
from mcplint.lifecycle.wire import find_writes
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.programs import Program

_MAX_TRANSPORTS = 4


def build_server(program: Program, sdks: Sdks) -> Server | None:
    """The life of the server that a program is, or None if it serves no stdio.

    Of several stdio paths, that of the one which ends worst.
    """
    return _Builder(program, sdks).server()


class _Builder:
    """Builds the model of one program."""

    def __init__(self, program: Program, sdks: Sdks) -> None:
        self._program = program
        self._sdks = sdks
        self._execution = program.execution
        self._evaluator = program.execution.evaluator
        self._catalog = program.execution.catalog
        self._reached = list(program.execution.reached())
        self._uses = Uses(self._reached, self._execution)

    def server(self) -> Server | None:
        best: dict[ir.Call, FoundTransport] = {}
        transports = list(find_transports(self._uses, self._evaluator, self._catalog))
        for found in transports or find_loops(self._uses, self._execution):
            known = best.get(found.call)
            if known is None or _decisions(found) < _decisions(known):
                best[found.call] = found
        usual_first = sorted(best.values(), key=_decisions)[:_MAX_TRANSPORTS]
        servers = [self._server(found) for found in usual_first]
        return min(servers, key=_severity) if servers else None

    def _server(self, found: FoundTransport) -> Server:
        sdk = self._sdks.of(found, self._program.entry.path)
        path = StdioPath(self._program, self._reached, self._uses, found, sdk)
        on_call = (r for r in self._reached if r.context.on_call)
        writes, sharing = find_writes(self._program, found, sdk, path.flow, self._sdks.version_of)
        return Server(
            entry=self._program.entry.path,
            language=self._program.entry.code.language,
            transport=Transport(
                sdk=found.entry.sdk,
                what=found.entry.what,
                version=sdk.version,
                at_eof=path.facts.at_eof,
                made=head(found.call, found.scope),
                serve=head(found.serve, found.serve_scope),
                read=sdk.read,
                built_on=sdk.built_on,
                closed_by=closing_method(found, self._execution),
            ),
            holders=path.facts.holders,
            handlers=path.facts.handlers,
            stdin_eof=path.stdin_eof,
            stdin_eof_after_call=path.stdin_eof_after_call,
            sigterm=path.at_signal(Event.SIGTERM),
            sigint=path.at_signal(Event.SIGINT),
            stdin_eof_if_unheard=path.stdin_eof_if_unheard,
            watchdog=path.watchdog,
            opaque_stdin=path.opaque_stdin,
            elsewhere=path.elsewhere(),
            blocking=deeds(on_call, self._catalog.blocking, self._execution),
            children=path.children(),
            writes=writes,
            sharing=sharing,
            offered=bool(self._program.functions) and not self._program.entry.is_python,
        )


def _decisions(found: FoundTransport) -> int:
    """How many decisions, other than the usual ones, lead to a transport."""
    return sum(not b.usual for b in found.context.branches)


def _severity(server: Server) -> tuple[bool, ...]:
    return (
        server.stdin_eof.verdict != "survives",
        server.sigterm.verdict != "survives",
        server.stdin_eof_after_call.verdict != "survives",
    )
