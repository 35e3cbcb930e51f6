"""Re-entrancy guards: tests of something that the function itself sets on its first run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcplint.program.scope import Scope
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog


def is_guard(node: ir.If, scope: Scope, catalog: Catalog) -> int | None:
    """Which arm of an ``if`` is only for a second run (0 or 1), or None if it is no guard."""
    tested = tested_names(node.test) - scope.bindings.keys()
    if not tested:
        return None
    function = scope.function
    body = function.body if function is not None else ()
    if not tested & marked_names(body, catalog):
        return None
    if node.then and _only_returns(node.then):
        return 0
    if not node.otherwise and marked_names(node.then, catalog) & tested:
        return 1
    if node.otherwise and _only_returns(node.otherwise):
        return 1
    return None


def is_guarded(function: ir.Function, ends: Callable[[ir.Block], bool], catalog: Catalog) -> bool:
    """Whether a second run of a function that is still running does nothing but leave.

    What makes it so must come before the function first waits. ``ends`` says whether a block
    ends the process.
    """
    head, pausing = _until_pause(function.body)
    marked = marked_names(tuple(head), catalog)
    for node in (*head, *pausing):
        if not isinstance(node, ir.If):
            continue
        tested = tested_names(node.test)
        leaves = _only_returns(node.then) or _only_returns(node.otherwise) or ends(node.then)
        if tested & marked and leaves:
            return True
        if not node.otherwise and tested & marked_names(tuple(_until_pause(node.then)[0]), catalog):
            return True
    return any(_memoises(n) or _detaches(n, catalog) for n in walk_own((*head, *pausing)))


def _until_pause(body: ir.Block) -> tuple[list[ir.Stmt], list[ir.Stmt]]:
    """The statements of a body before it first waits, and the one that waits."""
    head: list[ir.Stmt] = []
    for statement in body:
        if isinstance(statement, (ir.Try, ir.Nested)):
            inner, pausing = _until_pause(statement.body)
            head.extend(inner)
            if pausing:
                return head, pausing
        elif any(isinstance(n, ir.Await) for n in walk_own((statement,))):
            return head, [statement]
        else:
            head.append(statement)
    return head, []


def _memoises(node: ir.Node) -> bool:
    match node:
        case ir.Assign(operator=("??=" | "||=")):
            return True
        case ir.Logical(operator=("or" | "nullish"), left=left, right=ir.Assign(target=target)):
            return bool(tested_names(left) & tested_names(target))
        case _:
            return False


def _detaches(node: ir.Node, catalog: Catalog) -> bool:
    """Whether a call takes listeners away, so that nothing comes a second time."""
    match node:
        case ir.Call(callee=ir.Member(name=method)):
            return method in catalog.detaches
        case _:
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


def marked_names(body: ir.Block, catalog: Catalog) -> frozenset[str]:
    """The variables and fields that a body writes, by their last name."""
    names: set[str] = set()
    for node in walk_own(body, through_functions=True):
        match node:
            case ir.Assign(target=ir.Name(id=name)) | ir.Assign(target=ir.Member(name=name)):
                names.add(name)
            case ir.Call(callee=ir.Member(object=owner, name=method)) if method in catalog.marks:
                names |= tested_names(owner)
            case _:
                continue
    return frozenset(names)


def walk_own(body: tuple[ir.Stmt, ...], through_functions: bool = False) -> list[ir.Node]:
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
    return (
        all(isinstance(s, (ir.ExprStmt, ir.Return, ir.Break, ir.Continue)) for s in block) and len(block) <= 3
    )
