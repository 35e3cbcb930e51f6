"""Whether a condition of the catalog holds for a call: yes, no, or not to be known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.lifecycle.asked import is_asked
from mcplint.program.calls import argument
from mcplint.program.catalog_entries import Condition, Position
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.values import (
    ArrayValue,
    ClassValue,
    Const,
    External,
    FunctionValue,
    Instance,
    ObjectValue,
    Value,
    Values,
    site_of,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator


def any_true(
    conditions: tuple[Condition, ...], call: ir.Call, scope: Scope, evaluator: Evaluator
) -> bool | None:
    """Whether one of the alternatives holds."""
    results = [holds(condition, call, scope, evaluator) for condition in conditions]
    if True in results:
        return True
    return None if None in results else False


def holds(condition: Condition, call: ir.Call, scope: Scope, evaluator: Evaluator) -> bool | None:
    """Whether one condition holds."""
    results = {
        _holds_at(condition, where, there, evaluator)
        for where, there in _calls(condition.position, call, scope, evaluator)
    }
    return results.pop() if len(results) == 1 else None


def _holds_at(condition: Condition, call: ir.Call, scope: Scope, evaluator: Evaluator) -> bool | None:
    values, known = values_at(condition.position, call, scope, evaluator)
    if condition.given is not None:
        return None if not known and values is None else (values is not None) == condition.given
    if values is None:
        return False if known else None
    if condition.asked is not None:
        return _is_asked(condition.position, call, scope, evaluator) == condition.asked
    if condition.named is not None:
        matches = {isinstance(v, External) and v.name == condition.named for v in values}
        return matches.pop() if len(matches) == 1 else None
    answers = {_is(v, condition.constant) for v in values}
    answer = answers.pop() if len(answers) == 1 else None
    return answer if answer is None or not condition.other_than else not answer


def _is_asked(position: Position, call: ir.Call, scope: Scope, evaluator: Evaluator) -> bool:
    there = (argument(call, at) for at in position.at)
    return any(expr is not None and is_asked(expr, scope, evaluator) for expr in there)


def _is(value: Value, wanted: object) -> bool | None:
    if isinstance(value, Const):
        return _equal(value.value, wanted)
    if isinstance(wanted, list) and isinstance(value, ArrayValue):
        items = value.node.items
        if not all(isinstance(i, ir.Literal) for i in items):
            return None
        return [i.value for i in items if isinstance(i, ir.Literal)] == wanted
    return None if isinstance(value, External) else False


def _equal(value: object, wanted: object) -> bool:
    if isinstance(wanted, bool):
        return bool(value) == wanted
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def values_at(
    position: Position, call: ir.Call, scope: Scope, evaluator: Evaluator
) -> tuple[Values | None, bool]:
    """What stands at a position of a call, and whether that is the whole truth.

    ``None`` for the values means that nothing is given there.
    """
    spread = any(isinstance(a, ir.Spread) for a in call.args) or any(k.name is None for k in call.keywords)
    for at in position.at:
        expr = argument(call, at)
        if expr is None:
            continue
        values = evaluator.values(expr, scope)
        if position.key is None:
            return values, True
        found, known = _at_path(values, position.key, evaluator)
        if found is not None or not known:
            return found, known
    return None, not spread


def _at_path(values: Values, path: str, evaluator: Evaluator) -> tuple[Values | None, bool]:
    """What stands at a path of properties, and whether that is the whole truth."""
    known = True
    for key in path.split("."):
        if key == "[]":
            values = evaluator.elements(values)
            continue
        if key.isdigit():
            item = _item(values, int(key), evaluator)
            if item is None:
                return None, all(isinstance(v, (ArrayValue, Const)) for v in values)
            values = item
            continue
        found, sure = _property(values, key, evaluator)
        known = known and sure
        if found is None:
            return None, known
        values = found
    return values, known


def _item(values: Values, index: int, evaluator: Evaluator) -> Values | None:
    """What stands at a place of array literals; None where one has no such place, or is none."""
    found: set[Value] = set()
    for value in values:
        items = value.node.items if isinstance(value, ArrayValue) else ()
        if index >= len(items) or any(isinstance(i, ir.Spread) for i in items[: index + 1]):
            return None
        assert isinstance(value, ArrayValue)
        found |= evaluator.values(items[index], value.scope)
    return frozenset(found) or None


def _property(values: Values, key: str, evaluator: Evaluator) -> tuple[Values | None, bool]:
    bare = (Const, FunctionValue, ClassValue, ArrayValue)
    # A setting, such as a variable of the environment, is a text.
    is_setting = evaluator.tests.is_setting
    values = frozenset(v for v in values if not isinstance(v, bare) and not is_setting(v))
    if not values:
        return None, True
    if not all(isinstance(v, ObjectValue) for v in values):
        found = evaluator.members(values, key)
        return (found or None), False
    given = [v for v in values if isinstance(v, ObjectValue) and _has(v.node, key)]
    if len(given) == len(values):
        return evaluator.members(values, key), True
    opaque = any(
        isinstance(e.value, ir.Spread) or e.key is None
        for v in values
        if isinstance(v, ObjectValue)
        for e in v.node.entries
    )
    put = any(isinstance(v, ObjectValue) and evaluator.is_put(v, key) for v in values)
    if not given and not put:
        return None, not opaque
    return evaluator.members(given, key) | frozenset({External("?")}), False


def _has(node: ir.Object, key: str) -> bool:
    return any(entry.key == key for entry in node.entries)


def _calls(
    position: Position, call: ir.Call, scope: Scope, evaluator: Evaluator
) -> Iterator[tuple[ir.Call, Scope]]:
    """The call that a position speaks of: this one, or the one that made its receiver."""
    if not position.of_receiver:
        yield call, scope
        return
    for value in evaluator.values(call.callee, scope):
        site = site_of(value)
        if site is not None:
            yield from _making(site, evaluator)
    if isinstance(call.callee, ir.Member):
        for owner in evaluator.values(call.callee.object, scope):
            if isinstance(owner, Instance) and owner.site is None:
                yield from _base_constructions(owner.info)


def _making(site: ir.Call, evaluator: Evaluator) -> Iterator[tuple[ir.Call, Scope]]:
    """The call that makes an outside object: for a subclass, that of the base's constructor."""
    scope = evaluator.index.scope_of(site)
    found = False
    for made in evaluator.values(site.callee, scope):
        if isinstance(made, ClassValue):
            for pair in _base_constructions(made.info):
                found = True
                yield pair
    if not found:
        yield site, scope


def _base_constructions(info: ClassInfo) -> Iterator[tuple[ir.Call, Scope]]:
    constructor = info.constructor
    if constructor is None:
        return
    scope = info.scope.module.scope_of(constructor)
    for node in ir.walk(*constructor.body):
        if isinstance(node, ir.Call) and _constructs_base(node.callee):
            yield node, scope


def _constructs_base(callee: ir.Expr) -> bool:
    return isinstance(callee, ir.Super) or (isinstance(callee, ir.Member) and callee.name == "__init__")
