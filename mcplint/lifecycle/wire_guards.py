"""What makes stdout safe from some step on: replaced methods and streams, and redirections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.program.catalog import lookup
from mcplint.program.values import External, FunctionValue, Value
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.execution import Execution
    from mcplint.program.scope import Scope


def guards_of(
    node: ir.Call | ir.Assign, scope: Scope, stopped: frozenset[str], execution: Execution
) -> frozenset[str]:
    """What is replaced after a step, when ``stopped`` was before."""
    if isinstance(node, ir.Call):
        return stopped | frozenset(_called(node, scope, execution))
    for name in _assigned(node, scope, execution):
        stopped = stopped - {name} if _gives_back(node, name, scope, execution) else stopped | {name}
    return stopped


def scoped_guards(node: ir.With, scope: Scope, execution: Execution) -> frozenset[str]:
    """What a ``with`` replaces until its block is over."""
    calls = (item.value for item in node.items)
    return frozenset(n for c in calls if isinstance(c, ir.Call) for n in _called(c, scope, execution, True))


def _called(call: ir.Call, scope: Scope, execution: Execution, managed: bool = False) -> Iterator[str]:
    evaluator = execution.evaluator
    for name in evaluator.outside_names(call.callee, scope):
        for entry in lookup(execution.catalog.stdout.guards, name):
            if entry.scoped != managed:
                continue
            if entry.only_if and any_true(entry.only_if, call, scope, evaluator) is False:
                continue
            if entry.unless and any_true(entry.unless, call, scope, evaluator) is True:
                continue
            yield from entry.stops


def _assigned(node: ir.Assign, scope: Scope, execution: Execution) -> Iterator[str]:
    """The names of what an assignment replaces; of a computed property, those of its owner."""
    target = node.target
    if isinstance(target, ir.Name) and scope.find(target.id) is not None:
        return
    owner = target.object if isinstance(target, ir.Index) else target
    if not isinstance(owner, (ir.Name, ir.Member)):
        return
    for name in execution.evaluator.outside_names(owner, scope):
        if name in execution.catalog.stdout.replaced:
            yield name


def _gives_back(node: ir.Assign, name: str, scope: Scope, execution: Execution) -> bool:
    """Whether what is assigned writes to stdout all the same."""
    values = execution.evaluator.values(node.value, scope)
    return bool(values) and all(_writes(v, name, execution) for v in values)


def _writes(value: Value, name: str, execution: Execution) -> bool:
    if isinstance(value, External):
        return value.name == name or bool(lookup(execution.catalog.stdout.writes, value.name))
    if not isinstance(value, FunctionValue):
        return False
    steps = execution.scanner.steps(value.function, value.scope.module)
    return any(
        isinstance(step.node, ir.Call)
        and not step.branches
        and any(
            lookup(execution.catalog.stdout.writes, called)
            for called in execution.evaluator.outside_names(step.node.callee, step.scope)
        )
        for step in steps
    )
