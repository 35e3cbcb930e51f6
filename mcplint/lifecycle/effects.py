"""What handlers let go of: holders, and the transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.deeds import deeds
from mcplint.lifecycle.flow_signals import signalled
from mcplint.lifecycle.handlers import Registration, functions_of
from mcplint.lifecycle.holders import FoundHolder, asks_presence
from mcplint.lifecycle.model import Deed
from mcplint.lifecycle.uses import Use, Uses
from mcplint.program.calls import last_name
from mcplint.program.catalog import listed, lookup
from mcplint.program.contexts import Reached
from mcplint.program.execution import Execution
from mcplint.program.values import External, FunctionValue, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Given
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Effect:
    """What a handler does on the way: the calls that made what it lets go of, and its deeds.

    ``eases`` are the methods that it calls on what the catalog knows no wait of.
    """

    sure: frozenset[ir.Call]
    perhaps: frozenset[ir.Call]
    closes_transport: bool
    writes: tuple[Deed, ...] = ()
    cleans_up: tuple[Deed, ...] = ()
    eases: frozenset[str] = frozenset()


NO_EFFECT = Effect(frozenset(), frozenset(), False)


def effect_of(
    registration: Registration,
    holders: list[FoundHolder],
    found: FoundTransport,
    program: Execution,
    given: Given,
    absent: frozenset[ir.Call] = frozenset(),
) -> Effect:
    """Which holders, and whether the transport, a handler lets go of, and what it tells does.

    ``absent`` are calls that do not come about on the way to the transport.
    """
    execution = program.beside()
    for function in functions_of(registration):
        execution.enter_function(function)
    reached = list(execution.run().reached())
    while _tell(reached, execution, given):
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
        eases=_methods(uses, execution.catalog),
    )


def _methods(uses: Uses, catalog: Catalog) -> frozenset[str]:
    found = set()
    for call, _, targets in uses.calls:
        names = [t.name for t in targets if isinstance(t, External)]
        method = last_name(call.callee)
        if method is not None and not any(
            lookup(catalog.unbounded, n) or listed(catalog.prompt, n) for n in names
        ):
            found.add(method)
    return frozenset(found)


def _tell(reached: list[Reached], execution: Execution, given: Given) -> bool:
    """Enter the listeners of what the reached code tells; whether there is one that is new."""
    before = len(execution.contexts)
    for item in reached:
        call = item.step.node
        if isinstance(call, ir.Call):
            for name in execution.evaluator.outside_names(call.callee, item.scope):
                effects = _effects_of(name, call, item, execution)
                if "tells" in effects and given.telling is not None:
                    for heard in given.telling.told(call, item.scope) or ():
                        for function in heard.handlers:
                            if isinstance(function, FunctionValue):
                                execution.enter_function(function, item.context.with_(heard.context))
                elif effects & {"signals", "emits"}:
                    for function in signalled(given, call, item.scope):
                        execution.enter_function(function, item.context)
    return len(execution.contexts) > before


def _effects_of(name: str, call: ir.Call, item: Reached, execution: Execution) -> set[str]:
    return {
        entry.effect
        for entry in lookup(execution.catalog.exits, name)
        if not entry.only_if or any_true(entry.only_if, call, item.scope, execution.evaluator) is not False
    }


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


def closing_method(found: FoundTransport, execution: Execution) -> str | None:
    """The method that closes the object whose method serves, if there is one."""
    is_method = isinstance(found.serve.callee, ir.Member) and (
        found.serve is not found.call or bool(_sites_of_receiver(found, execution) - {found.call, None})
    )
    return next(iter(found.entry.closed_by), None) if is_method else None


def _sites_of_receiver(found: FoundTransport, execution: Execution) -> set[ir.Call | None]:
    """The calls that made the transport and the server which serves it."""
    sites: set[ir.Call | None] = {found.call}
    if isinstance(found.serve.callee, ir.Member):
        values = execution.evaluator.values(found.serve.callee.object, found.serve_scope)
        sites |= {site for v in values if (site := site_of(v)) is not None}
    return sites
