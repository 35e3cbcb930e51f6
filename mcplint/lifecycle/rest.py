"""What is left of a body behind an ``await`` or a loop in it: it runs when that is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.lifecycle.guards import walk_own
from mcplint.program.scope import Scope
from mcplint.program.values import FunctionValue
from mcplint.records import replace
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule


def rest_of(node: ir.Await | ir.Loop, scope: Scope) -> FunctionValue | None:
    """The code behind a node of a body, as a function of its own; None if that cannot be told."""
    function, module = scope.function, scope.module
    known = module.rests.get(node)
    if known is None:
        body = module.code.body if function is None else function.body
        rest = _behind(body, node)
        if rest is None:
            return None
        end = node.value.end if isinstance(node, ir.Await) else node.start
        known = ir.Function(
            node.start, node.end, None, (), rest, captures_this=True, name_start=node.start, name_end=end
        )
        module.adopt(known, node, _home(scope, module))
    return FunctionValue(known, module.scope_of(known))


def _home(scope: Scope, module: LinkedModule) -> Scope:
    return module.scope if scope.function is None else module.scope_of(scope.function)


def _behind(block: ir.Block, node: ir.Node) -> ir.Block | None:
    for index, statement in enumerate(block):
        if any(inner is node for inner in walk_own((statement,))):
            inner_rest = _behind_in(statement, node)
            return None if inner_rest is None else (*inner_rest, *block[index + 1 :])
    return None


def _behind_in(statement: ir.Stmt, node: ir.Node) -> ir.Block | None:
    """What is left of the statement that holds the node."""
    if statement is node:
        return ()
    match statement:
        case ir.ExprStmt() | ir.Declare() | ir.ExportValue():
            return ()
        case ir.Return():
            return (replace(statement, value=None),)
        case ir.If(then=then, otherwise=otherwise):
            rest = _behind(then, node)
            return _behind(otherwise, node) if rest is None else rest
        case ir.Nested(body=body):
            rest = _behind(body, node)
            return None if rest is None else (replace(statement, body=rest),)
        case ir.Loop(body=body):
            rest = _behind(body, node)
            round_ = ir.Nested(statement.start, statement.end, rest or (), "round")
            return None if rest is None else (round_, statement)
        case ir.Try():
            return _behind_in_try(statement, node)
        case _:
            return None


def _behind_in_try(statement: ir.Try, node: ir.Node) -> ir.Block | None:
    if (rest := _behind(statement.body, node)) is not None:
        return (replace(statement, body=rest),)
    for catch in statement.catches:
        if (rest := _behind(catch.body, node)) is not None:
            return (replace(statement, body=rest, catches=(), otherwise=()),)
    return _behind(statement.final, node)
