"""Short places to point at, for nodes of the program."""

from __future__ import annotations

from mcplint.files.place import Place
from mcplint.program.scope import Scope
from mcplint.program.steps import Branch
from mcplint.program.values import FunctionValue
from mcplint.syntax import ir


def head(node: ir.Call | ir.Assign, scope: Scope) -> Place:
    """A short place for a call or an assignment: its callee or its target."""
    end = node.head_end if isinstance(node, ir.Call) else node.target.end
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
