"""Changing what a function does: at its beginning, at its end, whatever happens."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.fixes.edit import Edit
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.spots import brace_of, is_expression_body
from mcplint.syntax import ir


def at_start(code: Code, function: ir.Function, template: str) -> tuple[Edit, ...] | None:
    """Lines at the head of a function, behind its guard; it gets a body if it has none."""
    lines = code.style.render(template)
    if is_expression_body(code, function):
        return with_body(code, function, before=lines)
    brace = brace_of(code, function)
    if brace is None:
        return None
    rest = function.body[guarded_head(function) :]
    if rest and code.begins_line(rest[0].start):
        at = code.above(rest[0])
        indent = code.indent(at)
        return (code.insert(at, "".join(f"{line}\n{indent}" for line in lines)),)
    if rest:
        return (code.insert(rest[0].start, " ".join(map(_ended, lines)) + " "),)
    return at_end(code, function, template)


def at_end(code: Code, function: ir.Function, template: str) -> tuple[Edit, ...] | None:
    """Lines behind all that a function does."""
    lines = code.style.render(template)
    if is_expression_body(code, function):
        return with_body(code, function, after=lines)
    if brace_of(code, function) is None:
        return None
    closing = function.end - 1
    if code.begins_line(closing):
        outer = code.indent(closing)
        inner = code.indent(function.body[-1].start) if function.body else outer + code.style.unit
        if function.body and not code.begins_line(function.body[-1].start):
            inner = outer + code.style.unit
        at = code.line_start(closing)
        return (code.insert(at, "".join(f"{inner}{line}\n" for line in lines)),)
    text = " ".join(map(_ended, lines))
    if not function.body:
        return (code.insert(closing, f" {text} "),)
    last = function.body[-1]
    stop = "" if code.source.utf8[last.end - 1 : last.end] in (b";", b"}") else ";"
    return (code.insert(last.end, f"{stop} {text}"),)


def with_body(
    code: Code, function: ir.Function, before: list[str] | None = None, after: list[str] | None = None
) -> tuple[Edit, ...] | None:
    """An arrow with an expression gets a body; what it gave back it gives back unless lines follow."""
    value = function.body[0]
    utf8 = code.source.utf8
    if (
        utf8[value.start - 1 : value.start] == b"("
        or utf8[value.end : value.end + 1] != utf8[function.end : function.end + 1]
    ):
        # Parentheses around the expression would be left behind.
        return None
    indent, end = code.indent(function.start), ";" if code.style.semicolons else ""
    inner = indent + code.style.unit
    head = "".join(f"{inner}{line}\n" if line else "\n" for line in before or ())
    gives = "" if after else "return "
    tail = "".join(f"{inner}{line}\n" for line in after or ())
    return (
        code.insert(value.start, f"{{\n{head}{inner}{gives}"),
        code.insert(value.end, f"{end}\n{tail}{indent}}}"),
    )


def in_braces(code: Code, statement: ir.Stmt, before: list[str]) -> tuple[Edit, ...]:
    """Lines in front of a statement that stands behind an ``if`` without braces."""
    line = code.line_start(statement.start)
    indent = code.indent(statement.start)
    if code.begins_line(statement.start):
        # It stands on a line of its own, one level deeper.
        line = code.line_start(line - 1)
        indent = code.indent(line)
    inner = indent + code.style.unit
    head = "".join(f"{inner}{text}\n" if text else "\n" for text in before)
    before_it = len(code.source.utf8[: statement.start].rstrip())
    return (
        code.replace(before_it, statement.start, f" {{\n{head}{inner}"),
        code.insert(statement.end, f"\n{indent}}}"),
    )


def finally_after(code: Code, function: ir.Function, template: str) -> tuple[Edit, ...] | None:
    """Lines that run whatever becomes of the rest of a function; its guard stays outside."""
    if is_expression_body(code, function) or brace_of(code, function) is None:
        return None
    rest = function.body[guarded_head(function) :]
    closing = function.end - 1
    if not rest:
        return at_end(code, function, template)
    return wrapped(code, rest[0].start, closing, code.style.render(template))


def wrapped(code: Code, first: int, until: int, lines: list[str]) -> tuple[Edit, ...] | None:
    """``try`` around whole lines from one offset to the line of another, and ``finally``."""
    if not code.begins_line(first) or not code.begins_line(until):
        return None
    unit, indent = code.style.unit, code.indent(first)
    tail = [f"{indent}}} finally {{", *(f"{indent}{unit}{line}" for line in lines), f"{indent}}}"]
    return _inner(code, first, until, f"{indent}try {{\n", tail)


def kept_promise(code: Code, function: ir.Function, name: str) -> tuple[Edit, ...] | None:
    """What a function does, done once; whoever calls it again waits for the same promise."""
    closing = function.end - 1
    if is_expression_body(code, function) or brace_of(code, function) is None or not function.body:
        return None
    first = function.body[0].start
    if not code.begins_line(first) or not code.begins_line(closing):
        return None
    indent, end = code.indent(first), ";" if code.style.semicolons else ""
    tail = [f"{indent}}})(){end}", f"{indent}return {name}{end}"]
    return _inner(code, first, closing, f"{indent}{name} ??= (async () => {{\n", tail)


def _inner(code: Code, first: int, until: int, opening: str, tail: list[str]) -> tuple[Edit, ...]:
    """Whole lines one level deeper, between a line and others."""
    unit, utf8 = code.style.unit, code.source.utf8
    at = code.line_start(first)
    edits = [code.insert(at, f"{opening}{unit}")]
    while 0 < (at := utf8.find(b"\n", at, until) + 1) < code.line_start(until):
        if utf8[at : at + 1] not in (b"\n", b"\r") and not any(s < at <= e for s, e in code.insides):
            edits.append(code.insert(at, unit))
    edits.append(code.insert(code.line_start(until), "".join(f"{line}\n" for line in tail)))
    return tuple(edits)


def guarded_head(function: ir.Function) -> int:
    """How many statements at the head of a function only let it run once."""
    body = function.body
    match body:
        case (ir.If(test=test, then=(ir.Return(value=None),), otherwise=()), *rest):
            changed = {name for node in ir.walk(test) for name in _changed(node)}
            if changed:
                return 1
            if rest and isinstance(rest[0], ir.ExprStmt) and _names(test) & set(_changed(rest[0].value)):
                return 2
        case _:
            pass
    return 0


def _names(node: ir.Node) -> set[str]:
    """The variables and fields that something reads, by their last name."""
    read = (n for n in ir.walk(node) if isinstance(n, (ir.Name, ir.Member)))
    return {n.id if isinstance(n, ir.Name) else n.name for n in read}


def _changed(node: ir.Node) -> Iterator[str]:
    """The variable or field that an expression changes."""
    match node:
        case ir.Assign(target=ir.Name(id=name)) | ir.Assign(target=ir.Member(name=name)):
            yield name
        case ir.Unary(operator=("++" | "--"), operand=ir.Name(id=name)):
            yield name
        case _:
            return


def _ended(line: str) -> str:
    return line if line.endswith((";", "}", "{")) else f"{line};"
