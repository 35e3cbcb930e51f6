"""What tests come to where only the writes of code that runs count.

``closing`` is set by a method that nothing calls: as far as this run goes it stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcplint.lifecycle.handlers import Registration, functions_of
from mcplint.lifecycle.model import STDIN_EVENTS, Event
from mcplint.program.calls import last_name
from mcplint.program.execution import Execution
from mcplint.program.scope import Bound, ClassInfo, Scope
from mcplint.program.truth import Truth
from mcplint.program.values import External, Instance, Value, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator

_AT_EOF = frozenset({*STDIN_EVENTS, Event.TRANSPORT_CLOSE})


class Written:
    """Answers for tests in one program, from its start to the end of stdin, no tool called."""

    def __init__(self, execution: Execution, listeners: Iterable[Registration]) -> None:
        self._evaluator: Evaluator = execution.evaluator
        self._catalog = execution.catalog
        self._running: set[object] = set()
        self._called: set[str] = set()
        at_eof = execution.beside()
        for registration in listeners:
            if registration.event in _AT_EOF:
                for function in functions_of(registration):
                    at_eof.enter_function(function)
        for run in (execution, at_eof.run()):
            self._add(run)
        self._truth = Truth(self._values, execution.catalog)

    def _add(self, run: Execution) -> None:
        self._running |= {body for body, known in run.contexts.items() if any(not c.on_call for c in known)}
        for item in run.reached():
            call = item.step.node
            if not isinstance(call, ir.Call) or item.context.on_call:
                continue
            values = self._evaluator.values(call.callee, item.scope)
            name = last_name(call.callee)
            if name is not None and (not values or any(self._is_unknown(v) for v in values)):
                self._called.add(name)

    def truth(self, test: ir.Expr, scope: Scope) -> bool | None:
        """Whether a test is true or false whenever it is made, or None if that is not known."""
        return self._truth.truth(test, scope)

    def runs(self, scope: Scope) -> bool:
        """Whether the code of a scope may run."""
        if scope.function is None or scope.function in self._running:
            return True
        return scope.module.name_of(scope.function) in self._called

    def _values(self, expr: ir.Expr, scope: Scope) -> Values:
        found: Values | None = None
        if isinstance(expr, ir.Name):
            found = self._of_name(expr.id, scope)
        elif isinstance(expr, ir.Member):
            found = self._of_field(expr, scope)
        return self._evaluator.values(expr, scope) if found is None else found

    def _of_name(self, name: str, scope: Scope) -> Values | None:
        bindings = scope.find(name) or ()
        if not all(isinstance(b, Bound) and not b.path for b in bindings):
            return None
        return self._written((b.value, b.scope) for b in bindings if isinstance(b, Bound))

    def _of_field(self, member: ir.Member, scope: Scope) -> Values | None:
        owners = self._evaluator.values(member.object, scope)
        infos = {v.info for v in owners if isinstance(v, Instance)}
        if len(owners) != len({v for v in owners if isinstance(v, Instance)}):
            return None
        if not infos or any(member.name in i.methods or member.name not in i.fields for i in infos):
            return None
        return self._written(pair for info in infos for pair in self._writes(info, member.name))

    def _writes(self, info: ClassInfo, name: str) -> Iterator[tuple[ir.Expr, Scope]]:
        own = info.fields[name]
        yield from own
        known = {value for value, _ in own}
        for owner, value, scope in self._evaluator.index.writes_to(name):
            if value not in known and any(
                isinstance(v, Instance) and v.info is info for v in self._evaluator.values(owner, scope)
            ):
                yield value, scope

    def _written(self, writes: Iterable[tuple[ir.Expr, Scope]]) -> Values | None:
        result: set[Value] = set()
        for value, scope in writes:
            if self.runs(scope):
                result |= self._evaluator.values(value, scope)
        return frozenset(result) or None

    def _is_unknown(self, value: Value) -> bool:
        return isinstance(value, External) and self._catalog.is_from_collection(value.name)
