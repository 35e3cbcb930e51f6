"""What a member of a value can stand for: of an instance, an object, a module, something outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcplint.program.limits import MAX_NAME, MAX_VALUES
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.values import (
    NOTHING_KNOWN,
    UNKNOWN,
    ClassValue,
    Const,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    ObjectValue,
    Value,
    Values,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator


class Members:
    """Answers what ``owner.name`` is, with what code puts there later."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._members: dict[tuple[Value, str], Values] = {}
        self._puts = evaluator.puts

    def of(self, owner: ir.Expr, name: str, scope: Scope) -> Values:
        """What ``owner.name`` can stand for in ``scope``."""
        if isinstance(owner, ir.Super):
            receiver = scope.this()
            if isinstance(receiver, ClassInfo):
                return self._inherited(receiver, name, None) or NOTHING_KNOWN
            return NOTHING_KNOWN
        found = self.named(self._ev.values(owner, scope), name)
        if name in self._ev.catalog.promise_methods and not scope.module.is_python:
            # An awaited value stands for its promise, which has these methods whatever the value has.
            callable_ = any(isinstance(v, (External, FunctionValue)) for v in found)
            return found if callable_ else frozenset({External(f"?.{name}")})
        return found

    def named(self, owners: Iterable[Value], name: str) -> Values:
        """What ``.name`` of any of ``owners`` can stand for."""
        result: set[Value] = set()
        for owner in owners:
            if isinstance(owner, External):
                result |= self._member_of(owner, name)
                continue
            key = (owner, name)
            found = self._members.get(key)
            if found is None:
                with self._ev.once("member", owner, name) as first:
                    found = self._member_of(owner, name) if first else frozenset()
                self._members[key] = found
            result |= found
        return frozenset(result) if len(result) <= MAX_VALUES else NOTHING_KNOWN

    def _member_of(self, owner: Value, name: str) -> Values:
        match owner:
            case External(name="globalThis"):
                return frozenset({External(self._ev.catalog.globals.get(name, name))})
            case External(name=base, site=site):
                if name == "default":
                    return frozenset({owner})
                if len(base) > MAX_NAME:
                    return NOTHING_KNOWN
                outside = External(f"{base}.{name}", site)
                is_setting = self._ev.tests.is_setting(outside)
                return self._set(outside, name) if is_setting else frozenset({outside})
            case ModuleValue(module=module):
                found = self._ev.exported(module, name)
                if not found and name == "default":
                    return frozenset({owner})
                if not found and (child := module.submodule(name)) is not None:
                    return frozenset({ModuleValue(child)})
                return found or frozenset({External(f"?.{name}")})
            case Instance(info=info, site=site):
                return self._of_class(info, name, site) or frozenset({External(f"?.{name}", site)})
            case ClassValue(info=info):
                return self._of_class(info, name, None) or frozenset({External(f"?.{name}")})
            case ObjectValue(node=node, scope=scope):
                return self._entry(node, name, scope) or frozenset({External(f"?.{name}")})
            case FunctionValue() if name in ("call", "apply"):
                return frozenset({owner})
            case Const(value=None):
                return frozenset()
            case _:
                return frozenset({External(f"?.{name}")})

    def _of_class(self, info: ClassInfo, name: str, site: ir.Call | None) -> Values:
        method = info.methods.get(name)
        if method is not None:
            function = FunctionValue(method, info.scope)
            if method.kind == "getter":
                return self._ev.returned(function)
            return frozenset({function})
        result: set[Value] = set()
        for value, scope in info.fields.get(name, ()):
            result |= self._ev.values(value, scope)
        if result:
            return frozenset(result) | self._put(info, name) | self._fields_above(info, name)
        return self._inherited(info, name, site) or self._put(info, name)

    def _fields_above(self, info: ClassInfo, name: str) -> Values:
        """What the methods of base classes assign to a field: it is the same one."""
        result: set[Value] = set()
        for base in self._ev.families.above(info):
            for value, scope in base.fields.get(name, ()):
                result |= self._ev.values(value, scope)
        return frozenset(result)

    def is_put(self, owner: ObjectValue, name: str) -> bool:
        """Whether code may give an object literal a property after it was made."""
        return self._puts.has_computed(owner.node) or bool(self._puts.into(owner.node, name))

    def _put(self, owner: object, name: str) -> Values:
        """What code elsewhere puts into a property of an object; unknown for a computed name."""
        result: set[Value] = {UNKNOWN} if self._puts.has_computed(owner) else set()
        for value, scope in self._puts.into(owner, name):
            result |= self._ev.values(value, scope)
        return frozenset(result)

    def _inherited(self, info: ClassInfo, name: str, site: ir.Call | None) -> Values:
        result: set[Value] = set()
        with self._ev.once("base", info, name) as first:
            for base in self._ev.bases(info) if first else ():
                if isinstance(base, ClassValue):
                    result |= self._of_class(base.info, name, site)
                elif isinstance(base, External) and base is not UNKNOWN:
                    result.add(External(f"{base.name}().{name}", site))
        return frozenset(result)

    def _entry(self, node: ir.Object, name: str, scope: Scope) -> Values:
        for entry in node.entries:
            if entry.key == name:
                return self._ev.values(entry.value, scope) | self._put(node, name)
        result: set[Value] = set()
        with self._ev.once("entry", node, name) as first:
            for entry in node.entries if first else ():
                if isinstance(entry.value, ir.Spread):
                    result |= self.named(self._ev.values(entry.value.value, scope), name)
        if all(e.key is not None and not isinstance(e.value, ir.Spread) for e in node.entries):
            return self._put(node, name) or frozenset({Const(None)})
        return frozenset(result)

    def _set(self, setting: External, name: str) -> Values:
        """A setting with what the program itself sets it to."""
        result: set[Value] = {setting}
        for value, scope in self._puts.into(setting.name.rpartition(".")[0], name):
            result |= self._ev.values(value, scope)
        return frozenset(result)
