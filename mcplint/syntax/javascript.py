"""The front end for JavaScript, TypeScript and JSX."""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING

from tree_sitter import Language as Grammar
from tree_sitter import Node as Syntax
from tree_sitter import Parser

from mcplint.syntax import (  # noqa: F401 - imported for the handlers that they register
    _js_expressions,
    _js_functions,
    _js_literals,
    _js_modules,
    _js_statements,
)
from mcplint.syntax._js_core import Context, each_child, find_problems, statements
from mcplint.syntax.ir import Module

if TYPE_CHECKING:
    from mcplint.files.source import Source

_LARGE = 500_000
_TYPESCRIPT = frozenset({".ts", ".mts", ".cts"})
_OWN_REQUIRE = re.compile(
    rb"\b(?:var|let|const|function)\s+require\b(?![^;\n]{0,200}(?i:createRequire|import\.meta))"
)
_IMPORT = rb"""import\s{0,9}\(\s{0,9}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}')\s{0,9}\)"""
_UNREAD = re.compile(
    rb"\btypeof\s{1,9}" + _IMPORT + rb"|\b" + _IMPORT + rb"(?=\s{0,9}\.\s{0,9}[A-Z])"
    rb"|\babstract(?=\s{0,9}\??\s{0,9}:)"
    rb"|(?P<blank>\bexport\s{1,9}type\s{0,9}\*[^;\n]{0,999}"
    rb"|(?<=[<,])\s{0,9}(?:in\s{1,9}out|in|out)\s{1,9}(?=[A-Z]\w{0,99}\s{0,9}(?:[,>=]|extends\b))"
    rb"|\baccessor(?=[ \t]{1,9}[#\w$])"
    rb"|(?<=\bimport)\s{1,9}(?:defer|source)(?=\s{1,9}[*{\w$])(?!\s{1,9}from\b))"
)
"""Valid code that the grammars do not know: types and property names, and what can be dropped."""


def lower_javascript(source: Source) -> Module:
    """Lower a JavaScript or TypeScript file. Never raises: see :func:`mcplint.syntax.lower`."""
    suffix = source.path.suffix.lower()
    typed = suffix in _TYPESCRIPT or suffix == ".tsx"
    data = source.utf8
    root = _parse(data, suffix, typed)
    problems = find_problems(root) if root.has_error else []
    ctx = Context(data, problems, requires=_OWN_REQUIRE.search(data) is None)
    body = tuple(statements(ctx, (root,) if root.is_error else each_child(root)))
    problems.sort(key=lambda problem: problem.offset)
    return Module(source, "typescript" if typed else "javascript", body, tuple(problems))


def comment_at(source: Source, offset: int) -> tuple[int, int] | None:
    """The byte offsets of the comment that ``offset`` is in, or None where it is in none."""
    node = _comment_tree(source).descendant_for_byte_range(offset, offset + 1)
    return (node.start_byte, node.end_byte) if node is not None and node.type == "comment" else None


@lru_cache(maxsize=1)
def _comment_tree(source: Source) -> Syntax:
    suffix = source.path.suffix.lower()
    return _parse(source.utf8, suffix, suffix in _TYPESCRIPT or suffix == ".tsx")


def _parse(data: bytes, suffix: str, typed: bool) -> Syntax:
    """Parse; where that fails, once more without what is known to be too new for the grammar.

    Whatever is replaced keeps its length, so that every offset is one of ``data``.
    """
    text = data.replace(b"\0", b"\x01")  # a string may contain it, a parser stops at it
    grammar = _grammar(suffix)
    root = Parser(grammar).parse(text).root_node
    if not root.has_error:
        return root
    simpler = _UNREAD.sub(_same_length, text)
    if simpler != text:
        root = Parser(grammar).parse(simpler).root_node
    if root.has_error and not typed and len(text) < _LARGE:
        # What a transpiler reads, for example with Flow's types, is often valid TypeScript.
        other = Parser(_tsx()).parse(simpler).root_node
        return root if other.has_error else other
    return root


def _same_length(match: re.Match[bytes]) -> bytes:
    return (b"_" if match["blank"] is None else b" ") * len(match.group())


def _grammar(suffix: str) -> Grammar:
    if suffix in _TYPESCRIPT:
        return _typescript()
    return _tsx() if suffix == ".tsx" else _javascript()


@cache
def _javascript() -> Grammar:
    return Grammar(_language("tree_sitter_javascript", "language"))


@cache
def _typescript() -> Grammar:
    return Grammar(_language("tree_sitter_typescript", "language_typescript"))


@cache
def _tsx() -> Grammar:
    return Grammar(_language("tree_sitter_typescript", "language_tsx"))


def _language(package: str, function: str) -> object:
    """What a grammar's package gives; without the package's own imports where that is possible.

    The packages import importlib.resources, and with it a dozen modules, for queries that
    nobody here asks for. The compiled module beside them needs none of that.
    """
    try:
        made: object = getattr(_binding(package), function)()
    except (ImportError, AttributeError):
        made = getattr(import_module(package), function)()
    return made


def _binding(package: str) -> ModuleType:
    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    found = find_spec(package)
    inside = None if found is None else PathFinder.find_spec(name, found.submodule_search_locations)
    if inside is None or inside.loader is None:
        raise ImportError(name)
    module = module_from_spec(inside)
    inside.loader.exec_module(module)
    return module
