"""What a handler does on the way, call by call, as far as the catalog knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.model import Deed
from mcplint.lifecycle.places import head
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import DeedEntry
from mcplint.program.contexts import Reached
from mcplint.program.execution import Execution
from mcplint.program.scope import Scope
from mcplint.program.values import External
from mcplint.syntax import ir

_LONGEST = 40


def deeds(
    reached: Iterable[Reached],
    table: Mapping[str, tuple[DeedEntry, ...]],
    execution: Execution,
    absent: frozenset[ir.Call] = frozenset(),
) -> tuple[Deed, ...]:
    """The calls that ``table`` knows, each once, in order.

    ``absent`` are calls that do not come about: what they would make is not there either.
    """
    found: dict[ir.Call, Deed] = {}
    for item in reached:
        call = item.step.node
        if isinstance(call, ir.Call) and call not in found:
            entry = entry_of(call, item.scope, table, execution, absent)
            if entry is not None:
                found[call] = deed(call, item.scope, entry.why)
    return tuple(found.values())


def deed(call: ir.Call, scope: Scope, why: str) -> Deed:
    """A call as a message names it."""
    return Deed(said(call, scope), head(call, scope), why)


def said(call: ir.Call, scope: Scope) -> str:
    """What is called, as the code says it."""
    text = scope.module.code.source.utf8[call.start : call.head_end].decode("utf-8", "replace")
    words = "".join(text.split()) if "." in text else " ".join(text.split())
    return words if len(words) <= _LONGEST else f"…{words[-_LONGEST:]}"


def entry_of(
    call: ir.Call,
    scope: Scope,
    table: Mapping[str, tuple[DeedEntry, ...]],
    execution: Execution,
    absent: frozenset[ir.Call] = frozenset(),
) -> DeedEntry | None:
    """What a table of the catalog says of a call."""
    evaluator, catalog = execution.evaluator, execution.catalog
    for value in evaluator.values(call.callee, scope):
        if not isinstance(value, External) or value.site in absent:
            continue
        if any(end.effect != "maybe" for end in lookup(catalog.exits, value.name)):
            continue
        for entry in lookup(table, value.name):
            spared = entry.unless and any_true(entry.unless, call, scope, evaluator) is not False
            spared = spared or (entry.unless_read is not None and _reads(entry.unless_read, execution))
            fits = not entry.only_if or any_true(entry.only_if, call, scope, evaluator) is True
            if fits and not spared:
                return entry  # type: ignore[no-any-return]
    return None


def _reads(name: str, execution: Execution) -> bool:
    """Whether the program reads a property of that name of anything but its own process."""
    evaluator, stdin = execution.evaluator, execution.catalog.stdin
    return any(
        stdin.isdisjoint(evaluator.outside_names(member, scope))
        for member, scope in evaluator.index.reads_of(name)
    )
