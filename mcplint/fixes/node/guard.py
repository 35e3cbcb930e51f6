"""What lets a shutdown run once."""

from __future__ import annotations

from mcplint.files.place import Place
from mcplint.fixes.edit import Edit
from mcplint.fixes.node.bodies import at_start, kept_promise
from mcplint.fixes.node.code import Code
from mcplint.fixes.node.spots import spot_of
from mcplint.syntax import ir


def guard(head: Place) -> tuple[Edit, ...] | None:
    """A flag in front of the function with that head, tested and set when the function begins."""
    code = Code.of(head)
    path = code.function_at(head) if code is not None else None
    if code is None or path is None:
        return None
    function = path[-1]
    assert isinstance(function, ir.Function)
    # A method's flag stands in front of its class: there is one server in a process.
    until = next((i for i, n in enumerate(path) if isinstance(n, ir.Class)), len(path) - 1)
    spot = spot_of(code, path[:until])
    if spot is None or spot.repeats or function.is_generator:
        return None
    stopping = code.free("stopping", "isStopping", "shuttingDown")
    if function.is_async and _is_awaited(code, function, path):
        kept = kept_promise(code, function, stopping)
        kind = ": Promise<void> | undefined" if code.typed else ""
        return None if kept is None else (code.before(spot.statement, f"let {stopping}{kind};"), *kept)
    inside = at_start(code, function, f"if ({stopping}) return;\n{stopping} = true;")
    return None if inside is None else (code.before(spot.statement, f"let {stopping} = false;"), *inside)


def _is_awaited(code: Code, function: ir.Function, path: list[ir.Node]) -> bool:
    """Whether somebody waits for it, and must not go on when it only runs already."""
    declared = next((n.target for n in reversed(path) if isinstance(n, ir.Declare)), None)
    name = function.name or (declared.id if isinstance(declared, ir.Name) else None)
    for node in ir.walk(*code.module.body):
        match node:
            case ir.Await(value=ir.Call(callee=ir.Name(id=called) | ir.Member(name=called))) if (
                called == name
            ):
                return True
            case ir.Call(callee=ir.Member(object=ir.Call(callee=ir.Name(id=called)), name=step)):
                if called == name and step in ("then", "catch", "finally"):
                    return True
            case _:
                continue
    return False
