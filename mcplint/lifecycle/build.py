"""From a program to the life of its server."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcplint.lifecycle import endings
from mcplint.lifecycle.chains import Chains
from mcplint.lifecycle.children import children_of, started_children
from mcplint.lifecycle.deeds import deeds
from mcplint.lifecycle.effects import NO_EFFECT, effect_of
from mcplint.lifecycle.flow import Flow, Given
from mcplint.lifecycle.handlers import Registration, functions_of
from mcplint.lifecycle.holders import FoundHolder, HolderFinder
from mcplint.lifecycle.holding import holders_of
from mcplint.lifecycle.late import late_nodes
from mcplint.lifecycle.leave import outward, then
from mcplint.lifecycle.loops import find_loops
from mcplint.lifecycle.model import STDIN_EVENTS, Ending, Event, Server, Transport
from mcplint.lifecycle.onclose import without_lost
from mcplint.lifecycle.outcomes import Outcome, Way
from mcplint.lifecycle.places import head
from mcplint.lifecycle.reactions import Reactions, registrations
from mcplint.lifecycle.sdk import Sdks
from mcplint.lifecycle.stdin_watch import watches_stdin
from mcplint.lifecycle.telling import Telling
from mcplint.lifecycle.transports import FoundTransport, find_transports
from mcplint.lifecycle.uses import Uses
from mcplint.lifecycle.watchdog import asks_parent, find_watchdog
from mcplint.lifecycle.wire import find_writes
from mcplint.lifecycle.written import Written
from mcplint.program.catalog import lookup
from mcplint.program.contexts import Context
from mcplint.program.handed import handed_over
from mcplint.program.values import External, FunctionValue
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.programs import Program

_MAX_TRANSPORTS = 4
_ENDLESS = Way.HANGS | Way.WAITS | Way.LOOPS | Way.PAUSES


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
        self._python = program.entry.is_python

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
        path = found.context
        sdk = self._sdks.of(found, self._program.entry.path)
        known = registrations(self._reached, self._execution, path)
        listeners = [r for r in known if not path.excludes(r.context)]
        listeners = without_lost(listeners, found, sdk.version, self._execution)
        aside = [r for r in known if r.event in STDIN_EVENTS and path.excludes(r.context)]
        flow = Flow(
            Given(
                self._evaluator,
                self._catalog,
                self._execution.scanner,
                handlers=_functions_by_event(listeners),
                arms={b.node: b.arm for b in path.branches},
                uses=self._uses,
                telling=Telling(self._reached, self._execution, path),
                once=frozenset(f.function for r in listeners if r.once for f in functions_of(r)),
            )
        )
        holders = [h for h in self._holders(flow, listeners) if not path.excludes(h.context)]
        absent = self._absent(path)
        started = started_children(self._uses, self._execution)
        effects = {
            r: effect_of(r, [*holders, *started], found, self._execution, flow.given, absent)
            for r in listeners
        }
        ways = self._entry_ways(flow) if self._python else Way.NONE
        late = late_nodes(found, self._execution, flow)
        reactions = Reactions(self._execution, flow, path, absent, late, self._python)
        asking = {r for r in listeners if self._asks_parent(r, flow)}
        watchdog = find_watchdog(self._execution, self._reached, listeners, asking)
        opaque = watches_stdin(self._execution, self._reached)
        facts = endings.with_reach(
            endings.Facts(
                at_eof=sdk.at_eof,
                on_signal=found.entry.on_signal,
                holders=holders_of(holders, effects, path),
                handlers=reactions.handlers(effects),
                opaque_stdin=watchdog is not None or opaque,
                ends_after_serving=Outcome(ways).ends,
                may_end_after_serving=Way.ENDS in ways,
                serve_hangs=Way.HANGS in ways and not ways & ~_ENDLESS,
                ends_elsewhere=self._ends_elsewhere(flow),
            )
        )
        eof, after_call, sigterm, sigint = self._endings(facts)
        heard = {r: e for r, e in effects.items() if r.sure and path.implies(r.context) and r not in asking}
        unheard = self._at_eof(
            endings.with_reach(
                replace(
                    facts,
                    holders=holders_of(holders, heard, path),
                    handlers=reactions.handlers(heard),
                    opaque_stdin=opaque or (watchdog is not None and not watchdog.of_parent),
                    ends_elsewhere=self._ends_elsewhere(flow, but_for_watchdogs=True),
                )
            )
        )
        writes, sharing = find_writes(self._program, found, sdk, flow, self._sdks.version_of)
        return Server(
            entry=self._program.entry.path,
            language=self._program.entry.code.language,
            transport=Transport(
                sdk=found.entry.sdk,
                what=found.entry.what,
                version=sdk.version,
                at_eof=facts.at_eof,
                made=head(found.call, found.scope),
                serve=head(found.serve, found.serve_scope),
                read=sdk.read,
                built_on=sdk.built_on,
            ),
            holders=facts.holders,
            handlers=facts.handlers,
            stdin_eof=eof,
            stdin_eof_after_call=after_call,
            sigterm=sigterm,
            sigint=sigint,
            stdin_eof_if_unheard=None if unheard == eof else unheard,
            watchdog=watchdog,
            opaque_stdin=opaque,
            elsewhere=reactions.handlers(dict.fromkeys(aside, NO_EFFECT)),
            blocking=deeds(
                (r for r in self._reached if r.context.on_call), self._catalog.blocking, self._execution
            ),
            children=children_of(started, effects.values(), self._uses, path, self._execution),
            writes=writes,
            sharing=sharing,
        )

    def _holders(self, flow: Flow, listeners: list[Registration]) -> list[FoundHolder]:
        found = list(HolderFinder(self._execution, self._uses, flow).find())
        written = Written(self._execution, listeners)
        return [*found, *Chains(self._execution, self._uses, flow, written).find(found)]

    def _asks_parent(self, registration: Registration, flow: Flow) -> bool:
        """Whether a listener for the end of stdin ends the process only if the parent is gone, too."""
        return registration.event in STDIN_EVENTS and any(
            outcome.may_end and not outcome.ends and asks_parent(function, self._execution)
            for function in functions_of(registration)
            for outcome in (flow.outcome(function),)
        )

    def _endings(self, facts: endings.Facts) -> tuple[Ending, Ending, Ending, Ending]:
        at_signal = endings.python_at_signal if self._python else endings.node_at_signal
        return (
            self._at_eof(facts),
            self._at_eof(endings.after_call(facts)),
            at_signal(facts, Event.SIGTERM),
            at_signal(facts, Event.SIGINT),
        )

    def _at_eof(self, facts: endings.Facts) -> Ending:
        return endings.python_at_eof(facts) if self._python else endings.node_at_eof(facts)

    def _absent(self, path: Context) -> frozenset[ir.Call]:
        """The calls that come about only on another way through the program."""
        there = {call for call, item, _ in self._uses.calls if not path.excludes(item.context)}
        return frozenset(call for call, _, _ in self._uses.calls if call not in there)

    def _ends_elsewhere(self, flow: Flow, but_for_watchdogs: bool = False) -> bool:
        """Whether code beside the handlers may end the process.

        In Python any call that does, since it may stand behind what a handler sets; in Node only
        one in a function that runs later, since a start-up that gives up is no end of serving.
        """
        for call, item, targets in self._uses.calls:
            names = [t.name for t in targets if isinstance(t, External)]
            if item.context.on_call:
                continue
            if self._python:
                if any(e.effect == "ends" for n in names for e in lookup(self._catalog.exits, n)):
                    return True
            elif any((entry := self._catalog.callback(n)) and entry.runs == "later" for n in names):
                for function in handed_over(call, self._evaluator, item.scope):
                    if flow.outcome(function).ways & (Way.ENDS | Way.LATER) and not (
                        but_for_watchdogs and asks_parent(function, self._execution)
                    ):
                        return True
        return False

    def _entry_ways(self, flow: Flow) -> Way:
        """How control leaves the whole program, the serve call taken to return."""
        entry = self._program.entry
        ways = flow.block(entry.code.body, entry.scope)
        for function in self._program.functions:
            ways = then(ways, flow.function(function.function, function.scope))
        return outward(ways)


def _functions_by_event(listeners: list[Registration]) -> dict[str, tuple[FunctionValue, ...]]:
    result: dict[str, tuple[FunctionValue, ...]] = {}
    for r in listeners:
        result[r.event.value] = (*result.get(r.event.value, ()), *functions_of(r))
    return result


def _decisions(found: FoundTransport) -> int:
    """How many decisions, other than the usual ones, lead to a transport."""
    return sum(not b.usual for b in found.context.branches)


def _severity(server: Server) -> tuple[bool, ...]:
    return (
        server.stdin_eof.verdict != "survives",
        server.sigterm.verdict != "survives",
        server.stdin_eof_after_call.verdict != "survives",
    )
