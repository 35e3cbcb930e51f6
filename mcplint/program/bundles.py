"""What a bundler wraps the modules of a program in: functions that run one when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mcplint.program.values import FunctionValue, ObjectValue, Value, Values
from mcplint.syntax import ir


@cache
def runs_once_when_needed(function: ir.Function) -> bool:
    """Whether a function gives back one that calls its first parameter and forgets it.

    ``(fn, res) => () => (fn && (res = fn(fn = 0)), res)``, by whatever names. What it is given is the
    body of a module, as a function or as the only method of an object.
    """
    if not function.params or not isinstance(function.params[0].target, ir.Name):
        return False
    wrapped = function.params[0].target.id
    return any(_calls_and_forgets(call, wrapped) for call in _calls_of_inner(function))


def wrapped_bodies(given: Values) -> Iterator[Value]:
    """The functions that such a wrapper runs, of what it is given."""
    for value in given:
        if isinstance(value, FunctionValue):
            yield value
        elif isinstance(value, ObjectValue):
            for entry in value.node.entries[:1]:
                if isinstance(entry.value, ir.Lambda):
                    yield FunctionValue(entry.value.function, value.scope)


def _calls_of_inner(function: ir.Function) -> Iterator[ir.Call]:
    """The calls in the only function that a function consists of."""
    if len(function.body) != 1 or not isinstance(function.body[0], ir.Return):
        return
    inner = function.body[0].value
    if isinstance(inner, ir.Lambda):
        yield from (node for node in ir.walk(*inner.function.body) if isinstance(node, ir.Call))


def _calls_and_forgets(call: ir.Call, wrapped: str) -> bool:
    match call.args:
        case (ir.Assign(target=ir.Name(id=name), value=ir.Literal()),) if name == wrapped:
            callee = call.callee
            if isinstance(callee, ir.Group) and callee.items:
                callee = callee.items[-1]
            if isinstance(callee, ir.Index):
                callee = callee.object
            return isinstance(callee, ir.Name) and callee.id == wrapped
        case _:
            return False
