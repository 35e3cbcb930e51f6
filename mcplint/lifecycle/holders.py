"""Finding what keeps a process alive, and what lets go of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true, values_at
from mcplint.lifecycle.counted import rounds
from mcplint.lifecycle.guards import tested_names
from mcplint.lifecycle.handles import stays_local
from mcplint.lifecycle.outcomes import Way
from mcplint.program.calls import argument, last_name
from mcplint.program.catalog import listed, lookup
from mcplint.program.catalog_entries import HolderEntry, Position
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.steps import Branch
from mcplint.program.values import Const, External, FunctionValue, Instance, Value, Values, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow
    from mcplint.lifecycle.uses import Use, Uses
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator

FOREVER = float("inf")
NOT_KNOWN = 0.0
_ENDING = Way.ENDS | Way.LATER


@dataclass(frozen=True, slots=True, eq=False)
class FoundHolder:
    """A call that makes something which keeps the process alive.

    ``seconds`` is infinite for ever. ``sure`` is false where an option, a release or the
    function it runs could not be decided. ``again`` is true for a link of a chain, which is made
    again whenever it ends.
    """

    entry: HolderEntry
    call: ir.Call
    scope: Scope
    context: Context
    sites: tuple[ir.Call, ...]
    seconds: float
    sure: bool
    on_call: bool
    again: bool = False


class HolderFinder:
    """Finds the holders of one execution, as they are on one stdio path."""

    def __init__(self, execution: Execution, uses: Uses, flow: Flow, path: Context) -> None:
        self._path = path
        self._execution = execution
        self._evaluator: Evaluator = execution.evaluator
        self._catalog: Catalog = execution.catalog
        self._uses = uses
        self._flow = flow

    def find(self) -> Iterator[FoundHolder]:
        """Every holder in each context that makes it, without those surely let go of."""
        for call, item, targets in self._uses.calls:
            for target in targets:
                if isinstance(target, External):
                    for entry in lookup(self._catalog.holders, target.name):
                        found = self._found(entry, target, call, item.scope, item.context)
                        if found is not None:
                            yield found

    def _found(
        self, entry: HolderEntry, target: External, call: ir.Call, scope: Scope, context: Context
    ) -> FoundHolder | None:
        sure = self._applies(entry, call, scope)
        if sure is None:
            return None
        sites = (call,) if target.site is None else (call, target.site)
        seconds, known = self._duration(entry, call, scope, context)
        if seconds <= 0 and known:
            return None
        begun = self._begun(entry, sites)
        if begun is None:
            return None
        freed = self._let_go(entry, sites, context, call, scope)
        if freed is True:
            return None
        if freed is None and seconds == FOREVER and entry.delay is not None:
            counted = self._counted(entry, sites, context, call, scope)
            if counted is not None:
                seconds, freed = counted, False
        if self._may_be_let_go(entry, call, scope) or self._may_end(entry, call, scope):
            freed = None
        sure = sure and known and freed is False
        on_call = context.on_call or begun
        return FoundHolder(entry, call, scope, context, sites, seconds, sure, on_call)

    # ------------------------------------------------------------------ options

    def _applies(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> bool | None:
        """True: it holds by its options; False: perhaps; None: it does not."""
        sure = True
        if entry.only_if:
            wanted = any_true(entry.only_if, call, scope, self._evaluator)
            if wanted is False:
                return None
            sure = wanted is True
        if entry.unless:
            freed = any_true(entry.unless, call, scope, self._evaluator)
            if freed is True:
                return None
            sure = sure and freed is False
        if entry.attribute_unless:
            freed = self._attribute(entry, call, scope)
            if freed is True:
                return None
            sure = sure and freed is False
        return sure

    def _attribute(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> bool | None:
        """Whether an attribute that frees it is set on the object anywhere in the program."""
        owners = {site_of(v) for v in self._evaluator.values(call.callee, scope)} | {call}
        results = self._own_attributes(entry, call, scope)
        for module in self._execution.linker.loaded():
            for write, where in module.binder.writes:
                if not isinstance(write.target, ir.Member):
                    continue
                wanted = dict(entry.attribute_unless)
                if write.target.name not in wanted:
                    continue
                for value in self._evaluator.values(write.target.object, where):
                    if site_of(value) in owners:
                        truth = self._evaluator.tests.truth(write.value, where)
                        results.add(None if truth is None else truth == wanted[write.target.name])
        if True in results:
            return True
        return None if None in results else False

    def _own_attributes(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> set[bool | None]:
        """What the object's own class sets the attributes to."""
        results: set[bool | None] = set()
        if isinstance(call.callee, ir.Member):
            for owner in self._evaluator.values(call.callee.object, scope):
                if isinstance(owner, Instance):
                    for name, wanted in entry.attribute_unless:
                        for value, where in owner.info.fields.get(name, ()):
                            truth = self._evaluator.tests.truth(value, where)
                            results.add(None if truth is None else truth == wanted)
        return results

    # ------------------------------------------------------------------ how long

    def _duration(
        self, entry: HolderEntry, call: ir.Call, scope: Scope, context: Context
    ) -> tuple[float, bool]:
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
            return self._delay(entry, call, scope)
        return float(entry.holds), True

    def _delay(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> tuple[float, bool]:
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

    # ------------------------------------------------------------------ beginning and end

    def _begun(self, entry: HolderEntry, sites: tuple[ir.Call, ...]) -> bool | None:
        """Whether it begins only with a call; None if it never begins."""
        if entry.begins == "created":
            return False
        uses = [
            use
            for use in self._uses.of(sites[:1])
            if not use.given
            and (use.name in entry.used_by if entry.used_by else not self._only_listens(use.name))
        ]
        if not uses:
            return None
        return all(use.context.on_call for use in uses)

    def _only_listens(self, method: str) -> bool:
        """Whether a method adds or takes away listeners, which is no use of the object."""
        entry = self._catalog.callback(f"?.{method}")
        return entry is not None and entry.runs == "event"

    def _let_go(
        self,
        entry: HolderEntry,
        sites: tuple[ir.Call, ...],
        context: Context,
        call: ir.Call,
        scope: Scope,
    ) -> bool | None:
        """True: surely let go of while serving; False: surely not; None: perhaps."""
        answer: bool | None = False
        held = True
        for use in self._uses.of(sites):
            if not use.given and use.name in entry.ref:
                held = True
                continue
            if not self._frees(entry, use, call, scope) or self._path.excludes(use.context):
                continue
            sure = self._surely_with(use, context, sites)
            if sure is True:
                held = False
            elif sure is None:
                answer = None
        if not held:
            return True
        if entry.released_with is None or answer is None:
            return answer
        return self._released_by_name(entry, call, scope, context)

    def _counted(
        self, entry: HolderEntry, sites: tuple[ir.Call, ...], context: Context, call: ir.Call, scope: Scope
    ) -> float | None:
        """For how many seconds it surely holds, if only a count of its own rounds may stop it."""
        functions = [
            v for v in callbacks_of(entry, call, scope, self._evaluator) if isinstance(v, FunctionValue)
        ]
        period, known = self._delay(entry, call, scope)
        stops = [
            use.context
            for use in self._uses.of(sites)
            if self._frees(entry, use, call, scope)
            and not self._path.excludes(use.context)
            and self._surely_with(use, context, sites) is None
        ]
        if not known or len(functions) != 1:
            return None
        times = rounds(functions[0], stops, self._evaluator)
        return times * period if times is not None and times > 0 else None

    def _released_by_name(
        self, entry: HolderEntry, call: ir.Call, scope: Scope, context: Context
    ) -> bool | None:
        """The same for a function that is given what the holder was given: a file's name."""
        assert entry.released_with is not None
        mine, _ = values_at(entry.released_with, call, scope, self._evaluator)
        answer: bool | None = False
        for other, item, targets in self._uses.calls:
            if any(isinstance(t, External) and t.name in entry.released_by for t in targets):
                theirs, _ = values_at(Position((0,)), other, item.scope, self._evaluator)
                if mine == theirs and context.implies(item.context):
                    return True
                answer = None
        return answer

    def _may_be_let_go(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> bool:
        """Whether something without a name, such as an element of a list, is let go of.

        Of several functions that release it only the usual one, the first, counts here. What
        nothing hands on is no such thing.
        """
        methods = (*entry.unref, *(entry.releases if entry.holds == "callback" else ()))
        if not self._uses.may_use(methods, entry.released_by[:1]):
            return False
        return entry.holds == "callback" or not stays_local(call, scope, map(_last, entry.released_by))

    def _may_end(self, entry: HolderEntry, call: ir.Call, scope: Scope) -> bool:
        """Whether the function that it runs may end the process."""
        functions = callbacks_of(entry, call, scope, self._evaluator)
        return any(self._flow.outcome(f).ways & _ENDING for f in functions if isinstance(f, FunctionValue))

    def _frees(self, entry: HolderEntry, use: Use, call: ir.Call, scope: Scope) -> bool:
        if use.given:
            return use.name in entry.released_by
        if use.name in entry.releases:
            return True
        if use.name not in entry.unref:
            return False
        return not entry.unref_if or any_true(entry.unref_if, call, scope, self._evaluator) is True

    def _surely_with(self, use: Use, context: Context, sites: tuple[ir.Call, ...]) -> bool | None:
        """Whether a release comes with the holder: yes, no, or perhaps."""
        if use.context.on_call:
            return context.on_call
        optional = frozenset(b for b in use.context.branches if asks_presence(b, use.call, sites))
        surely = replace(use.context, branches=use.context.branches - optional)
        return True if context.implies(surely) else None


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def asks_presence(branch: Branch, call: ir.Call, sites: tuple[ir.Call, ...]) -> bool:
    """Whether a branch only asks if the object of a release, or the method, is there."""
    node = branch.node
    if node in sites:
        return branch.arm == 0
    test = node if branch.test is None else branch.test
    if branch.arm != 0 or not isinstance(test, ir.Expr):
        return False
    if any(isinstance(part, ir.Call) for part in ir.walk(test)):
        return False
    return bool(tested_names(test) & tested_names(call.callee)) or any(
        tested_names(test) & tested_names(argument) for argument in call.args
    )


def callbacks_of(entry: HolderEntry, call: ir.Call, scope: Scope, evaluator: Evaluator) -> frozenset[Value]:
    """The functions that a holder runs."""
    if entry.callback is None:
        return frozenset()
    if not entry.callback.of_receiver:
        coroutines = _coroutines(entry.callback, call, scope, evaluator)
        return coroutines or values_at(entry.callback, call, scope, evaluator)[0] or frozenset()
    found: set[Value] = set(_own_callback(entry, call, scope, evaluator))
    for value in evaluator.values(call.callee, scope) if not found else ():
        site = site_of(value)
        if site is not None:
            where = evaluator.index.scope_of(site)
            found |= values_at(entry.callback, site, where, evaluator)[0] or set()
    return frozenset(found)


def _coroutines(position: Position, call: ir.Call, scope: Scope, evaluator: Evaluator) -> frozenset[Value]:
    """The async functions whose coroutines are handed over: ``work`` of ``create_task(work())``."""
    for at in position.at:
        given = argument(call, at)
        if isinstance(given, ir.Call):
            called = evaluator.values(given.callee, scope)
            return frozenset(v for v in called if isinstance(v, FunctionValue) and v.function.is_async)
    return frozenset()


def _own_callback(entry: HolderEntry, call: ir.Call, scope: Scope, evaluator: Evaluator) -> frozenset[Value]:
    """The overriding method of an object whose class is a subclass in the program."""
    if entry.subclass_callback is None or not isinstance(call.callee, ir.Member):
        return frozenset()
    owners = [v for v in evaluator.values(call.callee.object, scope) if isinstance(v, Instance)]
    found = evaluator.members(owners, entry.subclass_callback)
    return frozenset(v for v in found if isinstance(v, FunctionValue))
