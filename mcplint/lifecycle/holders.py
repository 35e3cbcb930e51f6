"""Finding what keeps a process alive, and what lets go of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcplint.lifecycle.callbacks import callbacks_of
from mcplint.lifecycle.conditions import any_true, values_at
from mcplint.lifecycle.counted import rounds
from mcplint.lifecycle.durations import FOREVER, Durations
from mcplint.lifecycle.guards import tested_names
from mcplint.lifecycle.handles import stays_local
from mcplint.lifecycle.outcomes import Way
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import HolderEntry, Position
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.steps import Branch
from mcplint.program.values import External, FunctionValue, Instance, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow
    from mcplint.lifecycle.uses import Use, Uses
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator

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
        self._durations = Durations(execution, uses, flow)

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
        seconds, known = self._durations.of(entry, call, scope, context)
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
        period, known = self._durations.delay(entry, call, scope)
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
