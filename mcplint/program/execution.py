"""What a program does from its entry on: which bodies run, when, and under which branches."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from mcplint.program.calls import argument as argument_at
from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.contexts import START, Context, Reached, at_step
from mcplint.program.handed import handed_over
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.steps import NO_BRANCH, Body, Branch, Scanner, Step
from mcplint.program.values import (
    ClassValue,
    Const,
    External,
    FunctionValue,
    Instance,
    Value,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.link import LinkedModule, Linker

_MAX_CONTEXTS = 6
_MAX_BODIES = 20_000


@dataclass
class Execution:
    """The bodies that run from some start on, with their contexts."""

    evaluator: Evaluator
    catalog: Catalog
    scanner: Scanner
    linker: Linker
    contexts: dict[Body, list[Context]] = field(default_factory=dict)
    modules: dict[Body, LinkedModule] = field(default_factory=dict)
    extra: list[Step] = field(default_factory=list)
    _queue: list[tuple[int, int, Body, Context]] = field(default_factory=list)
    _count: Iterator[int] = field(default_factory=count)

    # ------------------------------------------------------------------ running

    def enter_module(self, module: LinkedModule, context: Context = START) -> None:
        """Run a module's top level."""
        self._enter(module, module, context)

    def enter_function(self, target: FunctionValue, context: Context = START) -> None:
        """Run a function."""
        self._enter(target.function, target.scope.module, context)

    def enter_call(self, call: ir.Call, scope: Scope) -> None:
        """Run a call that stands in no body: what starts the program calls it."""
        step = Step(call, scope, NO_BRANCH, False)
        self.extra.append(step)
        self._follow(step, START)

    def run(self) -> Execution:
        """Follow everything that has been entered."""
        while self._queue and len(self.contexts) < _MAX_BODIES:
            _, _, body, context = heapq.heappop(self._queue)
            if context in self.contexts[body]:
                for step in self.scanner.steps(body, self.modules[body]):
                    self._follow(step, at_step(step, context))
        return self

    def reached(self) -> Iterator[Reached]:
        """Every step that runs, in each of its contexts, body by body."""
        for step in self.extra:
            yield Reached(step, START)
        for body, contexts in list(self.contexts.items()):
            for step in self.scanner.steps(body, self.modules[body]):
                for context in contexts:
                    yield Reached(step, at_step(step, context))

    def _enter(self, body: Body, module: LinkedModule, context: Context) -> None:
        known = self.contexts.setdefault(body, [])
        if any(c.covers(context) for c in known):
            return
        if len(known) >= _MAX_CONTEXTS:
            return
        known[:] = [c for c in known if not context.covers(c)]
        known.append(context)
        self.modules[body] = module
        rank = len(context.branches) + (100 if context.on_call else 0)
        heapq.heappush(self._queue, (rank, next(self._count), body, context))

    def beside(self) -> Execution:
        """An empty execution of the same program: to follow a handler by itself."""
        return Execution(self.evaluator, self.catalog, self.scanner, self.linker)

    # ------------------------------------------------------------------ following

    def _follow(self, step: Step, context: Context) -> None:
        match step.node:
            case ir.Call() as call:
                self._call(call, step.scope, context)
            case ir.Import(module=name, level=level, names=names):
                self._load(step.scope.module.imported(name, level), names, context)
            case ir.ImportExpr(module=name) if name is not None:
                self._load(step.scope.module.imported(name), (), context)
            case ir.ExportNames(module=name) if name is not None:
                self._load(step.scope.module.imported(name), (), context)
            case ir.FunctionDef(function=function):
                self._decorated(function, step.scope, context)
            case ir.Assign() as assign:
                self._assigned(assign, step.scope, context)
            case _:
                pass

    def _load(self, target: LinkedModule | str, names: tuple[ir.ImportName, ...], context: Context) -> None:
        if isinstance(target, str):
            return
        for package in self._packages_of(target):
            self.enter_module(package, context)
        self.enter_module(target, context)
        for item in names:
            child = target.submodule(item.imported) if item.imported else None
            if child is not None:
                self.enter_module(child, context)

    def _packages_of(self, module: LinkedModule) -> Iterator[LinkedModule]:
        if not module.is_python:
            return
        folder = module.path.parent
        if module.path.stem == "__init__":
            folder = folder.parent
        for _ in range(20):
            init = folder / "__init__.py"
            if not init.is_file():
                return
            package = self.linker.load(init)
            if package is not None:
                yield package
            folder = folder.parent

    def _call(self, call: ir.Call, scope: Scope, context: Context) -> None:
        if _is_super_construction(call.callee):
            receiver = scope.this()
            if isinstance(receiver, ClassInfo):
                for base in self.evaluator.bases(receiver):
                    self._construct(base, context)
            return
        callable_ = (FunctionValue, ClassValue, External)
        targets = [t for t in self.evaluator.values(call.callee, scope) if isinstance(t, callable_)]
        for index, target in enumerate(targets):
            where = context if len(targets) == 1 else _one_of(call, index, context)
            if isinstance(target, FunctionValue):
                if not self.evaluator.heard.is_told_by(target, scope):
                    self.enter_function(target, where)
            elif isinstance(target, ClassValue):
                self._construct(target, where)
                for function in self.evaluator.shapes.started(target.info):
                    self.enter_function(function, where)
            elif isinstance(target, External):
                self._external(target, call, scope, where)

    def _construct(self, target: Value, context: Context) -> None:
        """Run the field initialisers and the constructor that ``new target()`` runs."""
        seen: set[ClassInfo] = set()
        while isinstance(target, ClassValue) and target.info not in seen:
            info = target.info
            seen.add(info)
            module = info.scope.module
            if info.cls.fields:
                self._enter(info, module, context)
            if info.constructor is not None:
                self._enter(info.constructor, module, context)
                return
            bases = [b for b in self.evaluator.bases(info) if isinstance(b, ClassValue)]
            if not bases:
                return
            target = bases[0]

    def _external(self, target: External, call: ir.Call, scope: Scope, context: Context) -> None:
        """Functions handed to something outside run as the catalog says, else perhaps."""
        if lookup(self.catalog.listeners, target.name):
            if self._gets_messages(target, call, scope):
                for function in handed_over(call, self.evaluator, scope):
                    self.enter_function(function, replace(context, on_call=True))
            return
        entry = self.catalog.callback(target.name)
        runs = entry.runs if entry else None
        if runs == "never":
            return
        for function in handed_over(call, self.evaluator, scope, entry.at if entry else None):
            self.enter_function(function, self._when(runs, context, call))
        self._hand_over_objects(call, scope, context)

    def _gets_messages(self, target: External, call: ir.Call, scope: Scope) -> bool:
        """Whether a listener of the program itself is given what a client sends; not that of an SDK in it."""
        receiver = scope.this()
        if isinstance(receiver, ClassInfo) and self.evaluator.shapes.of(receiver):
            return False
        for entry in lookup(self.catalog.listeners, target.name):
            for at in entry.event.at if entry.event else ():
                event = argument_at(call, at)
                found = self.evaluator.values(event, scope) if event is not None else ()
                if any(isinstance(v, Const) and v.value in self.catalog.messages for v in found):
                    return True
        return False

    def _hand_over_objects(self, call: ir.Call, scope: Scope, context: Context) -> None:
        """An outside call may call the methods of an object whose class extends one of its own."""
        for argument in call.args:
            for value in self.evaluator.values(argument, scope):
                if isinstance(value, Instance) and self.evaluator.external_bases(value.info):
                    surely = self._started_by(call, value.info)
                    for name, method in value.info.methods.items():
                        where = replace(context, branches=context.branches | {Branch(call, 0)})
                        function = FunctionValue(method, value.info.scope)
                        self.enter_function(function, context if name in surely else where)

    def _started_by(self, call: ir.Call, info: ClassInfo) -> frozenset[str]:
        """The methods of a subclass of a transport that the call which serves it runs."""
        serve = last_name(call.callee)
        return frozenset(
            name
            for base in self.evaluator.external_bases(info)
            for entry in lookup(self.catalog.transports, base)
            if serve in entry.serve
            for name in entry.starts
        )

    def _when(self, runs: str | None, context: Context, node: ir.Node) -> Context:
        if runs in ("once", "start", "each", "later"):
            return context
        if runs == "call":
            return replace(context, on_call=True)
        return replace(context, branches=context.branches | {Branch(node, 0, mode=runs == "mode")})

    def _decorated(self, function: ir.Function, scope: Scope, context: Context) -> None:
        target = FunctionValue(function, scope)
        for decorator in function.decorators:
            for value in self.evaluator.values(decorator, scope):
                if isinstance(value, External):
                    entry = self.catalog.callback(value.name.removesuffix("()"))
                    runs = entry.runs if entry else None
                    if runs != "never":
                        self.enter_function(target, self._when(runs, context, decorator))

    def _assigned(self, assign: ir.Assign, scope: Scope, context: Context) -> None:
        """A function put on an outside object is a callback of it."""
        if not isinstance(assign.target, ir.Member):
            return
        functions = [v for v in self.evaluator.values(assign.value, scope) if isinstance(v, FunctionValue)]
        if not functions or any(self.evaluator.heard.is_listener(f) for f in functions):
            return
        for owner in self.evaluator.values(assign.target, scope):
            if not isinstance(owner, External) or lookup(self.catalog.listeners, owner.name):
                continue
            entry = self.catalog.callback(owner.name)
            runs = entry.runs if entry else None
            for function in functions if runs != "never" else ():
                self.enter_function(function, self._when(runs, context, assign))


def _one_of(call: ir.Call, index: int, context: Context) -> Context:
    """The context of one of several functions that a call may mean."""
    return replace(context, branches=context.branches | {Branch(call, index)})


def _is_super_construction(callee: ir.Expr) -> bool:
    if isinstance(callee, ir.Member):
        return isinstance(callee.object, ir.Super) and callee.name == "__init__"
    return isinstance(callee, ir.Super)
