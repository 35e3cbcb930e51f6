"""Servers without an SDK: the calls by which a program reads stdin and answers the protocol itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.transports import FoundTransport
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import TransportEntry
from mcplint.program.handed import handed_over
from mcplint.program.protocol import Protocol
from mcplint.program.values import External
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.uses import Uses
    from mcplint.program.contexts import Reached
    from mcplint.program.execution import Execution


def find_loops(uses: Uses, execution: Execution) -> Iterator[FoundTransport]:
    """The calls that read requests from stdin, if the program's own code answers them."""
    for call, item, targets in uses.calls:
        if item.context.on_call:
            continue
        for name in (t.name for t in targets if isinstance(t, External)):
            for entry in lookup(execution.catalog.loops, name):
                if _serves(entry, call, item, uses, execution):
                    yield FoundTransport(entry, call, item.scope, item.context, call, item.scope)


def _serves(entry: TransportEntry, call: ir.Call, item: Reached, uses: Uses, execution: Execution) -> bool:
    if entry.only_if and any_true(entry.only_if, call, item.scope, execution.evaluator) is not True:
        return False
    if not Protocol(entry.answers).answered(set(execution.modules.values())):
        return False
    return _parses(entry, call, item, uses, execution)


def _parses(entry: TransportEntry, call: ir.Call, item: Reached, uses: Uses, execution: Execution) -> bool:
    """Whether what is read is taken apart; so it is, as far as can be seen, where no function gets it."""
    calls = (call, *(use.call for use in uses.of([call])))
    functions = [
        f for c in calls for f in handed_over(c, execution.evaluator, execution.evaluator.index.scope_of(c))
    ]
    beside = execution.beside()
    for function in functions:
        beside.enter_function(function)
    return not functions or any(
        isinstance(reached.step.node, ir.Call)
        and not frozenset(entry.reads).isdisjoint(
            execution.evaluator.outside_names(reached.step.node.callee, reached.scope)
        )
        for reached in beside.run().reached()
    )
