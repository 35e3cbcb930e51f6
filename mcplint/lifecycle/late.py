"""Listeners that are registered too late: an end of stdin that came before is never told again.

Stdin begins to flow when the server begins to serve. What stands behind that in the same body, and
behind an ``await`` that may last, may be registered when the end is already over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.lifecycle.leave import Leave
from mcplint.program.contexts import Context
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.execution import Execution


def late_nodes(found: FoundTransport, execution: Execution, flow: Flow) -> frozenset[ir.Node]:
    """What the body that serves does only when something else has been waited for."""
    scope = found.serve_scope
    body = scope.function or scope.module
    serving = waited = False
    late: set[ir.Node] = set()
    for step in execution.scanner.steps(body, scope.module):
        node = step.node
        if waited:
            late.add(node)
        elif node is found.serve:
            serving = True
        elif not serving or not found.context.implies(Context(branches=step.branches)):
            continue
        elif isinstance(node, ir.Await) and not _holds(node, found.serve):
            waited = Leave.WAITS in flow.expression(node, step.scope)
    return frozenset(late)


def _holds(node: ir.Await, serve: ir.Call) -> bool:
    return any(inner is serve for inner in ir.walk(node))
