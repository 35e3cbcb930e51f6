"""What a parameter can stand for: everything that any call passes for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.program.scope import Scope
from mcplint.program.values import (
    NOTHING_KNOWN,
    UNKNOWN,
    ClassValue,
    External,
    FunctionValue,
    Value,
    Values,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.link import LinkedModule


class Parameters:
    """Answers for the parameters of the program's functions, by the calls of them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator

    def of(self, function: ir.Function, index: int, module: LinkedModule) -> Values:
        """Everything that any call in the program passes for a parameter."""
        if index < 0:
            return NOTHING_KNOWN
        with self._ev.once("param", function, index) as first:
            return self._passed(function, index, module) if first else frozenset()

    def expressions(
        self, function: ir.Function, index: int, module: LinkedModule
    ) -> list[tuple[ir.Expr, Scope]]:
        """The expressions that calls in the program pass for a parameter."""
        if index < 0:
            return []
        given = ((_argument_for(c, function, index), s) for c, s in self.callers(function, module))
        return [(argument_, scope) for argument_, scope in given if argument_ is not None]

    def _passed(self, function: ir.Function, index: int, module: LinkedModule) -> Values:
        result: set[Value] = set()
        called = False
        for call, scope in self.callers(function, module):
            called = True
            argument_ = _argument_for(call, function, index)
            if argument_ is not None:
                result |= self._ev.values(argument_, scope)
            elif any(isinstance(a, ir.Spread) for a in call.args):
                result.add(UNKNOWN)
        for call, scope in self._ev.index.iterations(function):
            called = True
            result |= self._given(call, index, scope)
            if index == 0 and isinstance(call.callee, ir.Member):
                promised = call.callee.name in self._ev.catalog.promise_methods
                owner = call.callee.object
                result |= self._ev.values(owner, scope) if promised else self._ev.elements_of(owner, scope)
        return frozenset(result) if called else NOTHING_KNOWN

    def _given(self, call: ir.Call, index: int, scope: Scope) -> Values:
        """What the catalog says that a call gives to the function handed to it: ``resolve``."""
        entries = [self._ev.catalog.callback(name) for name in self._ev.outside_names(call.callee, scope)]
        gives = next((e.gives for e in entries if e is not None and e.gives), None)
        if gives is None:
            return frozenset()
        return frozenset({External(gives[index], call)}) if index < len(gives) else NOTHING_KNOWN

    def callers(self, function: ir.Function, module: LinkedModule) -> list[tuple[ir.Call, Scope]]:
        """The calls anywhere in the loaded modules that can call ``function``."""
        if function.kind == "constructor":
            return self._constructions(function, module)
        name = module.name_of(function)
        if name is None:
            return []
        found = []
        for call, scope in self._ev.index.calls_of(name):
            targets = self._ev.values(call.callee, scope)
            if any(isinstance(t, FunctionValue) and t.function is function for t in targets):
                found.append((call, scope))
        return found

    def _constructions(self, function: ir.Function, module: LinkedModule) -> list[tuple[ir.Call, Scope]]:
        info = next((i for i in module.binder.classes.values() if function in i.cls.methods), None)
        if info is None or info.name is None:
            return []
        found = []
        for call, scope in self._ev.index.calls_of(info.name):
            targets = self._ev.values(call.callee, scope)
            if any(isinstance(t, ClassValue) and t.info is info for t in targets):
                found.append((call, scope))
        return found


def _argument_for(call: ir.Call, function: ir.Function, index: int) -> ir.Expr | None:
    param = function.params[index]
    if not param.keyword_only and index < len(call.args):
        before = call.args[: index + 1]
        return None if any(isinstance(a, ir.Spread) for a in before) else call.args[index]
    if isinstance(param.target, ir.Name):
        for keyword in call.keywords:
            if keyword.name == param.target.id:
                return keyword.value
    return None
