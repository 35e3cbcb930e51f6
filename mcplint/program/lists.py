"""Lists that calls make from what they are given: ``Object.keys(x)``, ``new Set([…])``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mcplint.program.calls import CallIndex
from mcplint.program.scope import Scope
from mcplint.program.values import UNKNOWN, ArrayValue, Const, External, ObjectValue, Value, Values
from mcplint.syntax import ir

_ADDING = ("add", "set")
_MAX_DEPTH = 4


class Lists:
    """Answers what is in such a list, and whether there surely is anything.

    Args:
        kinds: what each call that makes a list takes from its argument, by the call's name.
        values: what an expression can stand for.
        elements: what an element of a value can stand for.
    """

    def __init__(
        self,
        kinds: Mapping[str, str],
        index: CallIndex,
        values: Callable[[ir.Expr, Scope], Values],
        elements: Callable[[Value], Values],
    ) -> None:
        self._kinds = kinds
        self._index = index
        self._values = values
        self._elements = elements
        self._pairs: dict[ir.Entry, ArrayValue] = {}
        self._busy: set[External] = set()
        self._added: dict[int, frozenset[ir.Call]] = {}

    def elements(self, made: External) -> Values | None:
        """What an element can be of the list that a call made; None if it is no such list."""
        kind = self._kind(made)
        if kind is None or made.site is None:
            return None
        if made in self._busy:  # it is made from itself: ``seen = new Set(seen)``
            return frozenset()
        self._busy.add(made)
        try:
            return frozenset(self._elements_from(made.site, kind, made))
        finally:
            self._busy.discard(made)

    def _elements_from(self, site: ir.Call, kind: str, made: External) -> Iterator[Value]:
        for source in self._sources(site):
            if kind == "elements":
                yield from self._elements(source)
            else:
                yield from self._of_object(source, kind, made)
        if self._is_added_to(site):
            yield External(f"{made.name}[]", site)

    def is_filled(self, value: Value, depth: int = 0) -> bool:
        """Whether there surely is an element in a value."""
        match value:
            case ArrayValue(node=node):
                return any(not isinstance(item, ir.Spread) for item in node.items)
            case ObjectValue(node=node):
                return any(entry.key is not None for entry in node.entries)
            case External(site=site) if site is not None and self._kind(value) and depth < _MAX_DEPTH:
                sources = self._sources(site)
                return bool(sources) and all(self.is_filled(source, depth + 1) for source in sources)
            case _:
                return False

    def _kind(self, made: External) -> str | None:
        return self._kinds.get(made.name.removesuffix("()")) if made.name.endswith("()") else None

    def _sources(self, site: ir.Call) -> Values:
        return self._values(site.args[0], self._index.scope_of(site)) if site.args else frozenset()

    def _of_object(self, source: Value, kind: str, made: External) -> Iterator[Value]:
        if not isinstance(source, ObjectValue):
            return iter((External(f"{made.name}[]", made.site),))
        return self._of_entries(source, kind)

    def _of_entries(self, source: ObjectValue, kind: str, depth: int = 0) -> Iterator[Value]:
        for entry in source.node.entries:
            if isinstance(entry.value, ir.Spread):
                for inner in self._values(entry.value.value, source.scope):
                    if isinstance(inner, ObjectValue) and depth < _MAX_DEPTH:
                        yield from self._of_entries(inner, kind, depth + 1)
                    else:
                        yield UNKNOWN
            elif entry.key is None:
                yield UNKNOWN
            elif kind == "keys":
                yield Const(entry.key)
            elif kind == "values":
                yield from self._values(entry.value, source.scope)
            else:
                yield self._pair(entry, source.scope)

    def _pair(self, entry: ir.Entry, scope: Scope) -> ArrayValue:
        pair = self._pairs.get(entry)
        if pair is None:
            key = ir.Literal(entry.start, entry.start, entry.key)
            pair = ArrayValue(ir.Array(entry.start, entry.end, (key, entry.value)), scope)
            self._pairs[entry] = pair
        return pair

    def _is_added_to(self, site: ir.Call) -> bool:
        """Whether something is put into the list after it was made."""
        calls = [pair for method in _ADDING for pair in self._index.calls_of(method)]
        if len(calls) not in self._added:
            # While it is being found out, nothing is known to be added: cycles end there.
            self._added[len(calls)] = frozenset()
            self._added[len(calls)] = frozenset(
                owner.site
                for call, scope in calls
                if isinstance(call.callee, ir.Member)
                for owner in self._values(call.callee.object, scope)
                if isinstance(owner, External) and owner.site is not None
            )
        return site in self._added[len(calls)]
