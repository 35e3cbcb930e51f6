"""The values that expressions can have, on demand.

Flow-insensitive: a name stands for everything that it is ever bound to. Nothing is run.
What cannot be followed is ``UNKNOWN``; what is proven to be nothing is an empty set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcplint.program.calls import CallIndex
from mcplint.program.lists import Lists
from mcplint.program.puts import Puts
from mcplint.program.scope import (
    Binding,
    Bound,
    BoundClass,
    BoundFunction,
    BoundImport,
    BoundParam,
    ClassInfo,
    Scope,
)
from mcplint.program.settled import answers
from mcplint.program.shapes import Shapes
from mcplint.program.truth import Truth
from mcplint.program.values import (
    NOTHING_KNOWN,
    UNKNOWN,
    ArrayValue,
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
    from mcplint.program.catalog import Catalog
    from mcplint.program.link import LinkedModule, Linker

_MAX_DEPTH = 40
_MAX_VALUES = 24
_MAX_NAME = 160
_PROMISE_METHODS = frozenset({"then", "catch", "finally"})


class Evaluator:
    """Answers what expressions stand for, for all modules of one linker and one language."""

    def __init__(self, linker: Linker, catalog: Catalog) -> None:
        self._catalog = catalog
        self._memo: dict[tuple[ir.Expr, Scope], Values] = {}
        self.run_once: set[ir.Function] = set()
        self._members: dict[tuple[Value, str], Values] = {}
        self._busy: set[tuple[object, ...]] = set()
        self._families: dict[ClassInfo, frozenset[ClassInfo]] = {}
        self._ancestors: dict[ClassInfo, frozenset[ClassInfo]] = {}
        self._depth = 0
        self._cuts = 0
        self._cut_short: dict[tuple[ir.Expr, Scope], tuple[int, Values]] = {}
        self.index = CallIndex(linker)
        self._puts = Puts(self.index, self.values)
        self._lists = Lists(catalog.lists, self.index, self.values, self._elements_of)
        self.tests = Truth(self.values, catalog.settings, catalog.facts)
        self.shapes = Shapes(self.values, self.bases, catalog)

    # ------------------------------------------------------------------ expressions

    def outside_names(self, expr: ir.Expr, scope: Scope) -> list[str]:
        """The catalog's names among what ``expr`` can stand for."""
        return [v.name for v in self.values(expr, scope) if isinstance(v, External)]

    def values(self, expr: ir.Expr, scope: Scope) -> Values:
        """Everything that ``expr`` can stand for in ``scope``."""
        key = (expr, scope)
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._busy:
            return frozenset()
        if self._depth >= _MAX_DEPTH:
            self._cuts += 1
            return NOTHING_KNOWN
        depth, result = self._cut_short.get(key, (_MAX_DEPTH, NOTHING_KNOWN))
        if depth <= self._depth:
            self._cuts += 1
            return result
        return self._evaluated(key)

    def _evaluated(self, key: tuple[ir.Expr, Scope]) -> Values:
        """The values of what is not known yet; what the depth cut short may be asked again higher up."""
        cuts = self._cuts
        self._busy.add(key)
        self._depth += 1
        try:
            result = self._values(*key)
        finally:
            self._depth -= 1
            self._busy.discard(key)
        if len(result) > _MAX_VALUES:
            result = NOTHING_KNOWN
        if cuts == self._cuts:
            self._memo[key] = result
        else:
            self._cut_short[key] = (self._depth, result)
        return result

    def _values(self, expr: ir.Expr, scope: Scope) -> Values:
        match expr:
            case ir.Name(id=name):
                return self._name(name, scope)
            case ir.Member(object=owner, name=name):
                return self._member(owner, name, scope)
            case ir.Call():
                return self._call(expr, scope)
            case ir.Literal(value=value):
                return frozenset({Const(value)})
            case ir.Lambda(function=function):
                return frozenset({FunctionValue(function, scope)})
            case ir.ClassExpr(cls=cls):
                return frozenset({ClassValue(scope.module.class_info(cls))})
            case ir.This():
                return self._this(scope)
            case ir.Object():
                return frozenset({ObjectValue(expr, scope)})
            case ir.Array():
                return frozenset({ArrayValue(expr, scope)})
            case ir.Await(value=value) | ir.Spread(value=value) | ir.Assign(value=value):
                return self.values(value, scope)
            case ir.Group(items=items) if items:
                return self.values(items[-1], scope)
            case ir.Conditional(then=then, otherwise=otherwise):
                return self.values(then, scope) | self.values(otherwise, scope)
            case ir.Logical():
                return self._logical(expr, scope)
            case ir.ImportExpr(module=module) if module is not None:
                return self._namespace(scope.module.imported(module))
            case ir.Index(object=owner):
                return self._elements(owner, scope)
            case ir.Template(parts=parts):
                return self._template(parts, scope)
            case ir.Unary(operator="not"):
                truth = self.tests.truth(expr, scope)
                return NOTHING_KNOWN if truth is None else frozenset({Const(truth)})
            case _:
                return NOTHING_KNOWN

    def _logical(self, expr: ir.Logical, scope: Scope) -> Values:
        left = self.values(expr.left, scope)
        right = self.values(expr.right, scope)
        if expr.operator == "and":
            return right
        return frozenset(v for v in left if not _is_falsy(v)) | right

    def _template(self, parts: tuple[ir.Expr, ...], scope: Scope) -> Values:
        text = ""
        for part in parts:
            found = self.tests.constants(part, scope)
            if found is None or len(found) != 1:
                return NOTHING_KNOWN
            text += str(next(iter(found)))
        return frozenset({Const(text)})

    def _this(self, scope: Scope) -> Values:
        receiver = scope.this()
        if isinstance(receiver, ClassInfo):
            return frozenset(Instance(info) for info in self._made_of(receiver))
        if isinstance(receiver, ir.Object):
            return frozenset({ObjectValue(receiver, scope)})
        return NOTHING_KNOWN

    def _made_of(self, info: ClassInfo) -> frozenset[ClassInfo]:
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
            for other in self.index.extending(base.name or "") - found - {info}:
                if any(isinstance(b, ClassValue) and b.info is base for b in self.bases(other)):
                    found.add(other)
                    open_.append(other)
        return frozenset(found)

    def _above(self, info: ClassInfo) -> frozenset[ClassInfo]:
        """The classes of the program that a class extends, and those that they extend."""
        known = self._ancestors.get(info)
        if known is None:
            self._ancestors[info] = frozenset()
            direct = {base.info for base in self.bases(info) if isinstance(base, ClassValue)}
            known = frozenset(direct.union(*(self._above(base) for base in direct)))
            self._ancestors[info] = known
        return known

    def _is_made(self, info: ClassInfo) -> bool:
        return any(
            isinstance(value, ClassValue) and value.info is info
            for call, scope in self.index.calls_of(info.name or "")
            for value in self.values(call.callee, scope)
        )

    # ------------------------------------------------------------------ names

    def _name(self, name: str, scope: Scope) -> Values:
        found = scope.find(name)
        if found is None and "*" in scope.module.scope.bindings:
            starred = self._python_global(scope.module, name)
            if starred:
                return starred
        if found is None:
            return frozenset({External(self._catalog.globals.get(name, name))})
        if not found:
            return NOTHING_KNOWN
        result: set[Value] = set()
        for binding in found:
            result |= self._binding(binding, scope)
        if any(isinstance(b, Bound) and b.is_default for b in found):
            result.discard(Const(None))
        return frozenset(result)

    def _binding(self, binding: Binding, scope: Scope) -> Values:
        match binding:
            case Bound(value=value, scope=where, path=path):
                return self._follow(self.values(value, where), path)
            case BoundFunction(function=function, scope=where):
                return frozenset({FunctionValue(function, where)})
            case BoundClass(info=info):
                return frozenset({ClassValue(info)})
            case BoundImport():
                return self._imported(binding, scope.module)
            case BoundParam(function=function, index=index, path=path):
                return self._follow(self._param(function, index, scope.module), path)

    def _imported(self, binding: BoundImport, module: LinkedModule) -> Values:
        target = module.imported(binding.module, binding.level)
        if binding.imported is None:
            return self._namespace(target)
        if isinstance(target, str):
            if binding.imported == "default":
                return frozenset({External(target)})
            name = f"{target}.{binding.imported}" if target else binding.imported
            return frozenset({External(self._catalog.globals.get(name, name))})
        found = self.exported(target, binding.imported)
        if not found and (child := target.submodule(binding.imported)) is not None:
            return frozenset({ModuleValue(child)})
        return found or NOTHING_KNOWN

    def _namespace(self, target: LinkedModule | str) -> Values:
        if isinstance(target, str):
            return frozenset({External(target)})
        result: set[Value] = {ModuleValue(target)}
        for value, scope, _ in target.by_export.get("=", ()):
            if not isinstance(value, str):
                result |= self.values(value, scope)
        return frozenset(result)

    def exported(self, module: LinkedModule, name: str) -> Values:
        """What a module exports under ``name``; empty if it exports no such name."""
        with self._once("export", module, name) as first:
            return self._exported(module, name) if first else frozenset()

    def _exported(self, module: LinkedModule, name: str) -> Values:
        if module.is_python:
            found = self._python_global(module, name)
        else:
            found = self._entries(module, name)
            whole = [] if found else module.by_export.get("=", [])
            for value, scope, _ in whole:
                if isinstance(value, str):
                    continue
                values = self.values(value, scope)
                found |= values if name == "default" else self.members(values, name)
        if found:
            return found
        for _, scope, source in module.by_export.get("*", ()):
            if source is not None:
                target = scope.module.imported(source)
                if isinstance(target, str):
                    found |= frozenset({External(f"{target}.{name}")})
                else:
                    found |= self.exported(target, name)
        return found

    def _entries(self, module: LinkedModule, name: str) -> Values:
        result: set[Value] = set()
        for value, scope, source in module.by_export.get(name, ()):
            if source is not None:
                target = scope.module.imported(source)
                local = str(value)
                if local == "*":
                    result |= self._namespace(target)
                elif isinstance(target, str):
                    result.add(External(target if local == "default" else f"{target}.{local}"))
                else:
                    result |= self.exported(target, local)
            elif isinstance(value, str):
                result |= self._name(value, scope)
            else:
                result |= self.values(value, scope)
        return frozenset(result)

    def _python_global(self, module: LinkedModule, name: str) -> Values:
        bindings = module.scope.bindings.get(name)
        if bindings is not None:
            return self._name(name, module.scope)
        result: set[Value] = set()
        for binding in module.scope.bindings.get("*", ()):
            if isinstance(binding, BoundImport):
                target = module.imported(binding.module, binding.level)
                if not isinstance(target, str):
                    result |= self.exported(target, name)
        return frozenset(result)

    # ------------------------------------------------------------------ members

    def _member(self, owner: ir.Expr, name: str, scope: Scope) -> Values:
        if isinstance(owner, ir.Super):
            receiver = scope.this()
            if isinstance(receiver, ClassInfo):
                return self._inherited(receiver, name, None) or NOTHING_KNOWN
            return NOTHING_KNOWN
        found = self.members(self.values(owner, scope), name)
        if name in _PROMISE_METHODS and not scope.module.is_python:
            # An awaited value stands for its promise, which has these methods whatever the value has.
            callable_ = any(isinstance(v, (External, FunctionValue)) for v in found)
            return found if callable_ else frozenset({External(f"?.{name}")})
        return found

    def members(self, owners: Iterable[Value], name: str) -> Values:
        """What ``.name`` of any of ``owners`` can stand for."""
        result: set[Value] = set()
        for owner in owners:
            if isinstance(owner, External):
                result |= self._member_of(owner, name)
                continue
            key = (owner, name)
            found = self._members.get(key)
            if found is None:
                with self._once("member", owner, name) as first:
                    found = self._member_of(owner, name) if first else frozenset()
                self._members[key] = found
            result |= found
        return frozenset(result) if len(result) <= _MAX_VALUES else NOTHING_KNOWN

    def _member_of(self, owner: Value, name: str) -> Values:
        match owner:
            case External(name="globalThis"):
                return frozenset({External(self._catalog.globals.get(name, name))})
            case External(name=base, site=site):
                if name == "default":
                    return frozenset({owner})
                if len(base) > _MAX_NAME:
                    return NOTHING_KNOWN
                outside = External(f"{base}.{name}", site)
                return self._set(outside, name) if self.tests.is_setting(outside) else frozenset({outside})
            case ModuleValue(module=module):
                found = self.exported(module, name)
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
                return self.returned(function)
            return frozenset({function})
        result: set[Value] = set()
        for value, scope in info.fields.get(name, ()):
            result |= self.values(value, scope)
        if result:
            return frozenset(result) | self._put(info, name) | self._fields_above(info, name)
        return self._inherited(info, name, site) or self._put(info, name)

    def _fields_above(self, info: ClassInfo, name: str) -> Values:
        """What the methods of base classes assign to a field: it is the same one."""
        result: set[Value] = set()
        for base in self._above(info):
            for value, scope in base.fields.get(name, ()):
                result |= self.values(value, scope)
        return frozenset(result)

    def is_put(self, owner: ObjectValue, name: str) -> bool:
        """Whether code may give an object literal a property after it was made."""
        return self._puts.has_computed(owner.node) or bool(self._puts.into(owner.node, name))

    def _put(self, owner: object, name: str) -> Values:
        """What code elsewhere puts into a property of an object; unknown for a computed name."""
        result: set[Value] = {UNKNOWN} if self._puts.has_computed(owner) else set()
        for value, scope in self._puts.into(owner, name):
            result |= self.values(value, scope)
        return frozenset(result)

    def _inherited(self, info: ClassInfo, name: str, site: ir.Call | None) -> Values:
        result: set[Value] = set()
        with self._once("base", info, name) as first:
            for base in self.bases(info) if first else ():
                if isinstance(base, ClassValue):
                    result |= self._of_class(base.info, name, site)
                elif isinstance(base, External) and base is not UNKNOWN:
                    result.add(External(f"{base.name}().{name}", site))
        return frozenset(result)

    def bases(self, info: ClassInfo) -> Values:
        """What a class inherits from, directly."""
        result: set[Value] = set()
        for base in info.cls.bases:
            result |= self.values(base, info.scope)
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

    def _entry(self, node: ir.Object, name: str, scope: Scope) -> Values:
        for entry in node.entries:
            if entry.key == name:
                return self.values(entry.value, scope) | self._put(node, name)
        result: set[Value] = set()
        with self._once("entry", node, name) as first:
            for entry in node.entries if first else ():
                if isinstance(entry.value, ir.Spread):
                    result |= self.members(self.values(entry.value.value, scope), name)
        if all(e.key is not None and not isinstance(e.value, ir.Spread) for e in node.entries):
            return self._put(node, name) or frozenset({Const(None)})
        return frozenset(result)

    @contextmanager
    def _once(self, *key: object) -> Iterator[bool]:
        """Whether this is not yet being asked further out: cycles end here."""
        if key in self._busy:
            yield False
            return
        self._busy.add(key)
        try:
            yield True
        finally:
            self._busy.discard(key)

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
                limits = self.tests.constants(limit, scope) or frozenset({None})
                return all(isinstance(n, (int, float)) and n > first for n in limits)
            case _:
                return False

    def is_filled(self, expr: ir.Expr, scope: Scope) -> bool:
        """Whether a list surely has an element."""
        values = self.values(expr, scope)
        return bool(values) and all(self._lists.is_filled(value) for value in values)

    def elements(self, values: Values) -> Values:
        """What any of ``values`` has inside, by any key."""
        return self._follow(values, (None,))

    def _elements(self, owner: ir.Expr, scope: Scope) -> Values:
        return self.elements(self.values(owner, scope))

    def _follow(self, values: Values, path: tuple[str | None, ...]) -> Values:
        for step in path:
            if step is not None:
                values = self.members(values, step)
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
                return frozenset().union(*(self.values(e.value, scope) for e in node.entries))
            case External(name=name, site=site) if name != "?":
                made = self._lists.elements(value)
                return frozenset({External(f"{name}[]", site)}) if made is None else made
            case _:
                return NOTHING_KNOWN

    def _items(self, node: ir.Array, scope: Scope) -> Values:
        result: set[Value] = set()
        with self._once("items", node) as first:
            for item in node.items if first else ():
                if isinstance(item, ir.Spread):
                    result |= self._elements(item.value, scope)
                else:
                    result |= self.values(item, scope)
            for value, where in self._puts.added(node) if first else ():
                result |= self.values(value, where)
        return frozenset(result)

    # ------------------------------------------------------------------ calls

    def _call(self, call: ir.Call, scope: Scope) -> Values:
        if isinstance(call.callee, ir.Super):
            return NOTHING_KNOWN
        if isinstance(call.callee, ir.Member) and not scope.module.is_python:
            bound = self._of_language(call, call.callee, scope)
            if bound:
                return bound
        result: set[Value] = set()
        for target in self.values(call.callee, scope):
            result |= self._result(target, call, scope)
        return frozenset(result) or (frozenset() if self._returns_nothing(call, scope) else NOTHING_KNOWN)

    def _of_language(self, call: ir.Call, callee: ir.Member, scope: Scope) -> Values:
        """Values of methods that JavaScript itself gives: of functions, and of promises."""
        if callee.name == "bind":
            return self.values(callee.object, scope)
        if callee.name == "then" and call.args:
            result: set[Value] = set()
            for handler in self.values(call.args[0], scope):
                if isinstance(handler, FunctionValue):
                    result |= self.returned(handler)
            return frozenset(result)
        if callee.name in ("catch", "finally"):
            return frozenset(v for v in self.values(callee.object, scope) if not isinstance(v, External))
        return frozenset()

    def _returns_nothing(self, call: ir.Call, scope: Scope) -> bool:
        targets = self.values(call.callee, scope)
        return bool(targets) and all(isinstance(t, FunctionValue) for t in targets)

    def _result(self, target: Value, call: ir.Call, scope: Scope) -> Values:
        match target:
            case FunctionValue():
                return self.returned(target)
            case ClassValue(info=info):
                return frozenset({Instance(info, call)})
            case External(name=name):
                wrapped = self._catalog.wrappers.get(name)
                if wrapped is not None and (inner := argument(call, wrapped)) is not None:
                    values = self._unwrapped(inner, scope)
                    if name in self._catalog.merging:
                        values = values.union(*(self.values(a, scope) for a in call.args))
                    if name in self._catalog.once:
                        self.run_once |= {v.function for v in values if isinstance(v, FunctionValue)}
                    return values
                settled = self._settled(name, call, scope)
                if settled is not None:
                    return settled
                alias = self._catalog.results.get(name)
                if alias is not None:
                    return frozenset({External(alias, call)})
                owner, _, method = name.rpartition(".")
                if method in self._catalog.fluent and ("." in owner or "(" in owner):
                    return frozenset({External(owner, target.site)})
                if name == "?" or len(name) > _MAX_NAME:
                    return frozenset({External("?", call)})
                return frozenset({External(f"{name}()", call)})
            case _:
                return NOTHING_KNOWN

    def _settled(self, name: str, call: ir.Call, scope: Scope) -> Values | None:
        """What a promise that is made here comes to, if that is yes or no."""
        if name not in self._catalog.promises or not call.is_new or not call.args:
            return None
        executors = [v for v in self.values(call.args[0], scope) if isinstance(v, FunctionValue)]
        return answers(executors[0], self, self._catalog) if len(executors) == 1 else None

    def _unwrapped(self, inner: ir.Expr, scope: Scope) -> Values:
        """What a wrapper gives back: its argument, or what that function returns (``run(main)``)."""
        values = self.values(inner, scope)
        if isinstance(inner, ir.Call) or not scope.module.is_python:
            return values
        functions = [v for v in values if isinstance(v, FunctionValue) and v.function.is_async]
        return values.union(*(self.returned(f) for f in functions))

    def returned(self, target: FunctionValue) -> Values:
        """What a call of a function of the program can give; awaited if it is async."""
        if target.function.is_generator:
            return NOTHING_KNOWN
        scope = target.scope.module.scope_of(target.function)
        result: set[Value] = set()
        with self._once("return", target.function) as first:
            for value in returns(target.function.body) if first else ():
                result |= self.values(value, scope)
        return frozenset(result)

    # ------------------------------------------------------------------ parameters

    def _param(self, function: ir.Function, index: int, module: LinkedModule) -> Values:
        """Everything that any call in the program passes for a parameter."""
        if index < 0:
            return NOTHING_KNOWN
        with self._once("param", function, index) as first:
            return self._passed(function, index, module) if first else frozenset()

    def passed(self, function: ir.Function, index: int, module: LinkedModule) -> list[tuple[ir.Expr, Scope]]:
        """The expressions that calls in the program pass for a parameter."""
        if index < 0:
            return []
        given = ((self._argument_for(c, function, index), s) for c, s in self.callers(function, module))
        return [(argument_, scope) for argument_, scope in given if argument_ is not None]

    def _passed(self, function: ir.Function, index: int, module: LinkedModule) -> Values:
        result: set[Value] = set()
        called = False
        for call, scope in self.callers(function, module):
            called = True
            argument_ = self._argument_for(call, function, index)
            if argument_ is not None:
                result |= self.values(argument_, scope)
            elif any(isinstance(a, ir.Spread) for a in call.args):
                result.add(UNKNOWN)
        for call, scope in self.index.iterations(function):
            called = True
            result |= self._given(call, index, scope)
            if index == 0 and isinstance(call.callee, ir.Member):
                promised = call.callee.name == "then"
                owner = call.callee.object
                result |= self.values(owner, scope) if promised else self._elements(owner, scope)
        return frozenset(result) if called else NOTHING_KNOWN

    def _given(self, call: ir.Call, index: int, scope: Scope) -> Values:
        """What the catalog says that a call gives to the function handed to it: ``resolve``."""
        entries = [self._catalog.callback(name) for name in self.outside_names(call.callee, scope)]
        gives = next((e.gives for e in entries if e is not None and e.gives), None)
        if gives is None:
            return frozenset()
        return frozenset({External(gives[index], call)}) if index < len(gives) else NOTHING_KNOWN

    def _argument_for(self, call: ir.Call, function: ir.Function, index: int) -> ir.Expr | None:
        param = function.params[index]
        if not param.keyword_only and index < len(call.args):
            before = call.args[: index + 1]
            return None if any(isinstance(a, ir.Spread) for a in before) else call.args[index]
        if isinstance(param.target, ir.Name):
            for keyword in call.keywords:
                if keyword.name == param.target.id:
                    return keyword.value
        return None

    def callers(self, function: ir.Function, module: LinkedModule) -> list[tuple[ir.Call, Scope]]:
        """The calls anywhere in the loaded modules that can call ``function``."""
        if function.kind == "constructor":
            return self._constructions(function, module)
        name = module.name_of(function)
        if name is None:
            return []
        found = []
        for call, scope in self.index.calls_of(name):
            targets = self.values(call.callee, scope)
            if any(isinstance(t, FunctionValue) and t.function is function for t in targets):
                found.append((call, scope))
        return found

    def _constructions(self, function: ir.Function, module: LinkedModule) -> list[tuple[ir.Call, Scope]]:
        info = next((i for i in module.binder.classes.values() if function in i.cls.methods), None)
        if info is None or info.name is None:
            return []
        found = []
        for call, scope in self.index.calls_of(info.name):
            targets = self.values(call.callee, scope)
            if any(isinstance(t, ClassValue) and t.info is info for t in targets):
                found.append((call, scope))
        return found

    def _set(self, setting: External, name: str) -> Values:
        """A setting with what the program itself sets it to."""
        result: set[Value] = {setting}
        for value, scope in self._puts.into(setting.name.rpartition(".")[0], name):
            result |= self.values(value, scope)
        return frozenset(result)


def _is_falsy(value: Value) -> bool:
    return isinstance(value, Const) and not value.value


def argument(call: ir.Call, at: int | str) -> ir.Expr | None:
    """A positional or keyword argument of a call, if it is given plainly."""
    if isinstance(at, int):
        if at < len(call.args) and not any(isinstance(a, ir.Spread) for a in call.args[: at + 1]):
            return call.args[at]
        return None
    return next((k.value for k in call.keywords if k.name == at), None)


def returns(body: ir.Block) -> Iterable[ir.Expr]:
    """The values of a function's own ``return`` statements."""
    stack: list[ir.Node] = list(reversed(body))
    while stack:
        node = stack.pop()
        match node:
            case ir.Return(value=value):
                if value is not None:
                    yield value
            case ir.FunctionDef() | ir.ClassDef() | ir.Expr():
                continue
            case _:
                stack.extend(reversed(list(ir.children(node))))
