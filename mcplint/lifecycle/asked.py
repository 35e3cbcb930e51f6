"""Whether a text is what somebody asks for, such as an argument of a tool, or what the program says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.program.results import returns
from mcplint.program.scope import Bound, BoundParam, Scope
from mcplint.program.values import ArrayValue, Const, External, FunctionValue, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator

_MAX_DEPTH = 8


def is_asked(expr: ir.Expr, scope: Scope, evaluator: Evaluator, depth: int = 0) -> bool:
    """Whether the beginning of a text comes from outside and nowhere else.

    What the program looks up itself, in its surroundings, a file or a constant, is its own.
    """
    if depth > _MAX_DEPTH:
        return False
    match expr:
        case ir.Template(parts=(first, *_)):
            return is_asked(first, scope, evaluator, depth + 1)
        case ir.Binary(operator="+", left=left):
            return is_asked(left, scope, evaluator, depth + 1)
        case ir.Call():
            return _gives(expr, scope, evaluator, depth + 1)
        case ir.Name() if (given := _given(expr, scope, evaluator)) is not None:
            return all(is_asked(value, where, evaluator, depth + 1) for value, where in given)
        case _:
            values = [v for v in evaluator.values(expr, scope) if v != Const(None)]
            return bool(values) and all(
                isinstance(v, External) and _comes_from_outside(v, evaluator, depth + 1) for v in values
            )


def _given(name: ir.Name, scope: Scope, evaluator: Evaluator) -> list[tuple[ir.Expr, Scope]] | None:
    """What a variable is bound to, or what the program passes for a parameter; None if nobody knows."""
    found: list[tuple[ir.Expr, Scope]] = []
    for binding in scope.find(name.id) or ():
        if isinstance(binding, Bound) and not binding.path:
            found.append((binding.value, binding.scope))
        elif isinstance(binding, BoundParam) and not binding.path:
            found += evaluator.passed(binding.function, binding.index, scope.module)
        else:
            return None
    return found or None


def _comes_from_outside(value: External, evaluator: Evaluator, depth: int) -> bool:
    """A parameter that nobody in the program passes, or what is made of one."""
    if "()" not in value.name:
        return value.name == "?" or value.name.startswith("?.")
    site = site_of(value)
    return site is not None and _gives(site, evaluator.index.scope_of(site), evaluator, depth)


def _gives(call: ir.Call, scope: Scope, evaluator: Evaluator, depth: int) -> bool:
    """Whether a call gives what it is given: ``String(command)``, ``command.trim()``, ``parse(args)``."""
    own = [v for v in evaluator.values(call.callee, scope) if isinstance(v, FunctionValue)]
    for function in own:
        home = function.scope.module.scope_of(function.function)
        given = list(returns(function.function.body))
        if not given or not all(is_asked(value, home, evaluator, depth) for value in given):
            return False
    if own:
        return True
    if isinstance(call.callee, ir.Member):
        receiver = call.callee.object
        for value in evaluator.values(receiver, scope):
            if isinstance(value, ArrayValue):
                first = value.node.items[:1]
                return all(is_asked(item, value.scope, evaluator, depth) for item in first)
        if is_asked(receiver, scope, evaluator, depth):
            return True
    return bool(call.args) and is_asked(call.args[0], scope, evaluator, depth)
