"""Where in a file statements can be put."""

from __future__ import annotations

from dataclasses import dataclass

from mcplint.fixes.node.code import Code
from mcplint.syntax import ir


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement in a list of statements.

    Attributes:
        statement: it.
        around: the nodes around it, outermost first.
    """

    statement: ir.Stmt
    around: tuple[ir.Node, ...]

    @property
    def function(self) -> ir.Function | None:
        """The function that it belongs to."""
        return next((n for n in reversed(self.around) if isinstance(n, ir.Function)), None)

    @property
    def repeats(self) -> bool:
        """Whether it may run several times while the code around it runs once."""
        for node in reversed(self.around):
            if isinstance(node, ir.Loop):
                return True
            if isinstance(node, ir.Function):
                return False
        return False


def spot_of(code: Code, path: list[ir.Node]) -> Spot | None:
    """The innermost statement around a node before and behind which others can stand."""
    for depth in range(len(path) - 1, -1, -1):
        node = path[depth]
        if not isinstance(node, ir.Stmt):
            continue
        parent = path[depth - 1] if depth else None
        if is_expression_body(code, parent):
            return None
        if not _in_braces(code, node, parent):
            return None
        return Spot(node, tuple(path[:depth]))
    return None


def bare_arm(code: Code, path: list[ir.Node]) -> ir.Stmt | None:
    """The innermost statement around a node, if it stands behind an ``if`` without braces."""
    depth = next((i for i in range(len(path) - 1, 0, -1) if isinstance(path[i], ir.Stmt)), 0)
    node, parent = path[depth], path[depth - 1]
    if not isinstance(parent, ir.If) or not isinstance(node, ir.ExprStmt) or not depth:
        return None
    return None if _in_braces(code, node, parent) else node


def is_expression_body(code: Code, function: ir.Node | None) -> bool:
    """Whether a function is an arrow with an expression behind it."""
    if not isinstance(function, ir.Function) or len(function.body) != 1:
        return False
    only = function.body[0]
    return isinstance(only, ir.Return) and not code.text(only).startswith("return")


def _in_braces(code: Code, statement: ir.Stmt, parent: ir.Node | None) -> bool:
    match parent:
        case ir.If(test=test, then=then, otherwise=otherwise):
            before = test.end if statement in then else (then[-1].end if then else test.end)
            if statement in otherwise and isinstance(statement, ir.If):
                return False
        case ir.Loop(body=body) if statement in body:
            before = max(
                (n.end for n in ir.children(parent) if n.end <= statement.start), default=parent.start
            )
        case _:
            return True
    return b"{" in code.source.utf8[before : statement.start]


def brace_of(code: Code, function: ir.Function) -> int | None:
    """Where the body of a function begins: at its opening brace."""
    before = max((n.end for n in function.params), default=function.name_end)
    first = function.body[0].start if function.body else function.end - 1
    at = code.source.utf8.rfind(b"{", before, first)
    return at if at >= 0 and not is_expression_body(code, function) else None
