"""What a handler waits for, step by step: through functions, chains and promises made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcplint.lifecycle.deeds import deed, entry_of
from mcplint.lifecycle.guards import walk_own
from mcplint.lifecycle.model import Deed
from mcplint.program.catalog import listed
from mcplint.program.execution import Execution
from mcplint.program.handed import handed_over
from mcplint.program.scope import Scope
from mcplint.program.values import FunctionValue
from mcplint.syntax import ir

_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a function waits for before it ends the process.

    Attributes:
        execution: the program.
        ends: whether a function ends the process, so that what it waits for counts also where
            nobody waits for the function itself.
    """

    execution: Execution
    ends: Callable[[FunctionValue], bool]

    def without_limit(
        self, function: FunctionValue, absent: frozenset[ir.Call], eases: frozenset[str]
    ) -> Iterator[Deed]:
        """What the catalog knows as what may never settle.

        ``absent`` are calls that do not come about: nothing is waited for of what they would make.
        ``eases`` are methods that are called on the way, and that may cut a wait short.
        """
        for call, scope in self._awaited(function, 0):
            entry = entry_of(call, scope, self.execution.catalog.unbounded, self.execution, absent)
            if entry is not None and eases.isdisjoint(entry.eased_by):
                yield deed(call, scope, entry.why)

    def that_may_fail(self, function: FunctionValue) -> Iterator[Deed]:
        """What belongs to the outside world and may be refused."""
        catalog = self.execution.catalog
        for call, scope in self._awaited(function, 0):
            names = self.execution.evaluator.outside_names(call.callee, scope)
            if any(not listed(catalog.prompt, n) and not listed(catalog.closers, n) for n in names):
                yield deed(call, scope, "")

    def _awaited(
        self, function: FunctionValue, depth: int, settles: bool = False
    ) -> Iterator[tuple[ir.Call, Scope]]:
        """The outside calls whose promises, or callbacks, a function waits for.

        ``settles`` says that it is the function of a promise, which settles when it is called back.
        """
        scope = function.scope.module.scope_of(function.function)
        for node in walk_own(function.function.body):
            match node:
                case ir.Await(value=value):
                    yield from self._promised(value, scope, depth)
                case ir.Return(value=value) if value is not None and not isinstance(value, ir.Unary):
                    yield from self._promised(value, scope, depth)
                case ir.ExprStmt(value=value) | ir.Return(value=ir.Unary() as value):
                    if not settles or not isinstance(value, ir.Call):
                        yield from self._let_go(value, scope, depth)
                    elif value.args and not self._comes_later(value, scope):
                        yield from self._promised(value, scope, depth)
                case _:
                    pass

    def _let_go(self, expr: ir.Expr, scope: Scope, depth: int) -> Iterator[tuple[ir.Call, Scope]]:
        """What stands between the end of the process and a call that nobody waits for."""
        while isinstance(expr, ir.Unary):
            expr = expr.operand
        if not isinstance(expr, ir.Call):
            return
        evaluator, runs = self.execution.evaluator, []
        for call in _chain(expr):
            runs += handed_over(call, evaluator, scope)
            runs += [v for v in evaluator.values(call.callee, scope) if isinstance(v, FunctionValue)]
        if any(self.ends(f) for f in runs):
            yield from self._promised(expr, scope, depth)

    def _comes_later(self, call: ir.Call, scope: Scope) -> bool:
        """Whether what a call is given runs by itself after a while."""
        names = self.execution.evaluator.outside_names(call.callee, scope)
        return any(e is not None and e.runs == "later" for e in map(self.execution.catalog.callback, names))

    def _promised(self, expr: ir.Expr, scope: Scope, depth: int) -> Iterator[tuple[ir.Call, Scope]]:
        """The outside calls that a promise stands for."""
        if isinstance(expr, ir.Array):
            for item in expr.items:
                yield from self._promised(item, scope, depth)
        if not isinstance(expr, ir.Call) or depth > _MAX_DEPTH:
            return
        evaluator, catalog = self.execution.evaluator, self.execution.catalog
        if isinstance(expr.callee, ir.Member) and isinstance(expr.callee.object, ir.Call):
            entry = catalog.callback(f"?.{expr.callee.name}")
            if entry is not None and entry.after is not None:
                yield from self._promised(expr.callee.object, scope, depth)
                return
        names = evaluator.outside_names(expr.callee, scope)
        if any(listed(catalog.prompt, name) for name in names):
            return
        runs = [entry.runs for name in names if (entry := catalog.callback(name)) is not None]
        if "once" in runs:
            for executor in handed_over(expr, evaluator, scope):
                yield from self._awaited(executor, depth + 1, settles=True)
            return
        for value in evaluator.values(expr.callee, scope):
            if isinstance(value, FunctionValue):
                yield from self._awaited(value, depth + 1)
        if names:
            yield expr, scope
            if any(listed(catalog.joins, name) for name in names):
                for argument in expr.args:
                    yield from self._promised(argument, scope, depth + 1)


def _chain(call: ir.Call) -> Iterator[ir.Call]:
    """The calls of a chain, from the last: of ``work().then(f)`` both."""
    yield call
    while isinstance(call.callee, ir.Member) and isinstance(call.callee.object, ir.Call):
        call = call.callee.object
        yield call
