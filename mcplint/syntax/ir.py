"""The language-neutral intermediate representation.

A front end lowers one file to a :class:`Module`; everything after the syntax
room sees only these types. The IR keeps what the question needs (who calls
what with which arguments, under which branches, loops and handlers) and drops
the rest: an expression that no other type describes becomes :class:`Opaque`
with its sub-expressions as children, so that no call is ever lost.

``start`` and ``end`` are byte offsets into ``Source.utf8``. Nodes compare and
hash by identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from mcplint.records import node, record

if TYPE_CHECKING:
    from mcplint.files.source import Source

MAX_DEPTH = 200
"""Levels of nesting that a front end lowers; what lies deeper becomes ``Opaque(())``."""

Language = OneOf["javascript", "typescript", "python"]


@node
class Node:
    """Anything with a place in the source."""

    start: int
    end: int


# --------------------------------------------------------------------------- expressions


@node
class Expr(Node):
    """An expression."""


@node
class Name(Expr):
    """A variable, or a global such as ``process``."""

    id: str


@node
class This(Expr):
    """The receiver: ``this``, or a Python method's first parameter."""


@node
class Super(Expr):
    """The parent class's view of the receiver: ``super`` or ``super()``."""


@node
class Literal(Expr):
    """A constant. ``undefined`` and ``null`` are ``None``; bytes are text; a regular expression is Opaque."""

    value: str | int | float | bool | None


@node
class Template(Expr):
    """A template string or f-string: literal text and values in order."""

    parts: tuple[Expr, ...]


@node
class Array(Expr):
    """A list, tuple or set display, or an array destructuring pattern."""

    items: tuple[Expr, ...]


@node
class Entry(Node):
    """``key: value``. ``key`` is None when it is computed; ``**x`` and ``...x`` are a Spread value.

    In a pattern ``value`` is the target and ``default`` what it gets when absent.
    """

    key: str | None
    value: Expr
    default: Expr | None = None


@node
class Object(Expr):
    """An object literal or dict display, or an object destructuring pattern."""

    entries: tuple[Entry, ...]


@node
class Member(Expr):
    """``object.name``, also ``object["name"]`` and ``object?.name``. ``#x`` keeps its hash."""

    object: Expr
    name: str
    optional: bool = False


@node
class Index(Expr):
    """``object[key]`` where the key is not a constant string."""

    object: Expr
    key: Expr


@node
class Keyword(Node):
    """A keyword argument; ``name`` is None for ``**value``."""

    name: str | None
    value: Expr


@node
class Call(Expr):
    """A call or a construction (``is_new``). A tagged template is a call with its Template."""

    callee: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...] = ()
    is_new: bool = False
    optional: bool = False

    @property
    def head_end(self) -> int:
        """The end of the callee: a short place to point at for a long call."""
        return self.callee.end


@node
class ImportExpr(Expr):
    """An import inside an expression: ``import("x")``, ``require("x")``, ``import_module("x")``.

    ``module`` is None when the name is not a constant. Its value is the module's namespace.
    """

    module: str | None
    lazy: bool = True


@node
class Spread(Expr):
    """``...value`` or ``*value`` in a call, array or object; a rest element in a pattern."""

    value: Expr


@node
class Await(Expr):
    """``await value``."""

    value: Expr


@node
class Yield(Expr):
    """``yield``, ``yield from`` and ``yield*``."""

    value: Expr | None


@node
class Assign(Expr):
    """Writes to a name of an enclosing scope, a member or a pattern. Its value is ``value``.

    ``operator`` is ``"="``, or ``"??="``, ``"||="``, ``"+="`` and so on. Python's first
    assignment of a local name is a :class:`Declare`.
    """

    target: Expr
    value: Expr
    operator: str = "="


@node
class Unary(Expr):
    """A prefix or postfix operator; ``!`` and ``not`` are both ``"not"``."""

    operator: str
    operand: Expr


@node
class Binary(Expr):
    """Arithmetic or comparison.

    ``===`` and ``==`` are both ``"=="``, ``!==`` is ``"!="``, ``is`` is ``"=="``,
    ``not in`` is ``"not in"``. A Python chain ``a < b < c`` is a Logical of Binaries.
    """

    operator: str
    left: Expr
    right: Expr


@node
class Logical(Expr):
    """Short-circuit: ``and``/``&&``, ``or``/``||``, ``??`` (``"nullish"``)."""

    operator: OneOf["and", "or", "nullish"]
    left: Expr
    right: Expr


@node
class Conditional(Expr):
    """``test ? then : otherwise``."""

    test: Expr
    then: Expr
    otherwise: Expr


@node
class Group(Expr):
    """Expressions evaluated in order (comma operator); the value is the last one's."""

    items: tuple[Expr, ...]


@node
class Lambda(Expr):
    """A function used as a value."""

    function: Function


@node
class ClassExpr(Expr):
    """A class used as a value."""

    cls: Class


@node
class Opaque(Expr):
    """Anything else; its children are still evaluated, in order."""

    children: tuple[Expr, ...] = ()


# --------------------------------------------------------------------------- definitions


@node
class Param(Node):
    """A parameter. ``target`` is a Name or a pattern; the receiver is not among them."""

    target: Expr
    default: Expr | None = None
    rest: bool = False
    keyword_only: bool = False


@node
class Function(Node):
    """A function, method, lambda or arrow function.

    ``captures_this`` is true where ``this`` is the enclosing function's: JS arrow functions
    and Python functions that are not methods. ``name_start``/``name_end`` span the name,
    or the head (``function``, the parameters) when there is none.
    """

    name: str | None
    params: tuple[Param, ...]
    body: Block
    is_async: bool = False
    is_generator: bool = False
    is_static: bool = False
    captures_this: bool = False
    kind: OneOf["function", "method", "getter", "setter", "constructor"] = "function"
    decorators: tuple[Expr, ...] = ()
    name_start: int = 0
    name_end: int = 0


@node
class Field(Node):
    """A class attribute or property with its initial value."""

    name: str
    value: Expr | None
    is_static: bool = False


@node
class Class(Node):
    """A class. ``body`` holds what else runs when it is defined (static blocks, Python code).

    A Python class attribute is a static Field; its methods include ``__init__`` as the
    method of kind ``"constructor"``. TypeScript parameter properties are assignments at the
    head of the constructor.
    """

    name: str | None
    bases: tuple[Expr, ...]
    methods: tuple[Function, ...]
    fields: tuple[Field, ...] = ()
    decorators: tuple[Expr, ...] = ()
    body: Block = ()


# --------------------------------------------------------------------------- statements


@node
class Stmt(Node):
    """A statement."""


Block = tuple[Stmt, ...]


@node
class ExprStmt(Stmt):
    """An expression evaluated for its effect."""

    value: Expr


@node
class Declare(Stmt):
    """Binds names in the current function's scope (or the module's).

    JS ``const``/``let``/``var``; Python assignment to a local name. Also a TypeScript enum
    (its value is an Object).
    """

    target: Expr
    value: Expr | None


@node
class If(Stmt):
    """``if``; an ``else if`` is an If alone in ``otherwise``."""

    test: Expr
    then: Block
    otherwise: Block = ()


@node
class Loop(Stmt):
    """Any loop.

    ``test`` is None for ``for (;;)`` and for ``each`` loops. ``each`` loops have ``target``
    (a Name or pattern, bound in the current scope) and ``iterable``. ``do`` loops test last.
    """

    kind: OneOf["while", "do", "for", "each"]
    body: Block
    test: Expr | None = None
    target: Expr | None = None
    iterable: Expr | None = None
    init: Block = ()
    update: Expr | None = None
    otherwise: Block = ()
    is_async: bool = False


@node
class Case(Node):
    """One arm of a Switch; ``test`` is None for the default arm."""

    test: Expr | None
    body: Block


@node
class Switch(Stmt):
    """``switch`` (arms fall through unless they break) or ``match`` (they do not)."""

    subject: Expr
    cases: tuple[Case, ...]
    falls_through: bool = True


@node
class Catch(Node):
    """An exception handler. ``types`` is empty when it catches everything."""

    types: tuple[Expr, ...]
    target: Expr | None
    body: Block


@node
class Try(Stmt):
    """``try``; ``otherwise`` is Python's ``else``."""

    body: Block
    catches: tuple[Catch, ...] = ()
    otherwise: Block = ()
    final: Block = ()


@node
class WithItem(Node):
    """One context manager of a With."""

    value: Expr
    target: Expr | None


@node
class With(Stmt):
    """``with`` and ``async with``."""

    items: tuple[WithItem, ...]
    body: Block
    is_async: bool = False


@node
class Return(Stmt):
    """``return``."""

    value: Expr | None


@node
class Throw(Stmt):
    """``throw`` or ``raise``; ``value`` is None for a bare ``raise``."""

    value: Expr | None


@node
class Break(Stmt):
    """``break``, with its label if it has one."""

    label: str | None = None


@node
class Continue(Stmt):
    """``continue``, with its label if it has one."""

    label: str | None = None


@node
class Nested(Stmt):
    """A bare block ``{ … }`` or a labelled statement."""

    body: Block
    label: str | None = None


@node
class FunctionDef(Stmt):
    """A function declaration: binds ``function.name`` in the current scope."""

    function: Function


@node
class ClassDef(Stmt):
    """A class declaration: binds ``cls.name`` in the current scope."""

    cls: Class


@node
class ImportName(Node):
    """One imported name.

    ``imported`` is the exported name, ``"default"`` for a default import, ``"*"`` for a
    Python star import, and None when ``local`` is bound to the module's namespace.
    """

    imported: str | None
    local: str


@node
class Import(Stmt):
    """A static import.

    ``level`` counts a Python relative import's dots. ``import "x"`` has no names.
    Python's ``import a.b`` is two statements: Import("a.b") without names, then
    Import("a") that binds ``a``. Type-only imports are dropped by the front end.
    """

    module: str
    names: tuple[ImportName, ...] = ()
    level: int = 0


@node
class ExportNames(Stmt):
    """``export { local as exported }``, with ``module`` for a re-export.

    Pairs are (local, exported). ``export * from "m"`` is (``"*"``, ``"*"``),
    ``export * as ns from "m"`` is (``"*"``, ``"ns"``). An exported declaration is the
    declaration followed by an ExportNames.
    """

    names: tuple[tuple[str, str], ...]
    module: str | None = None


@node
class ExportValue(Stmt):
    """``export default value``, ``exports.name = value``.

    ``name`` is ``"="`` for ``module.exports = value``.
    """

    name: str
    value: Expr


@record
class Problem:
    """Something that a front end could not read; the rest of the file was."""

    offset: int
    message: str


@node
class Module:
    """One lowered file."""

    source: Source
    language: Language
    body: Block
    problems: tuple[Problem, ...] = ()


# --------------------------------------------------------------------------- traversal

_SCALARS = frozenset({"str", "int", "float", "bool", "None"})
_CHILD_FIELDS: dict[type, tuple[str, ...]] = {}


def children(node: Node) -> Iterator[Node]:
    """The nodes directly inside ``node``, in source order as far as fields are."""
    return iter(_children(node))


def walk(*roots: Node) -> Iterator[Node]:
    """Every node at or below ``roots``, parents first, without recursion."""
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(_children(node)))


def _children(node: Node) -> list[Node]:
    kind = type(node)
    names = _CHILD_FIELDS.get(kind)
    if names is None:
        names = _CHILD_FIELDS[kind] = tuple(_child_fields(kind))
    found: list[Node] = []
    for name in names:
        value = getattr(node, name)
        if type(value) is tuple:
            found.extend([item for item in value if isinstance(item, Node)])
        elif isinstance(value, Node):
            found.append(value)
    return found


def _child_fields(kind: type) -> Iterator[str]:
    """The fields that can hold nodes; all others are constants by their annotation."""
    for base in reversed(kind.__mro__):
        for name, annotation in getattr(base, "__annotations__", {}).items():
            constant = annotation.startswith("OneOf[") or _SCALARS.issuperset(annotation.split(" | "))
            if not constant:
                yield name
