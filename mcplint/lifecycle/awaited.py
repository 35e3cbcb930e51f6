"""What a program awaits that comes with an event: the code behind it is a listener, too.

A promise of an event is one that the catalog knows (``events.once(process.stdin, "end")``), one that
a listener settles (``new Promise((resolve) => process.stdin.on("end", resolve))``), a race of such, or
what an async function gives that awaits one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.handlers import Registration, events_of, functions_of
from mcplint.lifecycle.model import Event
from mcplint.lifecycle.rest import rest_of
from mcplint.program.catalog import listed, lookup
from mcplint.program.catalog_entries import ListenerEntry
from mcplint.program.contexts import Reached
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.values import ArrayValue, External, FunctionValue, Value
from mcplint.syntax import ir

_MAX_DEPTH = 6
_Events = frozenset[Event]
_NONE: _Events = frozenset()


def awaited_registrations(
    reached: Iterable[Reached], execution: Execution, listeners: Iterable[Registration]
) -> list[Registration]:
    """The code behind what is awaited as listeners; without a handler where it cannot be told."""
    return _Awaited(list(reached), execution, listeners).registrations()


class _Awaited:
    def __init__(
        self, reached: list[Reached], execution: Execution, listeners: Iterable[Registration]
    ) -> None:
        self._evaluator = execution.evaluator
        self._catalog = execution.catalog
        self._reached = reached
        self._promises: dict[ir.Call, _Events] = {}
        self._calls: dict[ir.Call, Reached] = {}
        self._bodies: dict[ir.Function, _Events] = defaultdict(frozenset)
        self._find_known()
        self._find_settled(listeners)

    def registrations(self) -> list[Registration]:
        """Those of every await, chain and loop; and of promises whose way cannot be followed."""
        found = list(self._behind_awaits())
        for item in self._reached:
            if isinstance(item.step.node, ir.Call):
                found.extend(self._chained(item.step.node, item))
                found.extend(self._handed_on(item.step.node, item))
        heard = {event for r in found for event in (r.event,)}
        for call, item in self._calls.items():
            found.extend(_unknown(event, call, item) for event in self._promises[call] - heard)
        return found

    # ------------------------------------------------------------------ promises of events

    def _find_known(self) -> None:
        """Calls that the catalog knows to give a promise of an event."""
        for item in self._reached:
            call = item.step.node
            if not isinstance(call, ir.Call):
                continue
            for name in self._evaluator.outside_names(call.callee, item.scope):
                for entry in lookup(self._catalog.listeners, name):
                    if entry.awaited == "promise" and (events := self._heard(entry, call, item.scope)):
                        self._promises[call] = self._promises.get(call, _NONE) | events
                        self._calls[call] = item

    def _heard(self, entry: ListenerEntry, call: ir.Call, scope: Scope) -> _Events:
        if entry.only_if and any_true(entry.only_if, call, scope, self._evaluator) is False:
            return _NONE
        return frozenset(events_of(entry, call, scope, self._evaluator))

    def _find_settled(self, listeners: Iterable[Registration]) -> None:
        """Promises whose ``resolve`` a listener is, or calls."""
        for listener in listeners:
            settlers = list(listener.handlers)
            for function in functions_of(listener):
                for node in ir.walk(*function.function.body):
                    if isinstance(node, ir.Call):
                        scope = self._scope_of(node)
                        settlers.extend(self._evaluator.values(node.callee, scope))
            for value in settlers:
                if isinstance(value, External) and value.name in self._catalog.settlers and value.site:
                    known = self._promises.get(value.site, _NONE)
                    self._promises[value.site] = known | {listener.event}

    def _scope_of(self, call: ir.Call) -> Scope:
        return self._evaluator.index.scope_of(call)

    def _events(self, expr: ir.Expr, scope: Scope, depth: int = 0) -> _Events:
        """The events with which a promise settles; none if it is no promise of an event."""
        if depth > _MAX_DEPTH:
            return _NONE
        if isinstance(expr, ir.Await):
            return _NONE
        found = _NONE
        if isinstance(expr, ir.Call):
            if isinstance(expr.callee, ir.Member) and expr.callee.name in self._catalog.promise_methods:
                return self._events(expr.callee.object, scope, depth + 1)
            for target in self._evaluator.values(expr.callee, scope):
                if isinstance(target, FunctionValue):
                    found |= self._bodies.get(target.function, _NONE)
        for value in self._evaluator.values(expr, scope):
            found |= self._of_value(value, depth)
        return found

    def _of_value(self, value: Value, depth: int) -> _Events:
        if not isinstance(value, External) or value.site is None or not value.name.endswith("()"):
            return _NONE
        if listed(self._catalog.races, value.name[:-2]) and value.site.args:
            return self._in_list(value.site.args[0], self._scope_of(value.site), depth)
        return self._promises.get(value.site, _NONE)

    def _in_list(self, expr: ir.Expr, scope: Scope, depth: int = 0) -> _Events:
        found = _NONE
        for value in self._evaluator.values(expr, scope):
            if isinstance(value, ArrayValue):
                for item in value.node.items:
                    found |= self._events(item, value.scope, depth + 1)
        return found

    # ------------------------------------------------------------------ what comes behind them

    def _behind_awaits(self) -> list[Registration]:
        """The code behind awaits and loops, and behind the calls of what awaits, and so on."""
        found: dict[tuple[ir.Node, Event], Registration] = {}
        while True:
            before = len(found)
            for item in self._reached:
                for event in self._over(item):
                    node = item.step.node
                    assert isinstance(node, (ir.Await, ir.Loop))
                    function = item.scope.function
                    if function is not None:
                        self._bodies[function] |= {event}
                    known = found.get((node, event))
                    if known is None or len(item.context.branches) < len(known.context.branches):
                        found[node, event] = _resumed(event, node, item)
            if len(found) == before:
                return list(found.values())

    def _over(self, item: Reached) -> _Events:
        """The events with which an await or a loop is over."""
        node = item.step.node
        if isinstance(node, ir.Await):
            return self._events(node.value, item.scope)
        if not isinstance(node, ir.Loop) or node.iterable is None or not node.is_async:
            return _NONE
        found = _NONE
        for value in self._evaluator.values(node.iterable, item.scope):
            if isinstance(value, External):
                for entry in lookup(self._catalog.listeners, value.name):
                    if entry.awaited == "loop":
                        found |= self._looped(entry, value, item)
        return found

    def _looped(self, entry: ListenerEntry, value: External, item: Reached) -> _Events:
        if value.site is None:
            return frozenset() if entry.only_if else frozenset({Event(entry.events[""])})
        return self._heard(entry, value.site, self._scope_of(value.site))

    def _chained(self, call: ir.Call, item: Reached) -> Iterator[Registration]:
        """``promise.then(f)``."""
        if (
            not isinstance(call.callee, ir.Member)
            or self._catalog.promise_methods.get(call.callee.name) not in ("success", "either")
            or not call.args
        ):
            return
        handlers = self._evaluator.values(call.args[0], item.scope)
        for event in self._events(call.callee.object, item.scope):
            yield Registration(event, call, item.scope, item.context, handlers, sure=True, resumes=True)

    def _handed_on(self, call: ir.Call, item: Reached) -> Iterator[Registration]:
        """Promises that something outside is given: what it does when they settle, nobody knows."""
        names = self._evaluator.outside_names(call.callee, item.scope)
        if not names or all(listed(self._catalog.races, name) for name in names):
            return
        for argument in call.args:
            events = self._events(argument, item.scope) | self._in_list(argument, item.scope)
            for event in events:
                yield _unknown(event, call, item)


def _resumed(event: Event, node: ir.Await | ir.Loop, item: Reached) -> Registration:
    rest = rest_of(node, item.scope)
    handlers = frozenset() if rest is None else frozenset({rest})
    return Registration(event, node, item.scope, item.context, handlers, sure=True, resumes=True)


def _unknown(event: Event, call: ir.Call, item: Reached) -> Registration:
    return Registration(event, call, item.scope, item.context, frozenset(), sure=True, resumes=True)
