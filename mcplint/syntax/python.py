"""The Python front end: ``ast`` to the IR."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from mcplint.syntax import _py_parse, ir
from mcplint.syntax._py_expr import ExpressionLowering, Scope, param_names, without
from mcplint.syntax._py_pattern import captured_names, pattern_test

if TYPE_CHECKING:
    from mcplint.files.source import Source

Kind = OneOf["function", "method", "getter", "setter", "constructor"]

_LONG_ELIF = 100
_DEF_NAME = re.compile(rb"(?:async[\s\\]+)?def[\s\\]+([^\s(\[:\\]+)")
_GETTERS = frozenset({"property", "cached_property", "abstractproperty"})
_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_PLAIN = (ast.Name, ast.Constant)


def lower_python(source: Source) -> ir.Module:
    """Lower one Python file; what cannot be read becomes a Problem."""
    tree = _py_parse.parse(source)
    if isinstance(tree, ir.Problem):
        return ir.Module(source, "python", (), (tree,))
    lowering = _Lowering(source)
    try:
        body = lowering.block(tree.body)
    except RecursionError:  # the caller itself was already deep in the stack
        return ir.Module(source, "python", (), (ir.Problem(0, _py_parse.TOO_DEEP),))
    return ir.Module(source, "python", body, tuple(lowering.problems))


class _Lowering(ExpressionLowering):
    """Lowers statements, functions and classes."""

    # ----------------------------------------------------------------- blocks

    def block(self, nodes: Iterable[ast.stmt]) -> ir.Block:
        """Lower a run of statements."""
        out: list[ir.Stmt] = []
        self._statements(nodes, out)
        return tuple(out)

    def _statements(self, nodes: Iterable[ast.stmt], out: list[ir.Stmt]) -> None:
        for node in nodes:
            if self.is_too_deep(node):
                return
            lower = _STATEMENTS.get(type(node))
            if lower is not None:
                self._depth += 1
                lower(self, node, out)
                self._depth -= 1

    # ----------------------------------------------------------------- simple statements

    def _expression(self, node: ast.Expr, out: list[ir.Stmt]) -> None:
        if not isinstance(node.value, ast.Constant):
            out.append(ir.ExprStmt(*self.span(node), self.expr(node.value)))

    def _return(self, node: ast.Return, out: list[ir.Stmt]) -> None:
        value = None if node.value is None else self.expr(node.value)
        out.append(ir.Return(*self.span(node), value))

    def _raise(self, node: ast.Raise, out: list[ir.Stmt]) -> None:
        start, end = self.span(node)
        value = None if node.exc is None else self.expr(node.exc)
        if node.cause is not None and not isinstance(node.cause, _PLAIN):
            cause = self.expr(node.cause)
            out.append(ir.ExprStmt(cause.start, cause.end, cause))
        out.append(ir.Throw(start, end, value))

    def _assert(self, node: ast.Assert, out: list[ir.Stmt]) -> None:
        start, end = self.span(node)
        value = ir.Opaque(start, end, self.exprs((node.test, node.msg)))
        out.append(ir.ExprStmt(start, end, value))

    def _delete(self, node: ast.Delete, out: list[ir.Stmt]) -> None:
        for target in node.targets:
            start, end = self.span(target)
            value = ir.Unary(start, end, "delete", self.expr(target))
            out.append(ir.ExprStmt(start, end, value))

    def _break(self, node: ast.Break, out: list[ir.Stmt]) -> None:
        out.append(ir.Break(*self.span(node)))

    def _continue(self, node: ast.Continue, out: list[ir.Stmt]) -> None:
        out.append(ir.Continue(*self.span(node)))

    def _outer_names(self, node: ast.Global | ast.Nonlocal, _out: list[ir.Stmt]) -> None:
        self.scope.outer_names.update(node.names)

    # ----------------------------------------------------------------- assignments

    def _assign(self, node: ast.Assign, out: list[ir.Stmt]) -> None:
        span = self.span(node)
        value = self.expr(node.value)
        if len(node.targets) == 1:
            self._store(node.targets[0], value, span, out)
            return
        first, *rest = sorted(node.targets, key=_readability)
        self._store(first, value, span, out)
        for target in rest:
            self._store(target, self._copy_of(first, node.value, value), span, out)

    def _copy_of(self, stored: ast.expr, node: ast.expr, value: ir.Expr) -> ir.Expr:
        """What the later targets of ``a = b = value`` get: ``a``, so that value runs once."""
        if self.scope.kind == "class":
            return self.expr(node)
        if _readability(stored) < 2:
            return self.expr(stored)
        return ir.Opaque(value.start, value.end)

    def _annotated(self, node: ast.AnnAssign, out: list[ir.Stmt]) -> None:
        target = node.target
        if node.value is not None:
            self._store(target, self.expr(node.value), self.span(node), out)
        elif isinstance(target, ast.Name):
            self._store_name(target, None, self.span(node), out)

    def _augmented(self, node: ast.AugAssign, out: list[ir.Stmt]) -> None:
        start, end = self.span(node)
        value = self.expr(node.value)
        target = self.expr(node.target)
        operator = f"{self.operator(node.op)}="
        out.append(ir.ExprStmt(start, end, ir.Assign(start, end, target, value, operator)))

    def _store(self, target: ast.expr, value: ir.Expr, span: tuple[int, int], out: list[ir.Stmt]) -> None:
        if isinstance(target, ast.Name):
            self._store_name(target, value, span, out)
        elif self._is_local_pattern(target):
            out.append(ir.Declare(*span, self.target(target), value))
        else:
            assign = ir.Assign(*span, self.target(target), value)
            out.append(ir.ExprStmt(*span, assign))

    def _store_name(
        self, node: ast.Name, value: ir.Expr | None, span: tuple[int, int], out: list[ir.Stmt]
    ) -> None:
        scope = self.scope
        if scope.kind == "class":
            scope.fields.append(ir.Field(*span, node.id, value, is_static=True))
            return
        target = self.target(node)
        if node.id not in scope.outer_names:
            out.append(ir.Declare(*span, target, value))
        elif value is not None:
            out.append(ir.ExprStmt(*span, ir.Assign(*span, target, value)))

    def _is_local_pattern(self, target: ast.expr) -> bool:
        """Whether a tuple or list target binds nothing but names of this scope."""
        if not isinstance(target, (ast.Tuple, ast.List)):
            return False
        stack: list[ast.expr] = [target]
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Tuple, ast.List)):
                stack.extend(node.elts)
            elif isinstance(node, ast.Starred):
                stack.append(node.value)
            elif not isinstance(node, ast.Name) or node.id in self.scope.outer_names:
                return False
        return True

    # ----------------------------------------------------------------- branches

    def _if(self, node: ast.If, out: list[ir.Stmt]) -> None:
        arms, otherwise = _arms(node)
        if not arms:
            self._statements(otherwise, out)
        elif len(arms) > min(_LONG_ELIF, (ir.MAX_DEPTH - self._depth) // 2):
            out.append(self._long_if(arms, otherwise))
        else:
            out.append(self._nested_ifs(arms, otherwise))

    def _nested_ifs(self, arms: Sequence[ast.If], otherwise: Sequence[ast.stmt]) -> ir.If:
        depth = self._depth
        lowered: list[tuple[ast.If, ir.Expr, ir.Block]] = []
        for arm in arms:
            lowered.append((arm, self.expr(arm.test), self.block(arm.body)))
            self._depth += 1
        rest = self.block(otherwise)
        self._depth = depth
        for arm, test, then in reversed(lowered):
            rest = (ir.If(*self.span(arm), test, then, rest),)
        return rest[0]  # type: ignore[return-value]

    def _long_if(self, arms: Sequence[ast.If], otherwise: Sequence[ast.stmt]) -> ir.Switch:
        """A chain of ``elif`` too long to nest: the first arm whose test is true runs."""
        cases = [ir.Case(*self.span(arm), self.expr(arm.test), self.block(arm.body)) for arm in arms]
        start, end = self.span(arms[0])
        if otherwise:
            cases.append(
                ir.Case(
                    self.span(otherwise[0])[0],
                    self.span(otherwise[-1])[1],
                    None,
                    self.block(otherwise),
                )
            )
        subject = ir.Literal(start, start, True)
        return ir.Switch(start, end, subject, tuple(cases), falls_through=False)

    def _match(self, node: ast.Match, out: list[ir.Stmt]) -> None:
        subject = self.expr(node.subject)
        cases = tuple([self._case(case) for case in node.cases])
        out.append(ir.Switch(*self.span(node), subject, cases, falls_through=False))

    def _case(self, node: ast.match_case) -> ir.Case:
        start = self.span(node.pattern)[0]
        end = self.span(node.body[-1])[1]
        captures = [self._capture(name) for name in captured_names(self, node.pattern)]
        test = pattern_test(self, node.pattern)
        if node.guard is not None:
            tests = () if test is None else (test,)
            test = ir.Opaque(start, self.span(node.guard)[1], (*tests, self.expr(node.guard)))
        return ir.Case(start, end, test, (*captures, *self.block(node.body)))

    def _capture(self, name: ir.Name) -> ir.Declare:
        self.bind(name.id)
        return ir.Declare(name.start, name.end, name, ir.Opaque(name.start, name.end))

    # ----------------------------------------------------------------- loops, with, try

    def _for(self, node: ast.For | ast.AsyncFor, out: list[ir.Stmt]) -> None:
        start, end = self.span(node)
        iterable = self.expr(node.iter)
        loop = ir.Loop(
            start,
            end,
            "each",
            target=self.target(node.target),
            iterable=iterable,
            body=self.block(node.body),
            otherwise=self.block(node.orelse),
            is_async=isinstance(node, ast.AsyncFor),
        )
        out.append(loop)

    def _while(self, node: ast.While, out: list[ir.Stmt]) -> None:
        start, end = self.span(node)
        test = self.expr(node.test)
        body = self.block(node.body)
        otherwise = self.block(node.orelse)
        out.append(ir.Loop(start, end, "while", body, test=test, otherwise=otherwise))

    def _with(self, node: ast.With | ast.AsyncWith, out: list[ir.Stmt]) -> None:
        items = tuple([self._with_item(item) for item in node.items])
        is_async = isinstance(node, ast.AsyncWith)
        out.append(ir.With(*self.span(node), items, self.block(node.body), is_async))

    def _with_item(self, node: ast.withitem) -> ir.WithItem:
        value = self.expr(node.context_expr)
        target = None if node.optional_vars is None else self.target(node.optional_vars)
        end = value.end if target is None else target.end
        return ir.WithItem(value.start, end, value, target)

    def _try(self, node: Any, out: list[ir.Stmt]) -> None:
        body = self.block(node.body)
        catches = tuple([self._catch(handler) for handler in node.handlers])
        otherwise = self.block(node.orelse)
        final = self.block(node.finalbody)
        out.append(ir.Try(*self.span(node), body, catches, otherwise, final))

    def _catch(self, node: ast.ExceptHandler) -> ir.Catch:
        start, end = self.span(node)
        types = self._caught(node.type)
        target = None
        if node.name is not None:
            self.bind(node.name)
            after = types[-1].end if types else start
            at = self._find_name(node.name, after, self.span(node.body[0])[0])
            target = ir.Name(*at, node.name)
        return ir.Catch(start, end, types, target, self.block(node.body))

    def _caught(self, node: ast.expr | None) -> tuple[ir.Expr, ...]:
        if node is None:
            return ()
        if isinstance(node, ast.Tuple) and node.elts:
            return self.exprs(node.elts)
        return (self.expr(node),)

    def _find_name(self, name: str, start: int, end: int) -> tuple[int, int]:
        """Where a name that the tree does not place stands between two offsets."""
        text = name.encode("utf-8", "replace")
        match = re.compile(rb"\bas[\s\\]+(" + re.escape(text) + rb")").search(self.source.utf8, start, end)
        return match.span(1) if match else (start, start)

    # ----------------------------------------------------------------- imports

    def _import(self, node: ast.Import, out: list[ir.Stmt]) -> None:
        for alias in node.names:
            start, end = self.span(alias)
            package = alias.name.partition(".")[0]
            if alias.asname is not None:
                self._import_module(alias.name, alias.asname, (start, end), out)
                continue
            if package != alias.name:
                out.append(ir.Import(start, end, alias.name))
            self._import_module(package, package, (start, end), out)

    def _import_module(self, module: str, local: str, span: tuple[int, int], out: list[ir.Stmt]) -> None:
        self.bind(local)
        out.append(ir.Import(*span, module, (ir.ImportName(*span, None, local),)))

    def _import_from(self, node: ast.ImportFrom, out: list[ir.Stmt]) -> None:
        names = tuple([self._imported_name(alias) for alias in node.names])
        out.append(ir.Import(*self.span(node), node.module or "", names, node.level))

    def _imported_name(self, alias: ast.alias) -> ir.ImportName:
        local = alias.asname or alias.name
        self.bind(local)
        return ir.ImportName(*self.span(alias), alias.name, local)

    # ----------------------------------------------------------------- functions

    def _function_def(self, node: ast.FunctionDef | ast.AsyncFunctionDef, out: list[ir.Stmt]) -> None:
        names = [_decorator_name(decorator) for decorator in node.decorator_list]
        if "overload" in names:
            return
        if self.scope.kind == "class":
            self.scope.methods.append(self._method(node, names))
            return
        function = self._function(node, "function")
        self.bind(node.name)
        out.append(ir.FunctionDef(function.start, function.end, function))

    def _method(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, decorators: Sequence[str | None]
    ) -> ir.Function:
        is_static = "staticmethod" in decorators
        is_class_method = "classmethod" in decorators or node.name in _CLASS_METHODS
        positional = [*node.args.posonlyargs, *node.args.args]
        return self._function(
            node,
            _method_kind(node.name, decorators),
            receiver=positional[0].arg if positional and not is_static else None,
            is_static=is_static or is_class_method,
        )

    def _function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        kind: Kind,
        *,
        receiver: str | None = None,
        is_static: bool = False,
    ) -> ir.Function:
        start, end = self.span(node)
        decorators = self.exprs(node.decorator_list)
        params = self.params(node.args, has_receiver=receiver is not None)
        outer = self.scope
        special = without(outer.special, param_names(node.args))
        if receiver is not None:
            special[receiver] = "receiver"
        self.scope = Scope("function", special)
        body = self.block(node.body)
        has_yield = self.scope.has_yield
        self.scope = outer
        name = _DEF_NAME.match(self.source.utf8, start)
        name_start, name_end = name.span(1) if name else (start, start)
        return ir.Function(
            start,
            end,
            node.name,
            params,
            body,
            is_async=isinstance(node, ast.AsyncFunctionDef),
            is_generator=has_yield,
            is_static=is_static,
            captures_this=kind == "function",
            kind=kind,
            decorators=decorators,
            name_start=name_start,
            name_end=name_end,
        )

    # ----------------------------------------------------------------- classes

    def _class_def(self, node: ast.ClassDef, out: list[ir.Stmt]) -> None:
        start, end = self.span(node)
        decorators = self.exprs(node.decorator_list)
        bases = self.exprs(node.bases)
        body: list[ir.Stmt] = []
        for keyword in node.keywords:
            if not isinstance(keyword.value, _PLAIN):
                body.append(ir.ExprStmt(*self.span(keyword), self.expr(keyword.value)))
        outer = self.scope
        # `this` in a class body would mean the class, so an enclosing method's receiver is a name.
        self.scope = Scope("class", {})
        self._statements(node.body, body)
        methods, fields = tuple(self.scope.methods), tuple(self.scope.fields)
        self.scope = outer
        self.bind(node.name)
        cls = ir.Class(start, end, node.name, bases, methods, fields, decorators, tuple(body))
        out.append(ir.ClassDef(start, end, cls))


# --------------------------------------------------------------------------- helpers


def _readability(target: ast.expr) -> int:
    """How well a target can be read back: a name best, then a member of a name."""
    if isinstance(target, ast.Name):
        return 0
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return 1
    return 2


def _arms(node: ast.If) -> tuple[list[ast.If], list[ast.stmt]]:
    """The arms of an ``if``/``elif`` chain that can run, and its ``else``."""
    arms: list[ast.If] = []
    while True:
        if _is_not_type_checking(node.test):
            return arms, node.body
        if not _is_type_checking(node.test):
            arms.append(node)
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            return arms, node.orelse
        node = node.orelse[0]


def _is_type_checking(test: ast.expr) -> bool:
    if isinstance(test, ast.Attribute):
        return test.attr == "TYPE_CHECKING"
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _is_not_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _is_type_checking(test.operand)


def _decorator_name(node: ast.expr) -> str | None:
    """The last name of a decorator that is not called: ``setter`` of ``@x.setter``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _method_kind(name: str, decorators: Sequence[str | None]) -> Kind:
    if name == "__init__":
        return "constructor"
    if "setter" in decorators:
        return "setter"
    return "method" if _GETTERS.isdisjoint(decorators) else "getter"


_Lower = Callable[[_Lowering, Any, "list[ir.Stmt]"], None]
_STATEMENTS: dict[type[ast.stmt], _Lower] = {
    ast.AnnAssign: _Lowering._annotated,
    ast.Assert: _Lowering._assert,
    ast.Assign: _Lowering._assign,
    ast.AsyncFor: _Lowering._for,
    ast.AsyncFunctionDef: _Lowering._function_def,
    ast.AsyncWith: _Lowering._with,
    ast.AugAssign: _Lowering._augmented,
    ast.Break: _Lowering._break,
    ast.ClassDef: _Lowering._class_def,
    ast.Continue: _Lowering._continue,
    ast.Delete: _Lowering._delete,
    ast.Expr: _Lowering._expression,
    ast.For: _Lowering._for,
    ast.FunctionDef: _Lowering._function_def,
    ast.Global: _Lowering._outer_names,
    ast.If: _Lowering._if,
    ast.Import: _Lowering._import,
    ast.ImportFrom: _Lowering._import_from,
    ast.Match: _Lowering._match,
    ast.Nonlocal: _Lowering._outer_names,
    ast.Raise: _Lowering._raise,
    ast.Return: _Lowering._return,
    ast.Try: _Lowering._try,
    ast.While: _Lowering._while,
    ast.With: _Lowering._with,
}
if sys.version_info >= (3, 11):
    _STATEMENTS[ast.TryStar] = _Lowering._try
