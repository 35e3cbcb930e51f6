"""The functions that a holder runs: a timer's, a thread's, those of an object's own class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import values_at
from mcplint.program.calls import argument
from mcplint.program.catalog_entries import HolderEntry, Position
from mcplint.program.scope import Scope
from mcplint.program.values import FunctionValue, Instance, Value, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator


def callbacks_of(entry: HolderEntry, call: ir.Call, scope: Scope, evaluator: Evaluator) -> frozenset[Value]:
    """The functions that a holder runs."""
    if entry.callback is None:
        return frozenset()
    if not entry.callback.of_receiver:
        coroutines = _coroutines(entry.callback, call, scope, evaluator)
        return coroutines or values_at(entry.callback, call, scope, evaluator)[0] or frozenset()
    found: set[Value] = set(_own_callback(entry, call, scope, evaluator))
    for value in evaluator.values(call.callee, scope) if not found else ():
        site = site_of(value)
        if site is not None:
            where = evaluator.index.scope_of(site)
            found |= values_at(entry.callback, site, where, evaluator)[0] or set()
    return frozenset(found)


def _coroutines(position: Position, call: ir.Call, scope: Scope, evaluator: Evaluator) -> frozenset[Value]:
    """The async functions whose coroutines are handed over: ``work`` of ``create_task(work())``."""
    for at in position.at:
        given = argument(call, at)
        if isinstance(given, ir.Call):
            called = evaluator.values(given.callee, scope)
            return frozenset(v for v in called if isinstance(v, FunctionValue) and v.function.is_async)
    return frozenset()


def _own_callback(entry: HolderEntry, call: ir.Call, scope: Scope, evaluator: Evaluator) -> frozenset[Value]:
    """The overriding method of an object whose class is a subclass in the program."""
    if entry.subclass_callback is None or not isinstance(call.callee, ir.Member):
        return frozenset()
    owners = [v for v in evaluator.values(call.callee.object, scope) if isinstance(v, Instance)]
    found = evaluator.members(owners, entry.subclass_callback)
    return frozenset(v for v in found if isinstance(v, FunctionValue))
