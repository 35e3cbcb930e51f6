"""Literals, templates, names and property keys of JavaScript."""

from __future__ import annotations

import re

from tree_sitter import Node as Syntax

from mcplint.syntax._js_core import Context, expression, expressions, inner, on_expression
from mcplint.syntax.ir import Expr, Literal, Member, Name, Opaque, Super, Template, This

_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3]?[0-7]{1,2})|(\r\n|.))",
    re.DOTALL,
)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\n": "",
    "\r": "",
    "\r\n": "",
    "\u2028": "",
    "\u2029": "",
}
_EXACT = 2**53
_BASES = {"0x": 16, "0o": 8, "0b": 2}
_LEGACY_OCTAL = re.compile(r"0[0-7]+")


def unescape(text: str) -> str:
    """Replace the escape sequences of a string or template."""
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescaped, text)
    return _SURROGATES.sub(_joined, text)


def _unescaped(match: re.Match[str]) -> str:
    braced, unicode, latin, octal, other = match.groups()
    if digits := braced or unicode or latin:
        code = int(digits, 16) if len(digits) < 9 else 0x110000
        return chr(code) if code < 0x110000 else "\ufffd"
    if octal:
        return chr(int(octal, 8))
    return _SIMPLE_ESCAPES.get(other, other)


def _joined(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")


def string_value(ctx: Context, node: Syntax) -> str:
    """The value of a string node."""
    text = ctx.text(node)
    closed = len(text) > 1 and text[-1] == text[0]
    return unescape(text[1:-1] if closed else text[1:])


def number_value(text: str) -> int | float | None:
    """The value of a number as it is written, or None when it is not one."""
    text = text.replace("_", "").lower()
    try:
        if base := _BASES.get(text[:2]):
            return int(text.rstrip("n"), base)
        if _LEGACY_OCTAL.fullmatch(text):
            return int(text, 8)
        text = text.rstrip("n")
        if text.isdecimal():
            return int(text)
        value = float(text)
    except ValueError:
        return None
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def key_of(ctx: Context, node: Syntax) -> tuple[str | None, Expr | None]:
    """A property's name, or the expression that computes it."""
    kind = node.type
    if kind == "string":
        return string_value(ctx, node), None
    if kind == "computed_property_name":
        key = inner(ctx, node)
        if isinstance(key, Literal) and isinstance(key.value, str | int | float):
            return str(key.value), None
        return None, key
    text = ctx.text(node)
    if kind == "number":
        value = number_value(text)
        return (text if value is None else str(value)), None
    return text, None


def name_text(ctx: Context, node: Syntax) -> str:
    """The text of an imported or exported name, which may be quoted."""
    return string_value(ctx, node) if node.type == "string" else ctx.text(node)


@on_expression(
    "identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "property_identifier",
    "private_property_identifier",
)
def lower_name(ctx: Context, node: Syntax) -> Expr:
    """A name; ``undefined`` is a constant."""
    start, end = node.start_byte, node.end_byte
    text = ctx.data[start:end].decode("utf-8", "replace")
    return Literal(start, end, None) if text == "undefined" else Name(start, end, text)


@on_expression("string")
def _string(ctx: Context, node: Syntax) -> Expr:
    return Literal(node.start_byte, node.end_byte, string_value(ctx, node))


@on_expression("number")
def _number(ctx: Context, node: Syntax) -> Expr:
    value = number_value(ctx.text(node))
    if value is None:
        return Opaque(node.start_byte, node.end_byte)
    return Literal(node.start_byte, node.end_byte, value)


@on_expression("true", "false")
def _boolean(_ctx: Context, node: Syntax) -> Expr:
    return Literal(node.start_byte, node.end_byte, node.type == "true")


@on_expression("null", "undefined")
def _nothing(_ctx: Context, node: Syntax) -> Expr:
    return Literal(node.start_byte, node.end_byte, None)


@on_expression("regex")
def _regex(_ctx: Context, node: Syntax) -> Expr:
    return Opaque(node.start_byte, node.end_byte)


@on_expression("this")
def _this(_ctx: Context, node: Syntax) -> Expr:
    return This(node.start_byte, node.end_byte)


@on_expression("super")
def _super(_ctx: Context, node: Syntax) -> Expr:
    return Super(node.start_byte, node.end_byte)


@on_expression("import")
def _import(_ctx: Context, node: Syntax) -> Expr:
    return Name(node.start_byte, node.end_byte, "import")


@on_expression("meta_property")
def _meta_property(_ctx: Context, node: Syntax) -> Expr:
    first, last = node.children[0], node.children[-1]
    owner = Name(first.start_byte, first.end_byte, first.type)
    return Member(node.start_byte, node.end_byte, owner, last.type)


@on_expression("template_string")
def _template_string(ctx: Context, node: Syntax) -> Expr:
    template = lower_template(ctx, node)
    if any(child.is_named and child.type in _SUBSTITUTIONS for child in node.children):
        return template
    text = "".join(str(part.value) for part in template.parts if isinstance(part, Literal))
    return Literal(template.start, template.end, text)


_SUBSTITUTIONS = frozenset({"template_substitution", "ERROR"})


def lower_template(ctx: Context, node: Syntax) -> Template:
    """A template with its texts and values in order."""
    start, end = node.start_byte, node.end_byte
    parts: list[Expr] = []
    position = start + 1
    for child in node.named_children:
        if child.type == "template_substitution":
            _add_text(ctx, parts, position, child.start_byte)
            parts.extend(expressions(ctx, child.named_children))
            position = child.end_byte
        elif child.is_error:
            parts.append(expression(ctx, child))
            position = child.end_byte
    closed = ctx.data[end - 1 : end] == b"`" and end - start > 1
    _add_text(ctx, parts, position, end - closed)
    return Template(start, end, tuple(parts))


def _add_text(ctx: Context, parts: list[Expr], start: int, end: int) -> None:
    if start < end:
        text = ctx.data[start:end].decode("utf-8", "replace")
        parts.append(Literal(start, end, unescape(text)))
