"""How a listener is registered: the statement, the function, and the loop around both."""

from __future__ import annotations

from dataclasses import dataclass

from mcplint.fixes.node.code import Code
from mcplint.fixes.node.spots import spot_of
from mcplint.lifecycle.model import Handler
from mcplint.syntax import ir


@dataclass(frozen=True, slots=True)
class Registered:
    """Where a listener is registered, and what is registered.

    Attributes:
        statement: the statement behind which others can stand that run once.
        node: the call or the assignment that registers.
        listener: what is registered.
        variables: what changes from one turn of the loop to the next.
        looped: whether there is a loop, over the names of signals for example.
    """

    statement: ir.Stmt
    node: ir.Call | ir.Assign
    listener: ir.Expr
    variables: frozenset[str] = frozenset()
    looped: bool = False

    def varies(self, node: ir.Node) -> bool:
        """Whether something in a node depends on the turn of the loop."""
        return not self.variables.isdisjoint(names_in(node))


def registered(code: Code, handler: Handler) -> Registered | None:
    """How a handler is registered, if that is a statement of its own."""
    path = code.path_to(handler.place.start, handler.place.end)
    node = next((n for n in reversed(path) if _registers(n, handler)), None)
    if not isinstance(node, (ir.Call, ir.Assign)):
        return None
    listener = node.value if isinstance(node, ir.Assign) else node.args[1]
    loop = _loop(path[: path.index(node)])
    if loop is not None:
        depth, variables = loop
        spot = spot_of(code, path[: depth + 1])
        if spot is None or spot.repeats or spot.statement is not path[depth]:
            return None
        return Registered(spot.statement, node, listener, variables, looped=True)
    spot = spot_of(code, path)
    if spot is None or not isinstance(spot.statement, ir.ExprStmt) or spot.statement.value is not node:
        return None
    return Registered(spot.statement, node, listener)


def names_in(node: ir.Node) -> set[str]:
    """The names that a node says."""
    return {n.id for n in ir.walk(node) if isinstance(n, ir.Name)}


def _registers(node: ir.Node, handler: Handler) -> bool:
    match node:
        case ir.Call(callee=callee, args=args):
            return callee.end == handler.place.end and node.start == handler.place.start and len(args) >= 2
        case ir.Assign(target=target):
            return target.end == handler.place.end and node.start == handler.place.start
        case _:
            return False


def _loop(path: list[ir.Node]) -> tuple[int, frozenset[str]] | None:
    """The outermost loop in the same function, ``forEach`` included, and what it changes."""
    found: tuple[int, frozenset[str]] | None = None
    variables: set[str] = set()
    depth = len(path) - 1
    while depth >= 0:
        node = path[depth]
        if isinstance(node, ir.Loop):
            if node.target is None:
                return None
            variables |= names_in(node.target)
            found = depth, frozenset(variables)
        elif isinstance(node, ir.Function):
            call = path[depth - 2] if depth >= 3 else None
            if not (isinstance(call, ir.Call) and isinstance(path[depth - 3], ir.ExprStmt)):
                break
            if not (isinstance(call.callee, ir.Member) and call.callee.name == "forEach"):
                break
            variables |= {name for param in node.params for name in names_in(param.target)}
            depth -= 3
            found = depth, frozenset(variables)
        depth -= 1
    return found
