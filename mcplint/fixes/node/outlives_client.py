"""MCP101 and MCP901: a shutdown in front of the call that serves, or listeners beside the one there is."""

from __future__ import annotations

from mcplint.fixes.edit import Edit, Fix
from mcplint.fixes.node.block import missing_signals, shutdown
from mcplint.fixes.node.bodies import in_braces, with_body
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.join import joined
from mcplint.fixes.node.spots import bare_arm, is_expression_body, spot_of
from mcplint.fixes.request import Request
from mcplint.lifecycle.model import SIGNALS, Handler, Server
from mcplint.syntax import ir

TITLE = "end the process when stdin ends"


def fix(request: Request) -> Fix | None:
    """The shutdown as edits; None where it is not clear where it must stand."""
    server = request.server
    if server.offered:
        return None
    ready = _shutdown_of(server)
    edits = joined(ready, server) if ready is not None else _inserted(server)
    # A listener that ends the process, once that rule's fix is made, is one to share.
    after = frozenset({"MCP201"}) if ready is None else frozenset()
    return Fix(TITLE, "safe", edits, after) if edits else None


def _shutdown_of(server: Server) -> Handler | None:
    """What ends the process already, at a signal."""
    for signal in SIGNALS:
        ending = [h for h in server.handlers_of(signal) if h.certain and h.outcome.ends and h.function]
        if ending:
            return ending[-1]
    return None


def _inserted(server: Server) -> tuple[Edit, ...] | None:
    serve = server.transport.serve
    code = Code.of(serve)
    if code is None or any(h.outcome.may_end for h in server.handlers_of(*SIGNALS)):
        return None
    path = code.path_to(serve.start, serve.end)
    template = shutdown(code, _closing(code, server, path), missing_signals(server))
    spot = spot_of(code, path)
    if spot is not None:
        if spot.repeats or not isinstance(spot.statement, (ir.ExprStmt, ir.Declare, ir.Return)):
            return None
        return (code.before(spot.statement, template, blank=True),)
    arm = bare_arm(code, path)
    if arm is not None:
        return in_braces(code, arm, [*code.style.render(template), ""])
    arrow = next((n for n in reversed(path) if isinstance(n, ir.Function)), None)
    if arrow is None or not is_expression_body(code, arrow):
        return None
    return with_body(code, arrow, before=[*code.style.render(template), ""])


def _closing(code: Code, server: Server, path: list[ir.Node]) -> str | None:
    """What closes the server, as an expression: ``server.close()``."""
    method = server.transport.closed_by
    call = next((n for n in reversed(path) if isinstance(n, ir.Call)), None)
    if method is None or call is None or not isinstance(call.callee, ir.Member):
        return None
    owner = call.callee.object
    return f"{code.text(owner)}.{method}()" if _is_plain(owner) else None


def _is_plain(owner: ir.Expr) -> bool:
    """Whether an expression names something, so that it can be written twice."""
    while isinstance(owner, ir.Member):
        owner = owner.object
    return isinstance(owner, (ir.Name, ir.This))
