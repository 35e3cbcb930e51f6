"""What the patterns of ``match`` test and bind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mcplint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcplint.syntax._py_expr import ExpressionLowering


def pattern_test(lowering: ExpressionLowering, pattern: ast.pattern) -> ir.Expr | None:
    """A pattern as an expression to compare with; None when it matches everything.

    Values and the Array of the values of an or-pattern are exact, other patterns are Opaque.
    """
    while isinstance(pattern, ast.MatchAs):
        if pattern.pattern is None:
            return None
        pattern = pattern.pattern
    start, end = lowering.span(pattern)
    if isinstance(pattern, ast.MatchValue):
        return lowering.expr(pattern.value)
    if isinstance(pattern, ast.MatchSingleton):
        return ir.Literal(start, end, pattern.value)
    if isinstance(pattern, ast.MatchOr):
        return _alternatives(lowering, pattern)
    return ir.Opaque(start, end, lowering.exprs(_values(pattern)))


def _alternatives(lowering: ExpressionLowering, pattern: ast.MatchOr) -> ir.Expr | None:
    tests: list[ir.Expr] = []
    is_exact = True
    for alternative in pattern.patterns:
        test = pattern_test(lowering, alternative)
        if test is None:
            return None
        is_exact = is_exact and isinstance(alternative, (ast.MatchValue, ast.MatchSingleton))
        tests.append(test)
    start, end = lowering.span(pattern)
    return ir.Array(start, end, tuple(tests)) if is_exact else ir.Opaque(start, end, tuple(tests))


def _values(pattern: ast.pattern) -> Iterator[ast.expr]:
    """The expressions that a pattern evaluates."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchValue):
            yield node.value
        elif isinstance(node, ast.MatchClass):
            yield node.cls
        elif isinstance(node, ast.MatchMapping):
            yield from node.keys


def captured_names(lowering: ExpressionLowering, pattern: ast.pattern) -> list[ir.Name]:
    """The variables that a pattern binds."""
    names: list[ir.Name] = []
    for node in ast.walk(pattern):
        if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
            end = lowering.span(node)[1]
            names.append(ir.Name(end - len(node.name.encode("utf-8")), end, node.name))
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            start, end = lowering.span(node)
            names.append(ir.Name(start, end, node.rest))
    return names
