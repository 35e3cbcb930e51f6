"""How control can leave a statement."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from mcplint.lifecycle.flow_signals import asked_case, asks_signal
from mcplint.lifecycle.guards import is_guard
from mcplint.lifecycle.leave import IN_LOOP, Leave, armed, broken_out, finally_, if_any, then
from mcplint.program.catalog import lookup
from mcplint.program.scope import Scope
from mcplint.program.values import External
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow, Given

F = Leave


class Statements:
    """Computes the ways out of statements."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._given = flow.given
        self._loops = 0

    def body(self, function: ir.Function, scope: Scope) -> Leave:
        """The ways out of a function's body, whatever loop it is called in."""
        loops, self._loops = self._loops, 0
        ways = self.block(function.body, scope)
        self._loops = loops
        return ways

    def block(self, body: ir.Block, scope: Scope) -> Leave:
        """The ways out of some statements in sequence."""
        result = F.FALLS
        for statement in body:
            if not result & (F.FALLS | F.FALLS_A):
                break
            result = then(result, self._statement(statement, scope))
        return result

    def _statement(self, node: ir.Stmt, scope: Scope) -> Leave:
        match node:
            case ir.ExprStmt(value=value) | ir.ExportValue(value=value):
                return self._flow.expression(value, scope)
            case ir.Declare(value=value):
                return self._flow.expression(value, scope) if value is not None else F.FALLS
            case ir.Return(value=value):
                before = self._flow.expression(value, scope) if value is not None else F.FALLS
                return then(before, F.RETURNS)
            case ir.Throw(value=value):
                before = self._flow.expression(value, scope) if value is not None else F.FALLS
                return then(before, self._thrown(value, scope))
            case ir.Break():
                return F.BREAKS
            case ir.Continue():
                return F.CONTINUES
            case ir.If():
                return self._if(node, scope)
            case ir.Loop():
                return self._loop(node, scope)
            case ir.Switch():
                return self._switch(node, scope)
            case ir.Try():
                return self._try(node, scope)
            case ir.With(items=items, body=body):
                enter = F.FALLS
                for item in items:
                    enter = then(enter, self._flow.expression(item.value, scope))
                return then(enter, self.block(body, scope))
            case ir.Nested(body=body, label=label):
                ways = self.block(body, scope)
                return broken_out(ways) if label else ways
            case _:
                return F.FALLS

    def _thrown(self, value: ir.Expr | None, scope: Scope) -> Leave:
        """A throw; of an exception that asks the interpreter to stop, an unwinding."""
        target = value.callee if isinstance(value, ir.Call) else value
        if target is not None:
            for found in self._given.evaluator.values(target, scope):
                if isinstance(found, External):
                    for entry in lookup(self._given.catalog.exits, found.name):
                        if entry.effect == "unwinds":
                            return F.UNWINDS
        return F.THROWS

    def _if(self, node: ir.If, scope: Scope) -> Leave:
        before = self._flow.expression(node.test, scope)
        arm = arm_of(self._given, node, node.test, scope)
        then_ways = F.NONE if arm == 1 else self.block(node.then, scope)
        else_ways = F.NONE if arm == 0 else self.block(node.otherwise, scope)
        if arm is None:
            guard = None if self._loops else is_guard(node, scope, self._given.catalog)
            if guard == 0:
                then_ways = F.NONE
            elif guard == 1:
                else_ways = F.NONE
        return then(before, then_ways | else_ways)

    def _loop(self, node: ir.Loop, scope: Scope) -> Leave:
        before = self.block(node.init, scope)
        if node.iterable is not None:
            before = then(before, self._flow.expression(node.iterable, scope))
        if node.is_async:
            before = then(before, F.FALLS | F.WAITS)
        self._loops += 1
        body = self.block(node.body, scope)
        self._loops -= 1
        test = self._flow.expression(node.test, scope) if node.test is not None else F.FALLS
        truth = self._given.scanner.test(node.test, scope) if node.test is not None else True
        endless = node.kind != "each" and truth is True
        going_on = bool(body & (F.FALLS | F.CONTINUES | F.FALLS_A | F.CONTINUES_A))
        result = body & ~(IN_LOOP | F.FALLS | F.FALLS_A)
        if endless:
            if body & (F.FALLS | F.CONTINUES):
                left = body & (F.BREAKS | F.BREAKS_A | F.RETURNS | F.RETURNS_A | F.THROWS | F.ENDS)
                result |= F.LOOPS if left else F.HANGS
            if body & (F.FALLS_A | F.CONTINUES_A):
                result |= F.RETURNS_A
            result |= if_any(body & F.BREAKS, F.FALLS) | if_any(body & F.BREAKS_A, F.FALLS_A)
            return then(before, then(test, result))
        runs = node.kind == "do" or self._given.evaluator.goes_round(node, scope)
        if node.kind != "each" and going_on and truth is None:
            result |= F.LOOPS
        armed_ = if_any(body & (F.FALLS_A | F.BREAKS_A | F.CONTINUES_A), F.FALLS_A)
        plain = if_any(body & (F.FALLS | F.BREAKS | F.CONTINUES), F.FALLS)
        result |= armed_ | plain
        if not runs or (going_on and not armed_ and not plain):
            result |= F.FALLS
        return then(before, then(test, then(result, self.block(node.otherwise, scope))))

    def _switch(self, node: ir.Switch, scope: Scope) -> Leave:
        before = self._flow.expression(node.subject, scope)
        result = F.NONE
        following = F.FALLS
        chosen = self._given.arms.get(node)
        if chosen is None:
            chosen = asked_case(self._given, node, scope)
        for index in range(len(node.cases) - 1, -1, -1):
            ways = self.block(node.cases[index].body, scope)
            if node.falls_through:
                ways = then(ways, following)
            following = ways
            if chosen is None or chosen == index:
                result |= ways
        if chosen is None and not any(c.test is None for c in node.cases):
            result |= F.FALLS
        return then(before, broken_out(result) if node.falls_through else result)

    def _try(self, node: ir.Try, scope: Scope) -> Leave:
        """Only a throw that is written counts; a step that may fail is another rule's matter."""
        body = self.block(node.body, scope)
        result = then(body, self.block(node.otherwise, scope)) if node.otherwise else body
        catches = reduce(or_, (self.block(c.body, scope) for c in node.catches), F.NONE)
        if node.catches:
            if F.THROWS in body:
                result = (result & ~F.THROWS) | catches
            if F.THROWS_A in body:
                result = (result & ~F.THROWS_A) | armed(catches)
            if F.UNWINDS in body and any(self._catches_unwinding(c, scope) for c in node.catches):
                result = (result & ~F.UNWINDS) | catches
            result |= catches & F.UNKNOWN
        if node.final:
            result = finally_(result, self.block(node.final, scope))
        return result

    def _catches_unwinding(self, catch: ir.Catch, scope: Scope) -> bool:
        """Whether a handler catches what asks the interpreter to stop: a bare one, or by name."""
        names = {n for kind in catch.types for n in self._given.evaluator.outside_names(kind, scope)}
        unwinding = any(e.effect == "unwinds" for n in names for e in lookup(self._given.catalog.exits, n))
        return not catch.types or unwinding or "BaseException" in names


def arm_of(given: Given, node: ir.Node, test: ir.Expr, scope: Scope) -> int | None:
    """Which arm of a decision is taken, 0 or 1; None where that is not known."""
    decided = given.scanner.decisions.of(node, test, scope)
    if decided.node in given.arms:
        return given.arms[decided.node] ^ decided.true_arm
    truth = asks_signal(given, test, scope)
    if truth is None:
        truth = given.scanner.test(test, scope)
    return None if truth is None else (0 if truth else 1)
