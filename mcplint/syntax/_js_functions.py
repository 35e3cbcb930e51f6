"""Functions, classes and enums of JavaScript and TypeScript."""

from __future__ import annotations

from typing import Literal as OneOf

from tree_sitter import Node as Syntax

from mcplint.records import replace
from mcplint.syntax._js_core import (
    SKIPPED,
    Context,
    block,
    expression,
    has_effects,
    inner,
    on_expression,
    on_statement,
    solid,
)
from mcplint.syntax._js_literals import key_of
from mcplint.syntax.ir import (
    Assign,
    Block,
    Call,
    Class,
    ClassDef,
    ClassExpr,
    Declare,
    Entry,
    Expr,
    ExprStmt,
    Field,
    Function,
    FunctionDef,
    Lambda,
    Literal,
    Member,
    Name,
    Nested,
    Object,
    Opaque,
    Param,
    Return,
    Stmt,
    Super,
    This,
)

Kind = OneOf["function", "method", "getter", "setter", "constructor"]

_NAMES = frozenset(
    {
        "identifier",
        "type_identifier",
        "property_identifier",
        "private_property_identifier",
        "string",
        "number",
        "computed_property_name",
    }
)
_ACCESSORS: dict[str, Kind] = {"get": "getter", "set": "setter"}


# --------------------------------------------------------------------------- functions


class _Head:
    """What stands before a function's body."""

    def __init__(self) -> None:
        self.tokens: set[str] = set()
        self.name: Syntax | None = None
        self.parameters: Syntax | None = None
        self.body: Syntax | None = None
        self.decorators: list[Expr] = []


def _head(ctx: Context, node: Syntax) -> _Head:
    head = _Head()
    for child in node.children:
        kind = child.type
        if kind == "formal_parameters":
            head.parameters = child
        elif kind == "statement_block":
            head.body = child
        elif kind == "decorator":
            head.decorators.append(inner(ctx, child))
        elif kind in _NAMES and head.name is None and head.parameters is None:
            head.name = child
        else:
            head.tokens.add(kind)
    return head


_PLAIN_FUNCTIONS = (
    "function_expression",
    "function_declaration",
    "generator_function",
    "generator_function_declaration",
)


@on_expression(*_PLAIN_FUNCTIONS)
def _function_value(ctx: Context, node: Syntax) -> Expr:
    return Lambda(node.start_byte, node.end_byte, _plain_function(ctx, node))


@on_statement("function_declaration", "generator_function_declaration")
def _function_declaration(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(FunctionDef(node.start_byte, node.end_byte, _plain_function(ctx, node)))


def _plain_function(ctx: Context, node: Syntax) -> Function:
    head = _head(ctx, node)
    name = None if head.name is None else ctx.text(head.name)
    return _function(ctx, node, head, name, "function")


def lower_method(
    ctx: Context, node: Syntax, decorators: tuple[Expr, ...] = ()
) -> tuple[Function, Expr | None]:
    """A method of a class or an object, and the expression that computes its name."""
    head = _head(ctx, node)
    head.decorators[:0] = decorators
    name, computed = (None, None) if head.name is None else key_of(ctx, head.name)
    kind: Kind = "method"
    for token in head.tokens & _ACCESSORS.keys():
        kind = _ACCESSORS[token]
    in_class = node.parent is not None and node.parent.type == "class_body"
    if name == "constructor" and in_class and "static" not in head.tokens:
        kind = "constructor"
    return _function(ctx, node, head, name, kind), computed


def _function(ctx: Context, node: Syntax, head: _Head, name: str | None, kind: Kind) -> Function:
    parameters = _Parameters()
    if head.parameters is not None:
        _read_parameters(ctx, head.parameters, parameters)
    body = _function_body(ctx, head.body, parameters.params)
    if parameters.properties:
        body = _with_properties(body, parameters.properties)
    anchor = head.name or head.parameters
    return Function(
        node.start_byte,
        node.end_byte,
        name,
        tuple(parameters.params),
        body,
        is_async="async" in head.tokens,
        is_generator="*" in head.tokens,
        is_static="static" in head.tokens,
        kind=kind,
        decorators=(*head.decorators, *parameters.decorators),
        name_start=head.name.start_byte if head.name else node.start_byte,
        name_end=anchor.end_byte if anchor else node.end_byte,
    )


@on_expression("arrow_function")
def _arrow(ctx: Context, node: Syntax) -> Expr:
    children = node.children
    parameters = _Parameters()
    is_async = False
    head_end = node.start_byte
    for child in children[:-1]:
        kind = child.type
        if kind == "=>":
            break
        if kind == "async":
            is_async = True
        elif kind == "formal_parameters":
            _read_parameters(ctx, child, parameters)
            head_end = child.end_byte
        elif kind not in SKIPPED and child.is_named:
            parameters.params.append(_param(child, expression(ctx, child)))
            head_end = child.end_byte
    body = _function_body(ctx, children[-1], parameters.params)
    start, end = node.start_byte, node.end_byte
    function = Function(
        start,
        end,
        None,
        tuple(parameters.params),
        body,
        is_async=is_async,
        captures_this=True,
        decorators=tuple(parameters.decorators),
        name_start=start,
        name_end=head_end,
    )
    return Lambda(start, end, function)


def _function_body(ctx: Context, node: Syntax | None, params: list[Param]) -> Block:
    """The body; an arrow function's expression is returned."""
    if node is None:
        return ()
    requires = ctx.requires
    ctx.requires = requires and not any(_binds_require(param) for param in params)
    ctx.functions += 1
    body: Block
    if node.type == "statement_block":
        body = block(ctx, node)
    else:
        value = expression(ctx, node)
        body = (Return(node.start_byte, node.end_byte, value),)
    ctx.functions -= 1
    ctx.requires = requires
    return body


def _binds_require(param: Param) -> bool:
    return isinstance(param.target, Name) and param.target.id == "require"


# --------------------------------------------------------------------------- parameters


class _Parameters:
    def __init__(self) -> None:
        self.params: list[Param] = []
        self.properties: list[Name] = []
        self.decorators: list[Expr] = []


def _read_parameters(ctx: Context, node: Syntax, out: _Parameters) -> None:
    ctx.depth += 1
    for child in node.named_children:
        kind = child.type
        if kind in {"required_parameter", "optional_parameter"}:
            _typed_parameter(ctx, child, out)
        elif kind == "assignment_pattern":
            target = expression(ctx, child.children[0])
            default = expression(ctx, child.children[-1])
            out.params.append(Param(child.start_byte, child.end_byte, target, default))
        elif kind == "rest_pattern":
            out.params.append(_param(child, inner(ctx, child), rest=True))
        elif kind not in SKIPPED:
            out.params.append(_param(child, expression(ctx, child)))
    ctx.depth -= 1


def _param(node: Syntax, target: Expr, rest: bool = False) -> Param:
    return Param(node.start_byte, node.end_byte, target, rest=rest)


_PROPERTY_MODIFIERS = frozenset({"accessibility_modifier", "override_modifier", "readonly"})


def _typed_parameter(ctx: Context, node: Syntax, out: _Parameters) -> None:
    pattern = node.child_by_field_name("pattern")
    if pattern is None or pattern.type == "this":
        return
    rest = pattern.type == "rest_pattern"
    target = inner(ctx, pattern) if rest else expression(ctx, pattern)
    value = node.child_by_field_name("value")
    default = None if value is None else expression(ctx, value)
    out.params.append(Param(node.start_byte, node.end_byte, target, default, rest))
    for child in node.children:
        if child.type in _PROPERTY_MODIFIERS and isinstance(target, Name):
            if target not in out.properties:
                out.properties.append(target)
        elif child.type == "decorator":
            out.decorators.append(inner(ctx, child))


def _with_properties(body: Block, names: list[Name]) -> Block:
    """Assign parameter properties where TypeScript does: after the call of ``super``."""
    head = 0
    for index, statement in enumerate(body):
        if _is_super_call(statement):
            head = index + 1
            break
    return (*body[:head], *(_property(name) for name in names), *body[head:])


def _is_super_call(statement: Stmt) -> bool:
    return (
        isinstance(statement, ExprStmt)
        and isinstance(statement.value, Call)
        and isinstance(statement.value.callee, Super)
    )


def _property(name: Name) -> Stmt:
    start, end = name.start, name.end
    target = Member(start, end, This(start, end), name.id)
    return ExprStmt(start, end, Assign(start, end, target, replace(name)))


# --------------------------------------------------------------------------- classes


class _Members:
    def __init__(self) -> None:
        self.methods: list[Function] = []
        self.fields: list[Field] = []
        self.body: list[Stmt] = []

    def run(self, value: Expr | None) -> None:
        """Evaluate ``value`` when the class is defined."""
        if value is not None:
            self.body.append(ExprStmt(value.start, value.end, value))


CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})


@on_expression(*CLASSES)
def _class_value(ctx: Context, node: Syntax) -> Expr:
    return ClassExpr(node.start_byte, node.end_byte, lower_class(ctx, node))


@on_statement("class_declaration", "abstract_class_declaration")
def _class_declaration(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(ClassDef(node.start_byte, node.end_byte, lower_class(ctx, node)))


def lower_class(ctx: Context, node: Syntax, decorators: tuple[Expr, ...] = ()) -> Class:
    """A class; ``decorators`` are those in front of its ``export``."""
    ctx.depth += 1
    own = list(decorators)
    name: str | None = None
    bases: list[Expr] = []
    members = _Members()
    for child in node.named_children:
        kind = child.type
        if kind == "class_body":
            _read_members(ctx, child, members)
        elif kind == "class_heritage":
            bases = _bases(ctx, child)
        elif kind == "decorator":
            own.append(inner(ctx, child))
        elif kind in _NAMES and name is None:
            name = ctx.text(child)
    ctx.depth -= 1
    return Class(
        node.start_byte,
        node.end_byte,
        name,
        tuple(bases),
        tuple(members.methods),
        tuple(members.fields),
        tuple(own),
        tuple(members.body),
    )


def _bases(ctx: Context, node: Syntax) -> list[Expr]:
    parts = solid(node.children)
    clauses = [part for part in parts if part.type == "extends_clause"]
    values = [value for clause in clauses for value in solid(clause.children)]
    return [expression(ctx, part) for part in (values if clauses else parts)]


def _read_members(ctx: Context, node: Syntax, out: _Members) -> None:
    decorators: list[Expr] = []
    for child in node.named_children:
        kind = child.type
        if kind == "decorator":
            decorators.append(inner(ctx, child))
            continue
        if kind == "method_definition":
            method, computed = lower_method(ctx, child, tuple(decorators))
            out.methods.append(method)
            if computed is not None and has_effects(computed):
                out.run(computed)
            decorators = []
        elif kind in {"field_definition", "public_field_definition"}:
            for decorator in decorators:
                out.run(decorator)
            _read_field(ctx, child, out)
            decorators = []
        elif kind == "class_static_block":
            _read_static_block(ctx, child, out)
        elif kind not in SKIPPED:
            out.run(expression(ctx, child))
    for decorator in decorators:
        out.run(decorator)


def _read_static_block(ctx: Context, node: Syntax, out: _Members) -> None:
    body = node.child_by_field_name("body")
    ctx.functions += 1
    out.body.append(Nested(node.start_byte, node.end_byte, block(ctx, body)))
    ctx.functions -= 1


def _read_field(ctx: Context, node: Syntax, out: _Members) -> None:
    name: Syntax | None = None
    tokens: set[str] = set()
    for child in node.children:
        if child.type == "decorator":
            out.run(inner(ctx, child))
        elif name is None and child.type in _NAMES:
            name = child
        else:
            tokens.add(child.type)
    if name is None or tokens & {"declare", "abstract"}:
        return
    key, computed = key_of(ctx, name)
    value = node.child_by_field_name("value")
    ctx.functions += 1
    initial = None if value is None else expression(ctx, value)
    ctx.functions -= 1
    if key is None:
        if computed is not None and has_effects(computed):
            out.run(computed)
        out.run(initial)
    else:
        is_static = "static" in tokens
        out.fields.append(Field(node.start_byte, node.end_byte, key, initial, is_static))


# --------------------------------------------------------------------------- enums


@on_statement("enum_declaration")
def _enum(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is None or body is None:
        return
    entries: list[Entry] = []
    number: int | None = 0
    for child in body.named_children:
        if child.type in SKIPPED:
            continue
        entry, number = _enum_entry(ctx, child, number)
        entries.append(entry)
    value = Object(body.start_byte, body.end_byte, tuple(entries))
    target = Name(name.start_byte, name.end_byte, ctx.text(name))
    out.append(Declare(node.start_byte, node.end_byte, target, value))


def _enum_entry(ctx: Context, node: Syntax, number: int | None) -> tuple[Entry, int | None]:
    """One member, and the number of the next one if that is known."""
    start, end = node.start_byte, node.end_byte
    if node.type != "enum_assignment":
        value: Expr = Opaque(start, end) if number is None else Literal(start, end, number)
        following = None if number is None else number + 1
        return Entry(start, end, key_of(ctx, node)[0], value), following
    value = expression(ctx, node.children[-1])
    given = value.value if isinstance(value, Literal) else None
    following = given + 1 if type(given) is int else None
    return Entry(start, end, key_of(ctx, node.children[0])[0], value), following
