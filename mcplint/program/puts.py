"""What code puts into objects and lists after they were made, by the object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from mcplint.program.calls import ANY_NAME, CallIndex
from mcplint.program.scope import Scope
from mcplint.program.values import ArrayValue, External, Instance, ObjectValue, Value, Values
from mcplint.syntax import ir

Put = tuple[ir.Expr, Scope]
_Table = dict[object, list[Put]]


class Puts:
    """Groups the writes of a name by the objects written to; each group is made once.

    While one is being made, nothing is known to be in it: cycles end there.
    """

    def __init__(self, index: CallIndex, values: Callable[[ir.Expr, Scope], Values]) -> None:
        self._index = index
        self._values = values
        self._tables: dict[tuple[str, int], _Table] = {}

    def into(self, owner: object, name: str) -> list[Put]:
        """The expressions assigned to the property ``name`` of an object, by its identity."""
        return self._table(name).get(owner, [])

    def has_computed(self, owner: object) -> bool:
        """Whether something is assigned to a property of an object whose name is computed."""
        return owner in self._table(ANY_NAME)

    def added(self, node: ir.Array) -> list[Put]:
        """The expressions put into a list by its methods: ``f`` of ``hooks.push(f)``."""
        return self._grouped("push()", self._index.fillings()).get(node, [])

    def _table(self, name: str) -> _Table:
        return self._grouped(name, self._index.writes_to(name))

    def _grouped(self, name: str, writes: list[tuple[ir.Expr, ir.Expr, Scope]]) -> _Table:
        key = (name, len(writes))
        if key not in self._tables:
            self._tables[key] = {}
            self._tables[key] = self._group(writes)
        return self._tables[key]

    def _group(self, writes: Iterable[tuple[ir.Expr, ir.Expr, Scope]]) -> _Table:
        table: _Table = defaultdict(list)
        for owner, value, scope in writes:
            for found in {identity(v) for v in self._values(owner, scope)} - {None}:
                table[found].append((value, scope))
        return dict(table)


def identity(value: Value) -> object:
    """What makes an object the same one: its literal, its class, or its outside name."""
    match value:
        case ObjectValue(node=node) | ArrayValue(node=node):
            return node
        case Instance(info=info):
            return info
        case External(name=name):
            return name
        case _:
            return None
