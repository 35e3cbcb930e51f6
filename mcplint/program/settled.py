"""What a promise of yes or no comes to: ``new Promise((done) => …)`` as the answer of a probe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.program.values import UNUSUAL, Const, External, FunctionValue, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator


def answers(executor: FunctionValue, evaluator: Evaluator, catalog: Catalog) -> Values | None:
    """The constants that a promise is settled with, or None if it may be anything else.

    What only a listener of an unusual event answers stands for itself only as ``UNUSUAL``.
    """
    function = executor.function
    done = function.params[0].target if function.params else None
    if not isinstance(done, ir.Name):
        return None
    calls = list(_calls_of(done.id, function))
    if not calls or len(calls) != _mentions(done.id, function):
        return None
    unusual = frozenset(_unusual(function, evaluator, catalog))
    usual: set[bool] = set()
    rare: set[bool] = set()
    for call in calls:
        scope = evaluator.index.scope_of(call)
        found = evaluator.tests.constants(call.args[0], scope) if len(call.args) == 1 else None
        if found is None or not all(isinstance(value, bool) for value in found):
            return None
        (rare if scope.function in unusual else usual).update(bool(value) for value in found)
    if not usual:
        return frozenset(Const(value) for value in rare)
    return frozenset(Const(value) for value in usual) | ({UNUSUAL} if rare - usual else frozenset())


def _calls_of(name: str, function: ir.Function) -> Iterator[ir.Call]:
    for node in ir.walk(*function.body):
        if isinstance(node, ir.Call) and isinstance(node.callee, ir.Name) and node.callee.id == name:
            yield node


def _mentions(name: str, function: ir.Function) -> int:
    return sum(isinstance(node, ir.Name) and node.id == name for node in ir.walk(*function.body))


def _unusual(function: ir.Function, evaluator: Evaluator, catalog: Catalog) -> Iterator[ir.Function]:
    """The functions inside one that listen to an event which the usual run does not see."""
    for node in ir.walk(*function.body):
        if not isinstance(node, ir.Call) or len(node.args) < 2 or not isinstance(node.args[0], ir.Literal):
            continue
        scope = evaluator.index.scope_of(node)
        for value in evaluator.values(node.callee, scope):
            if isinstance(value, External) and node.args[0].value in catalog.unusual.get(value.name, ()):
                for handler in evaluator.values(node.args[1], scope):
                    if isinstance(handler, FunctionValue):
                        yield handler.function
