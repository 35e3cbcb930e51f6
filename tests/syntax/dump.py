"""Prints the IR as short s-expressions, so that a test reads like what it means."""

from __future__ import annotations

from mcplint.syntax import ir

_HIDDEN = {"start", "end", "name_start", "name_end"}


def dump(node: ir.Node) -> str:
    """One node on one line: ``(Call (Member foo bar) [1 "x"])``.

    Names are bare, literals are as Python writes them, and what is false, empty or absent
    is left out.
    """
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Literal):
        return repr(node.value)
    if isinstance(node, ir.Lambda):
        return dump(node.function)
    if isinstance(node, ir.ClassExpr):
        return dump(node.cls)
    if isinstance(node, ir.ExprStmt):
        return dump(node.value)
    if isinstance(node, ir.Member):
        return f"{dump(node.object)}{'?' if node.optional else ''}.{node.name}"
    parts = [type(node).__name__]
    for name in type(node).__match_args__:
        value = getattr(node, name)
        if name in _HIDDEN or value is None or value is False or value == ():
            continue
        parts.append(_shown(name, value))
    return f"({' '.join(parts)})"


_BARE = {
    "id",
    "value",
    "callee",
    "args",
    "items",
    "target",
    "name",
    "params",
    "operator",
    "left",
    "right",
    "operand",
    "parts",
    "entries",
    "key",
    "object",
    "children",
    "function",
    "cls",
    "test",
    "module",
    "names",
    "label",
    "subject",
}
"""Fields whose meaning is clear from their place."""


def _shown(name: str, value: object) -> str:
    if value is True:
        return name
    text = _text(value)
    return text if name in _BARE else f"{name}={text}"


def _text(value: object) -> str:
    if isinstance(value, ir.Node):
        return dump(value)
    if isinstance(value, tuple):
        return f"[{' '.join(_text(item) for item in value)}]"
    return str(value)
