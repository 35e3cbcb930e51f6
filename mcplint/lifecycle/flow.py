"""Abstract interpretation: how control can leave a function.

The rules are those of docs/architecture.md, "How outcomes are computed". Inside, a set of ways
is kept per statement (:class:`Leave`); a function's own :class:`Outcome` forgets what only
matters inside it. Statements, calls, what runs later and self-sent signals have a module each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mcplint.lifecycle.flow_calls import Calls
from mcplint.lifecycle.flow_statements import Statements
from mcplint.lifecycle.leave import Leave, as_call, outward
from mcplint.lifecycle.outcomes import Outcome
from mcplint.program.scope import Scope
from mcplint.program.values import FunctionValue
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.telling import Telling
    from mcplint.lifecycle.uses import Uses
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.steps import Scanner

_MAX_CALLS = 60


@dataclass(frozen=True, slots=True)
class Given:
    """What outcomes are computed from: a program, and what is known of the run.

    Attributes:
        handlers: what listens to each event, by the event's name.
        arms: the arms of decisions that the stdio path takes.
        once: functions that are taken off their event before they are called.
        signal: the signal (``sigterm``) that ``handler`` is called for.
        swallows: whether a crash handler takes exceptions that nobody catches, and goes on.
        fails: whether every step that is awaited of the outside world is taken to fail, too.
    """

    evaluator: Evaluator
    catalog: Catalog
    scanner: Scanner
    handlers: Mapping[str, tuple[FunctionValue, ...]] = field(default_factory=dict)
    arms: Mapping[ir.Node, int] = field(default_factory=dict)
    uses: Uses | None = None
    telling: Telling | None = None
    once: frozenset[ir.Function] = frozenset()
    signal: str | None = None
    handler: ir.Function | None = None
    swallows: bool = False
    fails: bool = False


class Flow:
    """Computes outcomes for one program."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self._statements = Statements(self)
        self._calls = Calls(self)
        self._memo: dict[ir.Function, Leave] = {}
        self._depth = 0

    def outcome(self, target: FunctionValue) -> Outcome:
        """How control can leave a function."""
        return Outcome(outward(self.function(target.function, target.scope)))

    def signal_outcome(self, target: FunctionValue, signal: str) -> Outcome:
        """How control can leave a handler when it is called for ``signal`` (``sigterm``)."""
        return Flow(replace(self.given, signal=signal, handler=target.function)).outcome(target)

    def block(self, body: ir.Block, scope: Scope) -> Leave:
        """The ways out of a block, such as a module's top level."""
        return self._statements.block(body, scope)

    def expression(self, node: ir.Node, scope: Scope) -> Leave:
        """The ways out of an expression."""
        return self._calls.expression(node, scope)

    def awaited(self, node: ir.Expr, scope: Scope) -> Leave:
        """The ways out of waiting for a promise."""
        return self._calls.awaited(node, scope)

    def function(self, function: ir.Function, scope: Scope) -> Leave:
        """The ways out of a function as its caller sees them."""
        known = self._memo.get(function)
        if known is None:
            if self._depth >= _MAX_CALLS:
                return Leave.FALLS | Leave.UNKNOWN
            self._memo[function] = Leave.NONE
            self._depth += 1
            known = as_call(self._statements.body(function, scope.module.scope_of(function)))
            self._depth -= 1
            self._memo[function] = known
        return known
