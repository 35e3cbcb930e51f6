"""Whether a test asks if a module is the program that was started, and the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from mcplint.program.calls import argument, last_name
from mcplint.program.results import returns
from mcplint.program.scope import Bound, BoundImport, Scope
from mcplint.program.truth import logical_truth
from mcplint.program.values import External, FunctionValue
from mcplint.syntax import JAVASCRIPT_SUFFIXES, TYPESCRIPT_SUFFIXES, ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.link import LinkedModule

_MAX_DEPTH = 6
_WIDE = (ir.Lambda, ir.ClassExpr, ir.Object, ir.Array)
_CODE = JAVASCRIPT_SUFFIXES | TYPESCRIPT_SUFFIXES


class MainTest:
    """Answers such tests for one program.

    Args:
        evaluator: what expressions stand for.
        catalog: the names by which code asks (``[main]`` of names.toml).
        main: the module that the program starts with.
    """

    def __init__(self, evaluator: Evaluator, catalog: Catalog, main: LinkedModule | None) -> None:
        self._evaluator = evaluator
        self._names = catalog.main
        self._wrappers = catalog.wrappers
        self._main = main
        self._mentions: dict[ir.Expr, frozenset[str]] = {}
        self._memo: dict[tuple[ir.Expr, LinkedModule], bool | None] = {}

    def truth(self, expr: ir.Expr, scope: Scope) -> bool | None:
        """Whether the test is true; None if it asks for something else, or for more than that."""
        return self._truth(expr, scope, scope.module, 0)

    def _truth(self, expr: ir.Expr, scope: Scope, home: LinkedModule, depth: int) -> bool | None:
        key = (expr, home)
        if key not in self._memo:
            self._memo[key] = None
            self._memo[key] = self._answer(expr, scope, home, depth) if depth < _MAX_DEPTH else None
        return self._memo[key]

    def _answer(self, expr: ir.Expr, scope: Scope, home: LinkedModule, depth: int) -> bool | None:
        match expr:
            case ir.Unary(operator="not", operand=operand):
                inner = self._truth(operand, scope, home, depth)
                return None if inner is None else not inner
            case ir.Await(value=value):
                return self._truth(value, scope, home, depth)
            case ir.Logical(operator=operator, left=left, right=right):
                first = self._truth(left, scope, home, depth)
                return logical_truth(operator, first, self._truth(right, scope, home, depth))
            case ir.Name(id=name):
                bound = _only_value(name, scope)
                if bound is not None:
                    return self._truth(bound.value, bound.scope, home, depth + 1)
                return self._bare(expr, scope, home)
            case ir.Member() | ir.Index():
                return self._bare(expr, scope, home)
            case ir.Binary(operator=("==" | "!=") as operator, left=left, right=right):
                same = self._compared(left, right, scope, home)
                return same if same is None or operator == "==" else not same
            case ir.Call():
                return self._called(expr, scope, home, depth)
            case _:
                return None

    def _is_main(self, home: LinkedModule) -> bool:
        return home is self._main

    def _bare(self, expr: ir.Expr, scope: Scope, home: LinkedModule) -> bool | None:
        """A name that is a test by itself: ``import.meta.main``, ``module.parent``."""
        names = set(self._named(expr, scope))
        if not names:
            return None
        if names <= self._names.tests:
            return self._is_main(home)
        if names <= self._names.parent:
            return not self._is_main(home)
        return True if names <= self._names.script else None

    def _compared(self, left: ir.Expr, right: ir.Expr, scope: Scope, home: LinkedModule) -> bool | None:
        names = self._mentioned(left, scope) | self._mentioned(right, scope)
        if names & self._names.parent:
            null = any(isinstance(side, ir.Literal) and not side.value for side in (left, right))
            return self._is_main(home) if null else None
        if names & self._names.tests:
            return self._is_main(home)
        if names & self._names.script:
            return self._is_script((left, right), names, home)
        return None

    def _is_script(
        self, parts: tuple[ir.Expr, ...], names: frozenset[str], home: LinkedModule
    ) -> bool | None:
        """Whether the script that was started is this module, or the one that is spelt out."""
        words = [w.value for p in parts for w in ir.walk(p) if isinstance(w, ir.Literal)]
        texts = [
            w for w in words if isinstance(w, str) and w.strip("/\\") and w not in ("file://", "file:///")
        ]
        if not texts or names & self._names.itself:
            return self._is_main(home)
        if self._main is not None and any(_names_file(t, self._main.path) for t in texts):
            return True
        spelt_out = all(PurePath(t).suffix in _CODE for t in texts)
        return False if spelt_out and not self._is_main(home) else None

    def _called(self, call: ir.Call, scope: Scope, home: LinkedModule, depth: int) -> bool | None:
        if len(call.args) > 1:
            return None
        if isinstance(call.callee, ir.Member):
            return self._by_method(call, scope, home)
        targets = self._evaluator.values(call.callee, scope)
        if any(isinstance(t, External) and t.name in self._names.calls for t in targets):
            return self._is_main(scope.module)
        wrapped = {self._wrappers.get(t.name) if isinstance(t, External) else None for t in targets}
        if len(wrapped) == 1 and (at := wrapped.pop()) is not None:
            inner = argument(call, at)
            return None if inner is None else self._truth(inner, scope, home, depth + 1)
        functions = [t for t in targets if isinstance(t, FunctionValue)]
        if len(functions) == len(targets):
            return self._helper(call, functions, scope, depth)
        return None

    def _by_method(self, call: ir.Call, scope: Scope, home: LinkedModule) -> bool | None:
        """``process.argv[1].endsWith("cli.js")``, ``import.meta.url.endsWith(process.argv[1])``."""
        names = frozenset().union(*(self._mentioned(part, scope) for part in (call.callee, *call.args)))
        if not names & self._names.script:
            return None
        spelt = any(isinstance(w, ir.Literal) for a in call.args for w in ir.walk(a))
        return self._is_script(call.args, names, home) if spelt or names & self._names.itself else None

    def _helper(self, call: ir.Call, functions: list[FunctionValue], scope: Scope, depth: int) -> bool | None:
        """A function of the program that asks; what it gives up with beside does not count."""
        handed = {n for given in call.args for n in self._mentioned(given, scope)}
        answers: set[bool | None] = set()
        for function in functions:
            inner = function.scope.module.scope_of(function.function)
            home = scope.module if handed & self._names.itself else function.scope.module
            for value in returns(function.function.body):
                if not isinstance(value, ir.Literal):
                    answers.add(self._truth(value, inner, home, depth + 1))
        return answers.pop() if len(answers) == 1 else None

    # ------------------------------------------------------------------ names

    def _mentioned(self, expr: ir.Expr, scope: Scope, depth: int = 0) -> frozenset[str]:
        """The names of ``[main]`` that an expression is made of, through variables."""
        known = self._mentions.get(expr)
        if known is None:
            self._mentions[expr] = frozenset()
            known = self._mentions[expr] = frozenset(self._mentions_in(expr, scope, depth))
        return known

    def _mentions_in(self, expr: ir.Expr, scope: Scope, depth: int) -> Iterator[str]:
        for node in ir.walk(expr):
            if isinstance(node, (ir.Name, ir.Member, ir.Index)):
                yield from self._named(node, scope)
            if isinstance(node, ir.Name) and depth < _MAX_DEPTH:
                bound = _only_value(node.id, scope)
                if bound is not None and not isinstance(bound.value, _WIDE):
                    yield from self._mentioned(bound.value, bound.scope, depth + 1)

    def _named(self, node: ir.Expr, scope: Scope) -> Iterator[str]:
        if isinstance(node, ir.Index):
            if isinstance(node.key, ir.Literal):
                for owner in self._evaluator.outside_names(node.object, scope):
                    yield f"{owner}[{node.key.value}]"
        elif last_name(node) in self._names.lasts or (isinstance(node, ir.Name) and _is_outside(node, scope)):
            yield from self._evaluator.outside_names(node, scope)


def _is_outside(name: ir.Name, scope: Scope) -> bool:
    """Whether a name is a global one or imported, and so cheap to look up."""
    return all(isinstance(b, BoundImport) for b in scope.find(name.id) or ())


def _only_value(name: str, scope: Scope) -> Bound | None:
    """What a variable that is bound once is bound to."""
    bindings = scope.find(name) or ()
    bound = bindings[0] if len(bindings) == 1 else None
    return bound if isinstance(bound, Bound) and not bound.path else None


def _names_file(text: str, path: PurePath) -> bool:
    """Whether a text such as ``/server.js`` names a file, or what it is built to."""
    name = PurePath(text.replace("\\", "/")).name
    stem, suffix = PurePath(name).stem, PurePath(name).suffix
    if suffix in _CODE:
        return stem == path.stem
    return name == path.stem
