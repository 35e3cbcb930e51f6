"""Which ``onclose`` listeners are really called: what serves a transport may replace them.

A transport has one ``onclose``, and a server that is connected to it puts its own there. What was
set before is called by it or lost, by version; what is set later takes the server's place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcplint.lifecycle.handlers import Registration
from mcplint.lifecycle.model import Event
from mcplint.program.catalog import lookup
from mcplint.program.values import External
from mcplint.program.versions import PackageVersion
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.execution import Execution


def without_lost(
    listeners: list[Registration],
    found: FoundTransport,
    version: PackageVersion | None,
    execution: Execution,
) -> list[Registration]:
    """The same listeners, with those marked as never called that another one replaces."""
    lost: set[Registration] = set()
    later = [r for r in listeners if _on(r, found) and _is_behind(r, found)]
    if any(found.context.implies(r.context) for r in later):
        lost.update(r for r in listeners if _on_server(r, found, execution))
    if _replaces(found, version, execution):
        lost.update(r for r in listeners if _on(r, found) and _is_before(r, found))
    return [replace(r, called=False) if r in lost else r for r in listeners]


def _on(listener: Registration, found: FoundTransport) -> bool:
    """Whether it is set on the transport itself."""
    return listener.event is Event.TRANSPORT_CLOSE and found.call in listener.owners


def _on_server(listener: Registration, found: FoundTransport, execution: Execution) -> bool:
    """Whether it is set on the server that is connected to the transport."""
    callee = found.serve.callee
    if listener.event is not Event.TRANSPORT_CLOSE or not isinstance(callee, ir.Member):
        return False
    values = execution.evaluator.values(callee.object, found.serve_scope)
    servers = {v.site for v in values if isinstance(v, External)} - {None}
    return bool(servers) and listener.owners <= servers


def _replaces(found: FoundTransport, version: PackageVersion | None, execution: Execution) -> bool:
    """Whether what begins to serve replaces an ``onclose`` that is there already."""
    names = execution.evaluator.outside_names(found.serve.callee, found.serve_scope)
    entries = [e for n in names for e in lookup(execution.catalog.transports, n)] or [found.entry]
    return any(_fits(version, entry.replaces_onclose) for entry in entries)


def _fits(version: PackageVersion | None, versions: str) -> bool:
    """Whether whatever version runs is among some."""
    if versions == "*":
        return True
    return bool(versions) and version is not None and version.must_be(versions)


def _is_before(listener: Registration, found: FoundTransport) -> bool:
    return _same_body(listener, found) and listener.node.end <= found.serve.start


def _is_behind(listener: Registration, found: FoundTransport) -> bool:
    return _same_body(listener, found) and listener.node.start >= found.serve.end


def _same_body(listener: Registration, found: FoundTransport) -> bool:
    """Whether they stand in one body, so that their order in the text is that of the run."""
    one, other = listener.scope, found.serve_scope
    return one.module is other.module and one.function is other.function and found.serve is not found.call
