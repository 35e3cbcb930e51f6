"""What a call hands over, and by which names the catalog knows what is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcplint.program.scope import Scope
from mcplint.program.values import (
    ArrayValue,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    ObjectValue,
    Value,
)
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator


def handed_over(
    call: ir.Call, evaluator: Evaluator, scope: Scope, at: tuple[int | str, ...] | None = None
) -> list[FunctionValue]:
    """The functions that a call hands over: as arguments, or inside object and list arguments.

    ``at`` limits them to these places.
    """
    pairs: Iterable[tuple[int | str | None, ir.Expr]] = [
        *enumerate(call.args),
        *((k.name, k.value) for k in call.keywords),
    ]
    found: list[FunctionValue] = []
    for place, expr in pairs:
        if at is None or place in at:
            for value in evaluator.values(expr, scope):
                found.extend(_functions_in(value, evaluator, 0))
    return found


def _functions_in(value: Value, evaluator: Evaluator, depth: int) -> Iterator[FunctionValue]:
    match value:
        case FunctionValue():
            yield value
        case ObjectValue(node=node, scope=scope) if depth < 3:
            for entry in node.entries:
                for inner in evaluator.values(entry.value, scope):
                    yield from _functions_in(inner, evaluator, depth + 1)
        case ArrayValue(node=node, scope=scope) if depth < 3:
            for item in node.items:
                for inner in evaluator.values(item, scope):
                    yield from _functions_in(inner, evaluator, depth + 1)
        case _:
            return


def instance_names(value: Value, evaluator: Evaluator) -> frozenset[str]:
    """The catalog's names for an object: its own, or those of its external base classes."""
    match value:
        case External(name=name):
            return frozenset({name})
        case Instance(info=info):
            return frozenset(f"{base}()" for base in evaluator.external_bases(info))
        case _:
            return frozenset()


def called_names(targets: Iterable[Value], evaluator: Evaluator) -> Iterator[str]:
    """The catalog's names for what is called.

    For a class of the program: its external bases, and itself as ``class NAME.METHOD`` for each
    of its methods, by which a library that was bundled into the program is still known, or as what
    it is shaped like where the bundler took its name away.
    """
    for target in targets:
        if isinstance(target, External):
            yield target.name
        elif isinstance(target, ClassValue):
            yield from evaluator.external_bases(target.info)
            for method in target.info.methods:
                yield f"class {target.info.name}.{method}"
            yield from evaluator.shapes.of(target.info)


def handed_names(
    call: ir.Call, targets: Iterable[Value], scope: Scope, evaluator: Evaluator, catalog: Catalog
) -> Iterator[str]:
    """The outside functions that a call runs because they are handed to it: ``anyio.run(f)``."""
    runners = [t.name for t in targets if isinstance(t, External)]
    entries = [e for e in map(catalog.callback, runners) if e is not None]
    if any(e.runs in ("once", "start", "each", "later") for e in entries):
        for argument in call.args:
            for value in evaluator.values(argument, scope):
                if isinstance(value, External):
                    yield value.name
