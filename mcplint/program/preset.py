"""What a variable is where no option of the command line and no setting changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mcplint.program.scope import Bound, Scope
from mcplint.syntax import ir

Usual = Callable[[ir.Expr, Scope], "bool | None"]


def preset(name: str, scope: Scope, usual: Usual) -> ir.Literal | None:
    """The constant that a variable begins with, if only what is unusual ever changes it.

    ``let only = false; if (args[i] === "--only") only = true`` begins with false.

    Args:
        name: the variable.
        scope: where it is read.
        usual: whether a test holds in the usual run.
    """
    first: ir.Literal | None = None
    for binding in scope.find(name) or ():
        if not isinstance(binding, Bound) or binding.path:
            return None
        tests = _tests_around(binding)
        if tests is None:
            return None
        if not tests:
            if first is not None or not isinstance(binding.value, ir.Literal):
                return None
            first = binding.value
        elif not any(usual(test, binding.scope) is False for test in tests):
            return None
    return first


def _tests_around(binding: Bound) -> tuple[ir.Expr, ...] | None:
    """The tests that must hold for a variable to be set; None if that is not to be seen."""
    body = binding.scope.function.body if binding.scope.function else binding.scope.module.code.body
    for statement, tests in _statements(body, ()):
        match statement:
            case ir.Declare(value=value) if value is binding.value:
                return tests
            case ir.ExprStmt(value=ir.Assign(value=value, operator="=")) if value is binding.value:
                return tests
            case _:
                pass
    return None


def _statements(block: ir.Block, tests: tuple[ir.Expr, ...]) -> Iterator[tuple[ir.Stmt, tuple[ir.Expr, ...]]]:
    """The statements of a body, each with the tests whose arm it stands in."""
    for statement in block:
        yield statement, tests
        match statement:
            case ir.If(test=test, then=then, otherwise=otherwise):
                yield from _statements(then, (*tests, test))
                negated = ir.Unary(test.start, test.end, "not", test)
                yield from _statements(otherwise, (*tests, negated))
            case ir.Switch(subject=subject, cases=cases):
                for case in cases:
                    asked = () if case.test is None else (_equal(subject, case.test),)
                    yield from _statements(case.body, (*tests, *asked))
            case ir.Loop(body=body) | ir.Nested(body=body) | ir.With(body=body):
                yield from _statements(body, tests)
            case ir.Try(body=body, final=final):
                yield from _statements(body, tests)
                yield from _statements(final, tests)
            case _:
                pass


def _equal(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Binary(right.start, right.end, "==", left, right)
