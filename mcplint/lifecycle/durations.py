"""For how long what keeps a process alive keeps it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcplint.lifecycle.callbacks import callbacks_of
from mcplint.lifecycle.conditions import any_true, values_at
from mcplint.lifecycle.outcomes import Way
from mcplint.program.calls import last_name
from mcplint.program.catalog import listed
from mcplint.program.catalog_entries import HolderEntry, Position
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.values import Const, External, FunctionValue, Value, Values, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow
    from mcplint.lifecycle.uses import Uses

FOREVER = float("inf")
NOT_KNOWN = 0.0


class Durations:
    """Answers for the calls of one execution."""

    def __init__(self, execution: Execution, uses: Uses, flow: Flow) -> None:
        self._execution = execution
        self._evaluator = execution.evaluator
        self._catalog = execution.catalog
        self._uses = uses
        self._flow = flow

    def of(self, entry: HolderEntry, call: ir.Call, scope: Scope, context: Context) -> tuple[float, bool]:
        """For how many seconds it holds, and whether that is certain."""
        if entry.holds == "forever":
            return FOREVER, True
        if entry.holds in ("child", "peer"):
            return FOREVER, False
        if entry.forever_if and any_true(entry.forever_if, call, scope, self._evaluator) is True:
            return FOREVER, True
        if entry.holds == "callback":
            return self._while_callback_runs(entry, call, scope)
        if context.repeats:
            return FOREVER, True
        again = self._made_again(entry, call, scope)
        if again is not None:
            return FOREVER, again
        if entry.holds == "delay":
            return self.delay(entry, call, scope)
        return float(entry.holds), True

    def delay(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> tuple[float, bool]:
        """The delay that a call is given, and whether that is certain."""
        unit = 1.0 if entry.delay_unit == "s" else 0.001
        values = self._delays(entry.delay, call, scope) if entry.delay else None
        delays = [v.value for v in values or () if isinstance(v, Const) and isinstance(v.value, (int, float))]
        if not values:
            return entry.delay_default, True
        if len(delays) != len(values):
            return NOT_KNOWN, False
        return max(delays) * unit, len(set(delays)) == 1

    def _delays(self, position: Position, call: ir.Call, scope: Scope) -> Values | None:
        """What is given as the delay: to the call, or to what made the object that it is a method of."""
        if not position.of_receiver:
            return values_at(position, call, scope, self._evaluator)[0]
        found: set[Value] = set()
        for site in {site_of(v) for v in self._evaluator.values(call.callee, scope)} - {None}:
            assert site is not None
            where = self._evaluator.index.scope_of(site)
            found |= values_at(position, site, where, self._evaluator)[0] or set()
        return frozenset(found)

    def _while_callback_runs(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> tuple[float, bool]:
        """For ever if the function never comes back; not at all if it surely does."""
        if entry.callback is None:
            return FOREVER, False
        values = callbacks_of(entry, call, scope, self._evaluator)
        if not values:
            return FOREVER, False
        ways = [self._ways(v) for v in values]
        long = Way.HANGS | Way.WAITS | Way.LOOPS | Way.PAUSES
        if all(w is not None and Way.HANGS in w and not w & ~long for w in ways):
            return FOREVER, not self._is_disturbed(values)
        endless = Way.HANGS | Way.UNKNOWN | Way.WAITS | Way.LOOPS
        if all(w is not None and not w & endless for w in ways):
            return 0, True
        return FOREVER, False

    def _is_disturbed(self, values: Iterable[Value]) -> bool:
        """Whether an object that an endless function works with is closed by other code.

        Its next call then fails, and the function ends with the exception.
        """
        execution = self._execution.beside()
        for value in values:
            if isinstance(value, FunctionValue):
                execution.enter_function(value)
        own = {item.step.node: item.scope for item in execution.run().reached()}
        for call, scope in own.items():
            if not isinstance(call, ir.Call):
                continue
            sites = [s for v in self._evaluator.values(call.callee, scope) if (s := site_of(v)) is not None]
            if any(u.name in self._catalog.closings and u.call not in own for u in self._uses.of(sites)):
                return True
        return False

    def _ways(self, value: Value) -> Way | None:
        if isinstance(value, FunctionValue):
            return self._flow.outcome(value).ways
        if isinstance(value, External):
            if listed(self._catalog.endless, value.name):
                return None if self._uses.stops(value) else Way.HANGS
            if listed(self._catalog.waits, value.name):
                return None
            return Way.FALLS if value.name.partition(".")[0] in sys.stdlib_module_names else None
        return None

    def _made_again(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> bool | None:
        """True if the function that it runs makes it again, False if perhaps, None if not."""
        if entry.callback is None:
            return None
        answer: bool | None = None
        for value in callbacks_of(entry, call, scope, self._evaluator):
            if not isinstance(value, FunctionValue):
                continue
            for context in self._contexts_from(value, call, entry.rearms):
                if not context.on_call:
                    surely = not context.branches
                    answer = surely if answer is None else answer or surely
        return answer

    def _contexts_from(
        self, start: FunctionValue, call: ir.Call, rearms: tuple[str, ...]
    ) -> Iterator[Context]:
        """The contexts in which a function makes ``call`` again, or starts its object anew."""
        execution = self._execution.beside()
        execution.enter_function(start)
        for item in execution.run().reached():
            node = item.step.node
            if node is call:
                yield item.context
            elif rearms and isinstance(node, ir.Call) and last_name(node.callee) in rearms:
                owners = self._evaluator.values(node.callee, item.scope)
                if any(site_of(v) is call for v in owners):
                    yield item.context
