"""Signals inside the code: handlers that ask which one it is, and processes that signal themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.guards import walk_own
from mcplint.lifecycle.leave import Leave
from mcplint.program.catalog import lookup
from mcplint.program.scope import Scope
from mcplint.program.values import External, FunctionValue, Value
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow, Given

F = Leave


def asks_signal(given: Given, test: ir.Expr, scope: Scope) -> bool | None:
    """The answer to ``number == signal.SIGINT`` in the handler of a known signal."""
    if given.signal is None or not isinstance(test, ir.Binary) or test.operator not in ("==", "!="):
        return None
    for param, other in ((test.left, test.right), (test.right, test.left)):
        if _is_signal_parameter(given, param, scope):
            names = {_signal_name(v) for v in given.evaluator.values(other, scope)}
            if len(names) == 1 and None not in names:
                return (given.signal in names) == (test.operator == "==")
    return None


def asked_case(given: Given, node: ir.Switch, scope: Scope) -> int | None:
    """The arm that ``switch (signal)`` takes in the handler of a known signal."""
    if given.signal is None or not _is_signal_parameter(given, node.subject, scope):
        return None
    default = None
    for index, case in enumerate(node.cases):
        if case.test is None:
            default = index
            continue
        names = {_signal_name(v) for v in given.evaluator.values(case.test, scope)}
        if len(names) != 1 or None in names:
            return None
        if given.signal in names:
            return index
    return default


def _is_signal_parameter(given: Given, expr: ir.Expr, scope: Scope) -> bool:
    function = scope.function
    if function is not given.handler or function is None or not function.params:
        return False
    target = function.params[0].target
    return isinstance(expr, ir.Name) and isinstance(target, ir.Name) and expr.id == target.id


def self_signal(flow: Flow, call: ir.Call, scope: Scope, default: bool) -> Leave:
    """A signal sent to the process itself: what its listeners do, else its default action."""
    given = flow.given
    listening = signalled(given, call, scope)
    if not listening or (default and (_restores(given, scope) or _runs_once_only(given, scope))):
        return F.ENDS if default else F.FALLS
    ways = F.NONE
    for handler in listening:
        ways |= flow.function(handler.function, handler.scope)
    # A handler that sends its own signal is called again, and again.
    return ways or F.FALLS


def signalled(given: Given, call: ir.Call, scope: Scope) -> list[FunctionValue]:
    """The listeners for the signal that a call sends to the process itself."""
    names = {
        _signal_name(value) for argument in call.args for value in given.evaluator.values(argument, scope)
    }
    if any(_is_signal_parameter(given, argument, scope) for argument in call.args):
        names.add(given.signal)
    signals = {n for n in names if n is not None} or {"sigterm"}
    return [f for s in signals for f in given.handlers.get(s, ())]


def _runs_once_only(given: Given, scope: Scope) -> bool:
    """Whether the function at hand is a listener that was taken away before it was called."""
    where: Scope | None = scope
    while where is not None:
        if where.function in given.once:
            return True
        where = where.parent
    return False


def _restores(given: Given, scope: Scope) -> bool:
    """Whether the function at hand takes its listeners away."""
    body = scope.function.body if scope.function is not None else ()
    return any(
        entry.effect == "restores"
        and (not entry.only_if or any_true(entry.only_if, node, scope, given.evaluator))
        for node in walk_own(body, through_functions=True)
        if isinstance(node, ir.Call)
        for name in given.evaluator.outside_names(node.callee, scope)
        for entry in lookup(given.catalog.exits, name)
    )


def _signal_name(value: Value) -> str | None:
    text = value.name if isinstance(value, External) else getattr(value, "value", None)
    name = str(text).rpartition(".")[2].lower()
    return name if name.startswith("sig") else None
