"""Re-entrancy guards: tests of something that the function itself sets on its first run."""

from __future__ import annotations

from mcplint.program.scope import Scope
from mcplint.syntax import ir

_MARKING_METHODS = frozenset({"add", "set", "abort", "acquire", "removeAllListeners", "off", "removeListener"})


def is_guard(node: ir.If, scope: Scope) -> int | None:
    """Which arm of an ``if`` is only for a second run (0 or 1), or None if it is no guard."""
    tested = tested_names(node.test)
    if not tested:
        return None
    function = scope.function
    body = function.body if function is not None else ()
    if not tested & marked_names(body):
        return None
    if node.then and _only_returns(node.then):
        return 0
    if not node.otherwise and marked_names(node.then) & tested:
        return 1
    if node.otherwise and _only_returns(node.otherwise):
        return 1
    return None


def is_guarded(function: ir.Function) -> bool:
    """Whether a second run of a function returns at once."""
    marked = marked_names(function.body)
    for node in walk_own(function.body):
        match node:
            case ir.If(test=test, then=block, otherwise=other):
                if not tested_names(test) & marked:
                    continue
                if _only_returns(block) or (other and _only_returns(other)):
                    return True
                if not other and marked_names(block) & tested_names(test):
                    return True
            case ir.Assign(operator=("??=" | "||=")):
                return True
            case ir.Logical(operator=("or" | "nullish"), left=left, right=ir.Assign(target=target)):
                if tested_names(left) & tested_names(target):
                    return True
            case _:
                continue
    return False


def tested_names(test: ir.Node) -> frozenset[str]:
    """The variables and fields that a test reads, by their last name."""
    names: set[str] = set()
    for node in ir.walk(test):
        if isinstance(node, ir.Name):
            names.add(node.id)
        elif isinstance(node, ir.Member):
            names.add(node.name)
    return frozenset(names)


def marked_names(body: ir.Block) -> frozenset[str]:
    """The variables and fields that a body writes, by their last name."""
    names: set[str] = set()
    for node in walk_own(body, through_functions=True):
        match node:
            case ir.Assign(target=ir.Name(id=name)) | ir.Assign(target=ir.Member(name=name)):
                names.add(name)
            case ir.Declare(target=ir.Name(id=name)):
                continue
            case ir.Call(callee=ir.Member(object=owner, name=method)) if method in _MARKING_METHODS:
                names |= tested_names(owner)
            case _:
                continue
    return frozenset(names)


def walk_own(body: ir.Block, through_functions: bool = False) -> list[ir.Node]:
    """The nodes of a body, without (or with) those of the functions inside it."""
    found: list[ir.Node] = []
    stack: list[ir.Node] = list(reversed(body))
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node, (ir.FunctionDef, ir.Lambda)) and not through_functions:
            continue
        stack.extend(reversed(list(ir.children(node))))
    return found


def _only_returns(block: ir.Block) -> bool:
    """Whether a block does nothing but leave, perhaps after a word to the log."""
    if not block or not isinstance(block[-1], (ir.Return, ir.Break, ir.Continue)):
        return False
    return all(isinstance(s, (ir.ExprStmt, ir.Return, ir.Break, ir.Continue)) for s in block) and len(block) <= 3
