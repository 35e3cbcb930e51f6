"""Listeners that are put on objects of classes which are known by their shape.

Such a class is a library's, bundled into the program. What it calls of the listeners that the program
gave it is the library's matter, as if it were outside: the catalog says when, and not the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.program.catalog import lookup
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.values import External, FunctionValue, Instance, Value
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator


def as_outside(owner: ir.Expr, name: str, scope: Scope, evaluator: Evaluator) -> Iterator[External]:
    """The catalog's names for a property of an object, where its class is known by its shape.

    Not for one that the surrounding object was given: there the library wires itself.
    """
    if _was_given(owner, scope):
        return
    for value in evaluator.values(owner, scope):
        if isinstance(value, Instance):
            for shape in evaluator.shapes.of(value.info):
                yield External(f"{shape}().{name}", value.site)


class Heard:
    """Which functions of a program are such listeners."""

    def __init__(self, evaluator: Evaluator, catalog: Catalog) -> None:
        self._evaluator = evaluator
        self._names = sorted(
            {
                name.rpartition(".")[2]
                for name, entries in catalog.listeners.items()
                if any(entry.assigned for entry in entries)
            }
        )
        self._catalog = catalog
        self._known: dict[int, frozenset[ir.Function]] = {}

    def is_told_by(self, target: FunctionValue, scope: Scope) -> bool:
        """Whether a call in ``scope`` is that of a library which tells a listener."""
        return isinstance(scope.this(), ClassInfo) and target.function in self._functions()

    def is_listener(self, target: FunctionValue) -> bool:
        """Whether a function is given to an object of such a class, which runs it at an event."""
        return target.function in self._functions()

    def _functions(self) -> frozenset[ir.Function]:
        writes = [(name, w) for name in self._names for w in self._evaluator.index.writes_to(name)]
        if len(writes) not in self._known:
            self._known[len(writes)] = frozenset()  # while it is being found out
            self._known[len(writes)] = frozenset(
                listener.function
                for name, (owner, value, scope) in writes
                if self._is_listened(owner, name, scope)
                for listener in self._given(value, scope)
            )
        return self._known[len(writes)]

    def _is_listened(self, owner: ir.Expr, name: str, scope: Scope) -> bool:
        return any(
            lookup(self._catalog.listeners, outside.name)
            for outside in as_outside(owner, name, scope, self._evaluator)
        )

    def _given(self, value: ir.Expr, scope: Scope) -> Iterator[FunctionValue]:
        """A function that is written where it is given has no other callers."""
        found: frozenset[Value] = self._evaluator.values(value, scope)
        if isinstance(value, ir.Lambda):
            yield from (v for v in found if isinstance(v, FunctionValue))


def _was_given(owner: ir.Expr, scope: Scope) -> bool:
    """Whether an object's own field holds what a parameter of its methods brought."""
    if not isinstance(owner, ir.Member) or not isinstance(owner.object, ir.This):
        return False
    receiver = scope.this()
    fields = receiver.fields.get(owner.name, ()) if isinstance(receiver, ClassInfo) else ()
    return bool(fields) and not any(isinstance(value, ir.Call) for value, _ in fields)
