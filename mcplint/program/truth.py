"""Whether tests are always true, always false, or cannot be decided by reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcplint.program.preset import preset
from mcplint.program.scope import Scope
from mcplint.program.values import Const, External, Instance, ObjectValue, Value, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog

Constants = frozenset[str | int | float | bool | None]


class Truth:
    """Answers for tests, from the values that their parts can have.

    Args:
        values: what an expression can stand for.
        catalog: what a user may set, and names that have one value wherever the program serves stdio.
    """

    def __init__(self, values: Callable[[ir.Expr, Scope], Values], catalog: Catalog) -> None:
        self._values = values
        self._settings = catalog.settings
        self._facts = catalog.facts
        self._arguments = catalog.arguments
        self._busy: set[tuple[str, Scope]] = set()

    def constants(self, expr: ir.Expr, scope: Scope) -> Constants | None:
        """The constants that an expression can be, or None if it can be anything else."""
        values = self._values(expr, scope)
        found = [v.value for v in map(self._fact, values) if isinstance(v, Const)]
        return frozenset(found) if values and len(found) == len(values) else None

    def _fact(self, value: Value) -> Value:
        known = isinstance(value, External) and value.name in self._facts
        return Const(self._facts[value.name]) if known and isinstance(value, External) else value

    def truth(self, expr: ir.Expr, scope: Scope) -> bool | None:
        """Whether a test is always true, always false, or None if that cannot be said."""
        match expr:
            case ir.Literal(value=value):
                return bool(value)
            case ir.Unary(operator="not", operand=operand):
                inner = self.truth(operand, scope)
                return None if inner is None else not inner
            case ir.Logical(operator=operator, left=left, right=right):
                return logical_truth(operator, self.truth(left, scope), self.truth(right, scope))
            case ir.Binary(operator=("==" | "!=") as operator, left=left, right=right):
                same = self._same(left, right, scope)
                return same if operator == "==" or same is None else not same
            case ir.Binary(operator="instanceof", left=left, right=right):
                return self._is_made_by(left, right, scope)
            case ir.Call() | ir.Template() | ir.Binary() | ir.Opaque():
                return None
            case ir.Member():
                # An object in a field may be put there only later.
                found = self.constants(expr, scope)
                truths = {bool(v) for v in found or ()}
                if len(truths) != 1 or (True in truths and self._comes_later(expr, scope)):
                    return None
                return truths.pop()
            case _:
                return _all_truths(self._values(expr, scope))

    def _comes_later(self, expr: ir.Member, scope: Scope) -> bool:
        """Whether a field is not there yet when its object is made."""
        return any(not _is_made_with(owner, expr.name) for owner in self._values(expr.object, scope))

    def usual_truth(self, expr: ir.Expr, scope: Scope) -> bool | None:
        """The truth of a test where what the user may set (environment, options) is not set.

        None also where the test does not hang on any such thing alone.
        """
        match expr:
            case ir.Unary(operator="not", operand=operand):
                inner = self.usual_truth(operand, scope)
                return None if inner is None else not inner
            case ir.Logical(operator=operator, left=left, right=right):
                return logical_truth(operator, self.usual_truth(left, scope), self.usual_truth(right, scope))
            case ir.Binary(operator=("==" | "!=") as operator, left=left, right=right):
                a, b = self._usual_constants(left, scope), self._usual_constants(right, scope)
                if self._is_option(a, right, scope) or self._is_option(b, left, scope):
                    return operator == "!="
                if a is None or b is None or len(a) != 1 or len(b) != 1:
                    return None
                return (a == b) == (operator == "==")
            case ir.Name(id=name) if (begins := self._preset(name, scope)) is not None:
                return bool(begins.value)
            case ir.Call() | ir.Name() | ir.Member() | ir.Index() | ir.Literal() | ir.Await():
                found = self._usual_constants(expr, scope)
                truths = {bool(v) for v in found or ()}
                return truths.pop() if len(truths) == 1 else None
            case _:
                return None

    def _preset(self, name: str, scope: Scope) -> ir.Literal | None:
        """What a variable begins with, if only options change it."""
        key = (name, scope)
        if key in self._busy:  # what changes it hangs on itself
            return None
        self._busy.add(key)
        try:
            return preset(name, scope, self.usual_truth)
        finally:
            self._busy.discard(key)

    def _is_option(self, texts: Constants | None, given: ir.Expr, scope: Scope) -> bool:
        """Whether something that is given on the command line is compared with the name of an option."""
        if not texts or not all(isinstance(text, str) and text.startswith("-") for text in texts):
            return False
        values = self._values(given, scope)
        return bool(values) and all(isinstance(v, External) and v.name in self._arguments for v in values)

    def _usual_constants(self, expr: ir.Expr, scope: Scope) -> Constants | None:
        values = self._values(expr, scope)
        given = [v for v in values if not self.is_setting(v)]
        if not given:
            return frozenset({None}) if values else None
        found = [v.value for v in given if isinstance(v, Const)]
        return frozenset(found) if len(found) == len(given) else None

    def is_setting(self, value: Value) -> bool:
        """Whether a value is something that the user may set."""
        return isinstance(value, External) and value.name.startswith(self._settings)

    def _is_made_by(self, left: ir.Expr, right: ir.Expr, scope: Scope) -> bool | None:
        """Whether something is surely an object of a class."""
        kinds = {v.name + "()" for v in self._values(right, scope) if isinstance(v, External)}
        values = self._values(left, scope)
        made = [v for v in values if isinstance(v, External) and v.name in kinds]
        return True if values and len(made) == len(values) else None

    def _same(self, left: ir.Expr, right: ir.Expr, scope: Scope) -> bool | None:
        a, b = self.constants(left, scope), self.constants(right, scope)
        if a is None or b is None:
            return None
        if len(a) == len(b) == 1:
            return a == b
        return None if a & b else False


def _is_made_with(owner: Value, name: str) -> bool:
    match owner:
        case Instance(info=info) if name not in info.methods:
            homes = [scope.function for _, scope in info.fields.get(name, ())]
            return not homes or any(f is None or f.kind == "constructor" for f in homes)
        case ObjectValue(node=node):
            return any(entry.key in (name, None) for entry in node.entries)
        case _:
            return True


def logical_truth(operator: str, left: bool | None, right: bool | None) -> bool | None:
    """The truth of ``and``, ``or`` from that of their sides; None for other operators."""
    if operator == "and":
        if left is False or right is False:
            return False
        return True if left and right else None
    if operator == "or":
        if left or right:
            return True
        return False if left is False and right is False else None
    return None


def _all_truths(values: Values) -> bool | None:
    if not values:
        return None
    truths = {_truth_of(v) for v in values}
    return truths.pop() if len(truths) == 1 else None


def _truth_of(value: Value) -> bool | None:
    match value:
        case Const(value=constant):
            return bool(constant)
        case External():
            return None
        case _:
            return True
