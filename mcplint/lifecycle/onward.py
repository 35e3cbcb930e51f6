"""Whether code surely comes to one of some calls, whichever way it takes.

The ways out that come to none of them are *open*. Awaiting something outside may fail; a plain
call may not, unless it is written to throw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Flag, auto
from functools import reduce
from operator import or_

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.flow import Flow
from mcplint.lifecycle.flow_statements import arm_of
from mcplint.program.catalog import listed, lookup
from mcplint.program.catalog_entries import After
from mcplint.program.handed import handed_over
from mcplint.program.scope import Scope
from mcplint.program.values import ClassValue, External, FunctionValue, Value
from mcplint.syntax import ir

_MAX_CALLS = 40
Skips = Callable[[ir.If, Scope], int | None]
Truth = Callable[[ir.Expr, Scope], "bool | None"]


class Open(Flag):
    """The ways out of a piece of code that have come to none of the calls."""

    NONE = 0
    FALLS = auto()
    RETURNS = auto()
    THROWS = auto()
    BREAKS = auto()
    ENDS = auto()
    """The process is ended."""


class Onward:
    """Follows code to some calls.

    Args:
        flow: what is known of the run.
        goals: the calls.
        truth: what tests come to.
        skips: the arm of an ``if`` that is taken only while something holds already.
    """

    def __init__(self, flow: Flow, goals: frozenset[ir.Call], truth: Truth, skips: Skips) -> None:
        self._given = flow.given
        self._goals = goals
        self._truth = truth
        self._skips = skips
        self._memo: dict[ir.Function, Open] = {}
        self._depth = 0

    def surely(self, values: Iterable[Value]) -> bool:
        """Whether each of some functions comes to one of the calls."""
        found = list(values)
        return bool(found) and all(
            isinstance(v, FunctionValue) and self._function(v) is Open.NONE for v in found
        )

    def by(self, call: ir.Call, scope: Scope) -> bool:
        """Whether a call brings about one of them."""
        return self._call(call, scope, awaited=False) is Open.NONE

    def _function(self, target: FunctionValue) -> Open:
        function = target.function
        known = self._memo.get(function)
        if known is None:
            if self._depth >= _MAX_CALLS or function.is_generator:
                return Open.FALLS
            self._memo[function] = Open.FALLS
            self._depth += 1
            known = self._block(function.body, target.scope.module.scope_of(function))
            self._depth -= 1
            known = _instead(known, Open.RETURNS | Open.BREAKS, Open.FALLS)
            self._memo[function] = known
        return known

    # ------------------------------------------------------------------ statements

    def _block(self, block: ir.Block, scope: Scope) -> Open:
        result = Open.FALLS
        for statement in block:
            if Open.FALLS not in result:
                break
            result = _then(result, self._statement(statement, scope))
        return result

    def _statement(self, node: ir.Stmt, scope: Scope) -> Open:
        match node:
            case ir.ExprStmt(value=value) | ir.ExportValue(value=value):
                return self._expr(value, scope)
            case ir.Declare(value=value) if value is not None:
                return self._expr(value, scope)
            case ir.Return(value=value):
                return _then(self._returned(value, scope) if value is not None else Open.FALLS, Open.RETURNS)
            case ir.Throw(value=value):
                return _then(self._expr(value, scope) if value is not None else Open.FALLS, Open.THROWS)
            case ir.Break() | ir.Continue():
                return Open.BREAKS
            case ir.If():
                return self._if(node, scope)
            case ir.Loop():
                return self._loop(node, scope)
            case ir.Switch():
                return self._switch(node, scope)
            case ir.Try():
                return self._try(node, scope)
            case ir.Nested(body=body, label=label):
                ways = self._block(body, scope)
                return _instead(ways, Open.BREAKS, Open.FALLS) if label else ways
            case _:
                return Open.FALLS

    def _if(self, node: ir.If, scope: Scope) -> Open:
        before = self._expr(node.test, scope)
        arm = self._arm(node, node.test, scope)
        skipped = self._skips(node, scope) if arm is None else 1 - arm
        ways = Open.NONE if skipped == 0 else self._block(node.then, scope)
        ways |= Open.NONE if skipped == 1 else self._block(node.otherwise, scope)
        return _then(before, ways)

    def _arm(self, node: ir.Node, test: ir.Expr, scope: Scope) -> int | None:
        arm = arm_of(self._given, node, test, scope)
        if arm is not None:
            return arm
        truth = self._truth(test, scope)
        if truth is None:
            truth = self._given.scanner.usual(test, scope)
        return None if truth is None else 0 if truth else 1

    def _loop(self, node: ir.Loop, scope: Scope) -> Open:
        before = self._block(node.init, scope)
        for expr in (node.iterable, node.test):
            if expr is not None:
                before = _then(before, self._expr(expr, scope))
        body = _instead(self._block(node.body, scope), Open.BREAKS, Open.FALLS)
        surely = node.kind == "do" or self._iterates(node, scope)
        return _then(before, body if surely else body | Open.FALLS)

    def _iterates(self, node: ir.Loop, scope: Scope) -> bool:
        if node.iterable is not None:
            return self._given.evaluator.is_filled(node.iterable, scope)
        return node.test is None or self._given.scanner.test(node.test, scope) is True

    def _switch(self, node: ir.Switch, scope: Scope) -> Open:
        result = Open.NONE if any(c.test is None for c in node.cases) else Open.FALLS
        following = Open.FALLS
        for case in reversed(node.cases):
            ways = self._block(case.body, scope)
            following = _then(ways, following) if node.falls_through else ways
            result |= following
        return _then(self._expr(node.subject, scope), _instead(result, Open.BREAKS, Open.FALLS))

    def _try(self, node: ir.Try, scope: Scope) -> Open:
        result = self._block(node.body, scope)
        if node.catches and Open.THROWS in result:
            caught = reduce(or_, (self._block(c.body, scope) for c in node.catches), Open.NONE)
            result = (result & ~Open.THROWS) | caught
        final = self._block(node.final, scope)
        if Open.FALLS not in final:
            return final | (result & Open.ENDS)
        return result | (final & ~Open.FALLS)

    # ------------------------------------------------------------------ expressions

    def _expr(self, node: ir.Node, scope: Scope) -> Open:
        match node:
            case ir.Lambda() | ir.ClassExpr():
                return Open.FALLS
            case ir.Await(value=value):
                return self._settled(value, scope)
            case ir.Call():
                return self._call(node, scope, awaited=False)
            case ir.Logical(left=left, right=right):
                before = self._expr(left, scope)
                truth = None if node.operator == "nullish" else self._truth(left, scope)
                if truth is None:
                    return _then(before, self._expr(right, scope) | Open.FALLS)
                runs = truth == (node.operator == "and")
                return _then(before, self._expr(right, scope)) if runs else before
            case ir.Conditional(test=test, then=yes, otherwise=no):
                arm = self._arm(node, test, scope)
                ways = Open.NONE if arm == 1 else self._expr(yes, scope)
                ways |= Open.NONE if arm == 0 else self._expr(no, scope)
                return _then(self._expr(test, scope), ways)
            case _:
                return self._sequence(ir.children(node), scope)

    def _sequence(self, nodes: Iterable[ir.Node], scope: Scope) -> Open:
        result = Open.FALLS
        for node in nodes:
            result = _then(result, self._expr(node, scope))
        return result

    def _settled(self, value: ir.Expr, scope: Scope) -> Open:
        """The ways out of an expression whose promise is waited for."""
        return (
            self._call(value, scope, awaited=True) if isinstance(value, ir.Call) else self._expr(value, scope)
        )

    def _returned(self, value: ir.Expr, scope: Scope) -> Open:
        waits = scope.function is not None and scope.function.is_async
        return self._settled(value, scope) if waits else self._expr(value, scope)

    def _call(self, call: ir.Call, scope: Scope, awaited: bool) -> Open:
        callee = call.callee
        if isinstance(callee, ir.Member) and self._after(callee) is not None:
            return self._chained(callee, call, scope)
        head = callee.object if isinstance(callee, ir.Member) else callee
        before = self._sequence((head, *call.args, *(k.value for k in call.keywords)), scope)
        if call in self._goals:
            return before & ~Open.FALLS
        targets = self._given.evaluator.values(callee, scope)
        ways = reduce(or_, (self._target(t, call, scope, awaited) for t in targets), Open.NONE)
        return _then(before, ways if targets else _unfollowed(awaited))

    def _after(self, method: ir.Member) -> After | None:
        """After which end of a promise a method runs what it is given; None if it is none of these."""
        entry = self._given.catalog.callback(f"?.{method.name}")
        return None if entry is None else entry.after

    def _chained(self, callee: ir.Member, call: ir.Call, scope: Scope) -> Open:
        """``then``, ``catch`` and ``finally`` of a promise."""
        result = self._settled(callee.object, scope)
        after = self._after(callee)
        if after == "either":
            final = self._handler(call, 0, scope)
            return result & Open.ENDS if Open.FALLS not in final else result
        on_value, on_error = (0, 1) if after == "success" else (None, 0)
        handled = Open.NONE
        if on_value is not None and Open.FALLS in result:
            result &= ~Open.FALLS
            handled = self._handler(call, on_value, scope)
        if on_error < len(call.args) and Open.THROWS in result:
            result &= ~Open.THROWS
            handled |= self._handler(call, on_error, scope)
        return result | handled

    def _handler(self, call: ir.Call, at: int, scope: Scope) -> Open:
        if at >= len(call.args):
            return Open.FALLS
        values = self._given.evaluator.values(call.args[at], scope)
        functions = [v for v in values if isinstance(v, FunctionValue)]
        if not functions or len(functions) != len(values):
            return Open.FALLS
        return reduce(or_, (self._function(f) for f in functions), Open.NONE)

    def _target(self, target: Value, call: ir.Call, scope: Scope, awaited: bool) -> Open:
        match target:
            case FunctionValue(function=function):
                ways = self._function(target)
                rejects = awaited and not function.is_async and Open.FALLS in ways
                return ways | Open.THROWS if rejects else ways
            case ClassValue(info=info):
                constructor = info.constructor
                return (
                    Open.FALLS
                    if constructor is None
                    else self._function(FunctionValue(constructor, info.scope))
                )
            case External(name=name):
                return self._outside(name, call, scope, awaited)
            case _:
                return _unfollowed(awaited)

    def _outside(self, name: str, call: ir.Call, scope: Scope, awaited: bool) -> Open:
        catalog = self._given.catalog
        if self._ends(name, call, scope):
            return Open.ENDS
        entry = catalog.callback(name)
        if entry is not None and entry.runs == "once":
            result = Open.FALLS
            for function in handed_over(call, self._given.evaluator, scope, entry.at):
                result = _then(result, self._function(function))
                if awaited and len(function.function.params) > 1 and Open.FALLS in result:
                    result |= Open.THROWS
            return result
        return Open.FALLS if listed(catalog.prompt, name) else _unfollowed(awaited)

    def _ends(self, name: str, call: ir.Call, scope: Scope) -> bool:
        return any(
            e.effect in ("ends", "unwinds", "signals")
            and (not e.only_if or any_true(e.only_if, call, scope, self._given.evaluator) is not False)
            for e in lookup(self._given.catalog.exits, name)
        )


def _unfollowed(awaited: bool) -> Open:
    return Open.FALLS | Open.THROWS if awaited else Open.FALLS


def _then(first: Open, second: Open) -> Open:
    return (first & ~Open.FALLS) | second if Open.FALLS in first else first


def _instead(ways: Open, left: Open, by: Open) -> Open:
    """``ways`` with ``by`` in the place of any of ``left``."""
    return (ways & ~left) | by if ways & left else ways
