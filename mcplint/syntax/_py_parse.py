"""Text to ``ast``: parsing that never raises, never warns and never exhausts the C stack."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from typing import TYPE_CHECKING

from mcplint.syntax.ir import Problem

if TYPE_CHECKING:
    from mcplint.files.source import Source

TOO_DEEP = "nested too deeply"
TOO_LARGE = "file is too large to parse"

# Before 3.11 the parser builds its tree by unchecked C recursion, one frame for each link of a
# chain such as `a()()()`: measured, 40 bytes of stack for each byte of source.
_UNCHECKED = sys.version_info < (3, 11)
_SAFE_BYTES = 2_000
_STACK_FOR_BYTE = 128
_LEAST_STACK = 16 << 20
_MAX_STACK = 4 << 30

_RAISED = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError, SystemError)


def parse(source: Source) -> ast.Module | Problem:
    """Parse a file, or say why it cannot be parsed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _UNCHECKED and len(source.utf8) > _SAFE_BYTES:
            return _parse_with_big_stack(source)
        return _parse(source)


def _parse(source: Source) -> ast.Module | Problem:
    try:
        return ast.parse(source.text)
    except _RAISED as error:
        return _problem(source, error)


def _parse_with_big_stack(source: Source) -> ast.Module | Problem:
    """Parse in a thread whose stack is large enough for the deepest tree this text can make."""
    stack = (len(source.utf8) * _STACK_FOR_BYTE + _LEAST_STACK) & ~0xFFFF
    if stack > _MAX_STACK:
        return Problem(0, TOO_LARGE)
    results: list[ast.Module | Problem] = []
    try:
        previous = threading.stack_size(stack)
        try:
            thread = threading.Thread(target=lambda: results.append(_parse(source)), daemon=True)
            thread.start()
        finally:
            threading.stack_size(previous)
    except (RuntimeError, ValueError, OverflowError):  # no thread can have such a stack here
        return Problem(0, TOO_LARGE)
    thread.join()
    return results[0] if results else Problem(0, TOO_DEEP)


def _problem(source: Source, error: BaseException) -> Problem:
    null = source.utf8.find(b"\0")
    if null >= 0:
        return Problem(null, "syntax error: null byte in the source")
    if isinstance(error, SyntaxError):
        return Problem(_offset(source, error), f"syntax error: {error.msg}")
    if isinstance(error, (RecursionError, MemoryError)):
        return Problem(0, TOO_DEEP)
    return Problem(0, f"syntax error: {error}")


def _offset(source: Source, error: SyntaxError) -> int:
    """The byte offset of a syntax error, whose own column counts code points."""
    starts = source.line_starts
    line = min(max(error.lineno or 1, 1), len(starts))
    before = source.line(line)[: max((error.offset or 1) - 1, 0)]
    return min(starts[line - 1] + len(before.encode("utf-8", "replace")), len(source.utf8))
