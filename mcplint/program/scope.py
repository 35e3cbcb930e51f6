"""Which names a piece of code binds, and to what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule


@dataclass(frozen=True, slots=True)
class Bound:
    """A name bound to (part of) an expression's value.

    ``path`` leads from the value to the part: a property name, or None for any element.
    ``is_default`` marks what a pattern gives where nothing is there.
    """

    value: ir.Expr
    scope: Scope
    path: tuple[str | None, ...] = ()
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class BoundFunction:
    """A name bound by a function declaration."""

    function: ir.Function
    scope: Scope


@dataclass(frozen=True, slots=True)
class BoundClass:
    """A name bound by a class declaration."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class BoundImport:
    """A name bound by an import; ``imported`` is None for the namespace."""

    module: str
    level: int
    imported: str | None


@dataclass(frozen=True, slots=True)
class BoundParam:
    """A name bound by a parameter, or by part of one."""

    function: ir.Function
    index: int
    path: tuple[str | None, ...] = ()


Binding = Bound | BoundFunction | BoundClass | BoundImport | BoundParam


@dataclass(eq=False)
class ClassInfo:
    """A class with its members as the whole file assigns them."""

    cls: ir.Class
    scope: Scope
    methods: dict[str, ir.Function] = field(default_factory=dict)
    fields: dict[str, list[tuple[ir.Expr, Scope]]] = field(default_factory=dict)

    alias: str | None = None

    @property
    def name(self) -> str | None:
        """The class's own name, or that of the variable that holds it."""
        return self.cls.name or self.alias

    @property
    def constructor(self) -> ir.Function | None:
        """Its constructor, if it has one of its own."""
        return next((m for m in self.cls.methods if m.kind == "constructor"), None)


@dataclass(eq=False)
class Scope:
    """The names of one function or module.

    Blocks are not scopes of their own: a name of two blocks stands for both its values.
    """

    module: LinkedModule
    parent: Scope | None = None
    function: ir.Function | None = None
    receiver: ClassInfo | ir.Object | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)

    def find(self, name: str) -> tuple[Binding, ...] | None:
        """The bindings of ``name`` in the nearest scope that has any."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.bindings.get(name)
            if found is not None:
                return tuple(found)
            scope = scope.parent
        return None

    def this(self) -> ClassInfo | ir.Object | None:
        """The class or object literal that ``this`` is an instance of."""
        scope: Scope | None = self
        while scope is not None:
            if scope.receiver is not None:
                return scope.receiver
            if scope.function is None or not scope.function.captures_this:
                return None
            scope = scope.parent
        return None

    def bind(self, name: str, binding: Binding) -> None:
        """Add a binding here."""
        self.bindings.setdefault(name, []).append(binding)


Stack = list[tuple[ir.Node, Scope]]


class Binder:
    """Fills the scopes of one module."""

    def __init__(self, module: LinkedModule) -> None:
        self.module = module
        self.scopes: dict[ir.Function, Scope] = {}
        self.classes: dict[ir.Class, ClassInfo] = {}
        self.names: dict[ir.Function, str] = {}
        self._class_names: dict[ir.Class, str] = {}
        self.calls: list[tuple[ir.Call, Scope]] = []
        self.exports: list[tuple[ir.ExportNames | ir.ExportValue, Scope]] = []
        self.writes: list[tuple[ir.Assign, Scope]] = []
        self.reads: list[tuple[ir.Member, Scope]] = []
        self.imports: list[ir.Import] = []
        self.requests: list[tuple[str, int]] = []

    def bind_module(self, body: ir.Block) -> Scope:
        """Bind a whole module and return its scope."""
        scope = Scope(self.module)
        self._visit(list(body), scope)
        return scope

    def _visit(self, roots: list[ir.Node], scope: Scope) -> None:
        stack: list[tuple[ir.Node, Scope]] = [(node, scope) for node in reversed(roots)]
        while stack:
            node, where = stack.pop()
            bind = _BINDERS.get(type(node))
            if bind is None or bind(self, node, where, stack):
                stack.extend([(c, where) for c in ir.children(node) if type(c) not in _LEAVES][::-1])

    # Each of these binds what one kind of node binds and says whether its children are still
    # to be visited in the same scope.

    def _call(self, node: ir.Call, scope: Scope, stack: Stack) -> bool:
        self.calls.append((node, scope))
        return True

    def _member(self, node: ir.Member, scope: Scope, stack: Stack) -> bool:
        self.reads.append((node, scope))
        return True

    def _import_expr(self, node: ir.ImportExpr, scope: Scope, stack: Stack) -> bool:
        if node.module is not None:
            self.requests.append((node.module, 0))
        return False

    def _function_def(self, node: ir.FunctionDef, scope: Scope, stack: Stack) -> bool:
        if node.function.name:
            scope.bind(node.function.name, BoundFunction(node.function, scope))
        self._function(node.function, scope, None, stack)
        return False

    def _lambda(self, node: ir.Lambda, scope: Scope, stack: Stack) -> bool:
        function = node.function
        self._function(function, scope, None, stack)
        if function.name:  # a function expression knows its own name
            self.scopes[function].bindings.setdefault(function.name, [BoundFunction(function, scope)])
        return False

    def _class_def(self, node: ir.ClassDef | ir.ClassExpr, scope: Scope, stack: Stack) -> bool:
        self._class(node, node.cls, scope, stack)
        return False

    def _declare(self, node: ir.Declare, scope: Scope, stack: Stack) -> bool:
        if node.value is None:
            for name, _, _ in _targets(node.target):
                scope.bind(name, Bound(_NOTHING, scope))
        else:
            self._name_function(node.target, node.value)
            self._pattern(node.target, node.value, scope, scope)
        return True

    def _loop(self, node: ir.Loop, scope: Scope, stack: Stack) -> bool:
        if node.target is not None and node.iterable is not None:
            self._pattern(node.target, node.iterable, scope, scope, (None,))
        return True

    def _with_item(self, node: ir.WithItem, scope: Scope, stack: Stack) -> bool:
        if node.target is not None:
            self._pattern(node.target, node.value, scope, scope)
        return True

    def _catch(self, node: ir.Catch, scope: Scope, stack: Stack) -> bool:
        if node.target is not None:
            self._declare_only(node.target, scope)
        return True

    def _import(self, node: ir.Import, scope: Scope, stack: Stack) -> bool:
        self.imports.append(node)
        self.requests.append((node.module, node.level))
        for item in node.names:
            scope.bind(item.local, BoundImport(node.module, node.level, item.imported))
        return False

    def _export_names(self, node: ir.ExportNames, scope: Scope, stack: Stack) -> bool:
        self.exports.append((node, scope))
        if node.module is not None:
            self.requests.append((node.module, 0))
        return False

    def _export_value(self, node: ir.ExportValue, scope: Scope, stack: Stack) -> bool:
        self.exports.append((node, scope))
        self._name_function(ir.Name(0, 0, node.name), node.value)
        return True

    def _function(
        self,
        function: ir.Function,
        scope: Scope,
        receiver: ClassInfo | ir.Object | None,
        stack: Stack,
    ) -> None:
        inner = Scope(self.module, scope, function, receiver)
        self.scopes[function] = inner
        if function.name:
            self.names.setdefault(function, function.name)
        for index, param in enumerate(function.params):
            self._param(param, function, index, inner)
        stack.extend((s, inner) for s in reversed(function.body))
        stack.extend((p, inner) for p in function.params)
        stack.extend((d, scope) for d in function.decorators)

    def _param(self, param: ir.Param, function: ir.Function, index: int, inner: Scope) -> None:
        where = -1 if param.rest else index
        for name, path, default in _targets(param.target):
            inner.bind(name, BoundParam(function, where, path))
            if default is not None:
                inner.bind(name, Bound(default, inner, (), True))
        if param.default is not None:
            for name, path, _ in _targets(param.target):
                inner.bind(name, Bound(param.default, inner, path))

    def _class(self, node: ir.Node, cls: ir.Class, scope: Scope, stack: Stack) -> None:
        info = ClassInfo(cls, scope, alias=self._class_names.get(cls))
        self.classes[cls] = info
        inside = scope
        if cls.name:
            if isinstance(node, ir.ClassExpr):  # only what is inside of it knows its name
                inside = Scope(self.module, scope)
            inside.bind(cls.name, BoundClass(info))
        for method in cls.methods:
            if method.name and method.kind not in ("constructor", "setter"):
                info.methods.setdefault(method.name, method)
            self._function(method, inside, info, stack)
        field_scope = Scope(self.module, inside, None, info)
        for item in cls.fields:
            if item.value is not None:
                self._name_function(ir.Name(0, 0, item.name), item.value)
                info.fields.setdefault(item.name, []).append((item.value, field_scope))
                stack.append((item.value, field_scope))
        stack.extend((s, scope) for s in reversed(cls.body))
        stack.extend((b, scope) for b in (*cls.bases, *cls.decorators))

    def _object(self, node: ir.Object, scope: Scope, stack: Stack) -> bool:
        for entry in node.entries:
            value = entry.value
            if entry.key:
                self._name_function(ir.Name(0, 0, entry.key), value)
            if isinstance(value, ir.Lambda) and not value.function.captures_this:
                self._function(value.function, scope, node, stack)
            else:
                stack.append((value, scope))
            if entry.default is not None:
                stack.append((entry.default, scope))
        return False

    def _assign(self, node: ir.Assign, scope: Scope, stack: Stack) -> bool:
        target = node.target
        value = node.value if node.operator in KEEPING else SOMETHING
        self.writes.append((node, scope))
        self._name_function(target, value)
        if isinstance(target, ir.Member):
            scope.assigned.add(target.name)
            receiver = scope.this() if isinstance(target.object, ir.This) else None
            if isinstance(receiver, ClassInfo):
                receiver.fields.setdefault(target.name, []).append((value, scope))
            return True
        for name, path, _ in _targets(target):
            scope.assigned.add(name)
            home = _home(scope, name)
            home.bind(name, Bound(value, scope, path))
        return True

    def _pattern(
        self,
        target: ir.Expr,
        value: ir.Expr,
        value_scope: Scope,
        scope: Scope,
        prefix: tuple[str | None, ...] = (),
    ) -> None:
        for name, path, default in _targets(target):
            scope.assigned.add(name)
            scope.bind(name, Bound(value, value_scope, prefix + path))
            if default is not None:
                scope.bind(name, Bound(default, value_scope, (), True))
        for member in _member_targets(target):
            receiver = scope.this() if isinstance(member.object, ir.This) else None
            if isinstance(receiver, ClassInfo):
                receiver.fields.setdefault(member.name, []).append((value, value_scope))

    def _declare_only(self, target: ir.Expr, scope: Scope) -> None:
        for name, _, _ in _targets(target):
            scope.bindings.setdefault(name, [])

    def _name_function(self, target: ir.Expr, value: ir.Expr) -> None:
        name = target.id if isinstance(target, ir.Name) else getattr(target, "name", None)
        if name is None:
            return
        if isinstance(value, ir.Lambda):
            self.names.setdefault(value.function, name)
        elif isinstance(value, ir.ClassExpr):
            self._class_names.setdefault(value.cls, name)


_NOTHING = ir.Literal(0, 0, None)
SOMETHING = ir.Opaque(0, 0)
KEEPING = frozenset({"=", "??=", "||=", "&&="})
_LEAVES = frozenset({ir.Name, ir.Literal, ir.This, ir.Super, ir.ImportName, ir.Break, ir.Continue})
_BINDERS: dict[type, Callable[[Binder, Any, Scope, Stack], bool]] = {
    ir.Call: Binder._call,
    ir.Member: Binder._member,
    ir.ImportExpr: Binder._import_expr,
    ir.FunctionDef: Binder._function_def,
    ir.Lambda: Binder._lambda,
    ir.ClassDef: Binder._class_def,
    ir.ClassExpr: Binder._class_def,
    ir.Object: Binder._object,
    ir.Declare: Binder._declare,
    ir.Assign: Binder._assign,
    ir.Loop: Binder._loop,
    ir.WithItem: Binder._with_item,
    ir.Catch: Binder._catch,
    ir.Import: Binder._import,
    ir.ExportNames: Binder._export_names,
    ir.ExportValue: Binder._export_value,
}


def _home(scope: Scope, name: str) -> Scope:
    """The scope whose ``name`` an assignment in ``scope`` writes to."""
    where: Scope | None = scope
    last = scope
    while where is not None:
        if name in where.bindings:
            return where
        last = where
        where = where.parent
    return last


def _targets(
    target: ir.Expr, path: tuple[str | None, ...] = ()
) -> Iterator[tuple[str, tuple[str | None, ...], ir.Expr | None]]:
    """The names that a pattern binds, how each is reached, and its default."""
    match target:
        case ir.Name(id=name):
            yield name, path, None
        case ir.Array(items=items):
            for item in items:
                yield from _targets(item, (*path, None))
        case ir.Spread(value=value):
            yield from _targets(value, path)
        case ir.Object(entries=entries):
            for entry in entries:
                step = () if isinstance(entry.value, ir.Spread) else (entry.key,)
                for name, inner, default in _targets(entry.value, (*path, *step)):
                    yield name, inner, default or entry.default
        case ir.Assign(target=inner_target, value=value):
            for name, inner, default in _targets(inner_target, path):
                yield name, inner, default or value
        case _:
            return


def _member_targets(target: ir.Expr) -> Iterator[ir.Member]:
    if isinstance(target, ir.Member):
        yield target
    elif isinstance(target, ir.Array):
        for item in target.items:
            yield from _member_targets(item)
