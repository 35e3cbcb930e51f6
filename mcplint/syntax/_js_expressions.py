"""Expressions and patterns of JavaScript and TypeScript."""

from __future__ import annotations

from typing import Literal as OneOf

from tree_sitter import Node as Syntax

from mcplint.syntax._js_core import (
    SKIPPED,
    Context,
    expression,
    expressions,
    field_of,
    has_effects,
    inner,
    on_expression,
    optional_inner,
    solid,
    unknown,
)
from mcplint.syntax._js_functions import lower_method
from mcplint.syntax._js_literals import key_of, lower_name, lower_template
from mcplint.syntax.ir import (
    MAX_DEPTH,
    Array,
    Assign,
    Await,
    Binary,
    Call,
    Conditional,
    Entry,
    Expr,
    Group,
    ImportExpr,
    Index,
    Lambda,
    Literal,
    Logical,
    Member,
    Name,
    Object,
    Opaque,
    Spread,
    Unary,
    Yield,
)

# --------------------------------------------------------------------------- chains

_LINKS = frozenset(
    {
        "member_expression",
        "call_expression",
        "subscript_expression",
        "non_null_expression",
    }
)
_REQUIRES = frozenset({"require", "__require"})
_INTEROP = frozenset(
    {
        "__importDefault",
        "__importStar",
        "__toESM",
        "__toCommonJS",
        "_interopRequireDefault",
        "_interopRequireWildcard",
        "_interop_require_default",
        "_interop_require_wildcard",
        "_interopDefault",
        "_interopDefaultLegacy",
        "_interopDefaultCompat",
        "_interopNamespace",
        "_interopNamespaceCompat",
        "_interopNamespaceDefault",
    }
)
"""Helpers of compilers and bundlers that make a CommonJS module look like an ES module."""


@on_expression(*_LINKS)
def _chain(ctx: Context, node: Syntax) -> Expr:
    """``a.b().c[d]`` without recursion along the chain."""
    links: list[tuple[str, Syntax, list[Syntax]]] = []
    kind = node.type
    while kind in _LINKS and (children := node.children):
        links.append((kind, node, children))
        node = children[0]
        kind = node.type
    value = expression(ctx, node)
    while links:
        kind, node, children = links.pop()
        if kind == "member_expression":
            name = ctx.text(children[-1])
            optional = children[1].type != "." and _is_optional(children)
            value = Member(node.start_byte, node.end_byte, value, name, optional)
        elif kind == "call_expression":
            value = _call(ctx, node, value, _arguments(ctx, children[-1]), children)
        elif kind == "subscript_expression":
            value = _subscript(ctx, node, value, children)
    return value


def _is_optional(children: list[Syntax]) -> bool:
    return any(child.type in {"optional_chain", "?."} for child in children[1:-1])


def _arguments(ctx: Context, node: Syntax) -> list[Expr]:
    kind = node.type
    if kind == "arguments":
        return expressions(ctx, node.named_children)
    if kind == "template_string":
        return [lower_template(ctx, node)]
    return expressions(ctx, (node,))


def _call(ctx: Context, node: Syntax, callee: Expr, args: list[Expr], children: list[Syntax]) -> Expr:
    if type(callee) is Group and all(isinstance(item, Literal) for item in callee.items[:-1]):
        callee = callee.items[-1]
    start, end = node.start_byte, node.end_byte
    name = _name_of(callee)
    if name is not None:
        if name in _INTEROP and args:
            return args[0]
        if name == "import" and type(callee) is Name:
            return _imported(start, end, args, lazy=True)
        if name in _REQUIRES and type(callee) is Name and ctx.requires and len(args) == 1:
            return _imported(start, end, args, lazy=False)
    optional = len(children) > 2 and _is_optional(children)
    return Call(start, end, callee, tuple(args), optional=optional)


def _name_of(callee: Expr) -> str | None:
    if isinstance(callee, Name):
        return callee.id
    return callee.name if isinstance(callee, Member) else None


def _imported(start: int, end: int, args: list[Expr], lazy: bool) -> Expr:
    if args and isinstance(args[0], Literal) and isinstance(args[0].value, str):
        return ImportExpr(start, end, args[0].value, lazy)
    value = ImportExpr(start, end, None, lazy)
    return Opaque(start, end, (*args, value)) if has_effects(*args) else value


def _subscript(ctx: Context, node: Syntax, owner: Expr, children: list[Syntax]) -> Expr:
    start, end = node.start_byte, node.end_byte
    keys = expressions(ctx, children[1:])
    if len(keys) != 1:
        return Opaque(start, end, (owner, *keys))
    if isinstance(key := keys[0], Literal) and isinstance(key.value, str):
        return Member(start, end, owner, key.value, _is_optional(children))
    return Index(start, end, owner, key)


@on_expression("new_expression")
def _new(ctx: Context, node: Syntax) -> Expr:
    parts = solid(node.children)
    args: list[Expr] = []
    if len(parts) > 1 and parts[-1].type == "arguments":
        args = expressions(ctx, parts.pop().named_children)
    if len(parts) != 1:
        return unknown(ctx, node)
    callee = expression(ctx, parts[0])
    return Call(node.start_byte, node.end_byte, callee, tuple(args), is_new=True)


# --------------------------------------------------------------------------- wrappers

_BRACKETS = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})


@on_expression(*_BRACKETS, "instantiation_expression")
def _wrapped(ctx: Context, node: Syntax) -> Expr:
    """Brackets and TypeScript's type operators around a value."""
    while node.type in _BRACKETS or node.type == "instantiation_expression":
        parts = solid(node.children)
        if not parts:
            return Opaque(node.start_byte, node.end_byte)
        if node.type == "parenthesized_expression" and len(parts) > 1:
            return unknown(ctx, node)
        node = parts[0]
    return expression(ctx, node)


@on_expression("type_assertion")
def _type_assertion(ctx: Context, node: Syntax) -> Expr:
    return expression(ctx, node.children[-1])


@on_expression("await_expression")
def _await(ctx: Context, node: Syntax) -> Expr:
    return Await(node.start_byte, node.end_byte, inner(ctx, node))


@on_expression("yield_expression")
def _yield(ctx: Context, node: Syntax) -> Expr:
    return Yield(node.start_byte, node.end_byte, optional_inner(ctx, node))


@on_expression("spread_element", "rest_pattern")
def _spread(ctx: Context, node: Syntax) -> Expr:
    return Spread(node.start_byte, node.end_byte, inner(ctx, node))


@on_expression("decorator")
def _decorator(ctx: Context, node: Syntax) -> Expr:
    return inner(ctx, node)


@on_expression("sequence_expression")
def _sequence(ctx: Context, node: Syntax) -> Expr:
    parts = solid(node.children)
    while parts and parts[-1].type == "sequence_expression":
        parts.extend(solid(parts.pop().children))
    return Group(node.start_byte, node.end_byte, tuple(expressions(ctx, parts)))


# --------------------------------------------------------------------------- operators

_LOGICAL: dict[str, OneOf["and", "or", "nullish"]] = {
    "&&": "and",
    "||": "or",
    "??": "nullish",
}
_COMPARISONS = {"===": "==", "!==": "!="}
_ASSOCIATIVE = frozenset({"+", "*", "&", "|", "^", *_LOGICAL})
_LONG_RUN = 32


@on_expression("binary_expression")
def _binary(ctx: Context, node: Syntax) -> Expr:
    """A chain of binary operators, without recursion along its left side."""
    steps: list[tuple[str, Syntax]] = []
    while node.type == "binary_expression":
        children = node.children
        steps.append((_operator(children), children[-1]))
        node = children[0]
    steps.reverse()
    operands = expressions(ctx, (node, *(right for _, right in steps)))
    if len(operands) != len(steps) + 1:
        return Opaque(node.start_byte, steps[-1][1].end_byte, tuple(operands))
    runs = _runs([operator for operator, _ in steps])
    if len(runs) > MAX_DEPTH:
        return Opaque(operands[0].start, operands[-1].end, tuple(operands))
    value, position = operands[0], 1
    for operator, length in runs:
        value = _combine(operator, [value, *operands[position : position + length]])
        position += length
    return value


def _operator(children: list[Syntax]) -> str:
    for child in children[1:-1]:
        if not child.is_named:
            return child.type
    return ""


def _runs(operators: list[str]) -> list[tuple[str, int]]:
    runs: list[tuple[str, int]] = []
    for operator in operators:
        if runs and runs[-1][0] == operator:
            runs[-1] = (operator, runs[-1][1] + 1)
        else:
            runs.append((operator, 1))
    return runs


def _combine(operator: str, operands: list[Expr]) -> Expr:
    """``a + b + c``; a very long run becomes a balanced tree, so that no reader has to go deep."""
    if len(operands) <= _LONG_RUN:
        value = operands[0]
        for operand in operands[1:]:
            value = _join(operator, value, operand)
        return value
    if operator not in _ASSOCIATIVE:
        return Opaque(operands[0].start, operands[-1].end, tuple(operands))
    middle = len(operands) // 2
    left, right = operands[:middle], operands[middle:]
    return _join(operator, _combine(operator, left), _combine(operator, right))


def _join(operator: str, left: Expr, right: Expr) -> Expr:
    if logical := _LOGICAL.get(operator):
        return Logical(left.start, right.end, logical, left, right)
    return Binary(left.start, right.end, _COMPARISONS.get(operator, operator), left, right)


@on_expression("unary_expression")
def _unary(ctx: Context, node: Syntax) -> Expr:
    children = node.children
    operator = children[0].type
    operand = expression(ctx, children[-1])
    if operator == "void" and isinstance(operand, Literal):
        return Literal(node.start_byte, node.end_byte, None)
    if operator == "!":
        operator = "not"
    return Unary(node.start_byte, node.end_byte, operator, operand)


@on_expression("update_expression")
def _update(ctx: Context, node: Syntax) -> Expr:
    target = field_of(ctx, node, "argument")
    start, end = node.start_byte, node.end_byte
    sign = "+" if any(child.type == "++" for child in node.children) else "-"
    value: Expr = Literal(start, end, 1)
    if not has_effects(target):
        value = Binary(start, end, sign, target, value)
    return Assign(start, end, target, value, sign + "=")


@on_expression("assignment_expression")
def _assignment(ctx: Context, node: Syntax) -> Expr:
    """``a = b = c``, without recursion along its right side."""
    nodes: list[tuple[Syntax, Syntax]] = []
    while node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is None or right is None:
            break
        nodes.append((node, left))
        node = right
    if not nodes:
        return unknown(ctx, node)
    targets = expressions(ctx, (left for _, left in nodes))
    value = expression(ctx, node)
    for (whole, _), target in zip(reversed(nodes), reversed(targets), strict=False):
        value = Assign(whole.start_byte, whole.end_byte, target, value)
    return value


@on_expression("augmented_assignment_expression")
def _augmented_assignment(ctx: Context, node: Syntax) -> Expr:
    children = node.children
    target = expression(ctx, children[0])
    value = expression(ctx, children[-1])
    return Assign(node.start_byte, node.end_byte, target, value, _operator(children))


@on_expression("ternary_expression")
def _ternary(ctx: Context, node: Syntax) -> Expr:
    """``a ? b : c ? d : e``, without recursion along its right side."""
    branches: list[tuple[int, int, Expr, Expr]] = []
    while node.type == "ternary_expression":
        parts = solid(node.children)
        if len(parts) != 3:
            break
        test, then = expressions(ctx, parts[:2])
        branches.append((node.start_byte, node.end_byte, test, then))
        node = parts[2]
    if node.type == "ternary_expression":
        value = unknown(ctx, node)
    else:
        value = expression(ctx, node)
    for start, end, test, then in reversed(branches):
        value = Conditional(start, end, test, then, value)
    return value


# --------------------------------------------------------------------------- displays


@on_expression("array")
def _array(ctx: Context, node: Syntax) -> Expr:
    return Array(node.start_byte, node.end_byte, tuple(_items(ctx, node, pattern=False)))


@on_expression("array_pattern")
def _array_pattern(ctx: Context, node: Syntax) -> Expr:
    return Array(node.start_byte, node.end_byte, tuple(_items(ctx, node, pattern=True)))


def _items(ctx: Context, node: Syntax, pattern: bool) -> list[Expr]:
    """The items with something in the place of each hole, so that positions are right."""
    named = node.named_children
    commas = node.child_count - len(named) - 2
    if not pattern and commas < max(1, len(named)):
        return expressions(ctx, named)
    result: list[Expr] = []
    empty = True
    for child in node.children[1:]:
        if child.type == ",":
            if empty:
                at = child.start_byte
                result.append(Opaque(at, at) if pattern else Literal(at, at, None))
            empty = True
        elif child.is_named and child.type not in SKIPPED:
            result.append(expression(ctx, child))
            empty = False
    return result


@on_expression("assignment_pattern")
def _assignment_pattern(ctx: Context, node: Syntax) -> Expr:
    """An array pattern's item with a default; elsewhere the default has its own place."""
    target, default = field_of(ctx, node, "left"), field_of(ctx, node, "right")
    return Assign(node.start_byte, node.end_byte, target, default)


@on_expression("object", "object_pattern")
def _object(ctx: Context, node: Syntax) -> Expr:
    entries: list[Entry] = []
    for child in node.named_children:
        kind = child.type
        if kind == "pair":
            entries.append(_pair(ctx, child))
        elif kind == "method_definition":
            entries.append(_method(ctx, child))
        elif kind in _SHORTHANDS:
            value = lower_name(ctx, child)
            entries.append(Entry(child.start_byte, child.end_byte, ctx.text(child), value))
        elif kind == "pair_pattern":
            entries.append(_pair_pattern(ctx, child))
        elif kind == "object_assignment_pattern":
            entries.append(_default_pattern(ctx, child))
        elif kind not in SKIPPED:
            value = expression(ctx, child)
            entries.append(Entry(child.start_byte, child.end_byte, None, value))
    return Object(node.start_byte, node.end_byte, tuple(entries))


_SHORTHANDS = frozenset({"shorthand_property_identifier", "shorthand_property_identifier_pattern"})


def _keyed(node: Syntax, key: str | None, computed: Expr | None, value: Expr) -> Entry:
    """An entry that also evaluates what computes its key."""
    if computed is not None and has_effects(computed):
        value = Group(computed.start, value.end, (computed, value))
    return Entry(node.start_byte, node.end_byte, key, value)


def _pair(ctx: Context, node: Syntax) -> Entry:
    children = node.children
    key, computed = key_of(ctx, children[0])
    return _keyed(node, key, computed, expression(ctx, children[-1]))


def _method(ctx: Context, node: Syntax) -> Entry:
    function, computed = lower_method(ctx, node)
    value = Lambda(node.start_byte, node.end_byte, function)
    return _keyed(node, function.name, computed, value)


def _pair_pattern(ctx: Context, node: Syntax) -> Entry:
    children = node.children
    key, _ = key_of(ctx, children[0])
    target, default = target_and_default(ctx, children[-1])
    return Entry(node.start_byte, node.end_byte, key, target, default)


def _default_pattern(ctx: Context, node: Syntax) -> Entry:
    left, right = node.children[0], node.children[-1]
    target, default = expression(ctx, left), expression(ctx, right)
    return Entry(node.start_byte, node.end_byte, ctx.text(left), target, default)


def target_and_default(ctx: Context, node: Syntax) -> tuple[Expr, Expr | None]:
    """A pattern's target, and its default if it has one."""
    if node.type != "assignment_pattern":
        return expression(ctx, node), None
    return field_of(ctx, node, "left"), field_of(ctx, node, "right")


# --------------------------------------------------------------------------- JSX


@on_expression("jsx_element", "jsx_self_closing_element", "jsx_fragment", "jsx_expression")
def _jsx(ctx: Context, node: Syntax) -> Expr:
    """An element: what its attributes and children compute, however deep elements nest."""
    values: list[Syntax] = []
    stack = [node]
    while stack:
        child = stack.pop()
        kind = child.type
        if kind in {"jsx_opening_element", "jsx_self_closing_element"}:
            parts = child.named_children
            stack.extend(part for part in reversed(parts) if part.type in _JSX_VALUES)
        elif kind in SKIPPED or kind in _JSX_TEXT:
            continue
        elif kind.startswith("jsx_") or child.is_error:
            stack.extend(reversed(child.named_children))
        else:
            values.append(child)
    return Opaque(node.start_byte, node.end_byte, tuple(expressions(ctx, values)))


_JSX_VALUES = frozenset({"jsx_attribute", "jsx_expression", "ERROR"})
_JSX_TEXT = frozenset({"property_identifier", "string", "html_character_reference"})
