"""Which bodies lead to anything that matters for the wire, so that a walk can leave out the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcplint.program.catalog import lookup
from mcplint.program.contexts import START, Context
from mcplint.program.execution import Execution
from mcplint.program.handed import handed_over
from mcplint.program.steps import Body, Step

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule
    from mcplint.program.scope import Scope
    from mcplint.program.values import External
    from mcplint.syntax import ir


@dataclass
class Reach(Execution):
    """Every body of a program once, with those that it may run."""

    matters: Callable[[Step], bool] = lambda step: True
    _callers: dict[Body, set[Body]] = field(default_factory=lambda: defaultdict(set))
    _open: list[Body] = field(default_factory=list)
    _marked: set[Body] = field(default_factory=set)
    _current: Body | None = None

    @classmethod
    def leading_to(cls, execution: Execution, matters: Callable[[Step], bool]) -> frozenset[Body]:
        """The bodies of a program that has run which come to a step that matters."""
        known = execution
        reach = cls(known.evaluator, known.catalog, known.scanner, known.linker, matters=matters)
        for body, module in known.modules.items():
            reach._enter(body, module, START)
        return reach._spread()

    def _enter(self, body: Body, module: LinkedModule, context: Context) -> None:
        if self._current is not None:
            self._callers[body].add(self._current)
        if body not in self.modules:
            self.modules[body] = module
            self._open.append(body)

    def _spread(self) -> frozenset[Body]:
        while self._open:
            self._current = body = self._open.pop()
            for step in self.scanner.steps(body, self.modules[body]):
                if self.matters(step):
                    self._marked.add(body)
                self._follow(step, START)
        found, new = set(self._marked), list(self._marked)
        while new:
            for caller in self._callers[new.pop()] - found:
                found.add(caller)
                new.append(caller)
        return frozenset(found)

    def _external(self, target: External, call: ir.Call, scope: Scope, context: Context) -> None:
        super()._external(target, call, scope, context)
        if lookup(self.catalog.listeners, target.name):
            for function in handed_over(call, self.evaluator, scope):
                self.enter_function(function)
