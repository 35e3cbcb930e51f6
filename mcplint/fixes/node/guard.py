"""What lets a shutdown run once."""

from __future__ import annotations

from collections.abc import Sequence

from mcplint.fixes.edit import Edit
from mcplint.fixes.node.bodies import at_start, kept_promise
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.registered import registered
from mcplint.fixes.node.spots import is_expression_body, spot_of
from mcplint.lifecycle.model import Handler
from mcplint.syntax import ir


def guard(handlers: Sequence[Handler]) -> tuple[Edit, ...] | None:
    """A flag in front of the function that handlers share, tested and set when it begins.

    Where somebody waits for the function, its promise is kept instead: whoever comes second must not
    go on, and end the process perhaps, before the first is done.
    """
    head = handlers[0].function
    code = Code.of(head) if head is not None else None
    path = code.function_at(head) if code is not None and head is not None else None
    if code is None or path is None:
        return None
    function = path[-1]
    assert isinstance(function, ir.Function)
    # A method's flag stands in front of its class: there is one server in a process.
    until = next((i for i, n in enumerate(path) if isinstance(n, ir.Class)), len(path) - 1)
    spot = spot_of(code, path[:until])
    if spot is None or spot.repeats or function.is_generator:
        return None
    stopping = code.free("stopping", "isStopping", "shuttingDown")
    if _is_awaited(code, function, path) or any(map(_goes_on, handlers)):
        if not function.is_async:
            return None
        kept = kept_promise(code, function, stopping)
        kind = ": Promise<void> | undefined" if code.typed else ""
        return None if kept is None else (code.before(spot.statement, f"let {stopping}{kind};"), *kept)
    inside = at_start(code, function, f"if ({stopping}) return;\n{stopping} = true;")
    return None if inside is None else (code.before(spot.statement, f"let {stopping} = false;"), *inside)


def _is_awaited(code: Code, function: ir.Function, path: list[ir.Node]) -> bool:
    """Whether somebody waits for it, and must not go on when it only runs already."""
    declared = next((n.target for n in reversed(path) if isinstance(n, ir.Declare)), None)
    name = function.name or (declared.id if isinstance(declared, ir.Name) else None)
    for node in ir.walk(*code.module.body):
        match node:
            case ir.Await(value=ir.Call(callee=ir.Name(id=called) | ir.Member(name=called))) if (
                called == name
            ):
                return True
            case ir.Call(callee=ir.Member(object=ir.Call(callee=ir.Name(id=called)), name=step)):
                if called == name and step in ("then", "catch", "finally"):
                    return True
            case _:
                continue
    return False


def _goes_on(handler: Handler) -> bool:
    """Whether what is registered does more than to call the function."""
    code = Code.of(handler.place)
    found = registered(code, handler) if code is not None else None
    if code is None or found is None or not isinstance(found.listener, ir.Lambda):
        return False
    listener = found.listener.function
    head = handler.function
    if head is not None and head.path == code.source.path and listener.name_start == head.start:
        return False
    return not (is_expression_body(code, listener) or len(listener.body) == 1) or not _only_calls(listener)


def _only_calls(listener: ir.Function) -> bool:
    """Whether all that a function does is one call, and not one of what that gives."""
    value = getattr(listener.body[0], "value", None)
    while isinstance(value, (ir.Unary, ir.Await)):
        value = value.operand if isinstance(value, ir.Unary) else value.value
    if not isinstance(value, ir.Call):
        return False
    return not (isinstance(value.callee, ir.Member) and isinstance(value.callee.object, ir.Call))
