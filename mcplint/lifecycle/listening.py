"""What listens to the events of objects that calls made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from mcplint.lifecycle.uses import Uses
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.values import Const, Value, Values, site_of
from mcplint.syntax import ir


@dataclass(frozen=True, slots=True)
class _Listener:
    event: str
    handlers: Values
    context: Context


class Listening:
    """The listeners of each object: ``socket.on("close", f)`` and ``socket.onclose = f``."""

    def __init__(self, execution: Execution, uses: Uses) -> None:
        self._evaluator = execution.evaluator
        self._hears = execution.catalog.hears
        self._uses = uses
        self._assigned: dict[ir.Call, list[_Listener]] = defaultdict(list)
        for assign, item in uses.assignments:
            if isinstance(assign.target, ir.Member) and assign.target.name.startswith("on"):
                handlers = self._evaluator.values(assign.value, item.scope)
                for owner in self._evaluator.values(assign.target.object, item.scope):
                    if (site := site_of(owner)) is not None:
                        event = assign.target.name.removeprefix("on")
                        self._assigned[site].append(_Listener(event, handlers, item.context))

    def _of(self, site: ir.Call) -> Iterable[_Listener]:
        yield from self._assigned.get(site, ())
        for use in self._uses.of([site]):
            if not use.given and use.name in self._hears and len(use.call.args) > 1:
                scope = self._evaluator.index.scope_of(use.call)
                handlers = self._evaluator.values(use.call.args[1], scope)
                for event in self._evaluator.values(use.call.args[0], scope):
                    if isinstance(event, Const):
                        yield _Listener(str(event.value), handlers, use.context)

    def always(self, site: ir.Call, event: str, contexts: Iterable[Context]) -> bool:
        """Whether an object is listened to for an event wherever it is made."""
        known = [listener.context for listener in self._of(site) if listener.event == event]
        return all(any(context.implies(there) for there in known) for context in contexts)

    def handlers(self, site: ir.Call, event: str) -> frozenset[Value]:
        """What is called at an event."""
        return frozenset(
            v for listener in self._of(site) if listener.event == event for v in listener.handlers
        )

    def others(self, site: ir.Call, events: Iterable[str]) -> frozenset[Value]:
        """What is called at any event but some."""
        left_out = frozenset(events)
        return frozenset(
            v for listener in self._of(site) if listener.event not in left_out for v in listener.handlers
        )
