"""MCP102, MCP201 and MCP202: a handler that leaves the process alive ends it, whatever happens before."""

from __future__ import annotations

from mcplint.files.place import Place
from mcplint.fixes.edit import Applicability, Edit, Fix
from mcplint.fixes.node.bodies import at_end, finally_after, with_body
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.registered import Registered, names_in, registered
from mcplint.fixes.node.spots import is_expression_body
from mcplint.fixes.request import Request
from mcplint.lifecycle.model import CRASHES, STDIN_EVENTS, Event, Handler
from mcplint.lifecycle.outcomes import Way
from mcplint.syntax import ir


def fix(request: Request) -> Fix | None:
    """An exit in each listener that the finding speaks of."""
    edits: list[Edit] = []
    done: set[tuple[str, int]] = set()
    handlers = _handlers(request)
    for handler in handlers:
        made = _exits(handler, done)
        if made is None:
            return None
        edits += made
    crash = bool(handlers) and handlers[0].event in CRASHES
    # A server that swallows a crash may be meant to: that it now ends is for its author to accept.
    kind: Applicability = "unsafe" if crash else "safe"
    return Fix("end the process in the handler", kind, tuple(edits)) if edits else None


def _handlers(request: Request) -> list[Handler]:
    """The handlers at the finding's place, and those that share their function."""
    finding, server = request.finding, request.server
    places = {_key(finding.place), *(_key(r.place) for r in finding.related)}
    primary = [h for h in server.handlers if h.place == finding.place]
    events = _alike({h.event for h in primary})
    functions = {_key(h.function) for h in primary if h.function is not None}
    found: dict[tuple[str, int], Handler] = {}
    for handler in server.handlers:
        same = handler.function is not None and _key(handler.function) in functions
        here = same or _key(handler.place) in places
        if here and handler.event in events and not handler.outcome.ends:
            found.setdefault(_key(handler.place), handler)
    return list(found.values())


def _alike(events: set[Event]) -> set[Event]:
    """The events whose listeners are repaired together."""
    return {e for kind in (CRASHES, STDIN_EVENTS) if not events.isdisjoint(kind) for e in kind} or events


def _key(place: Place) -> tuple[str, int]:
    return str(place.path), place.start


def _exits(handler: Handler, done: set[tuple[str, int]]) -> tuple[Edit, ...] | None:
    code = Code.of(handler.place)
    found = registered(code, handler) if code is not None else None
    if code is None or found is None or handler.function is None or Way.HANGS in handler.outcome.ways:
        return None
    line = f"{code.process}.exit({1 if handler.event in CRASHES else 0});"
    own = _own_function(code, found)
    if own is None:
        return _around(code, found, handler, line)
    if (str(code.source.path), own.start) in done:
        return ()
    done.add((str(code.source.path), own.start))
    if is_expression_body(code, own):
        return _behind_expression(code, own, handler, line)
    if own.is_async or any(isinstance(n, (ir.Return, ir.Throw, ir.Await)) for n in ir.walk(*own.body)):
        return finally_after(code, own, line)
    return at_end(code, own, line)


def _own_function(code: Code, found: Registered) -> ir.Function | None:
    """The function that only the listeners use: one that is written there, or one with a name of its own."""
    if isinstance(found.listener, ir.Lambda):
        return found.listener.function
    if not isinstance(found.listener, ir.Name):
        return None
    name = found.listener.id
    known = code.functions_named(name)
    exported = any(
        isinstance(s, ir.ExportNames) and any(local == name for local, _ in s.names) for s in code.module.body
    )
    calls = (n for n in ir.walk(*code.module.body) if isinstance(n, ir.Call))
    called = any(isinstance(n.callee, ir.Name) and n.callee.id == name for n in calls)
    return known[0] if len(known) == 1 and not exported and not called else None


def _behind_expression(
    code: Code, arrow: ir.Function, handler: Handler, line: str
) -> tuple[Edit, ...] | None:
    """An exit behind what an arrow calls, or behind the promise that it gives."""
    only = arrow.body[0]
    value = only.value if isinstance(only, ir.Return) else None
    while isinstance(value, ir.Unary) and value.operator == "void":
        value = value.operand
    if isinstance(value, ir.Await):
        value = value.value
    if not isinstance(value, ir.Call):
        return None
    promised = _gives_promise(handler, value)
    if promised is None:
        return None
    if promised:
        return (code.insert(value.end, f".finally(() => {line.removesuffix(';')})"),)
    return with_body(code, arrow, after=code.style.render(line))


def _around(code: Code, found: Registered, handler: Handler, line: str) -> tuple[Edit, ...] | None:
    """A function that others use, too, is called by a listener that then ends the process."""
    listener = found.listener
    takes = "problem" if handler.event in CRASHES and "problem" not in names_in(listener) else ""
    match listener:
        case ir.Name() | ir.Member():
            call = f"{code.text(listener)}({takes})"
        case ir.Call(callee=ir.Member(object=ir.Member() as method, name="bind"), args=(owner,)):
            if code.text(owner) != code.text(method.object):
                return None
            call = f"{code.text(method)}({takes})"
        case _:
            return None
    promised = _gives_promise(handler, None)
    if promised is None:
        return None
    exiting = line.removesuffix(";")
    if promised:
        text = f"({takes}) => void {call}.finally(() => {exiting})"
    else:
        indent = code.indent(listener.start)
        lines = code.style.render(f"({takes}) => {{\n  {call};\n  {line}\n}}")
        text = f"\n{indent}".join(lines)
    return (code.replace(listener.start, listener.end, text),)


def _is_promise(code: Code, function: ir.Function) -> bool:
    """Whether a function says that it gives a promise, or plainly gives that of an async function."""
    first = function.body[0].start if function.body else function.end
    if "Promise<" in code.source.slice(function.name_end, first).rpartition(")")[2]:
        return True
    only = function.body[0] if function.body else None
    value = only.value if isinstance(only, ir.Return) else None
    if isinstance(value, ir.Assign):
        value = value.value
    return (
        isinstance(value, ir.Call) and isinstance(value.callee, ir.Lambda) and value.callee.function.is_async
    )


def _gives_promise(handler: Handler, call: ir.Call | None) -> bool | None:
    """Whether what the handler calls gives a promise; None if that is not known."""
    if call is not None and isinstance(call.callee, ir.Name):
        beside = Code.of(handler.place)
        named = beside.functions_named(call.callee.id) if beside is not None else []
        if len(named) == 1 and named[0].is_async:
            return True
    code = Code.of(handler.function) if handler.function is not None else None
    path = code.function_at(handler.function) if code is not None and handler.function is not None else None
    function = path[-1] if path else None
    if code is None or not isinstance(function, ir.Function):
        return None
    if call is not None and function.start <= call.start and call.end <= function.end:
        # The function is the listener itself: what it calls is nothing of the program's own.
        if handler.event in CRASHES or any(deed.place.start == call.start for deed in handler.writes):
            return False
        name = call.callee.name if isinstance(call.callee, ir.Member) else None
        return True if name == "close" and handler.closes_transport else None
    if function.is_async:
        return True
    if _is_promise(code, function):
        return True
    gives = is_expression_body(code, function) or any(
        isinstance(n, ir.Return) and n.value is not None for n in ir.walk(*function.body)
    )
    return None if gives else False
