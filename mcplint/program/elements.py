"""What is inside of lists and objects, by any key, and whether there surely is anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.program.lists import Lists
from mcplint.program.scope import Scope
from mcplint.program.values import (
    NOTHING_KNOWN,
    ArrayValue,
    External,
    ObjectValue,
    Value,
    Values,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator


class Elements:
    """Answers for the elements of values, and follows paths of a destructuring pattern."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._lists = Lists(evaluator.catalog.lists, evaluator.index, evaluator.values, self._elements_of)

    def inside(self, values: Values) -> Values:
        """What any of ``values`` has inside, by any key."""
        return self.follow(values, (None,))

    def of(self, owner: ir.Expr, scope: Scope) -> Values:
        """What is inside of what an expression stands for, by any key."""
        return self.inside(self._ev.values(owner, scope))

    def follow(self, values: Values, path: tuple[str | None, ...]) -> Values:
        """What stands at the end of a path of keys; None is any key."""
        for step in path:
            if step is not None:
                values = self._ev.members(values, step)
                continue
            result: set[Value] = set()
            for value in values:
                result |= self._elements_of(value)
            values = frozenset(result)
        return values

    def _elements_of(self, value: Value) -> Values:
        match value:
            case ArrayValue(node=node, scope=scope):
                return self._items(node, scope)
            case ObjectValue(node=node, scope=scope):
                return frozenset().union(*(self._ev.values(e.value, scope) for e in node.entries))
            case External(name=name, site=site) if name != "?":
                made = self._lists.elements(value)
                return frozenset({External(f"{name}[]", site)}) if made is None else made
            case _:
                return NOTHING_KNOWN

    def _items(self, node: ir.Array, scope: Scope) -> Values:
        result: set[Value] = set()
        with self._ev.once("items", node) as first:
            for item in node.items if first else ():
                if isinstance(item, ir.Spread):
                    result |= self.of(item.value, scope)
                else:
                    result |= self._ev.values(item, scope)
            for value, where in self._ev.puts.added(node) if first else ():
                result |= self._ev.values(value, where)
        return frozenset(result)

    def is_filled(self, expr: ir.Expr, scope: Scope) -> bool:
        """Whether a list surely has an element."""
        values = self._ev.values(expr, scope)
        return bool(values) and all(self._lists.is_filled(value) for value in values)

    def goes_round(self, loop: ir.Loop, scope: Scope) -> bool:
        """Whether a loop over a list, or one that counts, surely runs a first round."""
        if loop.iterable is not None:
            return self.is_filled(loop.iterable, scope)
        match loop:
            case ir.Loop(
                init=(ir.Declare(target=ir.Name(id=counter), value=ir.Literal(value=int() as first)),),
                test=ir.Binary(operator=("<" | "<="), left=ir.Name(id=tested), right=limit),
            ) if counter == tested:
                if isinstance(limit, ir.Member) and limit.name == "length":
                    return first == 0 and self.is_filled(limit.object, scope)
                limits = self._ev.tests.constants(limit, scope) or frozenset({None})
                return all(isinstance(n, (int, float)) and n > first for n in limits)
            case _:
                return False
