"""Whether something that cannot be followed watches stdin: then nobody says "nothing ends it"."""

from __future__ import annotations

from collections.abc import Iterable

from mcplint.program.catalog import lookup
from mcplint.program.contexts import Reached
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.values import Const, External, Value
from mcplint.syntax import ir


def watches_stdin(execution: Execution, reached: Iterable[Reached]) -> bool:
    """Whether stdin is iterated over, handed on, or listened to for an unknown event."""
    return any(_watches(item, execution) for item in reached)


def _watches(item: Reached, execution: Execution) -> bool:
    node = item.step.node
    if isinstance(node, ir.Loop) and node.iterable is not None:
        values = execution.evaluator.values(node.iterable, item.scope)
        watched = _is_stdin(values, execution) or _are_lines(values, execution)
        return watched and not (node.is_async and _are_awaited(values, execution))
    return isinstance(node, ir.Call) and _hands_over(node, item.scope, execution)


def _hands_over(call: ir.Call, scope: Scope, execution: Execution) -> bool:
    catalog, values = execution.catalog, execution.evaluator.values
    names = [t.name for t in values(call.callee, scope) if isinstance(t, External)]
    if not names:
        return False
    if all(lookup(catalog.listeners, n) for n in names):
        return _hears_unknown_event(call, scope, execution)
    if all(lookup(catalog.transports, n) for n in names):
        return False
    if any(n in catalog.readers for n in names):
        return True
    return any(_is_stdin(values(argument, scope), execution) for argument in call.args)


def _hears_unknown_event(call: ir.Call, scope: Scope, execution: Execution) -> bool:
    """Whether a listener is registered on stdin for an event whose name is not known."""
    values = execution.evaluator.values
    if not isinstance(call.callee, ir.Member) or not call.args:
        return False
    unknown = any(not isinstance(v, Const) for v in values(call.args[0], scope))
    return unknown and _is_stdin(values(call.callee.object, scope), execution)


def _is_stdin(values: Iterable[Value], execution: Execution) -> bool:
    return any(isinstance(v, External) and v.name in execution.catalog.stdin for v in values)


def _are_awaited(values: Iterable[Value], execution: Execution) -> bool:
    """Whether the code behind a loop over these is a listener."""
    return all(
        isinstance(v, External)
        and any(entry.awaited == "loop" for entry in lookup(execution.catalog.listeners, v.name))
        for v in values
    )


def _are_lines(values: Iterable[Value], execution: Execution) -> bool:
    """Whether something is made by a call that reads stdin for who loops over it."""
    loops = execution.catalog.loops
    return any(isinstance(v, External) and v.name.removesuffix("()") in loops for v in values)
