"""What the reached code does with the objects that calls made: an index by the making call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.contexts import Context, Reached
from mcplint.program.values import External, Values, site_of
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.execution import Execution


@dataclass(frozen=True, slots=True)
class Use:
    """A method called on an object, or a function given it.

    ``name`` is the method's last name, or the function's full name when ``given``.
    """

    name: str
    call: ir.Call
    context: Context
    given: bool


class Uses:
    """The uses of objects in a run of steps, in order."""

    def __init__(self, reached: Iterable[Reached], execution: Execution) -> None:
        evaluator = execution.evaluator
        self._evaluator = evaluator
        self._catalog = execution.catalog
        self.calls: list[tuple[ir.Call, Reached, Values]] = []
        self.assignments: list[tuple[ir.Assign, Reached]] = []
        self._by_site: dict[ir.Call, list[Use]] = defaultdict(list)
        self._listening: dict[ir.Call, tuple[Use, ...]] = {}
        self._of_unknown: set[str] = set()
        self._given_unknown: set[str] = set()
        for item in reached:
            if isinstance(item.step.node, ir.Call):
                self._add(item.step.node, item, evaluator)
            elif isinstance(item.step.node, ir.Assign):
                self.assignments.append((item.step.node, item))
            elif isinstance(item.step.node, ir.With):
                self._managed(item.step.node, item, evaluator)

    def _managed(self, node: ir.With, item: Reached, evaluator: Evaluator) -> None:
        leave = "__aexit__" if node.is_async else "__exit__"
        for manager in node.items:
            for value in evaluator.values(manager.value, item.scope):
                if isinstance(value, External) and value.site is not None:
                    self._by_site[value.site].append(Use(leave, value.site, item.context, False))

    def _add(self, call: ir.Call, item: Reached, evaluator: Evaluator) -> None:
        targets = evaluator.values(call.callee, item.scope)
        self.calls.append((call, item, targets))
        names = [t.name for t in targets if isinstance(t, External)]
        for target in targets:
            if isinstance(target, External):
                self._method(target, call, item.context)
        for argument in (*call.args, *(k.value for k in call.keywords)):
            for value in evaluator.values(argument, item.scope):
                if isinstance(value, External):
                    self._argument(value, names, call, item.context)

    def _argument(self, value: External, names: list[str], call: ir.Call, context: Context) -> None:
        """Something outside that is handed to the functions ``names``; it may itself be a method."""
        if value.site is not None:
            for name in names:
                self._by_site[value.site].append(Use(name, call, context, True))
            handed_on = value.name.rpartition(".")[2]
            self._by_site[value.site].append(Use(handed_on, call, context, False))
        if not context.on_call:
            self._given_unknown.add(value.name)
            if self._catalog.is_from_collection(value.name):
                self._given_unknown.update(names)

    def _method(self, target: External, call: ir.Call, context: Context) -> None:
        method = last_name(call.callee)
        if method is None:
            return
        if target.site is not None:
            self._by_site[target.site].append(Use(method, call, context, False))
        if self._catalog.is_from_collection(target.name) and not context.on_call:
            self._of_unknown.add(method)

    def of(self, sites: Iterable[ir.Call]) -> list[Use]:
        """The uses of any of the objects that ``sites`` made."""
        return [use for site in sites for use in self._by_site.get(site, ())]

    def listening_to(self, site: ir.Call) -> tuple[Use, ...]:
        """The calls that give a listener to the object that ``site`` made."""
        known = self._listening.get(site)
        if known is None:
            known = tuple(u for u in self.of([site]) if u.name in self._catalog.hears and u.call.args)
            self._listening[site] = known
        return known

    def stops(self, running: External) -> bool:
        """Whether what makes an endless call of an object come back is called, handed on or set."""
        if running.site is None:
            return False
        for entry in lookup(self._catalog.endless, running.name):
            if any(use.name in entry.releases for use in self.of([running.site])):
                return True
            for name in entry.attribute_releases:
                for owner, _, scope in self._evaluator.index.writes_to(name):
                    values = self._evaluator.values(owner, scope)
                    if any(site_of(v) is running.site for v in values):
                        return True
        return False

    def may_use(self, methods: Iterable[str], functions: Iterable[str]) -> bool:
        """Whether one of these is called on, or given, something that nobody can name."""
        return not self._of_unknown.isdisjoint(methods) or not self._given_unknown.isdisjoint(functions)
