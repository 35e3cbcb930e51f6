"""MCP301: a flag lets the shutdown run once."""

from __future__ import annotations

from mcplint.fixes.edit import Fix
from mcplint.fixes.node.guard import guard
from mcplint.fixes.request import Request


def fix(request: Request) -> Fix | None:
    """A flag, or a kept promise where somebody waits for the shutdown."""
    place = request.finding.place
    handlers = [h for h in request.server.handlers if h.function == place and h.certain]
    edits = guard(handlers) if handlers else None
    return Fix("let the shutdown run once", "safe", edits) if edits else None
