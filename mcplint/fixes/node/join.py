"""More listeners for a shutdown that is there."""

from __future__ import annotations

from dataclasses import dataclass

from mcplint.fixes.edit import Edit
from mcplint.fixes.node.block import missing_signals, on_stdin
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.guard import guard
from mcplint.fixes.node.registered import Registered, registered
from mcplint.fixes.node.spots import is_expression_body
from mcplint.lifecycle.model import Handler, Server
from mcplint.lifecycle.outcomes import Way
from mcplint.syntax import ir

_LONGEST = 60
"""Characters of a function that may stand in the file several times."""
_WORDS = {"": '"stdin"', "string": '"stdin"', "NodeJS.Signals": '"SIGTERM"'}
"""What a shutdown is given instead of the signal, by the type that it asks for."""


@dataclass(frozen=True, slots=True)
class _Join:
    """What is to be done beside one listener.

    Attributes:
        code: its file.
        found: how it is registered.
        guarded: whether a function that is made for it needs a guard.
        signals: what else is to be heard.
    """

    code: Code
    found: Registered
    guarded: bool
    signals: tuple[str, ...]

    def hearing(self, listener: str, call: str) -> str:
        """A template of the new listeners."""
        return on_stdin(self.code.process, listener, call, self.signals)


def joined(handler: Handler, server: Server) -> tuple[Edit, ...] | None:
    """Listeners for the end of stdin beside one that ends the process, which is guarded if need be.

    Signals that nobody listens to are heard, too: one that follows the end of stdin would cut the
    shutdown short.
    """
    code = Code.of(handler.place)
    found = registered(code, handler) if code is not None else None
    if code is None or found is None:
        return None
    waits = "" if handler.guarded else _waits(handler)
    # What only lets go of things ends the process at the end of stdin, and not at a signal.
    signals = missing_signals(server) if handler.outcome.ends else ()
    join = _Join(code, found, bool(waits), signals)
    edits = _beside(join)
    if edits is None or not waits or _is_moved(found, edits):
        return edits
    guarding = guard([handler])
    if guarding is None:
        # Several runs are a fault only if something comes between; what waits for its own server does not.
        return edits if waits == "a moment" else _wrapped(join)
    return (*guarding, *edits)


def _is_moved(found: Registered, edits: tuple[Edit, ...]) -> bool:
    """Whether a function was taken out of its loop, and got its guard on the way."""
    where = found.listener.start, found.listener.end
    return found.looped and any((edit.place.start, edit.place.end) == where for edit in edits)


def _waits(handler: Handler) -> str:
    """Whether other code may run before a handler is done: for long, for a moment, or not at all."""
    if Way.PAUSES in handler.outcome.ways:
        return "long"
    code = Code.of(handler.function) if handler.function is not None else None
    path = code.function_at(handler.function) if code is not None and handler.function is not None else None
    function = path[-1] if path else None
    return "a moment" if isinstance(function, ir.Function) and function.is_async else ""


def _beside(join: _Join) -> tuple[Edit, ...] | None:
    code, found = join.code, join.found
    listener = found.listener
    if not isinstance(listener, ir.Lambda):
        if found.varies(listener) or not isinstance(listener, (ir.Name, ir.Member, ir.Call)):
            return None
        return _heard(join, code.text(listener), listener)
    function = listener.function
    if is_expression_body(code, function) and not function.params:
        called = _called(function)
        if called is not None and isinstance(called.callee, ir.Name) and called.args:
            if len(called.args) > 1:
                return None
            return _heard(join, called.callee.id, called.callee)
        text = code.text(listener)
        if "\n" not in text and len(text) <= _LONGEST and not found.varies(listener):
            call = code.text(function.body[0])
            return (code.after(found.statement, join.hearing(text, call)),)
    return _named(join, listener)


def _heard(join: _Join, name: str, function: ir.Expr) -> tuple[Edit, ...] | None:
    """Listeners by the name of a function, which may want to be told why it runs."""
    code = join.code
    known = code.functions_named(function.id) if isinstance(function, ir.Name) else []
    params = [p for f in known for p in f.params]
    asks = [p for p in params if p.default is None and not p.rest]
    if len(asks) > 1 or len(known) > 1:
        return None
    word = _WORDS.get(code.text(asks[0]).partition(":")[2].strip()) if asks else ""
    if word is None:
        return None
    call = f"{name}({word})"
    # Events hand something over, which a function that takes something else must not get.
    bare = isinstance(function, ir.Call) or (bool(known) and not params)
    return (code.after(join.found.statement, join.hearing(name if bare else f"() => {call}", call)),)


def _called(function: ir.Function) -> ir.Call | None:
    """The call that is all a function does."""
    only = function.body[0]
    value = only.value if isinstance(only, ir.Return) else None
    while isinstance(value, ir.Unary):
        value = value.operand
    return value if isinstance(value, ir.Call) else None


def _named(join: _Join, listener: ir.Lambda) -> tuple[Edit, ...] | None:
    """A long function gets a name, so that several listeners can share it."""
    code, found = join.code, join.found
    function, statement = listener.function, found.statement
    if function.params or found.varies(listener) or not code.begins_line(statement.start):
        return None
    if not function.captures_this and any(isinstance(n, ir.This) for n in ir.walk(*function.body)):
        return None
    name = code.free("shutdown", "shutDown", "stopServer")
    hearing = join.hearing(name, f"{name}()")
    if found.looped:
        return _moved(join, listener, name)
    head = code.source.slice(statement.start, listener.start)
    tail = code.source.slice(listener.end, statement.end)
    end = ";" if code.style.semicolons else ""
    indent = code.indent(statement.start)
    lines = [f"{head}{name}{tail}", *code.style.render(hearing)]
    return (
        code.replace(statement.start, listener.start, f"const {name} = "),
        code.replace(listener.end, statement.end, f"{end}\n" + "\n".join(indent + line for line in lines)),
    )


def _moved(join: _Join, listener: ir.Lambda, name: str) -> tuple[Edit, ...] | None:
    """A function that a loop registers is made once, in front of the loop."""
    code, found = join.code, join.found
    if any(isinstance(n, ir.Template) and "\n" in code.text(n) for n in ir.walk(listener)):
        return None
    outer, inner = code.indent(found.statement.start), code.indent(listener.start)
    lines = code.text(listener).split("\n")
    lines = [lines[0], *(outer + line.removeprefix(inner) for line in lines[1:])]
    end = ";" if code.style.semicolons else ""
    head = ""
    if join.guarded:
        if not lines[0].rstrip().endswith("{"):
            return None
        stopping = code.free("stopping", "isStopping", "shuttingDown")
        head = f"let {stopping} = false{end}\n{outer}"
        unit = outer + code.style.unit
        lines[1:1] = [f"{unit}if ({stopping}) return{end}", f"{unit}{stopping} = true{end}"]
    text = "\n".join(lines)
    return (
        code.insert(code.above(found.statement), f"{head}const {name} = {text}{end}\n{outer}"),
        code.replace(listener.start, listener.end, name),
        code.after(found.statement, join.hearing(name, f"{name}()")),
    )


def _wrapped(join: _Join) -> tuple[Edit, ...] | None:
    """What is registered is called by a function that runs once, which all listeners share."""
    code, found = join.code, join.found
    listener = found.listener
    if found.varies(listener) or not code.begins_line(found.statement.start):
        return None
    match listener:
        case ir.Lambda(function=function) if is_expression_body(code, function) and not function.params:
            call = code.text(function.body[0])
        case ir.Name() | ir.Member() if not isinstance(listener, ir.Name) or _takes_nothing(code, listener):
            call = f"{code.text(listener)}()"
        case _:
            return None
    if "\n" in call:
        return None
    stopping = code.free("stopping", "isStopping", "shuttingDown")
    name = code.free("shutdown", "shutDown", "stopServer")
    template = (
        f"let {stopping} = false;\nconst {name} = () => {{\n  if ({stopping}) return;\n  {stopping} = true;"
    )
    return (
        code.before(found.statement, f"{template}\n  {call};\n}};"),
        code.replace(listener.start, listener.end, name),
        code.after(found.statement, join.hearing(name, f"{name}()")),
    )


def _takes_nothing(code: Code, function: ir.Name) -> bool:
    return all(not f.params for f in code.functions_named(function.id))
