"""What a body does, step by step, and under which branches.

A *body* is what runs as one: a module's top level, a function, the field initialisers of a
class. Its steps are its calls, loads and writes in order of evaluation; the bodies of the
functions inside it are not among them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Union

from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.decisions import About, Decision, Decisions
from mcplint.program.main_test import MainTest
from mcplint.program.scope import ClassInfo, Scope
from mcplint.program.truth import logical_truth
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.link import LinkedModule


@dataclass(frozen=True, slots=True)
class Branch:
    """One arm of a decision that could not be made by reading.

    ``usual`` is true for the arm that is taken where no option and no variable of the
    environment says otherwise. ``test`` is what the code asks, in ``scope``; ``about`` what that
    compares, and arm 0 is then that both are equal. ``mode`` is true for one of several commands
    of which one run of the program chooses one.
    """

    node: ir.Node
    arm: int
    usual: bool = field(default=False, compare=False)
    test: ir.Expr | None = field(default=None, compare=False)
    scope: Scope | None = field(default=None, compare=False)
    about: About | None = field(default=None, compare=False)
    mode: bool = field(default=False, compare=False)

    def implies(self, other: Branch) -> bool:
        """Whether whatever takes this arm takes the other one too."""
        return self == other or (self._equals_another_than(other) and other.arm == 1)

    def excludes(self, other: Branch) -> bool:
        """Whether nothing takes both arms."""
        if self.node is other.node:
            return self.arm != other.arm
        return self._equals_another_than(other) and other.arm == 0

    def _equals_another_than(self, other: Branch) -> bool:
        """Whether on this arm the variable has another value than the one that ``other`` asks for."""
        mine, theirs = self.about, other.about
        if mine is None or theirs is None or self.arm != 0:
            return False
        return mine.subject == theirs.subject and mine.constant != theirs.constant


Action = (
    ir.Call
    | ir.ImportExpr
    | ir.Import
    | ir.ExportNames
    | ir.Assign
    | ir.Await
    | ir.FunctionDef
    | ir.Loop
    | ir.With
)
Branches = frozenset[Branch]
Body = Union[ir.Function, "LinkedModule", ClassInfo]
NO_BRANCH: Branches = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One call, load, write, wait or definition.

    Attributes:
        node: what is done.
        scope: where its names are looked up.
        branches: the decisions of its own body that it depends on.
        repeats: whether it stands in a loop that never ends.
    """

    node: Action
    scope: Scope
    branches: Branches
    repeats: bool


@dataclass(frozen=True, slots=True)
class _Where:
    scope: Scope
    branches: Branches = NO_BRANCH
    repeats: bool = False

    def under(self, node: ir.Node, arm: int, usual: bool = False, test: ir.Expr | None = None) -> _Where:
        return replace(self, branches=self.branches | {Branch(node, arm, usual, test, self.scope)})

    def when(self, decision: Decision, truth: bool, usual: bool, test: ir.Expr) -> _Where:
        """On the arm of a decision where its test is true, or false."""
        arm = decision.true_arm if truth else 1 - decision.true_arm
        branch = Branch(decision.node, arm, usual, test, self.scope, decision.about)
        return replace(self, branches=self.branches | {branch})


class Scanner:
    """Lists the steps of bodies, and remembers them."""

    def __init__(self, evaluator: Evaluator, catalog: Catalog, main: LinkedModule | None) -> None:
        self._evaluator = evaluator
        self._catalog = catalog
        self._started = MainTest(evaluator, catalog, main)
        self._memo: dict[object, tuple[Step, ...]] = {}
        self.decisions = Decisions()

    def steps(self, body: Body, module: LinkedModule) -> tuple[Step, ...]:
        """The steps of a body of ``module``."""
        known = self._memo.get(body)
        if known is None:
            known = tuple(_Scan(self, self._evaluator, self._catalog).body(body, module))
            self._memo[body] = known
        return known

    def test(self, expr: ir.Expr, scope: Scope) -> bool | None:
        """Whether a test is always true or always false in this program."""
        if isinstance(expr, ir.Unary) and expr.operator == "not":
            inner = self.test(expr.operand, scope)
            return None if inner is None else not inner
        if isinstance(expr, ir.Logical):
            return logical_truth(expr.operator, self.test(expr.left, scope), self.test(expr.right, scope))
        started = self._started.truth(expr, scope)
        return self._evaluator.tests.truth(expr, scope) if started is None else started

    def usual(self, expr: ir.Expr, scope: Scope) -> bool | None:
        """Whether a test is true where no option and no environment variable is set."""
        return self._evaluator.tests.usual_truth(expr, scope)


class _Scan:
    """One pass over one body."""

    def __init__(self, scanner: Scanner, evaluator: Evaluator, catalog: Catalog) -> None:
        self._test = scanner.test
        self._usual = scanner.usual
        self._decide = scanner.decisions.of
        self._evaluator = evaluator
        self._catalog = catalog
        self._steps: list[Step] = []

    def body(self, body: Body, module: LinkedModule) -> list[Step]:
        if isinstance(body, ir.Function):
            where = _Where(module.scope_of(body))
            for param in body.params:
                if param.default is not None:
                    self._expr(param.default, where.under(param, 0))
            self._block(body.body, where)
        elif isinstance(body, ClassInfo):
            for item in body.cls.fields:
                if item.value is not None and not item.is_static:
                    scope = next(s for v, s in body.fields[item.name] if v is item.value)
                    self._expr(item.value, _Where(scope))
        else:
            self._block(body.code.body, _Where(body.scope))
        return self._steps

    def _add(self, node: Action, where: _Where) -> None:
        self._steps.append(Step(node, where.scope, where.branches, where.repeats))

    # ------------------------------------------------------------------ statements

    def _block(self, block: ir.Block, where: _Where) -> None:
        at: _Where | None = where
        for statement in block:
            if at is None:
                return
            at = self._statement(statement, at)

    def _statement(self, node: ir.Stmt, where: _Where) -> _Where | None:
        """Scan one statement; where the statements behind it stand, or None if none runs."""
        match node:
            case ir.ExprStmt(value=value) | ir.ExportValue(value=value):
                self._expr(value, where)
            case ir.Declare(value=value) if value is not None:
                self._expr(value, where)
            case ir.If():
                return self._if(node, where)
            case ir.Loop():
                self._loop(node, where)
            case ir.Switch():
                self._switch(node, where)
            case ir.Try():
                self._try(node, where)
            case ir.With(items=items, body=body):
                for item in items:
                    self._expr(item.value, where)
                self._add(node, where)
                self._block(body, where)
            case ir.Return(value=value) | ir.Throw(value=value) if value is not None:
                self._expr(value, where)
            case ir.Nested(body=body):
                self._block(body, where)
            case ir.FunctionDef(function=function):
                for decorator in function.decorators:
                    self._expr(decorator, where)
                if function.decorators:
                    self._add(node, where)
            case ir.ClassDef(cls=cls):
                self._class(cls, where)
            case ir.Import():
                self._add(node, where)
            case ir.ExportNames(module=module) if module is not None:
                self._add(node, where)
            case _:
                pass
        return where

    def _if(self, node: ir.If, where: _Where) -> _Where | None:
        """An arm that leaves the body makes the rest of the block the other arm."""
        self._expr(node.test, where)
        truth = self._test(node.test, where.scope)
        if truth is not None:
            taken = node.then if truth else node.otherwise
            self._block(taken, where)
            return None if self._leaves(taken, where.scope) else where
        leaves = self._leaves(node.then, where.scope)
        usual = None if leaves else self._usual(node.test, where.scope)
        if initialises(node):
            usual = True
        decided = self._decide(node, node.test, where.scope)
        self._block(node.then, where.when(decided, True, usual is True, node.test))
        self._block(node.otherwise, where.when(decided, False, usual is False, node.test))
        if leaves:
            return where.when(decided, False, refuses_a_second_run(node, where.scope), node.test)
        if node.otherwise and self._leaves(node.otherwise, where.scope):
            return where.when(decided, True, False, node.test)
        return where

    def _loop(self, node: ir.Loop, where: _Where) -> None:
        self._block(node.init, where)
        for expr in (node.iterable, node.test):
            if expr is not None:
                self._expr(expr, where)
        if node.is_async and node.iterable is not None:
            self._add(node, where)
        inner = self._inside(node, where)
        if inner is not None:
            self._block(node.body, inner)
            if node.update is not None:
                self._expr(node.update, inner)
        self._block(node.otherwise, where)

    def _inside(self, node: ir.Loop, where: _Where) -> _Where | None:
        """Where a loop's body stands, or None if it never runs."""
        if node.kind == "each":
            return where if self._evaluator.goes_round(node, where.scope) else where.under(node, 0)
        truth = True if node.test is None else self._test(node.test, where.scope)
        if truth is False and node.kind != "do":
            return None
        if truth and not leaves_loop(node.body):
            return replace(where, repeats=True)
        sure = truth or node.kind == "do" or self._evaluator.goes_round(node, where.scope)
        return where if sure else where.under(node, 0)

    def _switch(self, node: ir.Switch, where: _Where) -> None:
        self._expr(node.subject, where)
        for index, case in enumerate(node.cases):
            if case.test is not None:
                self._expr(case.test, where)
            self._block(case.body, where.under(node, index, test=node.subject))

    def _try(self, node: ir.Try, where: _Where) -> None:
        self._block(node.body, where)
        for catch in node.catches:
            self._block(catch.body, where.under(catch, 0))
        self._block(node.otherwise, where)
        self._block(node.final, where)

    def _class(self, cls: ir.Class, where: _Where) -> None:
        for expr in (*cls.bases, *cls.decorators):
            self._expr(expr, where)
        for item in cls.fields:
            if item.is_static and item.value is not None:
                self._expr(item.value, where)
        for method in cls.methods:
            for decorator in method.decorators:
                self._expr(decorator, where)
            if method.decorators:
                self._add(ir.FunctionDef(method.start, method.end, method), where)
        self._block(cls.body, where)

    # ------------------------------------------------------------------ expressions

    def _expr(self, node: ir.Node, where: _Where) -> None:
        match node:
            case ir.Lambda() | ir.Name() | ir.Literal() | ir.This() | ir.Super():
                return
            case ir.ClassExpr(cls=cls):
                self._class(cls, where)
            case ir.Call():
                self._expr(node.callee, where)
                for item in (*node.args, *(k.value for k in node.keywords)):
                    self._expr(item, where)
                self._add(node, where)
            case ir.ImportExpr():
                self._add(node, where)
            case ir.Await(value=value):
                self._expr(value, where)
                self._add(node, where)
            case ir.Assign():
                self._expr(node.target, where)
                missing = node.operator in ("??=", "||=")
                once = missing or node.operator == "&&="
                self._expr(node.value, where.under(node, 0, missing) if once else where)
                self._add(node, where)
            case ir.Conditional(test=test, then=then, otherwise=otherwise):
                self._expr(test, where)
                truth = self._test(test, where.scope)
                usual = self._usual(test, where.scope)
                decided = self._decide(node, test, where.scope)
                if truth is not False:
                    self._expr(then, where if truth else where.when(decided, True, usual is True, test))
                if truth is not True:
                    at = where if truth is False else where.when(decided, False, usual is False, test)
                    self._expr(otherwise, at)
            case ir.Logical():
                self._logical(node, where)
            case _:
                for child in ir.children(node):
                    self._expr(child, where)

    def _logical(self, node: ir.Logical, where: _Where) -> None:
        self._expr(node.left, where)
        truth = self._test(node.left, where.scope)
        if node.operator == "nullish":
            self._expr(node.right, where.under(node, 1))
        elif truth is None:
            wanted = node.operator == "and"
            usual = self._usual(node.left, where.scope) is wanted or makes_what_is_missing(node)
            decided = self._decide(node, node.left, where.scope)
            self._expr(node.right, where.when(decided, wanted, usual, node.left))
        elif truth == (node.operator == "and"):
            self._expr(node.right, where)

    # ------------------------------------------------------------------ ends of blocks

    def _leaves(self, block: ir.Block, scope: Scope) -> bool:
        """Whether control never goes on behind a block."""
        if not block:
            return False
        last = block[-1]
        match last:
            case ir.Return() | ir.Throw() | ir.Break() | ir.Continue():
                return True
            case ir.Nested(body=body):
                return self._leaves(body, scope)
            case ir.If(then=then, otherwise=otherwise):
                return self._leaves(then, scope) and self._leaves(otherwise, scope)
            case ir.ExprStmt(value=value):
                call = value.value if isinstance(value, ir.Await) else value
                return isinstance(call, ir.Call) and self._exits(call, scope)
            case _:
                return False

    def _exits(self, call: ir.Call, scope: Scope) -> bool:
        names = self._evaluator.outside_names(call.callee, scope)
        return any(e.effect in ("ends", "unwinds") for n in names for e in lookup(self._catalog.exits, n))


def initialises(node: ir.If) -> bool:
    """Whether an ``if`` makes what is not there yet: ``if (!x) x = …``, ``if x is None: x = …``."""
    test = node.test
    absent = isinstance(test, ir.Unary) and test.operator == "not"
    if isinstance(test, ir.Binary) and test.operator == "==":
        absent = isinstance(test.right, ir.Literal) and test.right.value is None
    if not absent:
        return False
    tested = {name for part in ir.walk(test) if (name := last_name(part)) is not None}
    written = {
        last_name(target)
        for statement in node.then
        for part in ir.walk(statement)
        if isinstance(part, (ir.Assign, ir.Declare))
        for target in (part.target,)
    }
    return bool(tested & written)


def makes_what_is_missing(node: ir.Logical) -> bool:
    """Whether the right side of ``x || (x = …)``, or of ``!x && (x = …)``, makes what is not there yet."""
    left, absent = node.left, node.operator == "and"
    if isinstance(left, ir.Unary) and left.operator == "not":
        left, absent = left.operand, not absent
    name = last_name(left)
    parts = (node.right,) if not isinstance(node.right, ir.Group) else node.right.items
    return (
        not absent
        and name is not None
        and any(isinstance(part, ir.Assign) and last_name(part.target) == name for part in parts)
    )


def refuses_a_second_run(node: ir.If, scope: Scope) -> bool:
    """Whether an ``if`` tests a flag that its own function sets: ``if (x) return; x = true``."""
    name = last_name(node.test)
    if name is None or scope.function is None:
        return False
    return any(
        isinstance(part, ir.Assign) and last_name(part.target) == name and _is_truthy(part.value)
        for part in ir.walk(*scope.function.body)
    )


def _is_truthy(value: ir.Expr) -> bool:
    if isinstance(value, ir.Unary) and value.operator == "not":
        return isinstance(value.operand, ir.Literal) and not value.operand.value
    return isinstance(value, ir.Literal) and bool(value.value)


def leaves_loop(body: ir.Block) -> bool:
    """Whether a loop with this body can be left by a break, a return or a throw of its own."""
    stack: list[tuple[ir.Node, bool]] = [(s, False) for s in body]
    while stack:
        node, inner = stack.pop()
        match node:
            case ir.Return() | ir.Throw():
                return True
            case ir.Break(label=label):
                if not inner or label:
                    return True
            case ir.Expr() | ir.FunctionDef() | ir.ClassDef():
                continue
            case _:
                deeper = inner or isinstance(node, (ir.Loop, ir.Switch))
                stack.extend((child, deeper) for child in ir.children(node))
    return False
