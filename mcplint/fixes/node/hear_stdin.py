"""MCP103 and MCP203: a shutdown that is there hears of the end of stdin, too."""

from __future__ import annotations

from mcplint.fixes.edit import Fix
from mcplint.fixes.node.join import joined
from mcplint.fixes.request import Request


def fix(request: Request) -> Fix | None:
    """Listeners for the end of stdin beside the one that the finding points at."""
    if request.server.offered:
        return None
    place = request.finding.place
    handlers = (h for h in request.server.handlers if h.place == place)
    handler = next(handlers, None)
    edits = joined(handler, request.server) if handler is not None else None
    # A listener at a signal ends the process only once that rule's fix is made.
    return Fix("do the same when stdin ends", "safe", edits, frozenset({"MCP201"})) if edits else None
