"""More listeners for a shutdown that is there."""

from __future__ import annotations

from mcplint.fixes.edit import Edit
from mcplint.fixes.node.block import on_stdin
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.guard import guard
from mcplint.fixes.node.registered import Registered, registered
from mcplint.fixes.node.spots import is_expression_body
from mcplint.lifecycle.model import Handler
from mcplint.lifecycle.outcomes import Way
from mcplint.syntax import ir

_LONGEST = 60
"""Characters of a function that may stand in the file several times."""
_WORDS = {"": '"stdin"', "string": '"stdin"', "NodeJS.Signals": '"SIGTERM"'}
"""What a shutdown is given instead of the signal, by the type that it asks for."""


def joined(handler: Handler) -> tuple[Edit, ...] | None:
    """Listeners for the end of stdin beside one that ends the process, which is guarded if need be."""
    code = Code.of(handler.place)
    found = registered(code, handler) if code is not None else None
    edits = _beside(code, found) if code is not None and found is not None else None
    if edits is None or handler.guarded or Way.PAUSES not in handler.outcome.ways:
        return edits
    guarding = guard(handler.function) if handler.function is not None else None
    return None if guarding is None else (*guarding, *edits)


def _beside(code: Code, found: Registered) -> tuple[Edit, ...] | None:
    listener = found.listener
    if not isinstance(listener, ir.Lambda):
        if found.varies(listener) or not isinstance(listener, (ir.Name, ir.Member, ir.Call)):
            return None
        return _heard(code, found, code.text(listener), listener)
    function = listener.function
    if is_expression_body(code, function) and not function.params:
        called = _called(function)
        if called is not None and isinstance(called.callee, ir.Name) and called.args:
            if len(called.args) > 1:
                return None
            return _heard(code, found, called.callee.id, called.callee)
        text = code.text(listener)
        if "\n" not in text and len(text) <= _LONGEST and not found.varies(listener):
            call = code.text(function.body[0])
            return (code.after(found.statement, on_stdin(code.process, text, call)),)
    return _named(code, found, listener)


def _heard(code: Code, found: Registered, name: str, function: ir.Expr) -> tuple[Edit, ...] | None:
    """Listeners by the name of a function, which may want to be told why it runs."""
    word = _word(code, function)
    if word is None:
        return None
    call = f"{name}({word})"
    return (code.after(found.statement, on_stdin(code.process, f"() => {call}" if word else name, call)),)


def _called(function: ir.Function) -> ir.Call | None:
    """The call that is all a function does."""
    only = function.body[0]
    value = only.value if isinstance(only, ir.Return) else None
    while isinstance(value, ir.Unary):
        value = value.operand
    return value if isinstance(value, ir.Call) else None


def _named(code: Code, found: Registered, listener: ir.Lambda) -> tuple[Edit, ...] | None:
    """A long function gets a name, so that several listeners can share it."""
    function, statement = listener.function, found.statement
    if function.params or found.varies(listener) or not code.begins_line(statement.start):
        return None
    if not function.captures_this and any(isinstance(n, ir.This) for n in ir.walk(*function.body)):
        return None
    name = code.free("shutdown", "shutDown", "stopServer")
    hearing = on_stdin(code.process, name, f"{name}()")
    if found.looped:
        return _moved(code, found, listener, name, hearing)
    head = code.source.slice(statement.start, listener.start)
    tail = code.source.slice(listener.end, statement.end)
    end = ";" if code.style.semicolons else ""
    indent = code.indent(statement.start)
    lines = [f"{head}{name}{tail}", *code.style.render(hearing)]
    return (
        code.replace(statement.start, listener.start, f"const {name} = "),
        code.replace(listener.end, statement.end, f"{end}\n" + "\n".join(indent + line for line in lines)),
    )


def _moved(
    code: Code, found: Registered, listener: ir.Lambda, name: str, hearing: str
) -> tuple[Edit, ...] | None:
    """A function that a loop registers is made once, in front of the loop."""
    if any(isinstance(n, ir.Template) and "\n" in code.text(n) for n in ir.walk(listener)):
        return None
    outer, inner = code.indent(found.statement.start), code.indent(listener.start)
    lines = code.text(listener).split("\n")
    text = "\n".join([lines[0], *(outer + line.removeprefix(inner) for line in lines[1:])])
    end = ";" if code.style.semicolons else ""
    at = code.above(found.statement)
    return (
        code.insert(at, f"const {name} = {text}{end}\n{outer}"),
        code.replace(listener.start, listener.end, name),
        code.after(found.statement, hearing),
    )


def _word(code: Code, function: ir.Expr) -> str | None:
    """What a function is given when no signal calls it; empty where it takes nothing."""
    if not isinstance(function, ir.Name):
        return ""
    known = code.functions_named(function.id)
    params = [p for f in known for p in f.params if p.default is None and not p.rest]
    if not params:
        return ""
    if len(params) > 1 or len(known) > 1:
        return None
    return _WORDS.get(code.text(params[0]).partition(":")[2].strip())
