"""What handlers let go of: holders, and the transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.lifecycle.deeds import deeds
from mcplint.lifecycle.handlers import Registration, functions_of
from mcplint.lifecycle.holders import FoundHolder, asks_presence
from mcplint.lifecycle.model import Deed
from mcplint.lifecycle.uses import Use, Uses
from mcplint.program.calls import last_name
from mcplint.program.catalog import listed
from mcplint.program.execution import Execution, Reached
from mcplint.program.values import External, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.transports import FoundTransport


@dataclass(frozen=True, slots=True)
class Effect:
    """What a handler does on the way: the calls that made what it lets go of, and its deeds."""

    sure: frozenset[ir.Call]
    perhaps: frozenset[ir.Call]
    closes_transport: bool
    writes: tuple[Deed, ...] = ()
    cleans_up: tuple[Deed, ...] = ()


NO_EFFECT = Effect(frozenset(), frozenset(), False)


def effect_of(
    registration: Registration,
    holders: list[FoundHolder],
    found: FoundTransport,
    program: Execution,
    absent: frozenset[ir.Call] = frozenset(),
) -> Effect:
    """Which holders, and whether the transport, a handler lets go of.

    ``absent`` are calls that do not come about on the way to the transport.
    """
    execution = program.beside()
    for function in functions_of(registration):
        execution.enter_function(function)
    reached = list(execution.run().reached())
    uses = Uses(reached, execution)
    sure: set[ir.Call] = set()
    perhaps: set[ir.Call] = set()
    again = {h.call for h in holders if h.again}
    for holder in holders:
        freeing = [use for use in uses.of(holder.sites) if _frees(use, holder)]
        if holder.call not in again and any(_is_certain(use, holder) for use in freeing):
            sure.add(holder.call)
        elif freeing or uses.may_use(holder.entry.releases, holder.entry.released_by):
            perhaps.add(holder.call)
    return Effect(
        frozenset(sure),
        frozenset(perhaps),
        _closes(reached, found, execution),
        writes=deeds(reached, execution.catalog.writers, execution),
        cleans_up=deeds(reached, execution.catalog.cleanups, execution, absent),
    )


def _frees(use: Use, holder: FoundHolder) -> bool:
    if use.given:
        return use.name in holder.entry.released_by
    return use.name in (*holder.entry.releases, *holder.entry.unref)


def _is_certain(use: Use, holder: FoundHolder) -> bool:
    return all(b.usual or asks_presence(b, use.call, holder.sites) for b in use.context.branches)


def _closes(reached: list[Reached], found: FoundTransport, execution: Execution) -> bool:
    """Whether the reached code closes the transport, the server on it, or stdin."""
    receivers = _sites_of_receiver(found, execution)
    for item in reached:
        if not isinstance(item.step.node, ir.Call):
            continue
        method = last_name(item.step.node.callee)
        for value in execution.evaluator.values(item.step.node.callee, item.scope):
            if isinstance(value, External) and (
                listed(execution.catalog.closers, value.name)
                or (method in found.entry.closed_by and value.site in receivers)
                or _closes_own(value, found)
            ):
                return True
    return False


def _closes_own(called: External, found: FoundTransport) -> bool:
    """Whether a subclass of the transport closes itself: ``this.close()``."""
    own = (f"{name}().{method}" for name in found.entry.names for method in found.entry.closed_by)
    return called.site is None and called.name in own


def _sites_of_receiver(found: FoundTransport, execution: Execution) -> set[ir.Call | None]:
    """The calls that made the transport and the server which serves it."""
    sites: set[ir.Call | None] = {found.call}
    if isinstance(found.serve.callee, ir.Member):
        values = execution.evaluator.values(found.serve.callee.object, found.serve_scope)
        sites |= {site for v in values if (site := site_of(v)) is not None}
    return sites
