"""What handlers do to the process: their outcomes, guards and names."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from mcplint.files.place import Place
from mcplint.lifecycle import endings
from mcplint.lifecycle.awaited import awaited_registrations
from mcplint.lifecycle.flags import flags_that_end
from mcplint.lifecycle.flow import Flow
from mcplint.lifecycle.guards import is_guarded, marked_names
from mcplint.lifecycle.handlers import Registration, find_registrations, functions_of
from mcplint.lifecycle.leave import outward
from mcplint.lifecycle.model import CRASHES, SIGNALS, Deed, Event, Handler
from mcplint.lifecycle.outcomes import Outcome, Way
from mcplint.lifecycle.places import function_head, head, test_head
from mcplint.lifecycle.surroundings import hangs_on_surroundings
from mcplint.lifecycle.waits import Awaited
from mcplint.program.catalog import lookup
from mcplint.program.contexts import Context, Reached
from mcplint.program.execution import Execution
from mcplint.program.values import Const, External, FunctionValue
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.effects import Effect


def registrations(reached: list[Reached], execution: Execution, path: Context) -> list[Registration]:
    """Each registration once an event, in the context that says most for what goes along a path."""
    best: dict[tuple[ir.Node, Event], Registration] = {}
    listeners = list(find_registrations(reached, execution.evaluator, execution.catalog))
    for found in (*listeners, *awaited_registrations(reached, execution, listeners)):
        key = (found.node, found.event)
        known = best.get(key)
        if known is None or _fit(found, path) < _fit(known, path):
            best[key] = found
    return [r for r in best.values() if not _restores_default(r, execution)]


def _fit(registration: Registration, path: Context) -> tuple[bool, bool, int]:
    """How well the context of a registration fits a path: the least fits best."""
    context = registration.context
    return path.excludes(context), not path.implies(context), len(context.branches)


def _restores_default(registration: Registration, execution: Execution) -> bool:
    """Whether what is registered is the signal's default action (``SIG_DFL``)."""
    names = {v.name for v in registration.handlers if isinstance(v, External)}
    exits = execution.catalog.exits
    return bool(names) and all(any(e.effect == "default" for e in lookup(exits, n)) for n in names)


class Reactions:
    """Describes the handlers of one program on one stdio path."""

    def __init__(
        self,
        execution: Execution,
        flow: Flow,
        path: Context,
        absent: frozenset[ir.Call],
        late: frozenset[ir.Node],
        unwinds: bool,
    ) -> None:
        self._execution = execution
        self._evaluator = execution.evaluator
        self._catalog = execution.catalog
        self._flow = flow
        self._path = path
        self._absent = absent
        self._late = late
        self._unwinds = unwinds
        self._flags = flags_that_end(execution, flow)
        self._awaited = Awaited(execution, lambda f: flow.outcome(f).ends)

    def handlers(self, effects: dict[Registration, Effect]) -> tuple[Handler, ...]:
        """The handlers in order of registration, each with what it does on the way."""
        swallows = self._swallow(effects)
        flow, failing = (Flow(replace(self._flow.given, swallows=swallows, fails=f)) for f in (False, True))
        found = []
        for registration, effect in effects.items():
            outcome, worse = (
                endings.settled(self._outcome(registration, f), not swallows, self._unwinds)
                for f in (flow, failing)
            )
            if not outcome.may_end and self._tells_a_loop(registration):
                outcome = Outcome(outcome.ways | Way.UNKNOWN)
            found.append(self._handler(registration, outcome, worse, effect))
        return tuple(found)

    def _tells_a_loop(self, registration: Registration) -> bool:
        """Whether a handler sets what a loop waits for before the process ends."""
        marked = (marked_names(f.function.body, self._catalog) for f in functions_of(registration))
        return any(not self._flags.isdisjoint(names) for names in marked)

    def _swallow(self, registrations: Iterable[Registration]) -> bool:
        """Whether a crash handler takes an exception that nobody catches, and goes on."""
        crashes = (self._outcome(r, self._flow) for r in registrations if r.event in CRASHES)
        return any(not outcome.ends and Way.THROWS not in outcome.ways for outcome in crashes)

    def _handler(
        self, registration: Registration, outcome: Outcome, worse: Outcome, effect: Effect
    ) -> Handler:
        functions = functions_of(registration)
        shutdown = self._shutdown_of(functions[0]) if functions else None
        return Handler(
            event=registration.event,
            place=head(registration.node, registration.scope),
            function=None if shutdown is None else function_head(shutdown),
            name=None if shutdown is None else shutdown.scope.module.name_of(shutdown.function),
            outcome=outcome,
            guarded=registration.resumes or (bool(functions) and all(map(self._is_guarded, functions))),
            certain=registration.sure and self._path.implies(registration.context),
            closes_transport=effect.closes_transport,
            late=registration.node in self._late and not registration.remembers,
            called=registration.called,
            under=self._decision(registration.context),
            writes=effect.writes,
            cleans_up=effect.cleans_up,
            waits_for=self._wait(functions, effect) if outcome.ends and Way.WAITS in outcome.ways else None,
            ends_unless=self._failure(functions) if outcome.ends and not worse.ends else None,
        )

    def _wait(self, functions: tuple[FunctionValue, ...], effect: Effect) -> Deed | None:
        waits = (d for f in functions for d in self._awaited.without_limit(f, self._absent, effect.eases))
        return next(waits, None)

    def _failure(self, functions: tuple[FunctionValue, ...]) -> Deed | None:
        return next((d for f in functions for d in self._awaited.that_may_fail(f)), None)

    def _decision(self, context: Context) -> Place | None:
        """The first test of the surroundings that a registration hangs on and the transport does not."""
        beyond = (b for b in context.branches if not b.usual and b not in self._path.branches)
        open_ = [b for b in beyond if hangs_on_surroundings(b, self._execution)]
        tests = [place for b in open_ if (place := test_head(b)) is not None]
        return min(tests, key=lambda p: (str(p.path), p.start), default=None)

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
        if registration.resumes and Way.THROWS in ways:
            # Whoever awaits what throws here may catch it.
            ways = (ways & ~Way.THROWS) | Way.UNKNOWN
        return Outcome(ways or Way.UNKNOWN)

    def _external_handler(self, name: str) -> Way:
        effects = {e.effect for e in lookup(self._catalog.exits, name)}
        if "ends" in effects:
            return Way.ENDS
        if "unwinds" in effects:
            return Way.UNWINDS
        if effects & {"maybe", "tells"}:
            return Way.UNKNOWN
        method = "()." in name and not name.endswith("()")
        return Way.FALLS if "ignored" in effects or method else Way.UNKNOWN

    def _is_guarded(self, target: FunctionValue) -> bool:
        """Whether a second run of a handler, or of what it calls, does nothing."""
        shutdown = self._shutdown_of(target)
        if {target.function, shutdown.function} & self._evaluator.run_once:
            return True
        scope = shutdown.scope.module.scope_of(shutdown.function)
        return is_guarded(
            shutdown.function,
            lambda block: outward(self._flow.block(block, scope)) == Way.ENDS,
            self._catalog,
        )

    def _shutdown_of(self, target: FunctionValue) -> FunctionValue:
        """Through wrappers such as ``() => shutdown("SIGTERM")`` to the function that does the work."""
        for _ in range(5):
            inner = _only_call(target.function, self._catalog.promise_methods)
            if inner is None or inner.is_new:
                return target
            scope = target.scope.module.scope_of(target.function)
            called = [v for v in self._evaluator.values(inner.callee, scope) if isinstance(v, FunctionValue)]
            if len(called) != 1:
                return target
            target = called[0]
        return target


def _only_call(function: ir.Function, promise_methods: Container[str]) -> ir.Call | None:
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
        if value.callee.name in promise_methods and isinstance(inner, ir.Call):
            return inner
    return value if isinstance(value, ir.Call) else None
