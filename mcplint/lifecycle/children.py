"""Child processes that the program starts, and whether anything ends them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true, values_at
from mcplint.lifecycle.deeds import entry_of, said
from mcplint.lifecycle.holders import FoundHolder
from mcplint.lifecycle.model import Child
from mcplint.lifecycle.places import head
from mcplint.program.catalog import Position, lookup
from mcplint.program.execution import Context, Execution
from mcplint.program.values import Const, External

if TYPE_CHECKING:
    from mcplint.lifecycle.effects import Effect
    from mcplint.lifecycle.uses import Uses

_LISTENS = Position((0,))
_GOES = frozenset({"exit", "close"})


def children_of(
    holders: Iterable[FoundHolder],
    effects: Iterable[Effect],
    uses: Uses,
    path: Context,
    execution: Execution,
) -> tuple[Child, ...]:
    """The children of a server that nothing ends, or that a signal does not reach."""
    touched = {call for effect in effects for call in (effect.sure | effect.perhaps)}
    found: dict[object, Child] = {}
    for holder in holders:
        if holder.call not in found and path.implies(holder.context):
            child = _child(holder, holder.call in touched, uses, execution)
            if child is not None:
                found[holder.call] = child
    return tuple(found.values())


def _child(holder: FoundHolder, touched: bool, uses: Uses, execution: Execution) -> Child | None:
    call, scope, catalog = holder.call, holder.scope, execution.catalog
    ended = touched or _is_ended(holder, uses)
    entry = entry_of(call, scope, catalog.children, execution)
    if entry is not None and not holder.on_call and not ended and not _is_watched(holder, uses, execution):
        daemon = any_true(entry.daemon_if, call, scope, execution.evaluator) is True
        return Child(said(call, scope), head(call, scope), "daemon" if daemon else "left")
    if ended and entry_of(call, scope, catalog.shells, execution) and not _kills_others(uses, execution):
        return Child(said(call, scope), head(call, scope), "shell")
    return None


def _is_ended(holder: FoundHolder, uses: Uses) -> bool:
    ends = (*holder.entry.releases, *holder.entry.released_by)
    return any(use.name in ends for use in uses.of(holder.sites)) or uses.may_use(ends, ())


def _is_watched(holder: FoundHolder, uses: Uses, execution: Execution) -> bool:
    """Whether something is done when it goes: whoever starts a short command waits for that."""
    for use in uses.of(holder.sites):
        if use.given:
            return True
        scope = execution.evaluator.index.scope_of(use.call)
        values, _ = values_at(_LISTENS, use.call, scope, execution.evaluator)
        if any(isinstance(v, Const) and v.value in _GOES for v in values or ()):
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
