"""How control can leave an expression, and a call of the program's own functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcplint.lifecycle.flow_outside import Outside
from mcplint.lifecycle.flow_statements import arm_of
from mcplint.lifecycle.leave import Leave, detached, finally_, then
from mcplint.program.catalog import listed, lookup
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.values import ClassValue, Const, External, FunctionValue, Value
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow

F = Leave


class Calls:
    """Computes the ways out of expressions."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._given = flow.given
        self._outside = Outside(flow)

    def expression(self, node: ir.Node, scope: Scope) -> Leave:
        """The ways out of an expression."""
        match node:
            case ir.Name() | ir.Literal() | ir.This() | ir.Super() | ir.Lambda() | ir.ClassExpr():
                return F.FALLS
            case ir.Await(value=value):
                return self.awaited(value, scope)
            case ir.Call():
                return self._call(node, scope, awaited=False)
            case ir.Logical(left=left, right=right):
                before = self.expression(left, scope)
                truth = None if node.operator == "nullish" else self._given.scanner.test(left, scope)
                if truth is None:
                    return then(before, self.expression(right, scope) | F.FALLS)
                runs = truth == (node.operator == "and")
                return then(before, self.expression(right, scope)) if runs else before
            case ir.Conditional(test=test, then=yes, otherwise=no):
                before = self.expression(test, scope)
                arm = arm_of(self._given, node, test, scope)
                ways = F.NONE if arm == 1 else self.expression(yes, scope)
                ways |= F.NONE if arm == 0 else self.expression(no, scope)
                return then(before, ways)
            case _:
                result = F.FALLS
                for child in ir.children(node):
                    result = then(result, self.expression(child, scope))
                return result

    def _sequence(self, items: list[ir.Expr], scope: Scope) -> Leave:
        result = F.FALLS
        for item in items:
            result = then(result, self.expression(item, scope))
        return result

    def awaited(self, value: ir.Expr, scope: Scope) -> Leave:
        """The ways out of waiting for the promise that an expression gives."""
        if isinstance(value, ir.Call):
            return self._call(value, scope, awaited=True)
        before = self.expression(value, scope)
        if isinstance(value, ir.ImportExpr):
            return then(before, F.FALLS | F.PAUSES)
        return then(before, F.FALLS if _is_plain(value) else F.FALLS | F.WAITS | F.PAUSES)

    def _call(self, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        chain = self._chain(call, scope)
        if chain is not None:
            return chain if awaited else detached(chain, self._given.swallows)
        head = call.callee.object if isinstance(call.callee, ir.Member) else call.callee
        targets = self._given.evaluator.values(call.callee, scope)
        before = self._sequence([head, *(k.value for k in call.keywords)], scope)
        awaits = self._runs_once(targets)
        for argument in call.args:
            coroutine = awaits and isinstance(argument, ir.Call)
            before = then(before, (self.awaited if coroutine else self.expression)(argument, scope))
        if not targets:
            return then(before, F.FALLS | F.UNKNOWN)
        # What is called was put there by then: a call of nothing would throw.
        effect = F.NONE
        for target in [t for t in targets if not _is_nothing(t)] or targets:
            effect |= self._effect(target, call, scope, awaited)
        return then(before, effect)

    def _chain(self, call: ir.Call, scope: Scope) -> Leave | None:
        """The ways of ``work().then(f)`` and its like, awaited; None if the call is none of these."""
        if not isinstance(call.callee, ir.Member) or not isinstance(call.callee.object, ir.Call):
            return None
        entry = self._given.catalog.callback(f"?.{call.callee.name}")
        if entry is None or entry.after is None:
            return None
        names = self._given.evaluator.outside_names(call.callee, scope)
        if any(lookup(self._given.catalog.listeners, name) for name in names):
            return None
        work = self._call(call.callee.object, scope, awaited=True)
        follow = self._outside.handed_over(entry, call, scope)
        if entry.after == "either":
            return finally_(work, follow)
        if entry.after == "success":
            return then(work, follow)
        return (work & ~F.THROWS) | follow if F.THROWS in work else work

    def _runs_once(self, targets: Iterable[Value]) -> bool:
        """Whether a call awaits the coroutines that it is given."""
        entries = [self._given.catalog.callback(t.name) for t in targets if isinstance(t, External)]
        return any(e is not None and e.runs == "once" for e in entries)

    def _effect(self, target: Value, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        match target:
            case FunctionValue(function=function, scope=home):
                if function.is_async and not awaited:
                    # A coroutine of Python runs only when something awaits it; JavaScript starts it.
                    return (
                        F.FALLS
                        if home.module.is_python
                        else detached(self._flow.function(function, home), self._given.swallows)
                    )
                ways = self._flow.function(function, home)
                handed_on = awaited and not function.is_async and self._gives_promise(target)
                return ways | F.PAUSES | F.WAITS if handed_on else ways
            case ClassValue(info=info):
                return self._construction(info)
            case External(name=name, site=site):
                ways = self._outside.ways(name, call, scope, awaited)
                return ways | F.UNKNOWN if self._outside.may_call_back(site, call) else ways
            case _:
                return F.FALLS

    def _gives_promise(self, target: FunctionValue) -> bool:
        """Whether a function hands on what an outside call gave it, which may be a promise."""
        found = [v.name for v in self._given.evaluator.returned(target) if isinstance(v, External)]
        return any(n.endswith("()") and not listed(self._given.catalog.prompt, n[:-2]) for n in found)

    def _construction(self, info: ClassInfo) -> Leave:
        constructor = info.constructor
        return self._flow.function(constructor, info.scope) if constructor is not None else F.FALLS


def _is_nothing(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _is_plain(value: ir.Expr) -> bool:
    return isinstance(value, (ir.Literal, ir.Object, ir.Array))
