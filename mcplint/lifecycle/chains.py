"""Chains: what is made again whenever it ends, so that something holds for ever.

A *link* holds until it ends: a timer until it fires, a connection until it is closed. If what
runs then surely makes a link again, whatever the other side does, the chain never ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcplint.lifecycle.callbacks import callbacks_of
from mcplint.lifecycle.durations import FOREVER
from mcplint.lifecycle.guards import is_guard
from mcplint.lifecycle.holders import FoundHolder
from mcplint.lifecycle.listening import Listening
from mcplint.lifecycle.onward import Onward
from mcplint.lifecycle.written import Written
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import HolderEntry
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.values import ClassValue, External, FunctionValue, Value, Values, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow
    from mcplint.lifecycle.uses import Uses

_MAX_ROUNDS = 20
_MAX_CALLERS = 4


@dataclass(eq=False)
class _Link:
    """A call that makes a link, and the functions that run when that ends."""

    entry: HolderEntry
    call: ir.Call
    scope: Scope
    contexts: list[Context] = field(default_factory=list)
    followers: frozenset[Value] = frozenset()


class Chains:
    """Finds the chains of one program on one stdio path."""

    def __init__(self, execution: Execution, uses: Uses, flow: Flow, written: Written) -> None:
        self._execution = execution
        self._evaluator = execution.evaluator
        self._catalog = execution.catalog
        self._uses = uses
        self._flow = flow
        self._written = written
        self._listening = Listening(execution, uses)
        self._links: dict[ir.Call, _Link] = {}
        self._resets: dict[ir.Call, frozenset[tuple[object, str]]] = {}
        self._onward = self._towards(frozenset())

    def find(self, found: Iterable[FoundHolder]) -> Iterator[FoundHolder]:
        """A holder for each call that surely starts a chain; ``found`` are those that hold by themselves."""
        self._links = {link.call: link for link in self._candidates()}
        lasting = {h.call for h in found if h.sure and h.seconds == FOREVER}
        self._settle(lasting)
        if not self._links:
            return
        for call, item, targets in self._uses.calls:
            if item.context.on_call:
                continue
            started = self._links.get(call) or self._started_by(call, item.scope, targets)
            if started is not None:
                yield FoundHolder(
                    started.entry,
                    started.call,
                    started.scope,
                    item.context,
                    (started.call,),
                    FOREVER,
                    True,
                    False,
                    again=True,
                )

    def _started_by(self, call: ir.Call, scope: Scope, targets: Values) -> _Link | None:
        """The link to point at where a call surely starts a chain: a connection, else a timer."""
        own = all(isinstance(t, (FunctionValue, ClassValue)) for t in targets)
        if not targets or not own or not self._onward.by(call, scope):
            return None
        execution = self._execution.beside()
        for target in targets:
            if isinstance(target, FunctionValue):
                execution.enter_function(target)
            elif isinstance(target, ClassValue) and target.info.constructor is not None:
                execution.enter_function(FunctionValue(target.info.constructor, target.info.scope))
        calls = [item.step.node for item in execution.run().reached()]
        links = [self._links[c] for c in calls if isinstance(c, ir.Call) and c in self._links]
        return next((link for link in links if link.entry.ends), links[0] if links else None)

    # ------------------------------------------------------------------ links

    def _candidates(self) -> Iterator[_Link]:
        links: dict[ir.Call, _Link] = {}
        for call, item, targets in self._uses.calls:
            if item.context.on_call:
                continue
            entries = [
                e for t in targets if isinstance(t, External) for e in lookup(self._catalog.holders, t.name)
            ]
            if len(entries) != 1 or len(targets) != 1 or not _is_link(entries[0]):
                continue
            links.setdefault(call, _Link(entries[0], call, item.scope)).contexts.append(item.context)
        for link in links.values():
            followers = self._followers(link)
            if followers and not self._is_loose(link):
                link.followers = followers
                yield link

    def _followers(self, link: _Link) -> frozenset[Value]:
        """What runs when a link ends; nothing where that is not sure."""
        if not link.entry.ends:
            return callbacks_of(link.entry, link.call, link.scope, self._evaluator)
        for event in link.entry.ends:
            if not self._listening.always(link.call, event, link.contexts):
                return frozenset()
        return frozenset().union(*(self._listening.handlers(link.call, e) for e in link.entry.ends))

    def _is_loose(self, link: _Link) -> bool:
        """Whether something takes a link's hold off the process without ending it."""
        uses = [u for u in self._uses.of([link.call]) if not u.given and not u.context.on_call]
        return any(u.name in link.entry.unref for u in uses)

    # ------------------------------------------------------------------ the greatest fixed point

    def _settle(self, lasting: set[ir.Call]) -> None:
        """Drop the links that are not surely followed by one that stays."""
        for _ in range(_MAX_ROUNDS):
            if not self._links:
                return
            self._resets = {call: self._reset_by(link) for call, link in self._links.items()}
            self._onward = self._towards(frozenset(self._links) | lasting)
            kept = {c: link for c, link in self._links.items() if self._goes_on(link)}
            if len(kept) == len(self._links):
                return
            self._links = kept
        self._links = {}

    def _towards(self, goals: frozenset[ir.Call]) -> Onward:
        return Onward(self._flow, goals, self._written.truth, self._skips)

    def _goes_on(self, link: _Link) -> bool:
        return self._onward.surely(link.followers) and all(
            not self._comes_behind(link, use.call) and self._is_harmless(use.call, 0)
            for use in self._uses.of([link.call])
            if not use.context.on_call and self._takes_away(link, use.name, use.given)
        )

    def _takes_away(self, link: _Link, name: str, given: bool) -> bool:
        """Whether a use ends a link without what follows it.

        A connection that is closed tells so; a timer that is cleared does not.
        """
        if link.entry.ends:
            return name in self._catalog.detaches
        return name in (link.entry.released_by if given else link.entry.releases)

    def _comes_behind(self, link: _Link, call: ir.Call) -> bool:
        """Whether a call stands behind a link in the same function."""
        scope = self._evaluator.index.scope_of(call)
        return scope is link.scope and call.start > link.call.start

    def _is_harmless(self, call: ir.Call, depth: int) -> bool:
        """Whether a link may be taken away by a call, as another holds then, or comes right after."""
        scope: Scope | None = self._evaluator.index.scope_of(call)
        function = scope.function if scope is not None else None
        if scope is None or function is None or scope.parent is None:
            return False
        target = FunctionValue(function, scope.parent)
        if self._onward.surely([target]) or self._is_heard_while_held(function):
            return True
        callers = self._evaluator.callers(function, scope.module) if depth < _MAX_CALLERS else []
        running = [c for c, where in callers if self._written.runs(where)]
        return bool(running) and all(self._is_harmless(c, depth + 1) for c in running)

    def _is_heard_while_held(self, function: ir.Function) -> bool:
        """Whether a function listens to a connection for something other than its end."""
        return any(
            link.entry.ends
            and any(
                isinstance(v, FunctionValue) and v.function is function
                for v in self._listening.others(link.call, link.entry.ends)
            )
            for link in self._links.values()
        )

    # ------------------------------------------------------------------ tests for what holds already

    def _skips(self, node: ir.If, scope: Scope) -> int | None:
        """The arm of an ``if`` that is taken only while a link holds."""
        arm = is_guard(node, scope, self._catalog)
        if arm is None:
            return None
        return arm if self._says_held(node.test, arm == 0, scope) else None

    def _says_held(self, test: ir.Expr, answer: bool, scope: Scope) -> bool:
        """Whether a test can have an answer only while a link holds."""
        match test:
            case ir.Unary(operator="not", operand=operand):
                return self._says_held(operand, not answer, scope)
            case ir.Logical(operator=("and" | "or") as operator, left=left, right=right):
                parts = [
                    self._written.truth(part, scope) is (not answer) or self._says_held(part, answer, scope)
                    for part in (left, right)
                ]
                return any(parts) if answer == (operator == "and") else all(parts)
            case ir.Binary(operator=("==" | "!=") as operator, left=left, right=ir.Literal(value=None)):
                return self._says_held(left, answer == (operator == "!="), scope)
            case ir.Name(id=name) | ir.Member(name=name) if self._is_reset(name, scope):
                return answer
            case _:
                return self._asks_link(test, scope)

    def _is_reset(self, name: str, scope: Scope) -> bool:
        return any((scope.module, name) in found for found in self._resets.values())

    def _asks_link(self, test: ir.Expr, scope: Scope) -> bool:
        """Whether a test asks a connection how it is: ``socket.readyState``."""
        return any(
            (link := self._links.get(site)) is not None and bool(link.entry.ends)
            for part in ir.walk(test)
            if isinstance(part, ir.Member)
            for value in self._evaluator.values(part.object, scope)
            if (site := site_of(value)) is not None
        )

    def _reset_by(self, link: _Link) -> frozenset[tuple[object, str]]:
        """The variables and fields that surely lose their value when a link ends, by module."""
        execution = self._execution.beside()
        for follower in link.followers:
            if isinstance(follower, FunctionValue):
                execution.enter_function(follower)
        return frozenset(
            (item.scope.module, target.id if isinstance(target, ir.Name) else target.name)
            for item in execution.run().reached()
            if isinstance(item.step.node, ir.Assign)
            and not item.context.branches
            and isinstance(target := item.step.node.target, (ir.Name, ir.Member))
            and self._evaluator.tests.truth(item.step.node.value, item.scope) is False
        )


def _is_link(entry: HolderEntry) -> bool:
    """Whether an entry is about what holds until it ends, under no condition."""
    if entry.unless or entry.only_if or entry.attribute_unless:
        return False
    return bool(entry.ends) or (entry.callback is not None and entry.holds in ("delay", 0))
