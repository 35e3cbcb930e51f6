"""What calls give back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcplint.program.bundles import runs_once_when_needed, wrapped_bodies
from mcplint.program.calls import argument
from mcplint.program.limits import MAX_NAME
from mcplint.program.scope import Scope
from mcplint.program.settled import answers
from mcplint.program.values import (
    NOTHING_KNOWN,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Value,
    Values,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator


class Results:
    """Answers for calls of the program's own functions and classes, and of anything outside."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator

    def of(self, call: ir.Call, scope: Scope) -> Values:
        """What a call can give back; what it comes to, if that is a promise."""
        if isinstance(call.callee, ir.Super):
            return NOTHING_KNOWN
        if isinstance(call.callee, ir.Member) and not scope.module.is_python:
            bound = self._of_language(call, call.callee, scope)
            if bound:
                return bound
        result: set[Value] = set()
        for target in self._ev.values(call.callee, scope):
            result |= self._result(target, call, scope)
        return frozenset(result) or (frozenset() if self._returns_nothing(call, scope) else NOTHING_KNOWN)

    def _of_language(self, call: ir.Call, callee: ir.Member, scope: Scope) -> Values:
        """Values of methods that JavaScript itself gives: of functions, and of promises."""
        if callee.name == "bind":
            return self._ev.values(callee.object, scope)
        after = self._ev.catalog.promise_methods.get(callee.name)
        if after == "success" and call.args:
            result: set[Value] = set()
            for handler in self._ev.values(call.args[0], scope):
                if isinstance(handler, FunctionValue):
                    result |= self.returned(handler)
            return frozenset(result)
        if after in ("failure", "either"):
            return frozenset(v for v in self._ev.values(callee.object, scope) if not isinstance(v, External))
        return frozenset()

    def _returns_nothing(self, call: ir.Call, scope: Scope) -> bool:
        targets = self._ev.values(call.callee, scope)
        return bool(targets) and all(isinstance(t, FunctionValue) for t in targets)

    def _result(self, target: Value, call: ir.Call, scope: Scope) -> Values:
        match target:
            case FunctionValue(function=function):
                if call.args and runs_once_when_needed(function):
                    return frozenset(wrapped_bodies(self._ev.values(call.args[0], scope)))
                return self.returned(target)
            case ClassValue(info=info):
                return frozenset({Instance(info, call)})
            case External(name=name):
                wrapped = self._ev.catalog.wrappers.get(name)
                if wrapped is not None and (inner := argument(call, wrapped)) is not None:
                    values = self._unwrapped(inner, scope)
                    if name in self._ev.catalog.merging:
                        values = values.union(*(self._ev.values(a, scope) for a in call.args))
                    if name in self._ev.catalog.once:
                        self._ev.run_once |= {v.function for v in values if isinstance(v, FunctionValue)}
                    return values
                settled = self._settled(name, call, scope)
                if settled is not None:
                    return settled
                alias = self._ev.catalog.results.get(name)
                if alias is not None:
                    return frozenset({External(alias, call)})
                owner, _, method = name.rpartition(".")
                if method in self._ev.catalog.fluent and ("." in owner or "(" in owner):
                    return frozenset({External(owner, target.site)})
                if name == "?" or len(name) > MAX_NAME:
                    return frozenset({External("?", call)})
                return frozenset({External(f"{name}()", call)})
            case _:
                return NOTHING_KNOWN

    def _settled(self, name: str, call: ir.Call, scope: Scope) -> Values | None:
        """What a promise that is made here comes to, if that is yes or no."""
        if name not in self._ev.catalog.promises or not call.is_new or not call.args:
            return None
        executors = [v for v in self._ev.values(call.args[0], scope) if isinstance(v, FunctionValue)]
        return answers(executors[0], self._ev, self._ev.catalog) if len(executors) == 1 else None

    def _unwrapped(self, inner: ir.Expr, scope: Scope) -> Values:
        """What a wrapper gives back: its argument, or what that function returns (``run(main)``)."""
        values = self._ev.values(inner, scope)
        if isinstance(inner, ir.Call) or not scope.module.is_python:
            return values
        functions = [v for v in values if isinstance(v, FunctionValue) and v.function.is_async]
        return values.union(*(self.returned(f) for f in functions))

    def returned(self, target: FunctionValue) -> Values:
        """What a call of a function of the program can give; awaited if it is async."""
        if target.function.is_generator:
            return NOTHING_KNOWN
        scope = target.scope.module.scope_of(target.function)
        result: set[Value] = set()
        with self._ev.once("return", target.function) as first:
            for value in returns(target.function.body) if first else ():
                result |= self._ev.values(value, scope)
        return frozenset(result)


def returns(body: ir.Block) -> Iterable[ir.Expr]:
    """The values of a function's own ``return`` statements."""
    stack: list[ir.Node] = list(reversed(body))
    while stack:
        node = stack.pop()
        match node:
            case ir.Return(value=value):
                if value is not None:
                    yield value
            case ir.FunctionDef() | ir.ClassDef() | ir.Expr():
                continue
            case _:
                stack.extend(reversed(list(ir.children(node))))
