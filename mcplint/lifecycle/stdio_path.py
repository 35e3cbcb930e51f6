"""One stdio path of a program: what holds it, what it listens to, and so how it ends."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from mcplint.lifecycle import endings
from mcplint.lifecycle.chains import Chains
from mcplint.lifecycle.children import children_of, started_children
from mcplint.lifecycle.effects import NO_EFFECT, Effect, effect_of
from mcplint.lifecycle.flow import Flow, Given
from mcplint.lifecycle.handlers import Registration, functions_of
from mcplint.lifecycle.holders import FoundHolder, HolderFinder
from mcplint.lifecycle.holding import holders_of
from mcplint.lifecycle.late import late_nodes
from mcplint.lifecycle.leave import outward, then
from mcplint.lifecycle.model import STDIN_EVENTS, Child, Ending, Event, Handler
from mcplint.lifecycle.onclose import without_lost
from mcplint.lifecycle.outcomes import Outcome, Way
from mcplint.lifecycle.reactions import Reactions, registrations
from mcplint.lifecycle.sdk import Sdk
from mcplint.lifecycle.stdin_watch import watches_stdin
from mcplint.lifecycle.telling import Telling
from mcplint.lifecycle.transports import FoundTransport
from mcplint.lifecycle.uses import Uses
from mcplint.lifecycle.watchdog import asks_parent, find_watchdog
from mcplint.lifecycle.written import Written
from mcplint.program.catalog import lookup
from mcplint.program.contexts import Reached
from mcplint.program.handed import handed_over
from mcplint.program.values import External, FunctionValue
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.programs import Program

_ENDLESS = Way.HANGS | Way.WAITS | Way.LOOPS | Way.PAUSES


class StdioPath:
    """The way through a program that leads to one transport, and what happens on it.

    Attributes:
        sdk: the SDK of the transport.
        listeners: what is registered on this path.
        flow: how code on this path leaves.
        watchdog: what asks again and again whether the client is gone, if anything does.
        opaque_stdin: whether something that cannot be followed watches stdin.
        facts: all that decides how the server ends.
    """

    def __init__(
        self, program: Program, reached: list[Reached], uses: Uses, found: FoundTransport, sdk: Sdk
    ) -> None:
        self._program = program
        self._reached = reached
        self._uses = uses
        self._found = found
        self._execution = program.execution
        self._evaluator = program.execution.evaluator
        self._catalog = program.execution.catalog
        self._python = program.entry.is_python
        self._context = found.context
        self.sdk = sdk
        known = registrations(reached, self._execution, self._context)
        here = [r for r in known if not self._context.excludes(r.context)]
        self.listeners = without_lost(here, found, sdk.version, self._execution)
        self._aside = [r for r in known if r.event in STDIN_EVENTS and self._context.excludes(r.context)]
        self.flow = self._flow()
        self._started = started_children(uses, self._execution)
        self._absent = self._calls_elsewhere()
        self._holders = self._find_holders()
        self._effects = self._find_effects()
        self._asking = {r for r in self.listeners if self._asks_parent(r)}
        self._reactions = self._find_reactions()
        self.watchdog = find_watchdog(self._execution, reached, self.listeners, self._asking)
        self.opaque_stdin = watches_stdin(self._execution, reached)
        self.facts = self._find_facts()

    # ------------------------------------------------------------------ how it ends

    @cached_property
    def stdin_eof(self) -> Ending:
        """What happens at the end of stdin."""
        return self._at_eof(self.facts)

    @cached_property
    def stdin_eof_after_call(self) -> Ending:
        """What happens at the end of stdin once a client has called."""
        return self._at_eof(endings.after_call(self.facts))

    @cached_property
    def stdin_eof_if_unheard(self) -> Ending | None:
        """What happens if no listener counts of which reading cannot tell; None if the same does."""
        unheard = self._at_eof(self._unheard())
        return None if unheard == self.stdin_eof else unheard

    def at_signal(self, event: Event) -> Ending:
        """What happens at a signal."""
        decide = endings.python_at_signal if self._python else endings.node_at_signal
        return decide(self.facts, event)

    def _at_eof(self, facts: endings.Facts) -> Ending:
        return endings.python_at_eof(facts) if self._python else endings.node_at_eof(facts)

    def _find_facts(self) -> endings.Facts:
        ways = self._entry_ways() if self._python else Way.NONE
        return endings.with_reach(
            endings.Facts(
                at_eof=self.sdk.at_eof,
                on_signal=self._found.entry.on_signal,
                holders=holders_of(self._holders, self._effects, self._context),
                handlers=self._reactions.handlers(self._effects),
                opaque_stdin=self.watchdog is not None or self.opaque_stdin,
                ends_after_serving=Outcome(ways).ends,
                may_end_after_serving=Way.ENDS in ways,
                serve_hangs=Way.HANGS in ways and not ways & ~_ENDLESS,
                ends_elsewhere=self._ends_elsewhere(),
            )
        )

    def _unheard(self) -> endings.Facts:
        """The facts with those listeners only that surely hear the end of stdin and act on it alone."""
        heard = {
            r: effect
            for r, effect in self._effects.items()
            if r.sure and self._context.implies(r.context) and r not in self._asking
        }
        of_stdin = self.watchdog is not None and not self.watchdog.of_parent
        return endings.with_reach(
            replace(
                self.facts,
                holders=holders_of(self._holders, heard, self._context),
                handlers=self._reactions.handlers(heard),
                opaque_stdin=self.opaque_stdin or of_stdin,
                ends_elsewhere=self._ends_elsewhere(but_for_watchdogs=True),
            )
        )

    # ------------------------------------------------------------------ what else there is

    def elsewhere(self) -> tuple[Handler, ...]:
        """The listeners for the end of stdin that only another path registers."""
        return self._reactions.handlers(dict.fromkeys(self._aside, NO_EFFECT))

    def children(self) -> tuple[Child, ...]:
        """The children that nothing ends."""
        return children_of(self._started, self._effects.values(), self._uses, self._context, self._execution)

    # ------------------------------------------------------------------ found once

    def _flow(self) -> Flow:
        return Flow(
            Given(
                self._evaluator,
                self._catalog,
                self._execution.scanner,
                handlers=_functions_by_event(self.listeners),
                arms={b.node: b.arm for b in self._context.branches},
                uses=self._uses,
                telling=Telling(self._reached, self._execution, self._context),
                once=frozenset(f.function for r in self.listeners if r.once for f in functions_of(r)),
            )
        )

    def _find_holders(self) -> list[FoundHolder]:
        found = list(HolderFinder(self._execution, self._uses, self.flow, self._context).find())
        written = Written(self._execution, self.listeners)
        chains = Chains(self._execution, self._uses, self.flow, written).find(found)
        return [h for h in (*found, *chains) if not self._context.excludes(h.context)]

    def _find_effects(self) -> dict[Registration, Effect]:
        held = [*self._holders, *self._started]
        return {
            r: effect_of(r, held, self._found, self._execution, self.flow.given, self._absent)
            for r in self.listeners
        }

    def _find_reactions(self) -> Reactions:
        late = late_nodes(self._found, self._execution, self.flow)
        return Reactions(self._execution, self.flow, self._context, self._absent, late, self._python)

    def _asks_parent(self, registration: Registration) -> bool:
        """Whether a listener for the end of stdin ends the process only if the parent is gone, too."""
        return registration.event in STDIN_EVENTS and any(
            outcome.may_end and not outcome.ends and asks_parent(function, self._execution)
            for function in functions_of(registration)
            for outcome in (self.flow.outcome(function),)
        )

    def _calls_elsewhere(self) -> frozenset[ir.Call]:
        """The calls that come about only on another way through the program."""
        there = {call for call, item, _ in self._uses.calls if not self._context.excludes(item.context)}
        return frozenset(call for call, _, _ in self._uses.calls if call not in there)

    def _ends_elsewhere(self, but_for_watchdogs: bool = False) -> bool:
        """Whether code beside the handlers may end the process.

        In Python any call that does, since it may stand behind what a handler sets; in Node only
        one in a function that runs later, since a start-up that gives up is no end of serving.
        """
        for call, item, targets in self._uses.calls:
            names = [t.name for t in targets if isinstance(t, External)]
            if item.context.on_call:
                continue
            if self._python:
                if any(e.effect == "ends" for n in names for e in lookup(self._catalog.exits, n)):
                    return True
            elif any((entry := self._catalog.callback(n)) and entry.runs == "later" for n in names):
                for function in handed_over(call, self._evaluator, item.scope):
                    if self.flow.outcome(function).ways & (Way.ENDS | Way.LATER) and not (
                        but_for_watchdogs and asks_parent(function, self._execution)
                    ):
                        return True
        return False

    def _entry_ways(self) -> Way:
        """How control leaves the whole program, the serve call taken to return."""
        entry = self._program.entry
        ways = self.flow.block(entry.code.body, entry.scope)
        for function in self._program.functions:
            ways = then(ways, self.flow.function(function.function, function.scope))
        return outward(ways)


def _functions_by_event(listeners: list[Registration]) -> dict[str, tuple[FunctionValue, ...]]:
    result: dict[str, tuple[FunctionValue, ...]] = {}
    for r in listeners:
        result[r.event.value] = (*result.get(r.event.value, ()), *functions_of(r))
    return result
