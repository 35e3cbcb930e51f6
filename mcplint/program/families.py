"""Which classes extend which, and what an object with a class's methods can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.program.scope import ClassInfo
from mcplint.program.values import (
    UNKNOWN,
    ClassValue,
    External,
    Value,
    Values,
)

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator


class Families:
    """Answers for the classes of the loaded modules."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._families: dict[ClassInfo, frozenset[ClassInfo]] = {}
        self._ancestors: dict[ClassInfo, frozenset[ClassInfo]] = {}

    def made_of(self, info: ClassInfo) -> frozenset[ClassInfo]:
        """The classes that an object with this class's methods can be of: it and its subclasses.

        Those that are never made are left out, if any is.
        """
        known = self._families.get(info)
        if known is None:
            self._families[info] = frozenset({info})
            below = self._below(info)
            family = frozenset({info, *below})
            known = frozenset(i for i in family if self._is_made(i)) if below else family
            known = known or family
            self._families[info] = known
        return known

    def _below(self, info: ClassInfo) -> frozenset[ClassInfo]:
        """The classes of the program that extend a class, by its name, and those that extend them."""
        found: set[ClassInfo] = set()
        open_ = [info]
        while open_:
            base = open_.pop()
            for other in self._ev.index.extending(base.name or "") - found - {info}:
                if any(isinstance(b, ClassValue) and b.info is base for b in self.bases(other)):
                    found.add(other)
                    open_.append(other)
        return frozenset(found)

    def above(self, info: ClassInfo) -> frozenset[ClassInfo]:
        """The classes of the program that a class extends, and those that they extend."""
        known = self._ancestors.get(info)
        if known is None:
            self._ancestors[info] = frozenset()
            direct = {base.info for base in self.bases(info) if isinstance(base, ClassValue)}
            known = frozenset(direct.union(*(self.above(base) for base in direct)))
            self._ancestors[info] = known
        return known

    def _is_made(self, info: ClassInfo) -> bool:
        return any(
            isinstance(value, ClassValue) and value.info is info
            for call, scope in self._ev.index.calls_of(info.name or "")
            for value in self._ev.values(call.callee, scope)
        )

    def bases(self, info: ClassInfo) -> Values:
        """What a class inherits from, directly."""
        result: set[Value] = set()
        for base in info.cls.bases:
            result |= self._ev.values(base, info.scope)
        return frozenset(result)

    def external_bases(self, info: ClassInfo) -> frozenset[str]:
        """The external classes that a class inherits from, at any distance."""
        names: set[str] = set()
        seen: set[ClassInfo] = set()
        todo = [info]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            for base in self.bases(current):
                if isinstance(base, ClassValue):
                    todo.append(base.info)
                elif isinstance(base, External) and base is not UNKNOWN:
                    names.add(base.name)
        return frozenset(names)
