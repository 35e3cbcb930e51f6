"""Whether what a call writes is text for people, or may be a message of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.program.catalog import listed
from mcplint.program.scope import Bound, ClassInfo, Scope
from mcplint.program.values import Const
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.execution import Execution

_TRANSPORT = frozenset({"start", "send", "close"})


def is_direct(callee: ir.Expr, scope: Scope) -> bool:
    """Whether a name is that function itself, and not what a call such as ``partial`` made of it."""
    if isinstance(callee, ir.Name):
        found = scope.find(callee.id) or ()
        return not any(isinstance(b, Bound) and isinstance(b.value, ir.Call) for b in found)
    return True


def shows_text(call: ir.Call, scope: Scope, evaluator: Evaluator) -> bool:
    """Whether the first thing that is written is, or begins with, a text that the program says."""
    return any(
        isinstance(v, Const) and isinstance(v.value, str) and _is_prose(v.value)
        for part in _first_parts(call)
        for v in evaluator.values(part, scope)
    )


def _first_parts(call: ir.Call) -> Iterator[ir.Expr]:
    for argument in call.args[:2]:
        yield from _beginnings(argument)


def _beginnings(expr: ir.Expr) -> Iterator[ir.Expr]:
    match expr:
        case ir.Template(parts=(first, *_)):
            yield first
        case ir.Binary(operator="+", left=left):
            yield from _beginnings(left)
        case ir.Call(callee=ir.Member(object=owner)):
            yield from _beginnings(owner)
        case _:
            yield expr


def _is_prose(text: str) -> bool:
    start = text.lstrip()
    return bool(start) and not start.startswith(("{", "[", "Content-Length"))


def may_be_protocol(call: ir.Call, scope: Scope, execution: Execution) -> bool:
    """Whether a call writes what a transport writes: in one, or a serialised text."""
    receiver = scope.this()
    if isinstance(receiver, ClassInfo) and receiver.methods.keys() >= _TRANSPORT:
        return True
    serialisers = execution.catalog.stdout.serialisers
    return any(
        isinstance(node, ir.Call)
        and any(listed(serialisers, name) for name in execution.evaluator.outside_names(node.callee, scope))
        for argument in call.args
        for node in ir.walk(argument)
    )
