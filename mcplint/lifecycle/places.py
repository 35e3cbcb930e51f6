"""Short places to point at, for nodes of the program."""

from __future__ import annotations

from mcplint.files.place import Place
from mcplint.program.scope import Scope
from mcplint.program.steps import Branch
from mcplint.program.values import FunctionValue
from mcplint.syntax import ir


def head(node: ir.Call | ir.Assign | ir.Await | ir.Loop, scope: Scope) -> Place:
    """A short place: the callee of a call, the target of an assignment, what a loop goes over."""
    match node:
        case ir.Call():
            end = node.head_end
        case ir.Assign(target=target):
            end = target.end
        case ir.Loop(iterable=iterable) if iterable is not None:
            end = iterable.end
        case ir.Await(value=ir.Call() as call):
            end = call.head_end
        case _:
            end = node.end
    return Place(scope.module.code.source, node.start, end)


def test_head(branch: Branch) -> Place | None:
    """The test of a decision that the code writes as one; None for any other."""
    if branch.test is None or branch.scope is None:
        return None
    return Place(branch.scope.module.code.source, branch.test.start, branch.test.end)


def function_head(target: FunctionValue) -> Place:
    """A function's name, or its head where it has none."""
    function = target.function
    return Place(target.scope.module.code.source, function.name_start, function.name_end)
