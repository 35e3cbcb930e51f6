"""Front ends: one file of source in, one IR module out."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcplint.files.source import Source
    from mcplint.syntax.ir import Module

PYTHON_SUFFIXES = frozenset({".py", ".pyw"})
JAVASCRIPT_SUFFIXES = frozenset({".js", ".mjs", ".cjs", ".jsx"})
TYPESCRIPT_SUFFIXES = frozenset({".ts", ".mts", ".cts", ".tsx"})
SUFFIXES = PYTHON_SUFFIXES | JAVASCRIPT_SUFFIXES | TYPESCRIPT_SUFFIXES


def lower(source: Source) -> Module:
    """Lower one file to the IR by its suffix; a file without one is read as JavaScript.

    Never raises on any text: what cannot be read becomes a ``Problem`` of the module.
    """
    if PurePath(source.path).suffix in PYTHON_SUFFIXES:
        from mcplint.syntax.python import lower_python

        return lower_python(source)
    from mcplint.syntax.javascript import lower_javascript

    return lower_javascript(source)
