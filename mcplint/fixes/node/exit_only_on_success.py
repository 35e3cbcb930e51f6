"""MCP303: the exit moves to where a failure cannot skip it."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.fixes.edit import Edit, Fix
from mcplint.fixes.node.bodies import guarded_head, wrapped
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.registered import registered
from mcplint.fixes.request import Request
from mcplint.lifecycle.model import Handler
from mcplint.syntax import ir


def fix(request: Request) -> Fix | None:
    """``finally`` around the steps before the exit, or in the place of ``then``."""
    edits: list[Edit] = []
    done: set[tuple[str, int]] = set()
    for handler in request.server.handlers:
        step = handler.ends_unless
        if step is None or step.place != request.finding.place or not handler.certain:
            continue
        made = next(filter(None, (_moved(code, f, done) for code, f in _functions(handler))), None)
        if made is None:
            return None
        edits += made[0]
    return Fix("exit also when a step fails", "safe", tuple(edits)) if edits else None


def _functions(handler: Handler) -> Iterator[tuple[Code, ir.Function]]:
    """The function that is registered, and the one that it comes to."""
    code = Code.of(handler.place)
    found = registered(code, handler) if code is not None else None
    if code is not None and found is not None and isinstance(found.listener, ir.Lambda):
        yield code, found.listener.function
    code = Code.of(handler.function) if handler.function is not None else None
    path = code.function_at(handler.function) if code is not None and handler.function is not None else None
    if code is not None and path and isinstance(path[-1], ir.Function):
        yield code, path[-1]


def _moved(code: Code, function: ir.Function, done: set[tuple[str, int]]) -> tuple[tuple[Edit, ...]] | None:
    """The edits in one function; none if they are made already."""
    key = str(code.source.path), function.start
    if key in done:
        return ((),)
    edits = _in_statements(code, function) or _in_try(code, function) or _in_chain(code, function)
    if edits is None:
        return None
    done.add(key)
    return (edits,)


def _in_statements(code: Code, function: ir.Function) -> tuple[Edit, ...] | None:
    """The exit at the end of a function goes to a ``finally`` behind the rest."""
    if len(function.body) < 2 or not _is_exit(code, function.body[-1]):
        return None
    rest = function.body[guarded_head(function) : -1]
    last = function.body[-1]
    if not rest or not code.begins_line(last.start) or not code.ends_line(last.end):
        return None
    end = code.source.utf8.find(b"\n", last.end) + 1
    edits = wrapped(code, code.line_start(rest[0].start), code.line_start(last.start), [])
    if edits is None or end == 0:
        return None
    # The last of them closes the block around nothing: the exit itself goes in there.
    *opening, closing = edits
    indent, unit = code.indent(last.start), code.style.unit
    return (
        *opening,
        code.insert(closing.place.start, f"{indent}}} finally {{\n{unit}"),
        code.insert(end, f"{indent}}}\n"),
    )


def _in_try(code: Code, function: ir.Function) -> tuple[Edit, ...] | None:
    """The exit at the end of a ``try`` goes to a ``finally`` behind what catches."""
    for statement in function.body:
        match statement:
            case ir.Try(body=(_, *_, last), final=()) if _is_exit(code, last):
                end = code.source.utf8.find(b"\n", last.end) + 1
                alone = end > 0 and not code.source.utf8[last.end : end].strip()
                if not alone or not code.begins_line(last.start):
                    return None
                indent, unit = code.indent(statement.start), code.style.unit
                return (
                    code.replace(code.line_start(last.start), end, ""),
                    code.insert(statement.end, f" finally {{\n{indent}{unit}{code.text(last)}\n{indent}}}"),
                )
            case _:
                continue
    return None


def _in_chain(code: Code, function: ir.Function) -> tuple[Edit, ...] | None:
    """``work().then(() => process.exit(0))`` becomes ``work().finally(…)``."""
    for node in ir.walk(*function.body):
        match node:
            case ir.Call(callee=ir.Member(name="then") as callee, args=(ir.Lambda(function=then),)):
                if not then.params and _exits_at_once(code, then):
                    return (code.replace(callee.end - len("then"), callee.end, "finally"),)
            case _:
                continue
    return None


def _exits_at_once(code: Code, function: ir.Function) -> bool:
    return len(function.body) == 1 and _is_exit(code, function.body[0])


def _is_exit(code: Code, statement: ir.Stmt) -> bool:
    match statement:
        case ir.ExprStmt(value=ir.Call(callee=callee)) | ir.Return(value=ir.Call(callee=callee)):
            return code.text(callee) == f"{code.process}.exit"
        case _:
            return False
