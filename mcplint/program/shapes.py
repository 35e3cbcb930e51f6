"""Classes that are known by what they do, whatever a bundler calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mcplint.program.values import ClassValue, Const, External, FunctionValue, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.catalog_entries import ShapeEntry
    from mcplint.program.scope import ClassInfo, Scope


class Shapes:
    """Answers which of the catalog's shapes a class has, with what it inherits.

    Args:
        values: what an expression can stand for.
        bases: what a class inherits from, directly.
    """

    def __init__(
        self,
        values: Callable[[ir.Expr, Scope], Values],
        bases: Callable[[ClassInfo], Values],
        catalog: Catalog,
    ) -> None:
        self._values = values
        self._bases = bases
        self._catalog = catalog
        self._memo: dict[ClassInfo, tuple[str, ...]] = {}

    def of(self, info: ClassInfo) -> tuple[str, ...]:
        """The names of the shapes that a class has."""
        known = self._memo.get(info)
        if known is None:
            known = tuple(shape.name for shape in self._catalog.shapes if self._has(info, shape))
            self._memo[info] = known
        return known

    def started(self, info: ClassInfo) -> Iterator[FunctionValue]:
        """The methods by which a class of a shape starts: who makes one starts it, however far away."""
        for shape in self._catalog.shapes:
            if shape.name in self.of(info):
                home = next(c for c in self._line(info) if shape.inside in c.methods)
                yield FunctionValue(home.methods[shape.inside], home.scope)

    def _has(self, info: ClassInfo, shape: ShapeEntry) -> bool:
        if shape.inside not in info.methods and not info.cls.bases:
            return False
        line = list(self._line(info))
        if not all(any(name in c.methods for c in line) for name in shape.methods):
            return False
        home = next(c for c in line if shape.inside in c.methods)
        method = home.methods[shape.inside]
        return self._hears(method, home, shape) or _says(method, shape)

    def _line(self, info: ClassInfo) -> Iterator[ClassInfo]:
        """A class and those of the program that it inherits from, nearest first."""
        seen: set[ClassInfo] = set()
        todo = [info]
        while todo:
            current = todo.pop(0)
            if current not in seen:
                seen.add(current)
                yield current
                todo.extend(b.info for b in self._bases(current) if isinstance(b, ClassValue))

    def _hears(self, method: ir.Function, home: ClassInfo, shape: ShapeEntry) -> bool:
        """Whether a method listens to stdin for the shape's event."""
        if shape.hears is None:
            return False
        scope = home.scope.module.scope_of(method)
        for call in ir.walk(*method.body):
            if isinstance(call, ir.Call) and isinstance(call.callee, ir.Member) and call.args:
                event = self._values(call.args[0], scope)
                if Const(shape.hears) in event and self._is_stdin(call.callee.object, scope):
                    return True
        return False

    def _is_stdin(self, expr: ir.Expr, scope: Scope) -> bool:
        values = self._values(expr, scope)
        return any(isinstance(v, External) and v.name in self._catalog.stdin for v in values)


def _says(method: ir.Function, shape: ShapeEntry) -> bool:
    """Whether a method holds a text that begins as the shape's does."""
    says = shape.says
    return says is not None and any(
        isinstance(part, ir.Literal) and isinstance(part.value, str) and part.value.startswith(says)
        for part in ir.walk(*method.body)
    )
