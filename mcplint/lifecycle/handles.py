"""Whether a call's value stays where it was made, so that only code which names it gets at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcplint.program.calls import last_name
from mcplint.program.scope import Scope
from mcplint.syntax import ir


def stays_local(call: ir.Call, scope: Scope, takers: Iterable[str]) -> bool:
    """Whether a value is dropped at once, or kept in one variable that nothing hands on.

    ``takers`` are the last names of functions that may be given it, such as ``clearInterval``.
    """
    uses = _Uses(call, scope)
    if uses.dropped:
        return True
    name = uses.variable
    if name is None or uses.is_open(name):
        return False
    named = frozenset(takers)
    return all(_only_named(path, named) for path in uses.mentions(name))


_Path = tuple[ir.Node, ...]
"""A node behind the two that it stands in, as far as there are any."""


class _Uses:
    """Where a call stands, and where the variable that keeps its value is mentioned."""

    def __init__(self, call: ir.Call, scope: Scope) -> None:
        self._scope = scope
        self.dropped = False
        self.variable: str | None = None
        path = next((p for p in _paths(_body(scope)) if p[-1] is call), ())
        match path[-2:-1]:
            case (ir.ExprStmt(),):
                self.dropped = True
            case (ir.Declare(target=ir.Name(id=name)),):
                self.variable = name
            case (ir.Assign(target=ir.Name(id=name)),) if isinstance(path[0], ir.ExprStmt):
                self.variable = name

    def is_open(self, name: str) -> bool:
        """Whether other modules may read a variable."""
        home = self._home(name)
        if home is None or (home.function is None and home.module.is_python):
            return True
        exported = (local for entries in home.module.by_export.values() for local, _, _ in entries)
        return home.function is None and name in exported

    def mentions(self, name: str) -> Iterator[_Path]:
        """Every mention of a variable where it is known."""
        home = self._home(name)
        body = () if home is None else _body(home)
        return (p for p in _paths(body) if isinstance(p[-1], ir.Name) and p[-1].id == name)

    def _home(self, name: str) -> Scope | None:
        scope: Scope | None = self._scope
        while scope is not None and name not in scope.bindings:
            scope = scope.parent
        return scope


def _only_named(path: _Path, takers: frozenset[str]) -> bool:
    """Whether a mention of a variable hands its value to nothing but ``takers``."""
    node = path[-1]
    match path[-2:-1]:
        case (ir.Declare(target=target) | ir.Assign(target=target),):
            return target is node
        case (ir.Call(callee=callee),):
            return callee is not node and last_name(callee) in takers
        case (ir.Member() as member,):
            return isinstance(path[0], ir.Call) and path[0].callee is member
        case (ir.If() | ir.Unary(),):
            return True
        case (ir.Logical(left=left),):
            return left is node
        case _:
            return False


def _body(scope: Scope) -> ir.Block:
    return scope.module.code.body if scope.function is None else scope.function.body


def _paths(body: ir.Block) -> Iterator[_Path]:
    """Every node of a body with the two that it stands in."""
    stack: list[_Path] = [(statement,) for statement in reversed(body)]
    while stack:
        path = stack.pop()
        yield path
        stack.extend((*path[-2:], child) for child in reversed(list(ir.children(path[-1]))))
