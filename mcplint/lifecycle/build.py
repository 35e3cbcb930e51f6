"""From a program to the life of its server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcplint.files.place import Place
from mcplint.lifecycle import endings
from mcplint.lifecycle.flow import Flow, outward, then
from mcplint.lifecycle.guards import is_guarded
from mcplint.lifecycle.handlers import Registration, find_registrations, functions_of
from mcplint.lifecycle.holders import FOREVER, FoundHolder, HolderFinder, asks_presence
from mcplint.lifecycle.model import SIGNALS, Ending, Event, Handler, Holder, Server, Transport
from mcplint.lifecycle.outcomes import Outcome, Way
from mcplint.lifecycle.transports import FoundTransport, behaviour_at_eof, find_transports
from mcplint.lifecycle.uses import Uses
from mcplint.program.calls import last_name
from mcplint.program.catalog import listed, lookup
from mcplint.program.execution import Context, Execution, Reached
from mcplint.program.scope import Scope
from mcplint.program.steps import Branch
from mcplint.program.values import Const, External, FunctionValue
from mcplint.program.versions import PackageVersion
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.programs import Program

_MAX_TRANSPORTS = 4
VersionOf = Callable[[str, "Program"], PackageVersion | None]


def build_server(program: Program, version_of: VersionOf) -> Server | None:
    """The life of the server that a program is, or None if it serves no stdio."""
    return _Builder(program, version_of).server()


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a handler lets go of: surely, and perhaps."""

    sure: frozenset[ir.Call]
    perhaps: frozenset[ir.Call]
    closes_transport: bool


class _Builder:
    """Builds the model of one program."""

    def __init__(self, program: Program, version_of: VersionOf) -> None:
        self._program = program
        self._version_of = version_of
        self._execution = program.execution
        self._evaluator = program.execution.evaluator
        self._catalog = program.execution.catalog
        self._reached = list(program.execution.reached())
        self._uses = Uses(self._reached, self._evaluator)
        self._python = program.entry.is_python

    def server(self) -> Server | None:
        """The life on the stdio path; of several such paths, that of the one which ends worst."""
        best: dict[ir.Call, FoundTransport] = {}
        for found in find_transports(self._uses, self._evaluator, self._catalog):
            known = best.get(found.call)
            if known is None or _decisions(found) < _decisions(known):
                best[found.call] = found
        usual_first = sorted(best.values(), key=_decisions)[:_MAX_TRANSPORTS]
        servers = [self._server(found) for found in usual_first]
        return min(servers, key=_severity) if servers else None

    def _server(self, found: FoundTransport) -> Server:
        path = found.context
        registrations = [r for r in self._registrations() if not path.excludes(r.context)]
        listening: dict[str, tuple[FunctionValue, ...]] = {}
        for r in registrations:
            listening[r.event.value] = (*listening.get(r.event.value, ()), *functions_of(r))
        flow = Flow(self._evaluator, self._catalog, self._execution.scanner, listening, path.branches)
        holders = [
            h for h in HolderFinder(self._execution, self._uses, flow).find() if not path.excludes(h.context)
        ]
        effects = {r: self._effect(r, holders, found) for r in registrations}
        ways = self._entry_ways(flow) if self._python else Way.NONE
        version = self._version_of(found.entry.sdk, self._program)
        at_eof = behaviour_at_eof(found.entry, version)
        handlers = self._handlers(registrations, effects, flow, path)
        facts = endings.Facts(
            at_eof=at_eof,
            on_signal=found.entry.on_signal,
            holders=self._holders(holders, registrations, effects, path),
            handlers=handlers,
            opaque_stdin=not self._python and self._watches_stdin(),
            ends_after_serving=Outcome(ways).ends,
            may_end_after_serving=Way.ENDS in ways,
            serve_hangs=Way.HANGS in ways and not ways & ~(Way.HANGS | Way.WAITS | Way.LOOPS | Way.PAUSES),
        )
        eof, after_call, sigterm, sigint = self._endings(facts)
        return Server(
            entry=self._program.entry.path,
            language=self._program.entry.code.language,
            transport=Transport(
                sdk=found.entry.sdk,
                what=found.entry.what,
                version=version,
                at_eof=at_eof,
                made=_head(found.call, found.scope),
                serve=_head(found.serve, found.serve_scope),
            ),
            holders=facts.holders,
            handlers=handlers,
            stdin_eof=eof,
            stdin_eof_after_call=after_call,
            sigterm=sigterm,
            sigint=sigint,
        )

    def _endings(self, facts: endings.Facts) -> tuple[Ending, Ending, Ending, Ending]:
        at_eof = endings.python_at_eof if self._python else endings.node_at_eof
        at_signal = endings.python_at_signal if self._python else endings.node_at_signal
        return (
            at_eof(facts),
            at_eof(endings.after_call(facts)),
            at_signal(facts, Event.SIGTERM),
            at_signal(facts, Event.SIGINT),
        )

    # ------------------------------------------------------------------ handlers

    def _registrations(self) -> list[Registration]:
        """Each registration once an event, in the context that says most."""
        best: dict[tuple[ir.Node, Event], Registration] = {}
        for found in find_registrations(self._reached, self._evaluator, self._catalog):
            key = (found.node, found.event)
            known = best.get(key)
            if known is None or len(found.context.branches) < len(known.context.branches):
                best[key] = found
        return [r for r in best.values() if not self._restores_default(r)]

    def _restores_default(self, registration: Registration) -> bool:
        """Whether what is registered is the signal's default action (``SIG_DFL``)."""
        names = {v.name for v in registration.handlers if isinstance(v, External)}
        return bool(names) and all(
            any(e.effect == "default" for e in lookup(self._catalog.exits, n)) for n in names
        )

    def _handlers(
        self,
        registrations: list[Registration],
        effects: dict[Registration, _Effect],
        flow: Flow,
        path: Context,
    ) -> tuple[Handler, ...]:
        outcomes = {r: self._outcome(r, flow) for r in registrations}
        swallowed = any(
            r.event is Event.CRASH and not outcomes[r].ends and Way.THROWS not in outcomes[r].ways
            for r in registrations
        )
        handlers = []
        for r in registrations:
            outcome = endings.settled(outcomes[r], not swallowed, self._python)
            functions = functions_of(r)
            first = functions[0] if functions else None
            guarded = bool(functions) and all(self._is_guarded(f, flow) for f in functions)
            handlers.append(
                Handler(
                    event=r.event,
                    place=_head(r.node, r.scope),
                    function=None if first is None else _function_head(self._shutdown_of(first)),
                    name=None if first is None else _name_of(self._shutdown_of(first)),
                    outcome=outcome,
                    guarded=guarded,
                    certain=r.sure and path.implies(r.context),
                    closes_transport=effects[r].closes_transport,
                )
            )
        return tuple(handlers)

    def _outcome(self, registration: Registration, flow: Flow) -> Outcome:
        if not registration.handlers:
            return Outcome(Way.UNKNOWN)
        ways = Way.NONE
        for value in registration.handlers:
            if isinstance(value, FunctionValue):
                found = (
                    flow.signal_outcome(value, registration.event.value)
                    if registration.event in SIGNALS and value.function.params
                    else flow.outcome(value)
                )
                ways |= found.ways
            elif isinstance(value, External):
                ways |= self._external_handler(value.name)
            elif not isinstance(value, Const):
                ways |= Way.UNKNOWN
        return Outcome(ways or Way.UNKNOWN)

    def _external_handler(self, name: str) -> Way:
        effects = {e.effect for e in lookup(self._catalog.exits, name)}
        if "ends" in effects:
            return Way.ENDS
        if "unwinds" in effects:
            return Way.UNWINDS
        if "maybe" in effects:
            return Way.UNKNOWN
        method = "()." in name and not name.endswith("()")
        return Way.FALLS if "ignored" in effects or method else Way.UNKNOWN

    def _is_guarded(self, target: FunctionValue, flow: Flow) -> bool:
        """Whether a second run of a handler, or of what it calls, does nothing."""
        shutdown = self._shutdown_of(target)
        if {target.function, shutdown.function} & self._evaluator.run_once:
            return True
        scope = shutdown.scope.module.scope_of(shutdown.function)
        return is_guarded(shutdown.function, lambda block: outward(flow.block(block, scope)) == Way.ENDS)

    def _shutdown_of(self, target: FunctionValue) -> FunctionValue:
        """Through wrappers such as ``() => shutdown("SIGTERM")`` to the function that does the work."""
        for _ in range(5):
            inner = _only_call(target.function)
            if inner is None or inner.is_new:
                return target
            scope = target.scope.module.scope_of(target.function)
            called = [v for v in self._evaluator.values(inner.callee, scope) if isinstance(v, FunctionValue)]
            if len(called) != 1:
                return target
            target = called[0]
        return target

    # ------------------------------------------------------------------ effects of handlers

    def _effect(
        self, registration: Registration, holders: list[FoundHolder], found: FoundTransport
    ) -> _Effect:
        """Which holders, and whether the transport, a handler lets go of."""
        execution = Execution(self._evaluator, self._catalog, self._execution.scanner, self._execution.linker)
        for function in functions_of(registration):
            execution.enter_function(function)
        reached = list(execution.run().reached())
        uses = Uses(reached, self._evaluator)
        sure: set[ir.Call] = set()
        perhaps: set[ir.Call] = set()
        for holder in holders:
            freeing = [
                use
                for use in uses.of(holder.sites)
                if (use.given and use.name in holder.entry.released_by)
                or (not use.given and use.name in (*holder.entry.releases, *holder.entry.unref))
            ]
            if any(
                all(asks_presence(b, use.call, holder.sites) for b in use.context.branches) for use in freeing
            ):
                sure.add(holder.call)
            elif freeing or uses.may_use(holder.entry.releases, holder.entry.released_by):
                perhaps.add(holder.call)
        return _Effect(frozenset(sure), frozenset(perhaps), self._closes(reached, found))

    def _closes(self, reached: list[Reached], found: FoundTransport) -> bool:
        receivers = self._sites_of_receiver(found)
        for item in reached:
            node = item.step.node
            if not isinstance(node, ir.Call):
                continue
            method = last_name(node.callee)
            for value in self._evaluator.values(node.callee, item.scope):
                if not isinstance(value, External):
                    continue
                if listed(self._catalog.closers, value.name):
                    return True
                if method in found.entry.closed_by and value.site in receivers:
                    return True
        return False

    def _sites_of_receiver(self, found: FoundTransport) -> set[ir.Call | None]:
        """The calls that made the transport and the server which serves it."""
        sites: set[ir.Call | None] = {found.call}
        if isinstance(found.serve.callee, ir.Member):
            values = self._evaluator.values(found.serve.callee.object, found.serve_scope)
            sites |= {site for v in values if (site := getattr(v, "site", None)) is not None}
        return sites

    # ------------------------------------------------------------------ holders

    def _holders(
        self,
        found: list[FoundHolder],
        registrations: list[Registration],
        effects: dict[Registration, _Effect],
        path: Context,
    ) -> tuple[Holder, ...]:
        best: dict[ir.Call, Holder] = {}
        for item in _joined(found):
            released = frozenset(
                r.event for r in registrations if item.call in effects[r].sure and path.implies(r.context)
            )
            doubt = any(item.call in effects[r].perhaps for r in registrations if _ends_life(r.event))
            certain = item.sure and not doubt and self._comes_with(path, item)
            holder = Holder(
                what=item.entry.what,
                place=_head(item.call, item.scope),
                seconds=None if item.seconds == FOREVER else item.seconds,
                when="call" if item.on_call else "start",
                certain=certain,
                released_at=released,
                known=item.entry.known,
            )
            known = best.get(item.call)
            if known is None or _rank(holder) < _rank(known):
                best[item.call] = holder
        return tuple(sorted(best.values(), key=_rank))

    def _comes_with(self, path: Context, holder: FoundHolder) -> bool:
        context = replace(holder.context, on_call=False)
        if holder.context.on_call:
            context = replace(context, branches=frozenset(b for b in context.branches if _is_run(b)))
        return path.implies(context)

    # ------------------------------------------------------------------ the rest

    def _watches_stdin(self) -> bool:
        """Whether something that cannot be followed is given stdin, or iterates over it."""
        if self._polls():
            return True
        for item in self._reached:
            node = item.step.node
            if isinstance(node, ir.Loop) and node.iterable is not None:
                values = self._evaluator.values(node.iterable, item.scope)
                if any(isinstance(v, External) and v.name == "process.stdin" for v in values):
                    return True
            if isinstance(node, ir.Call) and self._hands_over_stdin(node, item.scope):
                return True
        return False

    def _polls(self) -> bool:
        """Whether some code asks by itself if stdin has ended or the parent is gone."""
        lasts = {name.rpartition(".")[2] for name in self._catalog.polls}
        for module in set(self._execution.modules.values()):
            for member, scope in module.binder.reads:
                if member.name in lasts:
                    values = self._evaluator.values(member, scope)
                    if any(isinstance(v, External) and v.name in self._catalog.polls for v in values):
                        return True
        return False

    def _hands_over_stdin(self, call: ir.Call, scope: Scope) -> bool:
        targets = self._evaluator.values(call.callee, scope)
        names = [t.name for t in targets if isinstance(t, External)]
        if not names:
            return False
        if all(lookup(self._catalog.listeners, n) for n in names):
            return self._hears_unknown_event(call, scope)
        if all(lookup(self._catalog.transports, n) for n in names):
            return False
        if "process.stdin.pipe" in names:
            return True
        return any(
            isinstance(v, External) and v.name == "process.stdin"
            for argument in call.args
            for v in self._evaluator.values(argument, scope)
        )

    def _hears_unknown_event(self, call: ir.Call, scope: Scope) -> bool:
        """Whether a listener is registered for an event whose name is not known."""
        named = self._evaluator.values(call.args[0], scope) if call.args else frozenset()
        if not isinstance(call.callee, ir.Member):
            return False
        owners = self._evaluator.values(call.callee.object, scope)
        on_stdin = any(isinstance(o, External) and o.name == "process.stdin" for o in owners)
        return on_stdin and any(not isinstance(v, Const) for v in named)

    def _entry_ways(self, flow: Flow) -> Way:
        """How control leaves the whole program, the serve call taken to return."""
        entry = self._program.entry
        ways = flow.block(entry.code.body, entry.scope)
        for function in self._program.functions:
            ways = then(ways, flow.function(function.function, function.scope))
        return outward(ways)


def _is_run(branch: Branch) -> bool:
    """Whether a branch asks if something is called at all, and not how a tool decides."""
    return not isinstance(branch.node, (ir.If, ir.Conditional, ir.Logical, ir.Switch, ir.Loop))


def _decisions(found: FoundTransport) -> int:
    """How many decisions, other than the usual ones, lead to a transport."""
    return sum(not b.usual for b in found.context.branches)


def _severity(server: Server) -> tuple[bool, ...]:
    return (
        server.stdin_eof.verdict != "survives",
        server.sigterm.verdict != "survives",
        server.stdin_eof_after_call.verdict != "survives",
    )


def _joined(found: list[FoundHolder]) -> list[FoundHolder]:
    """Holders of one kind in both arms of a decision come with whatever is decided."""
    result = list(found)
    for first in found:
        for branch in first.context.branches:
            rest = first.context.branches - {branch}
            other = rest | {Branch(branch.node, 1 - branch.arm)}
            if (
                branch.arm == 0
                and isinstance(branch.node, (ir.If, ir.Conditional))
                and any(h.entry is first.entry and h.context.branches == other for h in found)
            ):
                result.append(replace(first, context=replace(first.context, branches=rest)))
    return result


def _ends_life(event: Event) -> bool:
    return event in (Event.STDIN_END, Event.STDIN_CLOSE, Event.TRANSPORT_CLOSE)


def _rank(holder: Holder) -> tuple[object, ...]:
    return (
        holder.when != "start",
        not holder.certain,
        holder.seconds is not None,
        str(holder.place.path),
        holder.place.start,
    )


def _head(node: ir.Call | ir.Assign, scope: Scope) -> Place:
    """A short place for a call or an assignment: its callee or target."""
    end = node.head_end if isinstance(node, ir.Call) else node.target.end
    return Place(scope.module.code.source, node.start, end)


def _function_head(target: FunctionValue) -> Place:
    function = target.function
    return Place(target.scope.module.code.source, function.name_start, function.name_end)


def _name_of(target: FunctionValue) -> str | None:
    return target.scope.module.name_of(target.function)


def _only_call(function: ir.Function) -> ir.Call | None:
    """The call of a body that is one call and nothing else."""
    if len(function.body) != 1:
        return None
    statement = function.body[0]
    value: ir.Expr | None = None
    if isinstance(statement, (ir.ExprStmt, ir.Return)):
        value = statement.value
    while isinstance(value, (ir.Await, ir.Unary)):
        value = value.value if isinstance(value, ir.Await) else value.operand
    if isinstance(value, ir.Call) and isinstance(value.callee, ir.Member):
        inner = value.callee.object
        if value.callee.name in ("catch", "then", "finally") and isinstance(inner, ir.Call):
            return inner
    return value if isinstance(value, ir.Call) else None
