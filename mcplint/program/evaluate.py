"""The values that expressions can have, on demand.

Flow-insensitive: a name stands for everything that it is ever bound to. Nothing is run.
What cannot be followed is ``UNKNOWN``; what is proven to be nothing is an empty set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcplint.program.calls import CallIndex
from mcplint.program.elements import Elements
from mcplint.program.exports import Exports
from mcplint.program.families import Families
from mcplint.program.heard import Heard
from mcplint.program.limits import MAX_DEPTH, MAX_VALUES
from mcplint.program.members import Members
from mcplint.program.passed import Parameters
from mcplint.program.puts import Puts
from mcplint.program.results import Results
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
from mcplint.program.shapes import Shapes
from mcplint.program.truth import Truth
from mcplint.program.values import (
    NOTHING_KNOWN,
    ArrayValue,
    ClassValue,
    Const,
    External,
    FunctionValue,
    Instance,
    ObjectValue,
    Value,
    Values,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.link import LinkedModule, Linker


class Evaluator:
    """Answers what expressions stand for, for all modules of one linker and one language.

    Attributes:
        catalog: what outside names mean.
        index: every call and write, by name.
        puts: what is put into objects and lists after they were made.
        tests: whether conditions hold.
        families: which classes extend which.
        shapes: which classes are a library's, by what they do.
        heard: which functions are listeners of such a library.
        run_once: the functions that run once only, whoever calls them how often.
    """

    def __init__(self, linker: Linker, catalog: Catalog) -> None:
        self.catalog = catalog
        self.run_once: set[ir.Function] = set()
        self._memo: dict[tuple[ir.Expr, Scope], Values] = {}
        self._busy: set[tuple[object, ...]] = set()
        self._depth = 0
        self._cuts = 0
        self._cut_short: dict[tuple[ir.Expr, Scope], tuple[int, Values]] = {}
        self.index = CallIndex(linker, catalog.handing_on)
        self.puts = Puts(self.index, self.values)
        self.tests = Truth(self.values, catalog)
        self.families = Families(self)
        self.shapes = Shapes(self.values, self.bases, catalog)
        self.heard = Heard(self, catalog)
        self._elements = Elements(self)
        self._exports = Exports(self)
        self._members = Members(self)
        self._results = Results(self)
        self._parameters = Parameters(self)

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
        if self._depth >= MAX_DEPTH:
            self._cuts += 1
            return NOTHING_KNOWN
        depth, result = self._cut_short.get(key, (MAX_DEPTH, NOTHING_KNOWN))
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
        if len(result) > MAX_VALUES:
            result = NOTHING_KNOWN
        if cuts == self._cuts:
            self._memo[key] = result
        else:
            self._cut_short[key] = (self._depth, result)
        return result

    def _values(self, expr: ir.Expr, scope: Scope) -> Values:
        match expr:
            case ir.Name(id=name):
                return self.name(name, scope)
            case ir.Member(object=owner, name=name):
                return self._members.of(owner, name, scope)
            case ir.Call():
                return self._results.of(expr, scope)
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
                return self._exports.namespace(scope.module.imported(module))
            case ir.Index(object=owner):
                return self._elements.of(owner, scope)
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
            return frozenset(Instance(info) for info in self.families.made_of(receiver))
        if isinstance(receiver, ir.Object):
            return frozenset({ObjectValue(receiver, scope)})
        return NOTHING_KNOWN

    # ------------------------------------------------------------------ names

    def name(self, name: str, scope: Scope) -> Values:
        """Everything that a name can stand for in ``scope``."""
        found = scope.find(name)
        if found is None and "*" in scope.module.scope.bindings:
            starred = self._exports.python_global(scope.module, name)
            if starred:
                return starred
        if found is None:
            return frozenset({External(self.catalog.globals.get(name, name))})
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
                return self._elements.follow(self.values(value, where), path)
            case BoundFunction(function=function, scope=where):
                return frozenset({FunctionValue(function, where)})
            case BoundClass(info=info):
                return frozenset({ClassValue(info)})
            case BoundImport():
                return self._exports.imported(binding, scope.module)
            case BoundParam(function=function, index=index, path=path):
                return self._elements.follow(self._parameters.of(function, index, scope.module), path)

    @contextmanager
    def once(self, *key: object) -> Iterator[bool]:
        """Whether this is not yet being asked further out: cycles end here."""
        if key in self._busy:
            yield False
            return
        self._busy.add(key)
        try:
            yield True
        finally:
            self._busy.discard(key)

    # ------------------------------------------------------------------ answered by others

    def members(self, owners: Iterable[Value], name: str) -> Values:
        """What ``.name`` of any of ``owners`` can stand for."""
        return self._members.named(owners, name)

    def is_put(self, owner: ObjectValue, name: str) -> bool:
        """Whether code may give an object literal a property after it was made."""
        return self._members.is_put(owner, name)

    def exported(self, module: LinkedModule, name: str) -> Values:
        """What a module exports under ``name``; empty if it exports no such name."""
        return self._exports.exported(module, name)

    def bases(self, info: ClassInfo) -> Values:
        """What a class inherits from, directly."""
        return self.families.bases(info)

    def external_bases(self, info: ClassInfo) -> frozenset[str]:
        """The external classes that a class inherits from, at any distance."""
        return self.families.external_bases(info)

    def elements(self, values: Values) -> Values:
        """What any of ``values`` has inside, by any key."""
        return self._elements.inside(values)

    def elements_of(self, owner: ir.Expr, scope: Scope) -> Values:
        """What is inside of what an expression stands for, by any key."""
        return self._elements.of(owner, scope)

    def is_filled(self, expr: ir.Expr, scope: Scope) -> bool:
        """Whether a list surely has an element."""
        return self._elements.is_filled(expr, scope)

    def goes_round(self, loop: ir.Loop, scope: Scope) -> bool:
        """Whether a loop over a list, or one that counts, surely runs a first round."""
        return self._elements.goes_round(loop, scope)

    def returned(self, target: FunctionValue) -> Values:
        """What a call of a function of the program can give; awaited if it is async."""
        return self._results.returned(target)

    def passed(self, function: ir.Function, index: int, module: LinkedModule) -> list[tuple[ir.Expr, Scope]]:
        """The expressions that calls in the program pass for a parameter."""
        return self._parameters.expressions(function, index, module)

    def callers(self, function: ir.Function, module: LinkedModule) -> list[tuple[ir.Call, Scope]]:
        """The calls anywhere in the loaded modules that can call ``function``."""
        return self._parameters.callers(function, module)


def _is_falsy(value: Value) -> bool:
    return isinstance(value, Const) and not value.value
