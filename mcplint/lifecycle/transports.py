"""Finding the stdio transports of an execution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import TransportEntry
from mcplint.program.contexts import Context, Reached
from mcplint.program.handed import called_names, handed_names, instance_names
from mcplint.program.scope import Scope
from mcplint.program.values import ObjectValue, Value, Values, site_of
from mcplint.program.versions import PackageVersion
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.uses import Uses
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator


@dataclass(frozen=True, slots=True, eq=False)
class FoundTransport:
    """A call that makes a stdio transport, and the call that serves it."""

    entry: TransportEntry
    call: ir.Call
    scope: Scope
    context: Context
    serve: ir.Call
    serve_scope: Scope


def find_transports(uses: Uses, evaluator: Evaluator, catalog: Catalog) -> Iterator[FoundTransport]:
    """Every stdio transport that the reached code makes, in each of its contexts."""
    found = list(_found(uses, evaluator, catalog))
    serving = {f.serve for f in found if f.serve is not f.call}
    return (f for f in found if f.call not in serving)


def _found(uses: Uses, evaluator: Evaluator, catalog: Catalog) -> Iterator[FoundTransport]:
    for call, item, targets in uses.calls:
        entry = _entry(targets, call, item.scope, evaluator, catalog)
        if entry is not None and not item.context.on_call:
            served = False
            for serve, where in _serve_calls(entry, call, uses, evaluator):
                if not where.context.on_call and not where.context.excludes(item.context):
                    served = True
                    context = item.context.with_(where.context)
                    yield FoundTransport(entry, call, item.scope, context, serve, where.scope)
            if not served:
                yield FoundTransport(entry, call, item.scope, item.context, call, item.scope)


def _entry(
    targets: frozenset[Value], call: ir.Call, scope: Scope, evaluator: Evaluator, catalog: Catalog
) -> TransportEntry | None:
    for name in called_names(targets, evaluator):
        for entry in lookup(catalog.transports, name):
            if _means_stdio(entry, call, scope, evaluator):
                return entry  # type: ignore[no-any-return]
    for name in handed_names(call, targets, scope, evaluator, catalog):
        for entry in lookup(catalog.transports, name):
            return entry  # type: ignore[no-any-return]
    return None


def _means_stdio(entry: TransportEntry, call: ir.Call, scope: Scope, evaluator: Evaluator) -> bool:
    if entry.unless and any_true(entry.unless, call, scope, evaluator):
        return False
    return not entry.only_if or any_true(entry.only_if, call, scope, evaluator) is not False


def _serve_calls(
    entry: TransportEntry, made: ir.Call, uses: Uses, evaluator: Evaluator
) -> Iterator[tuple[ir.Call, Reached]]:
    """The calls that are given the transport in order to serve it."""
    for call, item, _ in uses.calls:
        if last_name(call.callee) not in entry.serve:
            continue
        for argument in call.args:
            for value in _given(evaluator.values(argument, item.scope), evaluator):
                site = site_of(value)
                if site is made or (site is None and set(entry.names) & _made(value, evaluator)):
                    yield call, item


def _given(values: Values, evaluator: Evaluator) -> Iterator[Value]:
    """What an argument hands over: itself, or what stands in the entries of an object."""
    for value in values:
        yield value
        if isinstance(value, ObjectValue):
            for entry in value.node.entries:
                yield from evaluator.values(entry.value, value.scope)


def _made(value: Value, evaluator: Evaluator) -> set[str]:
    return {n.removesuffix("()") for n in instance_names(value, evaluator)}


def behaviour_at_eof(entry: TransportEntry, version: PackageVersion | None) -> str:
    """What a transport does when stdin ends.

    Of a range, what the newest version in it does, which is what an install takes; of a version
    that nothing says, what the newest of all does.
    """
    newest_first = entry.at_eof if version is not None and version.exact else entry.at_eof[::-1]
    for versions, does in newest_first:
        if version is None or versions == "*" or version.may_be(versions):
            return does
    return entry.at_eof[-1][1]
