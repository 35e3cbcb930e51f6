"""Abstract interpretation: how control can leave a function.

The rules are those of docs/architecture.md, "How outcomes are computed". Inside, a set of ways
is kept per statement (:class:`Leave`); a function's own :class:`Outcome` forgets what only
matters inside it.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.guards import is_guard, walk_own
from mcplint.lifecycle.leave import (
    IN_LOOP,
    Leave,
    armed,
    as_call,
    broken_out,
    detached,
    finally_,
    if_any,
    outward,
    then,
)
from mcplint.lifecycle.outcomes import Outcome
from mcplint.program.catalog import ExitEntry, listed, lookup
from mcplint.program.execution import handed_over
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.steps import NO_BRANCH, Branches, Scanner
from mcplint.program.values import ArrayValue, ClassValue, External, FunctionValue, Value
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.uses import Uses
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator


F = Leave
_MAX_CALLS = 60


class Flow:
    """Computes outcomes for one program; ``assume`` fixes arms of decisions (the stdio path)."""

    def __init__(
        self,
        evaluator: Evaluator,
        catalog: Catalog,
        scanner: Scanner,
        handlers: Mapping[str, tuple[FunctionValue, ...]] | None = None,
        assume: Branches = NO_BRANCH,
        uses: Uses | None = None,
        once: frozenset[ir.Function] = frozenset(),
    ) -> None:
        self._evaluator = evaluator
        self._catalog = catalog
        self._scanner = scanner
        self._handlers = handlers or {}
        self._arms = {b.node: b.arm for b in assume}
        self._assume = assume
        self._uses = uses
        self._once = once
        self._signal: str | None = None
        self._handler: ir.Function | None = None
        self._memo: dict[ir.Function, Leave] = {}
        self._depth = 0
        self._loops = 0

    # ------------------------------------------------------------------ functions

    def outcome(self, target: FunctionValue) -> Outcome:
        """How control can leave a function."""
        return Outcome(outward(self.function(target.function, target.scope)))

    def signal_outcome(self, target: FunctionValue, signal: str) -> Outcome:
        """How control can leave a handler when it is called for ``signal`` (``sigterm``)."""
        flow = Flow(
            self._evaluator,
            self._catalog,
            self._scanner,
            self._handlers,
            self._assume,
            self._uses,
            self._once,
        )
        flow._signal, flow._handler = signal, target.function
        return flow.outcome(target)

    def block(self, body: ir.Block, scope: Scope) -> Leave:
        """The ways out of a module's top level."""
        return self._block(body, scope)

    def function(self, function: ir.Function, scope: Scope) -> Leave:
        """The ways out of a function as its caller sees them."""
        known = self._memo.get(function)
        if known is None:
            if self._depth >= _MAX_CALLS:
                return F.FALLS | F.UNKNOWN
            self._memo[function] = F.NONE
            self._depth += 1
            loops, self._loops = self._loops, 0
            inner = scope.module.scope_of(function)
            known = as_call(self._block(function.body, inner))
            self._depth -= 1
            self._loops = loops
            self._memo[function] = known
        return known

    # ------------------------------------------------------------------ statements

    def _block(self, block: ir.Block, scope: Scope) -> Leave:
        result = F.FALLS
        for statement in block:
            if not result & (F.FALLS | F.FALLS_A):
                break
            result = then(result, self._statement(statement, scope))
        return result

    def _statement(self, node: ir.Stmt, scope: Scope) -> Leave:
        match node:
            case ir.ExprStmt(value=value) | ir.ExportValue(value=value):
                return self._expr(value, scope)
            case ir.Declare(value=value):
                return self._expr(value, scope) if value is not None else F.FALLS
            case ir.Return(value=value):
                before = self._expr(value, scope) if value is not None else F.FALLS
                return then(before, F.RETURNS)
            case ir.Throw(value=value):
                before = self._expr(value, scope) if value is not None else F.FALLS
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
                enter = self._sequence([item.value for item in items], scope)
                return then(enter, self._block(body, scope))
            case ir.Nested(body=body, label=label):
                ways = self._block(body, scope)
                return broken_out(ways) if label else ways
            case _:
                return F.FALLS

    def _thrown(self, value: ir.Expr | None, scope: Scope) -> Leave:
        """A throw; of an exception that asks the interpreter to stop, an unwinding."""
        target = value.callee if isinstance(value, ir.Call) else value
        if target is not None:
            for found in self._evaluator.values(target, scope):
                if isinstance(found, External):
                    for entry in lookup(self._catalog.exits, found.name):
                        if entry.effect == "unwinds":
                            return F.UNWINDS
        return F.THROWS

    def _if(self, node: ir.If, scope: Scope) -> Leave:
        before = self._expr(node.test, scope)
        arm = self._arm(node, node.test, scope)
        then_ways = F.NONE if arm == 1 else self._block(node.then, scope)
        else_ways = F.NONE if arm == 0 else self._block(node.otherwise, scope)
        if arm is None:
            guard = None if self._loops else is_guard(node, scope, self._catalog)
            if guard == 0:
                then_ways = F.NONE
            elif guard == 1:
                else_ways = F.NONE
        return then(before, then_ways | else_ways)

    def _arm(self, node: ir.Node, test: ir.Expr, scope: Scope) -> int | None:
        if node in self._arms:
            return self._arms[node]
        truth = self._asks_signal(test, scope)
        if truth is None:
            truth = self._scanner.test(test, scope)
        return None if truth is None else (0 if truth else 1)

    def _asks_signal(self, test: ir.Expr, scope: Scope) -> bool | None:
        """The answer to ``number == signal.SIGINT`` in the handler of a known signal."""
        if self._signal is None or not isinstance(test, ir.Binary) or test.operator not in ("==", "!="):
            return None
        for param, other in ((test.left, test.right), (test.right, test.left)):
            if self._is_signal_parameter(param, scope):
                names = {_signal_name(v) for v in self._evaluator.values(other, scope)}
                if len(names) == 1 and None not in names:
                    return (self._signal in names) == (test.operator == "==")
        return None

    def _is_signal_parameter(self, expr: ir.Expr, scope: Scope) -> bool:
        function = scope.function
        if function is not self._handler or function is None or not function.params:
            return False
        target = function.params[0].target
        return isinstance(expr, ir.Name) and isinstance(target, ir.Name) and expr.id == target.id

    def _loop(self, node: ir.Loop, scope: Scope) -> Leave:
        before = self._block(node.init, scope)
        if node.iterable is not None:
            before = then(before, self._expr(node.iterable, scope))
        if node.is_async:
            before = then(before, F.FALLS | F.WAITS)
        self._loops += 1
        body = self._block(node.body, scope)
        self._loops -= 1
        test = self._expr(node.test, scope) if node.test is not None else F.FALLS
        endless = node.kind != "each" and (node.test is None or self._scanner.test(node.test, scope) is True)
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
        runs = node.kind == "do" or self._surely_iterates(node, scope)
        undecided = node.test is not None and self._scanner.test(node.test, scope) is None
        if node.kind != "each" and going_on and undecided:
            result |= F.LOOPS
        armed_ = if_any(body & (F.FALLS_A | F.BREAKS_A | F.CONTINUES_A), F.FALLS_A)
        plain = if_any(body & (F.FALLS | F.BREAKS | F.CONTINUES), F.FALLS)
        result |= armed_ | plain
        if not runs or (going_on and not armed_ and not plain):
            result |= F.FALLS
        return then(before, then(test, then(result, self._block(node.otherwise, scope))))

    def _surely_iterates(self, node: ir.Loop, scope: Scope) -> bool:
        if node.iterable is None:
            return False
        values = self._evaluator.values(node.iterable, scope)
        return bool(values) and all(isinstance(v, ArrayValue) and v.node.items for v in values)

    def _switch(self, node: ir.Switch, scope: Scope) -> Leave:
        before = self._expr(node.subject, scope)
        result = F.NONE
        following = F.FALLS
        chosen = self._arms.get(node)
        for index in range(len(node.cases) - 1, -1, -1):
            ways = self._block(node.cases[index].body, scope)
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
        body = self._block(node.body, scope)
        result = then(body, self._block(node.otherwise, scope)) if node.otherwise else body
        catches = reduce(or_, (self._block(c.body, scope) for c in node.catches), F.NONE)
        if node.catches:
            if F.THROWS in body:
                result = (result & ~F.THROWS) | catches
            if F.THROWS_A in body:
                result = (result & ~F.THROWS_A) | armed(catches)
            if F.UNWINDS in body and any(self._catches_unwinding(c, scope) for c in node.catches):
                result = (result & ~F.UNWINDS) | catches
            result |= catches & F.UNKNOWN
        if node.final:
            result = finally_(result, self._block(node.final, scope))
        return result

    def _catches_unwinding(self, catch: ir.Catch, scope: Scope) -> bool:
        """Whether a handler catches what asks the interpreter to stop: a bare one, or by name."""
        names = {n for kind in catch.types for n in self._evaluator.outside_names(kind, scope)}
        unwinding = any(e.effect == "unwinds" for n in names for e in lookup(self._catalog.exits, n))
        return not catch.types or unwinding or "BaseException" in names

    # ------------------------------------------------------------------ expressions

    def _sequence(self, items: list[ir.Expr], scope: Scope) -> Leave:
        result = F.FALLS
        for item in items:
            result = then(result, self._expr(item, scope))
        return result

    def _expr(self, node: ir.Node, scope: Scope) -> Leave:
        match node:
            case ir.Name() | ir.Literal() | ir.This() | ir.Super() | ir.Lambda() | ir.ClassExpr():
                return F.FALLS
            case ir.Await(value=value):
                return self._await(value, scope)
            case ir.Call():
                return self._call(node, scope, awaited=False)
            case ir.Logical(left=left, right=right):
                before = self._expr(left, scope)
                truth = None if node.operator == "nullish" else self._scanner.test(left, scope)
                if truth is None:
                    return then(before, self._expr(right, scope) | F.FALLS)
                runs = truth == (node.operator == "and")
                return then(before, self._expr(right, scope)) if runs else before
            case ir.Conditional(test=test, then=yes, otherwise=no):
                before = self._expr(test, scope)
                arm = self._arm(node, test, scope)
                ways = F.NONE if arm == 1 else self._expr(yes, scope)
                ways |= F.NONE if arm == 0 else self._expr(no, scope)
                return then(before, ways)
            case _:
                result = F.FALLS
                for child in ir.children(node):
                    result = then(result, self._expr(child, scope))
                return result

    def _await(self, value: ir.Expr, scope: Scope) -> Leave:
        if isinstance(value, ir.Call):
            return self._call(value, scope, awaited=True)
        before = self._expr(value, scope)
        return then(before, F.FALLS if _is_plain(value) else F.FALLS | F.WAITS | F.PAUSES)

    def _call(self, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        head = call.callee.object if isinstance(call.callee, ir.Member) else call.callee
        targets = self._evaluator.values(call.callee, scope)
        before = self._sequence([head, *(k.value for k in call.keywords)], scope)
        awaits = self._runs_once(targets)
        for argument in call.args:
            coroutine = awaits and isinstance(argument, ir.Call)
            before = then(before, (self._await if coroutine else self._expr)(argument, scope))
        if not targets:
            return then(before, F.FALLS | F.UNKNOWN)
        effect = F.NONE
        for target in targets:
            effect |= self._effect(target, call, scope, awaited)
        return then(before, effect)

    def _runs_once(self, targets: Iterable[Value]) -> bool:
        """Whether a call awaits the coroutines that it is given."""
        entries = [self._catalog.callback(t.name) for t in targets if isinstance(t, External)]
        return any(e is not None and e.runs == "once" for e in entries)

    def _effect(self, target: Value, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        match target:
            case FunctionValue(function=function, scope=home):
                if function.is_async and not awaited:
                    # A coroutine of Python runs only when something awaits it; JavaScript starts it.
                    return F.FALLS if home.module.is_python else detached(self.function(function, home))
                ways = self.function(function, home)
                handed_on = awaited and not function.is_async and self._gives_promise(target)
                return ways | F.PAUSES | F.WAITS if handed_on else ways
            case ClassValue(info=info):
                return self._construction(info)
            case External(name=name):
                return self._external(name, call, scope, awaited)
            case _:
                return F.FALLS

    def _gives_promise(self, target: FunctionValue) -> bool:
        """Whether a function hands on what an outside call gave it, which may be a promise."""
        found = [v.name for v in self._evaluator.returned(target) if isinstance(v, External)]
        return any(n.endswith("()") and not listed(self._catalog.prompt, n[:-2]) for n in found)

    def _construction(self, info: ClassInfo) -> Leave:
        constructor = info.constructor
        return self.function(constructor, info.scope) if constructor is not None else F.FALLS

    def _external(self, name: str, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        for exit_ in lookup(self._catalog.exits, name):
            if (effect := self._exit(exit_, name, call, scope)) is not None:
                return effect
        if name == "?" or (name.endswith(("[]", "()")) and self._catalog.is_from_collection(name)):
            return F.UNKNOWN | F.FALLS
        if listed(self._catalog.endless, name):
            return F.HANGS if not self._is_stopped(call, scope) else F.FALLS | F.UNKNOWN
        if self._is_stranger(name, scope):
            return F.UNKNOWN | F.FALLS
        if call.is_new and call.args and (entry := self._catalog.callback(name)) and entry.runs == "once":
            return self._promise(call, scope, awaited)
        later = self._callbacks(name, call, scope)
        if not awaited or listed(self._catalog.closers, name):
            return later
        return later | F.PAUSES if listed(self._catalog.prompt, name) else later | F.PAUSES | F.WAITS

    def _exit(self, entry: ExitEntry, name: str, call: ir.Call, scope: Scope) -> Leave | None:
        applies = any_true(entry.only_if, call, scope, self._evaluator) if entry.only_if else True
        if applies is False:
            return None
        if entry.effect == "ends":
            return F.ENDS
        if entry.effect == "unwinds":
            return F.UNWINDS
        if entry.effect in ("signals", "emits"):
            return self._self_signal(call, scope, entry.effect == "signals")
        if entry.effect == "restores":
            return F.FALLS
        if entry.effect == "tells":
            return F.UNKNOWN | F.FALLS
        return None if self._is_release(name) else F.UNKNOWN | F.FALLS

    def _is_release(self, name: str) -> bool:
        """Whether a method is how the catalog lets go of that very object: ``redis.quit``."""
        owner, _, method = name.rpartition(".")
        entries = lookup(self._catalog.holders, owner.removesuffix("()"))
        return any(method in entry.releases for entry in entries)

    def _is_stopped(self, call: ir.Call, scope: Scope) -> bool:
        """Whether some code can make an endless call of an object come back."""
        values = self._evaluator.values(call.callee, scope)
        return self._uses is not None and any(self._uses.stops(v) for v in values if isinstance(v, External))

    def _is_stranger(self, name: str, scope: Scope) -> bool:
        """Whether a bare name is no import and no function that the language has."""
        if "." in name or "(" in name or name in self._catalog.known:
            return False
        return not (scope.module.is_python and hasattr(builtins, name)) and not scope.find(name)

    def _self_signal(self, call: ir.Call, scope: Scope, default: bool) -> Leave:
        """A signal sent to the process itself: what its listeners do, else its default action."""
        names = {
            _signal_name(value) for argument in call.args for value in self._evaluator.values(argument, scope)
        }
        if any(self._is_signal_parameter(argument, scope) for argument in call.args):
            names.add(self._signal)
        signals = {n for n in names if n is not None} or {"sigterm"}
        listening = [f for s in signals for f in self._handlers.get(s, ())]
        if not listening or (default and (self._restores(scope) or self._runs_once_only(scope))):
            return F.ENDS if default else F.FALLS
        ways = F.NONE
        for handler in listening:
            ways |= self.function(handler.function, handler.scope)
        # A handler that sends its own signal is called again, and again.
        return ways or F.FALLS

    def _runs_once_only(self, scope: Scope) -> bool:
        """Whether the function at hand is a listener that was taken away before it was called."""
        where: Scope | None = scope
        while where is not None:
            if where.function in self._once:
                return True
            where = where.parent
        return False

    def _restores(self, scope: Scope) -> bool:
        """Whether the function at hand takes its listeners away."""
        body = scope.function.body if scope.function is not None else ()
        return any(
            entry.effect == "restores"
            and (not entry.only_if or any_true(entry.only_if, node, scope, self._evaluator))
            for node in walk_own(body, through_functions=True)
            if isinstance(node, ir.Call)
            for name in self._evaluator.outside_names(node.callee, scope)
            for entry in lookup(self._catalog.exits, name)
        )

    def _promise(self, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        executors = handed_over(call, self._evaluator, scope)
        ways = F.FALLS
        for executor in executors:
            ways = then(ways, self.function(executor.function, executor.scope))
        if awaited and executors and all(not e.function.body for e in executors):
            return F.HANGS
        if not awaited:
            return ways
        return ways | F.PAUSES if self._has_timer(executors) else ways | F.PAUSES | F.WAITS

    def _has_timer(self, executors: list[FunctionValue]) -> bool:
        return any(
            (entry := self._catalog.callback(name)) is not None and entry.runs == "later"
            for executor in executors
            for node in ir.walk(*executor.function.body)
            if isinstance(node, ir.Call)
            for name in self._evaluator.outside_names(
                node.callee, executor.scope.module.scope_of(executor.function)
            )
        )

    def _hands_over_exit(self, call: ir.Call, scope: Scope) -> bool:
        """Whether a call is given an exit itself to run: ``setImmediate(process.exit)``."""
        names = [n for argument in call.args for n in self._evaluator.outside_names(argument, scope)]
        return any(e.effect == "ends" for name in names for e in lookup(self._catalog.exits, name))

    def _callbacks(self, name: str, call: ir.Call, scope: Scope) -> Leave:
        """What the functions handed to an outside call do, now or later."""
        if lookup(self._catalog.listeners, name):
            return F.FALLS
        entry = self._catalog.callback(name)
        runs = entry.runs if entry else None
        if runs in ("never", "call", "event"):
            return F.FALLS
        result = F.FALLS
        if runs == "later" and self._hands_over_exit(call, scope):
            result = F.FALLS_A | F.PAUSES
        for target in handed_over(call, self._evaluator, scope, entry.at if entry else None):
            ways = self.function(target.function, target.scope)
            if runs == "once":
                result = then(result, ways)
            elif runs == "start":
                result = then(result, (ways & ~F.RETURNS) | F.FALLS if ways & F.ENDS else F.FALLS)
            elif ways & (F.ENDS | F.FALLS_A) and not ways & (F.FALLS | F.UNWINDS):
                waits = F.NONE if runs == "later" else F.WAITS
                result = then(result, F.FALLS_A | F.PAUSES | waits)
            elif ways & F.UNKNOWN:
                result |= F.UNKNOWN
        return result


def _signal_name(value: Value) -> str | None:
    text = value.name if isinstance(value, External) else getattr(value, "value", None)
    name = str(text).rpartition(".")[2].lower()
    return name if name.startswith("sig") else None


def _is_plain(value: ir.Expr) -> bool:
    return isinstance(value, (ir.Literal, ir.Object, ir.Array))
