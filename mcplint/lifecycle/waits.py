"""What a handler waits for, step by step: through functions, chains and promises made by hand."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.lifecycle.deeds import deed, entry_of
from mcplint.lifecycle.guards import walk_own
from mcplint.lifecycle.model import Deed
from mcplint.program.catalog import listed
from mcplint.program.execution import Execution, handed_over
from mcplint.program.scope import Scope
from mcplint.program.values import FunctionValue
from mcplint.syntax import ir

_MAX_DEPTH = 6


def waits_without_limit(
    function: FunctionValue, execution: Execution, absent: frozenset[ir.Call]
) -> Iterator[Deed]:
    """What a function awaits that the catalog knows as what may never settle.

    ``absent`` are calls that do not come about: nothing is waited for of what they would make.
    """
    for call, scope in _awaited(function, execution, 0):
        entry = entry_of(call, scope, execution.catalog.unbounded, execution, absent)
        if entry is not None:
            yield deed(call, scope, entry.why)


def steps_that_may_fail(function: FunctionValue, execution: Execution) -> Iterator[Deed]:
    """What a function awaits of the outside world and that may be refused."""
    catalog = execution.catalog
    for call, scope in _awaited(function, execution, 0):
        names = execution.evaluator.outside_names(call.callee, scope)
        if any(not listed(catalog.prompt, n) and not listed(catalog.closers, n) for n in names):
            yield deed(call, scope, "")


def _awaited(function: FunctionValue, execution: Execution, depth: int) -> Iterator[tuple[ir.Call, Scope]]:
    """The outside calls whose promises, or callbacks, a function waits for."""
    scope = function.scope.module.scope_of(function.function)
    for node in walk_own(function.function.body):
        match node:
            case ir.Await(value=value) | ir.Return(value=value) if value is not None:
                yield from _promised(value, scope, execution, depth)
            case ir.ExprStmt(value=ir.Call() as call):
                if handed_over(call, execution.evaluator, scope):
                    yield from _promised(call, scope, execution, depth)
            case _:
                pass


def _promised(
    expr: ir.Expr, scope: Scope, execution: Execution, depth: int
) -> Iterator[tuple[ir.Call, Scope]]:
    """The outside calls that a promise stands for."""
    if isinstance(expr, ir.Array):
        for item in expr.items:
            yield from _promised(item, scope, execution, depth)
    if not isinstance(expr, ir.Call) or depth > _MAX_DEPTH:
        return
    evaluator, catalog = execution.evaluator, execution.catalog
    if isinstance(expr.callee, ir.Member) and isinstance(expr.callee.object, ir.Call):
        entry = catalog.callback(f"?.{expr.callee.name}")
        if entry is not None and entry.after is not None:
            yield from _promised(expr.callee.object, scope, execution, depth)
            return
    names = evaluator.outside_names(expr.callee, scope)
    if any(listed(catalog.prompt, name) for name in names):
        return
    runs = [entry.runs for name in names if (entry := catalog.callback(name)) is not None]
    if "once" in runs:
        for executor in handed_over(expr, evaluator, scope):
            yield from _awaited(executor, execution, depth + 1)
        return
    for value in evaluator.values(expr.callee, scope):
        if isinstance(value, FunctionValue):
            yield from _awaited(value, execution, depth + 1)
    if names:
        yield expr, scope
        for argument in expr.args:
            yield from _promised(argument, scope, execution, depth + 1)
