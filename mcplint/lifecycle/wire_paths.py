"""Whether what was found along a walk really happens to a server that serves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcplint.lifecycle.leave import outward
from mcplint.lifecycle.outcomes import Way
from mcplint.lifecycle.surroundings import hangs_on_surroundings
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow
    from mcplint.program.contexts import Context
    from mcplint.program.execution import Execution
    from mcplint.program.scope import Scope


@dataclass(frozen=True, slots=True)
class Path:
    """The way to one transport."""

    context: Context
    flow: Flow
    execution: Execution

    def comes_to(self, call: ir.Call, scope: Scope, context: Context, leaving: bool) -> bool:
        """Whether a call may happen in a usual run that goes on; ``leaving``: or on its way out."""
        return not self._is_optional(context) and (leaving or not self._precedes_an_end(call, scope))

    def is_sure(self, context: Context) -> bool:
        """Whether whatever serves also comes there; for a tool, once it is called."""
        return self.context.implies(replace(context, on_call=False))

    def _is_optional(self, context: Context) -> bool:
        """Whether this runs only where an option, or the machine, is so, which serving does not need."""
        path = self.context.branches
        return any(
            not b.usual and b not in path and hangs_on_surroundings(b, self.execution, handed_on=True)
            for b in context.branches
        )

    def _precedes_an_end(self, call: ir.Call, scope: Scope) -> bool:
        """Whether the block of a decision in which a call stands surely ends the process."""
        function = scope.function
        body = function.body if function is not None else scope.module.code.body
        return any(self._ends(block, scope) for block in _blocks_around(call, body))

    def _ends(self, block: ir.Block, scope: Scope) -> bool:
        return bool(block) and surely_ends(outward(self.flow.block(block, scope)))


def surely_ends(ways: Way) -> bool:
    """Whether these ways out are ends of the process and nothing else."""
    ends = Way.ENDS | Way.UNWINDS
    return bool(ways & ends) and not ways & ~(ends | Way.WAITS | Way.PAUSES)


def _blocks_around(node: ir.Node, body: ir.Block) -> Iterator[ir.Block]:
    """The arms of decisions and the handlers of exceptions that hold a node."""
    for statement in body:
        if not statement.start <= node.start < statement.end:
            continue
        for block, decided in _inner(statement):
            if any(s.start <= node.start < s.end for s in block):
                if decided:
                    yield block
                yield from _blocks_around(node, block)


def _inner(statement: ir.Stmt) -> Iterator[tuple[ir.Block, bool]]:
    match statement:
        case ir.If(then=then, otherwise=otherwise):
            yield then, True
            yield otherwise, True
        case ir.Switch(cases=cases):
            yield from ((case.body, True) for case in cases)
        case ir.Try(body=body, catches=catches, otherwise=otherwise, final=final):
            yield body, False
            yield from ((catch.body, True) for catch in catches)
            yield otherwise, False
            yield final, False
        case ir.Loop(body=body, otherwise=otherwise):
            yield body, False
            yield otherwise, False
        case ir.With(body=body) | ir.Nested(body=body):
            yield body, False
        case _:
            return
