"""Timers that count their rounds and stop themselves: they hold for a while, and not for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcplint.program.scope import Bound, ClassInfo, Scope
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.contexts import Context
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.values import FunctionValue


def rounds(repeated: FunctionValue, stops: Iterable[Context], evaluator: Evaluator) -> float | None:
    """How often a function surely runs before one of ``stops`` can come: ``if (++n >= 5) stop()``.

    None if anything but a count of its own rounds may stop it.
    """
    scope = repeated.scope.module.scope_of(repeated.function)
    limits: dict[ir.Node, float] = {}
    for test in ir.walk(*repeated.function.body):
        if isinstance(test, ir.Binary):
            limit = _limit(test, repeated.function, scope, evaluator)
            if limit is not None:
                limits[test] = limit
    least: float | None = None
    for stop in stops:
        asked = [limits[b.test] for b in stop.branches if b.arm == 0 and b.test in limits]
        if not asked:
            return None
        least = max(asked) if least is None else min(least, max(asked))
    return least


def _limit(test: ir.Binary, function: ir.Function, scope: Scope, evaluator: Evaluator) -> float | None:
    """The round in which a test of a counter of a function's rounds is true for the first time."""
    if test.operator not in (">=", ">", "=="):
        return None
    counter = _counter(test.left)
    found = evaluator.tests.constants(test.right, scope)
    if counter is None or found is None or len(found) != 1:
        return None
    (limit,) = found
    first = _first(counter, scope)
    counts = [a for a in _increments(function) if _counter(a.target) == counter]
    if not isinstance(limit, (int, float)) or first is None or len(counts) != 1:
        return None
    return limit - first + (test.operator == ">")


def _counter(expr: ir.Expr) -> tuple[str, str] | None:
    """A variable or a field of ``this``, also where it is counted up first: ``++n``."""
    match expr:
        case ir.Assign(target=target):
            return _counter(target)
        case ir.Name(id=name):
            return ("variable", name)
        case ir.Member(object=ir.This(), name=name):
            return ("field", name)
        case _:
            return None


def _increments(function: ir.Function) -> Iterator[ir.Assign]:
    for node in ir.walk(*function.body):
        match node:
            case ir.Assign(operator="+=", value=value):
                step = value.right if isinstance(value, ir.Binary) else value
                if isinstance(step, ir.Literal) and step.value == 1:
                    yield node
            case _:
                pass


def _first(counter: tuple[str, str], scope: Scope) -> float | None:
    """What a counter begins with, if that and the count are all that is ever written to it."""
    kind, name = counter
    if kind == "field":
        receiver = scope.this()
        values = [v for v, _ in receiver.fields.get(name, ())] if isinstance(receiver, ClassInfo) else []
    else:
        bound = [b for b in scope.find(name) or () if isinstance(b, Bound) and not b.path]
        values = [b.value for b in bound]
    firsts = {v.value for v in values if isinstance(v, ir.Literal) and isinstance(v.value, (int, float))}
    others = [v for v in values if not isinstance(v, ir.Literal)]
    return firsts.pop() if len(firsts) == 1 and len(others) == 1 else None
