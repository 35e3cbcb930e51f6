"""From the calls that hold a process to the holders of the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcplint.lifecycle.durations import FOREVER
from mcplint.lifecycle.holders import FoundHolder
from mcplint.lifecycle.model import Holder
from mcplint.lifecycle.places import head
from mcplint.program.contexts import Context
from mcplint.program.steps import Branch
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.effects import Effect
    from mcplint.lifecycle.handlers import Registration


def holders_of(
    found: list[FoundHolder], effects: dict[Registration, Effect], path: Context
) -> tuple[Holder, ...]:
    """Each holder once, in the context that holds most; the surest first."""
    best: dict[ir.Call, Holder] = {}
    effects = {r: e for r, e in effects.items() if r.called}
    for item in _joined(found):
        holder = _holder(item, effects, path)
        known = best.get(item.call)
        if known is None or _rank(holder) < _rank(known):
            best[item.call] = holder
    return tuple(sorted(best.values(), key=_rank))


def _holder(item: FoundHolder, effects: dict[Registration, Effect], path: Context) -> Holder:
    released = {r.event for r, e in effects.items() if item.call in e.sure and path.implies(r.context)}
    touched = {r.event for r, e in effects.items() if item.call in (e.sure | e.perhaps)}
    return Holder(
        what=_what(item),
        place=head(item.call, item.scope),
        seconds=None if item.seconds == FOREVER else item.seconds,
        when="call" if item.on_call else "start",
        certain=item.sure and _comes_with(path, item),
        released_at=frozenset(released),
        perhaps_released_at=frozenset(touched - released),
        known=item.entry.known,
    )


def _what(item: FoundHolder) -> str:
    reconnects = item.again and item.entry.ends
    return f"{item.entry.what} that reconnects" if reconnects else item.entry.what


def _comes_with(path: Context, holder: FoundHolder) -> bool:
    """Whether whatever serves also makes the holder; in a tool, once the tool is called."""
    context = replace(holder.context, on_call=False)
    if holder.context.on_call:
        context = replace(context, branches=frozenset(b for b in context.branches if _is_run(b)))
    return path.implies(context)


def _is_run(branch: Branch) -> bool:
    """Whether a branch asks if something is called at all, and not how a tool decides."""
    return branch.test is None and not isinstance(branch.node, ir.Loop)


def _joined(found: list[FoundHolder]) -> list[FoundHolder]:
    """Holders of one kind in both arms of a decision come with whatever is decided."""
    result = list(found)
    for first in found:
        for branch in first.context.branches:
            rest = first.context.branches - {branch}
            other = rest | {Branch(branch.node, 1 - branch.arm)}
            if (
                branch.arm == 0
                and branch.test is not None
                and any(h.entry is first.entry and h.context.branches == other for h in found)
            ):
                result.append(replace(first, context=replace(first.context, branches=rest)))
    return result


def _rank(holder: Holder) -> tuple[object, ...]:
    return (
        holder.when != "start",
        not holder.certain,
        holder.seconds is not None,
        str(holder.place.path),
        holder.place.start,
    )
