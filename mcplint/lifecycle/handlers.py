"""Finding what a program listens to, and what its handlers do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true, values_at
from mcplint.lifecycle.model import Event
from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import ListenerEntry
from mcplint.program.contexts import Context, Reached
from mcplint.program.heard import as_outside
from mcplint.program.scope import Scope
from mcplint.program.values import Const, External, FunctionValue, Value, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """A listener for one event: where, by what, and the values that its handler can be.

    ``owners`` are the calls that made the objects on which an assigned listener is put. ``resumes``
    is true for what is awaited: code that goes on once, when the event has come. ``remembers`` is true
    for what hears of an event that has come already.
    """

    event: Event
    node: ir.Call | ir.Assign | ir.Await | ir.Loop
    scope: Scope
    context: Context
    handlers: Values
    sure: bool
    once: bool = False
    called: bool = True
    owners: frozenset[ir.Call] = frozenset()
    resumes: bool = False
    remembers: bool = False


def find_registrations(
    reached: list[Reached], evaluator: Evaluator, catalog: Catalog
) -> Iterator[Registration]:
    """Every listener that the reached code registers, once an event."""
    for item in reached:
        node = item.step.node
        if isinstance(node, ir.Call):
            for target in evaluator.values(node.callee, item.scope):
                if isinstance(target, External):
                    for entry in lookup(catalog.listeners, target.name):
                        if not entry.assigned and entry.awaited is None:
                            yield from _called(entry, node, item, evaluator)
        elif isinstance(node, ir.Assign) and isinstance(node.target, ir.Member):
            yield from _assigned(node, item, evaluator, catalog)


def _called(
    entry: ListenerEntry, call: ir.Call, item: Reached, evaluator: Evaluator
) -> Iterator[Registration]:
    applies = any_true(entry.only_if, call, item.scope, evaluator) if entry.only_if else True
    if applies is False:
        return
    handlers: Values | None = None
    if entry.handler is not None:
        handlers, _ = values_at(entry.handler, call, item.scope, evaluator)
    for event in events_of(entry, call, item.scope, evaluator):
        yield Registration(
            event,
            call,
            item.scope,
            item.context,
            handlers or frozenset(),
            applies is True,
            "once" in (last_name(call.callee) or "").lower(),
            remembers=entry.remembers,
        )


def events_of(entry: ListenerEntry, call: ir.Call, scope: Scope, evaluator: Evaluator) -> Iterator[Event]:
    """The events that a call listens to."""
    if entry.event is None:
        yield Event(entry.events[""])
        return
    values, _ = values_at(entry.event, call, scope, evaluator)
    seen: set[Event] = set()
    for value in values or ():
        name = _event_name(value)
        if name is not None and name in entry.events:
            seen.add(Event(entry.events[name]))
    yield from sorted(seen, key=lambda e: e.value)


def _event_name(value: Value) -> str | None:
    if isinstance(value, Const):
        return str(value.value)
    return value.name if isinstance(value, External) else None


def _assigned(
    node: ir.Assign, item: Reached, evaluator: Evaluator, catalog: Catalog
) -> Iterator[Registration]:
    assert isinstance(node.target, ir.Member)
    targets = [t for t in evaluator.values(node.target, item.scope) if isinstance(t, External)]
    targets += as_outside(node.target.object, node.target.name, item.scope, evaluator)
    owners = frozenset(t.site for t in targets if t.site is not None)
    for target in targets:
        for entry in lookup(catalog.listeners, target.name):
            if entry.assigned:
                handlers = evaluator.values(node.value, item.scope)
                event = Event(entry.events[""])
                yield Registration(
                    event,
                    node,
                    item.scope,
                    item.context,
                    handlers,
                    sure=True,
                    called=entry.called,
                    owners=owners,
                )
                return


def functions_of(registration: Registration) -> tuple[FunctionValue, ...]:
    """The functions of the program that can be the handler."""
    return tuple(h for h in registration.handlers if isinstance(h, FunctionValue))
