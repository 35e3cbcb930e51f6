"""What the program's own emitters and abort signals tell their listeners.

An emitter is known by the call that made it, or by its class. Where something outside may listen to
it, or it is asked instead of listened to, nobody knows what telling it brings about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mcplint.lifecycle.conditions import values_at
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import EmitterEntry, Position
from mcplint.program.contexts import START, Context, Reached
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.values import ArrayValue, Const, External, Instance, ObjectValue, Value, Values
from mcplint.syntax import ir

_EVENT, _HANDLER = Position((0,), None, False), Position((1,), None, False)
_ANY = "*"
_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Listening:
    """A listener of an emitter: what it can be, and when it is registered."""

    handlers: Values
    certain: bool
    context: Context


class Telling:
    """The listeners of the program's emitters on one path, by emitter and event."""

    def __init__(self, reached: Iterable[Reached], execution: Execution, path: Context) -> None:
        self._evaluator = execution.evaluator
        self._catalog = execution.catalog
        self._path = path
        self._listening: dict[tuple[object, str], list[Listening]] = defaultdict(list)
        self._loose: set[object] = set()
        if not self._catalog.emitters:
            return
        for item in reached:
            if not path.excludes(item.context):
                self._add(item)
        self._find_polled(execution)

    def told(self, call: ir.Call, scope: Scope) -> list[Listening] | None:
        """The listeners that a call tells, in order; None if nobody knows them all."""
        if not isinstance(call.callee, ir.Member):
            return None
        entries = {
            entry
            for name in self._evaluator.outside_names(call.callee, scope)
            for entry in lookup(self._catalog.emitters, name)
        }
        events = {event for entry in entries for event in self._events(entry, call, scope)}
        owners = self._owners(call.callee.object, scope)
        if not entries or not events or not owners or None in events or owners & self._loose:
            return None
        return [
            heard
            for owner in owners
            for event in events
            for name in (str(event), _ANY)
            for heard in self._listening.get((owner, name), ())
        ]

    def _events(self, entry: EmitterEntry, call: ir.Call, scope: Scope) -> Iterator[str | None]:
        if entry.event is not None:
            yield entry.event
        else:
            values, _ = values_at(_EVENT, call, scope, self._evaluator)
            for value in values or ():
                yield str(value.value) if isinstance(value, Const) else None

    def _owners(self, expr: ir.Expr, scope: Scope) -> set[object]:
        keys = {_key(value) for value in self._evaluator.values(expr, scope)}
        return set() if None in keys else keys

    # ------------------------------------------------------------------ finding listeners

    def _add(self, item: Reached) -> None:
        node = item.step.node
        if isinstance(node, ir.Call):
            names = self._evaluator.outside_names(node.callee, item.scope)
            if any(name in self._catalog.emitter_listens for name in names):
                self._listen(node, item)
            elif names:
                for argument in node.args:
                    self._loosen(self._evaluator.values(argument, item.scope), 0)
        elif isinstance(node, ir.Assign) and isinstance(node.target, ir.Member):
            for name in self._evaluator.outside_names(node.target, item.scope):
                if (event := self._catalog.emitter_assigned.get(name)) is not None:
                    handlers = self._evaluator.values(node.value, item.scope)
                    self._put(node.target.object, event, handlers, item)

    def _listen(self, call: ir.Call, item: Reached) -> None:
        if not isinstance(call.callee, ir.Member):
            return
        names, _ = values_at(_EVENT, call, item.scope, self._evaluator)
        handlers, _ = values_at(_HANDLER, call, item.scope, self._evaluator)
        for name in names or ():
            event = str(name.value) if isinstance(name, Const) else _ANY
            self._put(call.callee.object, event, handlers or frozenset(), item, event == _ANY)

    def _put(
        self, owner: ir.Expr, event: str, handlers: Values, item: Reached, doubtful: bool = False
    ) -> None:
        certain = self._path.implies(item.context) and not doubtful
        heard = Listening(handlers, certain, START if certain else item.context)
        for key in self._owners(owner, item.scope):
            if heard not in self._listening[key, event]:
                self._listening[key, event].append(heard)

    def _loosen(self, values: Values, depth: int) -> None:
        """Something outside is given these: it may listen to them."""
        for value in values:
            match value:
                case ObjectValue(node=node, scope=scope) if depth < _MAX_DEPTH:
                    for entry in node.entries:
                        self._loosen(self._evaluator.values(entry.value, scope), depth + 1)
                case ArrayValue(node=node, scope=scope) if depth < _MAX_DEPTH:
                    for inner in node.items:
                        self._loosen(self._evaluator.values(inner, scope), depth + 1)
                case External() | Instance():
                    self._loose.add(_key(value))

    def _find_polled(self, execution: Execution) -> None:
        """Emitters that code asks: ``while (!signal.aborted)``."""
        polls = self._catalog.emitter_polls
        lasts = {name.rpartition(".")[2] for name in polls}
        for module in dict.fromkeys(execution.modules.values()):
            for member, scope in module.binder.reads:
                if member.name in lasts:
                    for value in self._evaluator.values(member, scope):
                        if isinstance(value, External) and value.name in polls:
                            self._loose.add(_key(value))


def _key(value: Value) -> object:
    """What makes an emitter the same one; None for what is none that is known."""
    match value:
        case Instance(info=info):
            return info
        case External(site=site):
            return site
        case _:
            return None
