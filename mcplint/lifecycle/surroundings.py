"""Tests that ask about the surroundings of the process: options, the environment, the machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.program.scope import Bound, BoundParam, Scope
from mcplint.program.values import External, FunctionValue, Instance, ObjectValue
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.execution import Execution
    from mcplint.program.steps import Branch

_MAX_DEPTH = 6


def hangs_on_surroundings(branch: Branch, execution: Execution, handed_on: bool = False) -> bool:
    """Whether a branch is taken only where something of the surroundings is so.

    What the program was told by its own code, or asks of its stdin, is nothing of the kind. With
    ``handed_on``, what came in as an argument or is kept in an object is followed to where it was asked for.
    """
    if branch.test is None or branch.scope is None:
        return False
    return _Asker(execution, handed_on).needs(branch.test, branch.scope, branch.arm == 0)


class _Asker:
    def __init__(self, execution: Execution, handed_on: bool) -> None:
        self._execution = execution
        self._handed_on = handed_on
        self._catalog = execution.catalog

    def needs(self, test: ir.Expr, scope: Scope, truth: bool) -> bool:
        """Whether the surroundings must be a certain way for a test to come out as ``truth``."""
        match test:
            case ir.Unary(operator="not", operand=operand):
                return self.needs(operand, scope, not truth)
            case ir.Logical(operator=("and" | "or") as operator, left=left, right=right):
                sides = (self.needs(side, scope, truth) for side in (left, right))
                return any(sides) if (operator == "and") == truth else all(sides)
            case _:
                return self._asks(test, scope, 0)

    def _asks(self, expr: ir.Node, scope: Scope, depth: int) -> bool:
        """Whether a value is made of what the surroundings say."""
        return depth < _MAX_DEPTH and any(self._is_asked(n, scope, depth) for n in ir.walk(expr))

    def _is_asked(self, node: ir.Node, scope: Scope, depth: int) -> bool:
        if not isinstance(node, (ir.Name, ir.Member, ir.Index, ir.Call)):
            return False
        if isinstance(node, ir.Name):
            return any(self._asks(value, where, depth + 1) for value, where in self._bound(node, scope))
        if isinstance(node, ir.Member) and any(
            self._asks(value, where, depth + 1) for value, where in self._given(node, scope)
        ):
            return True
        values = self._execution.evaluator.values
        if any(isinstance(v, External) and self._is_surrounding(v.name) for v in values(node, scope)):
            return True
        return isinstance(node, ir.Call) and any(
            self._asks(statement, value.scope.module.scope_of(value.function), depth + 1)
            for value in values(node.callee, scope)
            if isinstance(value, FunctionValue)
            for statement in value.function.body
        )

    def _bound(self, name: ir.Name, scope: Scope) -> Iterator[tuple[ir.Expr, Scope]]:
        """What a name is bound to."""
        for found in scope.find(name.id) or ():
            if isinstance(found, Bound):
                yield found.value, found.scope
            elif isinstance(found, BoundParam) and self._handed_on:
                yield from self._execution.evaluator.passed(found.function, found.index, scope.module)

    def _given(self, member: ir.Member, scope: Scope) -> Iterator[tuple[ir.Expr, Scope]]:
        """What object literals give for a property, and what the fields of objects hold."""
        for owner in self._execution.evaluator.values(member.object, scope):
            if isinstance(owner, Instance) and self._handed_on:
                yield from owner.info.fields.get(member.name, ())
            elif isinstance(owner, ObjectValue):
                for entry in owner.node.entries:
                    if entry.key == member.name:
                        yield entry.value, owner.scope

    def _is_surrounding(self, name: str) -> bool:
        return name.startswith(self._catalog.settings + self._catalog.surroundings)
