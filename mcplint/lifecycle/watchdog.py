"""Whether code asks by itself, now and then, if its client is gone: then it may end itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcplint.files.place import Place
from mcplint.lifecycle.handlers import Registration, functions_of
from mcplint.lifecycle.model import Watchdog
from mcplint.program.catalog import lookup
from mcplint.program.contexts import Reached
from mcplint.program.execution import Execution
from mcplint.program.handed import handed_over
from mcplint.program.link import LinkedModule
from mcplint.program.scope import Scope
from mcplint.program.steps import Body
from mcplint.program.values import External, FunctionValue
from mcplint.syntax import ir


def find_watchdog(
    execution: Execution,
    reached: list[Reached],
    listeners: Iterable[Registration],
    asking: Iterable[Registration],
) -> Watchdog | None:
    """The first place that polls, its stdin rather than its parent; None if none does.

    ``asking`` are the listeners that obey the end of stdin only if the parent is gone, too.
    """
    catalog = execution.catalog
    of_stdin = list(_reads(execution, catalog.polls))
    of_parent = list(_reads(execution, catalog.parent))
    if not of_stdin and not of_parent:
        return None
    handling = _bodies(execution, (f for r in listeners for f in functions_of(r)))
    obeying = _bodies(execution, (f for r in asking for f in functions_of(r)))
    timed = list(_repeated(execution, reached))
    repeated = _bodies(execution, timed)
    for member, scope in of_stdin:
        body: Body = scope.function or scope.module
        if body in repeated or _in_loop(member, scope):
            return _found(member, scope, of_parent=False)
        if body not in handling and body not in execution.contexts:
            return _found(member, scope, of_parent=False)
    # What is read at the start may be asked for later under another name.
    heard = handling.keys() - obeying.keys()
    watching = [(m, s) for m, s in of_parent if (s.function or s.module) not in heard]
    watching.sort(key=lambda read: (read[1].function not in repeated, read[1].function is None))
    if not watching:
        return None
    asks = any(_in_loop(m, s) for m, s in watching) or any(asks_parent(f, execution) for f in timed)
    return _found(*watching[0], of_parent=True, certain=asks or bool(obeying))


def _found(member: ir.Member, scope: Scope, of_parent: bool, certain: bool = True) -> Watchdog:
    return Watchdog(Place(scope.module.code.source, member.start, member.end), of_parent, certain)


def _reads(execution: Execution, names: frozenset[str]) -> Iterator[tuple[ir.Member, Scope]]:
    lasts = {name.rpartition(".")[2] for name in names}
    for module in dict.fromkeys(execution.modules.values()):
        for member, scope in module.binder.reads:
            if member.name in lasts:
                values = execution.evaluator.values(member, scope)
                if any(isinstance(v, External) and v.name in names for v in values):
                    yield member, scope


def _repeated(execution: Execution, reached: list[Reached]) -> Iterator[FunctionValue]:
    """The functions that timers run."""
    catalog, evaluator = execution.catalog, execution.evaluator
    for item in reached:
        call = item.step.node
        if isinstance(call, ir.Call):
            for target in evaluator.values(call.callee, item.scope):
                if isinstance(target, External) and any(
                    entry.callback is not None for entry in lookup(catalog.holders, target.name)
                ):
                    yield from handed_over(call, evaluator, item.scope)


def _bodies(execution: Execution, functions: Iterable[FunctionValue]) -> dict[Body, LinkedModule]:
    """What runs when these functions are called, with the modules where it stands."""
    beside = execution.beside()
    for function in functions:
        beside.enter_function(function)
    return beside.run().modules


def _in_loop(member: ir.Member, scope: Scope) -> bool:
    body = scope.module.code.body if scope.function is None else scope.function.body
    loops = (node for node in ir.walk(*body) if isinstance(node, ir.Loop))
    return any(inner is member for loop in loops for inner in ir.walk(loop))


def asks_parent(function: FunctionValue, execution: Execution) -> bool:
    """Whether what a function does depends on the parent process."""
    for body, module in _bodies(execution, [function]).items():
        if isinstance(body, ir.Function):
            scope = module.scope_of(body)
            for node in ir.walk(*body.body):
                if isinstance(node, (ir.Name, ir.Member)):
                    names = execution.evaluator.outside_names(node, scope)
                    if not execution.catalog.parent.isdisjoint(names):
                        return True
    return False
