"""Whether a function is there for others to call: then a program is only what calls it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.program.scope import Bound, BoundClass, BoundFunction, Scope
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule

_MAX_DEPTH = 4


def is_offered(function: ir.Function, module: LinkedModule) -> bool:
    """Whether a module exports a function, or something that has it inside."""
    for entries in module.by_export.values():
        for value, scope, source in entries:
            if source is None and any(
                span.start <= function.start and function.end <= span.end for span in _spans(value, scope, 0)
            ):
                return True
    return False


def _spans(value: ir.Expr | str, scope: Scope, depth: int) -> Iterator[ir.Node]:
    """What is written where a value is defined."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, ir.Name):
        value = value.id
    if isinstance(value, str):
        for bound in scope.find(value) or ():
            if isinstance(bound, BoundFunction):
                yield bound.function
            elif isinstance(bound, BoundClass):
                yield bound.info.cls
            elif isinstance(bound, Bound):
                yield from _spans(bound.value, bound.scope, depth + 1)
        return
    yield value
    if isinstance(value, ir.Object):
        for entry in value.entries:
            yield from _spans(entry.value, scope, depth + 1)
    elif isinstance(value, ir.Call):
        for argument in (value.callee, *value.args):
            yield from _spans(argument, scope, depth + 1)
