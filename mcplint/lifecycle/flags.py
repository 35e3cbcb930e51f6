"""Variables by which a handler tells a loop that waits to stop: ``while (!stopping) await …``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.lifecycle.guards import tested_names, walk_own
from mcplint.lifecycle.leave import Leave
from mcplint.program.execution import Execution
from mcplint.program.link import LinkedModule
from mcplint.program.steps import Body
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow

_ENDING = Leave.ENDS | Leave.FALLS_A


def flags_that_end(execution: Execution, flow: Flow) -> frozenset[str]:
    """The names that waiting loops ask for, behind which the process ends, by their last part."""
    names: set[str] = set()
    for body, module in execution.modules.items():
        asked = {name for loop in _waiting_loops(_statements(body)) for name in _asked(loop)}
        if asked and any(ways & _ENDING for ways in _around(body, module, execution, flow)):
            names |= asked
    return frozenset(names)


def _statements(body: Body) -> ir.Block:
    if isinstance(body, ir.Function):
        return body.body
    return body.code.body if isinstance(body, LinkedModule) else ()


def _waiting_loops(block: ir.Block) -> Iterator[ir.Loop]:
    for node in walk_own(block):
        if isinstance(node, ir.Loop) and any(isinstance(n, ir.Await) for n in walk_own(node.body)):
            yield node


def _asked(loop: ir.Loop) -> frozenset[str]:
    """What decides whether a loop goes on."""
    tests = [] if loop.test is None else [loop.test]
    for node in walk_own(loop.body):
        if isinstance(node, ir.If):
            arms = walk_own((*node.then, *node.otherwise))
            if any(isinstance(n, (ir.Break, ir.Return)) for n in arms):
                tests.append(node.test)
    return frozenset().union(*map(tested_names, tests))


def _around(body: Body, module: LinkedModule, execution: Execution, flow: Flow) -> Iterator[Leave]:
    """The ways out of a body, and of what calls it."""
    if not isinstance(body, ir.Function):
        yield flow.block(_statements(body), module.scope)
        return
    yield flow.function(body, module.scope)
    for _, scope in execution.evaluator.callers(body, module):
        if scope.function is None:
            yield flow.block(scope.module.code.body, scope.module.scope)
        else:
            yield flow.function(scope.function, scope)
