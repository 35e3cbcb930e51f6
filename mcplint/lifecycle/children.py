"""Child processes that the program starts, and whether anything ends them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true, values_at
from mcplint.lifecycle.deeds import entry_of, said
from mcplint.lifecycle.durations import FOREVER
from mcplint.lifecycle.holders import FoundHolder
from mcplint.lifecycle.model import Child
from mcplint.lifecycle.places import head
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import Position
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.values import Const, External
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.effects import Effect
    from mcplint.lifecycle.uses import Uses

_LISTENS = Position((0,))
_GOES = frozenset({"exit", "close"})


def started_children(uses: Uses, execution: Execution) -> list[FoundHolder]:
    """Every call that starts a child, also where the process does not wait for that."""
    return [
        FoundHolder(entry, call, item.scope, item.context, (call,), FOREVER, False, item.context.on_call)
        for call, item, targets in uses.calls
        for target in targets
        if isinstance(target, External)
        for entry in lookup(execution.catalog.holders, target.name)
        if entry.holds == "child"
    ]


def children_of(
    started: Iterable[FoundHolder],
    effects: Iterable[Effect],
    uses: Uses,
    path: Context,
    execution: Execution,
) -> tuple[Child, ...]:
    """The children of a server that nothing ends, or that a signal does not reach."""
    touched = {call for effect in effects for call in (effect.sure | effect.perhaps)}
    found: dict[ir.Call, Child] = {}
    for one in started:
        if one.call not in found and path.implies(one.context):
            child = _child(one, one.call in touched, uses, execution)
            if child is not None:
                found[one.call] = child
    return tuple(found.values())


def _child(started: FoundHolder, touched: bool, uses: Uses, execution: Execution) -> Child | None:
    call, scope, catalog = started.call, started.scope, execution.catalog
    ended = touched or _is_ended(started, uses)
    entry = entry_of(call, scope, catalog.children, execution)
    if entry is not None and not started.on_call and not ended and not _is_watched(started, uses, execution):
        daemon = any_true(entry.daemon_if, call, scope, execution.evaluator) is True
        return Child(said(call, scope), head(call, scope), "daemon" if daemon else "left")
    if (
        ended
        and entry_of(call, scope, catalog.shells, execution)
        and not _kills_others(uses, execution)
        and not _is_known_by_number(started, execution)
    ):
        return Child(said(call, scope), head(call, scope), "shell")
    return None


def _is_ended(started: FoundHolder, uses: Uses) -> bool:
    ends = (*started.entry.releases, *started.entry.released_by)
    return any(use.name in ends for use in uses.of(started.sites)) or uses.may_use(ends, ())


def _is_watched(started: FoundHolder, uses: Uses, execution: Execution) -> bool:
    """Whether something is done when it goes: whoever starts a short command waits for that."""
    if _is_known_by_number(started, execution):
        return True
    for use in uses.of(started.sites):
        if use.given:
            return True
        scope = execution.evaluator.index.scope_of(use.call)
        values, _ = values_at(_LISTENS, use.call, scope, execution.evaluator)
        if any(isinstance(v, Const) and v.value in _GOES for v in values or ()):
            return True
    return False


def _is_known_by_number(started: FoundHolder, execution: Execution) -> bool:
    """Whether the program asks for the child's number, by which a signal or another program ends it."""
    catalog, evaluator = execution.catalog, execution.evaluator
    for member, scope in (read for name in catalog.numbers for read in evaluator.index.reads_of(name)):
        owners = [v for v in evaluator.values(member.object, scope) if isinstance(v, External)]
        if any(v.site in started.sites or catalog.is_from_collection(v.name) for v in owners):
            return True
    return False


def _kills_others(uses: Uses, execution: Execution) -> bool:
    """Whether some code sends signals by number, to a group or a tree of processes."""
    for call, item, targets in uses.calls:
        names = [t.name for t in targets if isinstance(t, External)]
        for entry in (e for n in names for e in lookup(execution.catalog.exits, n)):
            if entry.effect == "signals" and (
                any_true(entry.only_if, call, item.scope, execution.evaluator) is not True
            ):
                return True
    return False
