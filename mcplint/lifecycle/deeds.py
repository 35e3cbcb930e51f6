"""What a handler does on the way, call by call, as far as the catalog knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.model import Deed
from mcplint.lifecycle.places import head
from mcplint.program.catalog import DeedEntry, listed, lookup
from mcplint.program.execution import Execution, Reached
from mcplint.program.scope import Scope
from mcplint.program.values import External
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog

_LONGEST = 40


def deeds(
    reached: Iterable[Reached], table: Mapping[str, tuple[DeedEntry, ...]], execution: Execution
) -> tuple[Deed, ...]:
    """The calls that ``table`` knows, each once, in order."""
    found: dict[ir.Call, Deed] = {}
    for item in reached:
        call = item.step.node
        if isinstance(call, ir.Call) and call not in found:
            entry = _entry(call, item.scope, table, execution)
            if entry is not None:
                found[call] = deed(call, item.scope, entry.why)
    return tuple(found.values())


def awaited_deeds(execution: Execution) -> tuple[Deed, ...]:
    """The outside calls that a run awaits and that may fail, in order."""
    found: list[Deed] = []
    for body, module in execution.modules.items():
        if not isinstance(body, ir.Function):
            continue
        scope = module.scope_of(body)
        for node in ir.walk(*body.body):
            if isinstance(node, ir.Await) and isinstance(node.value, ir.Call):
                names = execution.evaluator.outside_names(node.value.callee, scope)
                if any(_may_fail(name, execution.catalog) for name in names):
                    found.append(deed(node.value, scope, ""))
    return tuple(found)


def deed(call: ir.Call, scope: Scope, why: str) -> Deed:
    """A call as a message names it."""
    return Deed(said(call, scope), head(call, scope), why)


def said(call: ir.Call, scope: Scope) -> str:
    """What is called, as the code says it."""
    text = scope.module.code.source.utf8[call.start : call.head_end].decode("utf-8", "replace")
    words = "".join(text.split()) if "." in text else " ".join(text.split())
    return words if len(words) <= _LONGEST else f"…{words[-_LONGEST:]}"


def _may_fail(name: str, catalog: Catalog) -> bool:
    return not listed(catalog.prompt, name) and not listed(catalog.closers, name)


def _entry(
    call: ir.Call, scope: Scope, table: Mapping[str, tuple[DeedEntry, ...]], execution: Execution
) -> DeedEntry | None:
    evaluator, catalog = execution.evaluator, execution.catalog
    for value in evaluator.values(call.callee, scope):
        if not isinstance(value, External) or lookup(catalog.exits, value.name):
            continue
        for entry in lookup(table, value.name):
            if not entry.unless or any_true(entry.unless, call, scope, evaluator) is False:
                return entry  # type: ignore[no-any-return]
    return None
