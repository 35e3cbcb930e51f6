"""MCP302: a deadline ends the process whatever it still waits for."""

from __future__ import annotations

from mcplint.files.place import Place
from mcplint.fixes.edit import Edit, Fix
from mcplint.fixes.node.block import DEADLINE
from mcplint.fixes.node.bodies import at_start
from mcplint.fixes.node.code import Code
from mcplint.fixes.request import Request
from mcplint.syntax import ir


def fix(request: Request) -> Fix | None:
    """A timer at the head of each function that waits there before it exits."""
    heads: dict[tuple[str, int], Place] = {}
    for handler in request.server.handlers:
        waits = handler.waits_for
        if waits is not None and waits.place == request.finding.place and handler.certain:
            if handler.function is None:
                return None
            heads.setdefault((str(handler.function.path), handler.function.start), handler.function)
    edits: list[Edit] = []
    for head in heads.values():
        made = _deadline(head)
        if made is None:
            return None
        edits += made
    return Fix("exit after a while in any case", "safe", tuple(edits)) if edits else None


def _deadline(head: Place) -> tuple[Edit, ...] | None:
    code = Code.of(head)
    path = code.function_at(head) if code is not None else None
    if code is None or path is None or not isinstance(path[-1], ir.Function):
        return None
    return at_start(code, path[-1], f"setTimeout(() => {code.process}.exit(1), {DEADLINE}).unref();")
