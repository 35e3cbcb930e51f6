"""What tests decide by: two tests of one variable are one decision."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcplint.program.scope import Bound, Scope
from mcplint.syntax import ir

Subject = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class About:
    """That a test compares something that is bound once with a constant."""

    subject: Subject
    constant: object


@dataclass(frozen=True, slots=True)
class Decision:
    """What a test decides by, and the arm on which it is true.

    ``node`` is the same for every test of the program that decides the same.
    """

    node: ir.Node
    true_arm: int = 0
    about: About | None = None


@dataclass
class Decisions:
    """Recognises tests that decide the same as an earlier one."""

    _first: dict[About, ir.Node] = field(default_factory=dict)

    def of(self, node: ir.Node, test: ir.Expr, scope: Scope) -> Decision:
        """The decision that the ``test`` of ``node`` makes."""
        arm = 0
        while isinstance(test, ir.Unary) and test.operator == "not":
            test, arm = test.operand, 1 - arm
        if isinstance(test, ir.Name):
            bound = _bound(test, scope)
            return Decision(node) if bound is None else Decision(bound.value, arm)
        about = _comparison(test, scope)
        if about is None:
            return Decision(node)
        assert isinstance(test, ir.Binary)
        differs = test.operator == "!="
        return Decision(self._first.setdefault(about, node), 1 - arm if differs else arm, about)


def _comparison(test: ir.Expr, scope: Scope) -> About | None:
    if not isinstance(test, ir.Binary) or test.operator not in ("==", "!="):
        return None
    for one, other in ((test.left, test.right), (test.right, test.left)):
        if isinstance(other, ir.Literal) and isinstance(other.value, str):
            subject = _subject(one, scope)
            if subject is not None:
                return About(subject, other.value)
    return None


def _subject(expr: ir.Expr, scope: Scope) -> Subject | None:
    """What is compared: a variable that is bound once, or a property of one."""
    names: list[str] = []
    while isinstance(expr, ir.Member):
        names.append(expr.name)
        expr = expr.object
    if not isinstance(expr, ir.Name):
        return None
    bound = _bound(expr, scope, whole=False)
    return None if bound is None else (id(bound.value), bound.path, *reversed(names))


def _bound(name: ir.Name, scope: Scope, whole: bool = True) -> Bound | None:
    bindings = scope.find(name.id) or ()
    if len(bindings) != 1 or not isinstance(bindings[0], Bound):
        return None
    return None if whole and bindings[0].path else bindings[0]
