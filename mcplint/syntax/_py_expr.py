"""Python expressions to IR expressions."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from mcplint.syntax import ir
from mcplint.syntax._py_parse import TOO_DEEP

if TYPE_CHECKING:
    from mcplint.files.source import Source

Special = OneOf["receiver", "unknown"]
"""What a name is when it is no variable: the method's receiver, or a comprehension's target."""

_LONG = 16
_LONG_ARITHMETIC = 64
_EXACT_F_STRINGS = sys.version_info >= (3, 12)

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "==",
    ast.IsNot: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_UNARY: dict[type[ast.unaryop], str] = {
    ast.Not: "not",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
}
_PLAIN = (ast.Name, ast.Constant, ast.Attribute)


class Scope:
    """What lowering has to remember about the module, function or class that it is in."""

    __slots__ = ("fields", "has_yield", "kind", "methods", "outer_names", "special")

    def __init__(self, kind: OneOf["module", "function", "class"], special: dict[str, Special]) -> None:
        self.kind = kind
        self.special = special
        self.outer_names: set[str] = set()
        self.has_yield = False
        self.methods: list[ir.Function] = []
        self.fields: list[ir.Field] = []


class ExpressionLowering:
    """Lowers expressions; its subclass adds statements."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[ir.Problem] = []
        self.scope = Scope("module", {})
        self._starts = source.line_starts
        self._size = len(source.utf8)
        self._depth = 0
        self._pinned: tuple[int, int] | None = None
        self._is_too_deep = False

    # ----------------------------------------------------------------- places and nesting

    def span(self, node: Any) -> tuple[int, int]:
        """The byte offsets of a node; inside some f-strings, those of the whole string."""
        if self._pinned is not None:
            return self._pinned
        starts = self._starts
        return (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def is_too_deep(self, node: Any) -> bool:
        """Whether this level is beyond what is lowered; reports it the first time."""
        if self._depth < ir.MAX_DEPTH:
            return False
        if not self._is_too_deep:
            self._is_too_deep = True
            self.problems.append(ir.Problem(self.span(node)[0], TOO_DEEP))
        return True

    # ----------------------------------------------------------------- entry points

    def expr(self, node: ast.expr) -> ir.Expr:
        """Lower one expression."""
        if self._depth >= ir.MAX_DEPTH and self.is_too_deep(node):
            return ir.Opaque(*self.span(node))
        self._depth += 1
        lower = _EXPRESSIONS.get(type(node), ExpressionLowering._unknown)
        lowered = lower(self, node)
        self._depth -= 1
        return lowered

    def deep_expr(self, node: ast.expr) -> ir.Expr:
        """Lower an expression that the IR nests one level deeper than the tree does."""
        self._depth += 1
        lowered = self.expr(node)
        self._depth -= 1
        return lowered

    def exprs(self, nodes: Iterable[ast.expr | None]) -> tuple[ir.Expr, ...]:
        """Lower several expressions, skipping those that are absent."""
        return tuple([self.expr(node) for node in nodes if node is not None])

    def target(self, node: ast.expr) -> ir.Expr:
        """Lower what an assignment, loop, ``with`` or ``except`` writes to."""
        if type(node) is ast.Name:
            self.bind(node.id)
            return ir.Name(*self.span(node), node.id)
        if isinstance(node, (ast.Tuple, ast.List, ast.Starred)):
            return self._pattern(node)
        return self.expr(node)

    def bind(self, name: str) -> None:
        """From here on ``name`` is an ordinary variable of the current function."""
        self.scope.special.pop(name, None)

    def _pattern(self, node: ast.Tuple | ast.List | ast.Starred) -> ir.Expr:
        start, end = self.span(node)
        if self.is_too_deep(node):
            return ir.Opaque(start, end)
        self._depth += 1
        lowered: ir.Expr
        if isinstance(node, ast.Starred):
            lowered = ir.Spread(start, end, self.target(node.value))
        else:
            lowered = ir.Array(start, end, tuple([self.target(item) for item in node.elts]))
        self._depth -= 1
        return lowered

    def _unknown(self, node: ast.expr) -> ir.Expr:
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return ir.Opaque(*self.span(node), self.exprs(children))

    # ----------------------------------------------------------------- names and constants

    def _name(self, node: ast.Name) -> ir.Expr:
        start, end = self.span(node)
        special = self.scope.special.get(node.id)
        if special is None:
            return ir.Name(start, end, node.id)
        if special == "receiver":
            return ir.This(start, end)
        return ir.Opaque(start, end)

    def _constant(self, node: ast.Constant) -> ir.Expr:
        start, end = self.span(node)
        value = node.value
        if value is None or isinstance(value, (str, int, float)):
            return ir.Literal(start, end, value)
        if isinstance(value, bytes):
            return ir.Literal(start, end, value.decode("latin-1"))
        return ir.Opaque(start, end)

    def _attribute(self, node: ast.Attribute) -> ir.Expr:
        return ir.Member(*self.span(node), self.expr(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> ir.Expr:
        start, end = self.span(node)
        value = self.expr(node.value)
        key = node.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return ir.Member(start, end, value, key.value)
        return ir.Index(start, end, value, self.expr(key))

    # ----------------------------------------------------------------- displays

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set) -> ir.Expr:
        return ir.Array(*self.span(node), self.exprs(node.elts))

    def _starred(self, node: ast.Starred) -> ir.Expr:
        return ir.Spread(*self.span(node), self.expr(node.value))

    def _dict(self, node: ast.Dict) -> ir.Expr:
        entries = [self._entry(k, v) for k, v in zip(node.keys, node.values, strict=True)]
        return ir.Object(*self.span(node), tuple(entries))

    def _entry(self, key: ast.expr | None, value: ast.expr) -> ir.Entry:
        start, end = self.span(value)
        if key is None:
            return ir.Entry(start, end, None, ir.Spread(start, end, self.deep_expr(value)))
        start = self.span(key)[0]
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return ir.Entry(start, end, key.value, self.expr(value))
        if isinstance(key, _PLAIN):
            return ir.Entry(start, end, None, self.expr(value))
        # A computed key may call something: evaluate it first, the value stays the value.
        pair = ir.Group(start, end, (self.deep_expr(key), self.deep_expr(value)))
        return ir.Entry(start, end, None, pair)

    # ----------------------------------------------------------------- f-strings

    def _template(self, node: Any) -> ir.Expr:
        start, end = self.span(node)
        parts = [self._template_part(part, (start, end)) for part in node.values if not _is_empty(part)]
        return ir.Template(start, end, tuple(parts))

    def _template_part(self, part: Any, whole: tuple[int, int]) -> ir.Expr:
        if isinstance(part, ast.Constant):
            return ir.Literal(*self._literal_span(part, whole), str(part.value))
        if self._pinned is not None or self._is_placed(part.value, whole):
            return self._formatted(part)
        self._pinned = whole
        try:
            return self._formatted(part)
        finally:
            self._pinned = None

    def _literal_span(self, part: ast.Constant, whole: tuple[int, int]) -> tuple[int, int]:
        return self.span(part) if _EXACT_F_STRINGS else whole

    def _formatted(self, part: Any) -> ir.Expr:
        if part.conversion == -1 and part.format_spec is None:
            return self.expr(part.value)
        value = self.deep_expr(part.value)
        spec = () if part.format_spec is None else (self.deep_expr(part.format_spec),)
        return ir.Opaque(value.start, value.end, (value, *spec))

    def _is_placed(self, node: ast.expr, whole: tuple[int, int]) -> bool:
        """Whether the positions inside an f-string are to be trusted.

        Before Python 3.12 they are wrong in multi-line strings and after escapes, so the first
        name of the value must stand where the tree says it does.
        """
        start, end = self.span(node)
        if not whole[0] <= start < end <= whole[1]:
            return False
        leaf = _first_leaf(node)
        if not isinstance(leaf, ast.Name):
            return _EXACT_F_STRINGS
        start, end = self.span(leaf)
        return self.source.utf8[start:end] == leaf.id.encode("utf-8", "replace")

    # ----------------------------------------------------------------- operators

    def _bool_op(self, node: ast.BoolOp) -> ir.Expr:
        operator: OneOf["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
        levels = _fold_depth(len(node.values))
        self._depth += levels
        values = self.exprs(node.values)
        self._depth -= levels
        return _fold(operator, values)

    def _compare(self, node: ast.Compare) -> ir.Expr:
        if len(node.ops) > 1:
            return self._compare_chain(node)
        operator = _COMPARE[type(node.ops[0])]
        left = self.expr(node.left)
        return ir.Binary(*self.span(node), operator, left, self.expr(node.comparators[0]))

    def _compare_chain(self, node: ast.Compare) -> ir.Expr:
        levels = _fold_depth(len(node.ops)) + 1
        self._depth += levels
        left = self.expr(node.left)
        links: list[ir.Expr] = []
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.expr(right_node)
            links.append(ir.Binary(left.start, right.end, _COMPARE[type(operator)], left, right))
            left = self._again(right_node, right)
        self._depth -= levels
        return _fold("and", links)

    def _again(self, node: ast.expr, lowered: ir.Expr) -> ir.Expr:
        """The second reading of a chain's middle operand, which is evaluated only once."""
        if isinstance(node, (ast.Name, ast.Constant)):
            return self.expr(node)
        return ir.Opaque(lowered.start, lowered.end)

    def _bin_op(self, node: ast.BinOp) -> ir.Expr:
        """Arithmetic; a long chain, which the tree nests to the left, becomes one Opaque."""
        chain: list[ast.BinOp] = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        is_long = len(chain) > _LONG_ARITHMETIC or self._depth + len(chain) >= ir.MAX_DEPTH
        operands = [chain[-1].left, *(link.right for link in reversed(chain))]
        levels = 0 if is_long else len(chain) - 1
        self._depth += levels
        lowered = self.exprs(operands)
        self._depth -= levels
        if is_long:
            return ir.Opaque(*self.span(node), lowered)
        left = lowered[0]
        for link, right in zip(reversed(chain), lowered[1:], strict=True):
            left = ir.Binary(*self.span(link), _BINARY[type(link.op)], left, right)
        return left

    def operator(self, node: ast.operator) -> str:
        """An arithmetic operator's spelling."""
        return _BINARY[type(node)]

    def _unary_op(self, node: ast.UnaryOp) -> ir.Expr:
        operand = node.operand
        start, end = self.span(node)
        if (
            isinstance(node.op, ast.USub)
            and isinstance(operand, ast.Constant)
            and isinstance(operand.value, (int, float))
        ):
            return ir.Literal(start, end, -operand.value)
        return ir.Unary(start, end, _UNARY[type(node.op)], self.expr(operand))

    def _conditional(self, node: ast.IfExp) -> ir.Expr:
        test, then = self.expr(node.test), self.expr(node.body)
        return ir.Conditional(*self.span(node), test, then, self.expr(node.orelse))

    def _walrus(self, node: ast.NamedExpr) -> ir.Expr:
        value = self.expr(node.value)
        return ir.Assign(*self.span(node), self.target(node.target), value)

    def _await(self, node: ast.Await) -> ir.Expr:
        return ir.Await(*self.span(node), self.expr(node.value))

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> ir.Expr:
        self.scope.has_yield = True
        value = None if node.value is None else self.expr(node.value)
        return ir.Yield(*self.span(node), value)

    def _slice(self, node: ast.Slice) -> ir.Expr:
        return ir.Opaque(*self.span(node), self.exprs((node.lower, node.upper, node.step)))

    # ----------------------------------------------------------------- calls

    def _call(self, node: ast.Call) -> ir.Expr:
        start, end = self.span(node)
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super" and _is_super(node):
            return ir.Super(start, end)
        if (module := _imported_module(node)) is not None:
            return ir.ImportExpr(start, end, module)
        callee = self.expr(function)
        args = tuple([self.expr(arg) for arg in node.args])
        keywords = tuple([self._keyword(keyword) for keyword in node.keywords])
        return ir.Call(start, end, callee, args, keywords)

    def _keyword(self, node: ast.keyword) -> ir.Keyword:
        return ir.Keyword(*self.span(node), node.arg, self.expr(node.value))

    # ----------------------------------------------------------------- functions

    def _lambda(self, node: ast.Lambda) -> ir.Expr:
        start, end = self.span(node)
        params = self.params(node.args)
        outer = self.scope
        self.scope = Scope("function", without(outer.special, param_names(node.args)))
        value = self.deep_expr(node.body)
        has_yield = self.scope.has_yield
        self.scope = outer
        function = ir.Function(
            start,
            end,
            None,
            params,
            (ir.Return(value.start, value.end, value),),
            is_generator=has_yield,
            captures_this=True,
            name_start=start,
            name_end=max([start + len("lambda"), *(param.end for param in params)]),
        )
        return ir.Lambda(start, end, function)

    def params(self, node: ast.arguments, *, has_receiver: bool = False) -> tuple[ir.Param, ...]:
        """Lower parameters; default values belong to the scope around the function."""
        positional = [*node.posonlyargs, *node.args]
        first_default = len(positional) - len(node.defaults)
        params = [
            self._param(arg, node.defaults[i - first_default] if i >= first_default else None)
            for i, arg in enumerate(positional)
            if i or not has_receiver
        ]
        if node.vararg:
            params.append(self._rest(node.vararg, keyword_only=False))
        for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
            params.append(self._param(arg, default, keyword_only=True))
        if node.kwarg:
            params.append(self._rest(node.kwarg, keyword_only=True))
        return tuple(params)

    def _param(self, arg: ast.arg, default: ast.expr | None, *, keyword_only: bool = False) -> ir.Param:
        target = self._param_name(arg)
        value = None if default is None else self.expr(default)
        end = target.end if value is None else value.end
        return ir.Param(target.start, end, target, value, keyword_only=keyword_only)

    def _rest(self, arg: ast.arg, *, keyword_only: bool) -> ir.Param:
        target = self._param_name(arg)
        return ir.Param(target.start, target.end, target, rest=True, keyword_only=keyword_only)

    def _param_name(self, arg: ast.arg) -> ir.Name:
        start, end = self.span(arg)
        if arg.annotation is not None and self._pinned is None:
            # Identifiers are normalised in the tree, so the length comes from the source.
            text = self.source.slice(start, self.span(arg.annotation)[0])
            end = start + len(re.split(r"[\s:\\#]", text, maxsplit=1)[0].encode("utf-8"))
        return ir.Name(start, end, arg.arg)

    # ----------------------------------------------------------------- comprehensions

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> ir.Expr:
        return self._generators(node, node.generators, (node.elt,))

    def _dict_comprehension(self, node: ast.DictComp) -> ir.Expr:
        return self._generators(node, node.generators, (node.key, node.value))

    def _generators(
        self, node: ast.expr, generators: Sequence[ast.comprehension], elements: Iterable[ast.expr]
    ) -> ir.Expr:
        """What a comprehension evaluates, its own variables read as unknown values."""
        outer = self.scope.special
        children: list[ir.Expr] = []
        for generator in generators:
            children.append(self._iterable(generator))
            names = _bound_names(generator.target)
            if names:
                self.scope.special = {**self.scope.special, **dict.fromkeys(names, "unknown")}
            children.extend(self.exprs(generator.ifs))
        children.extend(self.exprs(elements))
        self.scope.special = outer
        return ir.Opaque(*self.span(node), tuple(children))

    def _iterable(self, generator: ast.comprehension) -> ir.Expr:
        if not generator.is_async:
            return self.expr(generator.iter)
        iterable = self.deep_expr(generator.iter)
        return ir.Await(iterable.start, iterable.end, iterable)


# --------------------------------------------------------------------------- helpers


def _fold_depth(count: int) -> int:
    """The levels that :func:`_fold` puts above its deepest operand, less one."""
    return max(count - 2, 0) if count <= _LONG else count.bit_length()


def _fold(operator: OneOf["and", "or"], values: Sequence[ir.Expr]) -> ir.Expr:
    """A run of ``and`` or ``or`` as nested pairs: to the left, or balanced when it is long."""
    if len(values) > _LONG:
        middle = len(values) // 2
        values = (_fold(operator, values[:middle]), _fold(operator, values[middle:]))
    left = values[0]
    for right in values[1:]:
        left = ir.Logical(left.start, right.end, operator, left, right)
    return left


def _is_empty(part: ast.expr) -> bool:
    """Whether a part of an f-string is the empty text that Python 3.12 adds to formats."""
    return isinstance(part, ast.Constant) and part.value == ""


def _first_leaf(node: ast.AST) -> ast.AST:
    """The node that begins an expression's text."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.BinOp, ast.Compare)):
            node = node.left
        elif isinstance(node, ast.IfExp):
            node = node.body
        elif isinstance(node, ast.BoolOp):
            node = node.values[0]
        else:
            return node


def _bound_names(target: ast.expr) -> list[str]:
    """The variables that a target binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    return [
        node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def param_names(node: ast.arguments) -> list[str]:
    """Every parameter's name."""
    args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
    args.extend(arg for arg in (node.vararg, node.kwarg) if arg)
    return [arg.arg for arg in args]


def without(special: dict[str, Special], names: Iterable[str]) -> dict[str, Special]:
    """A copy of ``special`` for a scope that binds ``names``."""
    rest = dict(special)
    if rest:
        for name in names:
            rest.pop(name, None)
    return rest


def _is_super(node: ast.Call) -> bool:
    return not node.keywords and len(node.args) in (0, 2)


def _imported_module(node: ast.Call) -> str | None:
    """The literal module name of ``import_module("x")`` and ``__import__("x")``."""
    function = node.func
    if isinstance(function, ast.Name):
        is_import = function.id in ("__import__", "import_module")
    else:
        is_import = (
            isinstance(function, ast.Attribute)
            and function.attr == "import_module"
            and isinstance(function.value, ast.Name)
            and function.value.id == "importlib"
        )
    if is_import and node.args and isinstance(node.args[0], ast.Constant):
        name = node.args[0].value
        return name if isinstance(name, str) else None
    return None


_Lower = Callable[[ExpressionLowering, Any], ir.Expr]
_L = ExpressionLowering
_EXPRESSIONS: dict[type[ast.expr], _Lower] = {
    ast.Attribute: _L._attribute,
    ast.Await: _L._await,
    ast.BinOp: _L._bin_op,
    ast.BoolOp: _L._bool_op,
    ast.Call: _L._call,
    ast.Compare: _L._compare,
    ast.Constant: _L._constant,
    ast.Dict: _L._dict,
    ast.DictComp: _L._dict_comprehension,
    ast.GeneratorExp: _L._comprehension,
    ast.IfExp: _L._conditional,
    ast.JoinedStr: _L._template,
    ast.Lambda: _L._lambda,
    ast.List: _L._sequence,
    ast.ListComp: _L._comprehension,
    ast.Name: _L._name,
    ast.NamedExpr: _L._walrus,
    ast.Set: _L._sequence,
    ast.SetComp: _L._comprehension,
    ast.Slice: _L._slice,
    ast.Starred: _L._starred,
    ast.Subscript: _L._subscript,
    ast.Tuple: _L._sequence,
    ast.UnaryOp: _L._unary_op,
    ast.Yield: _L._yield,
    ast.YieldFrom: _L._yield,
}
if sys.version_info >= (3, 14):
    _EXPRESSIONS[ast.TemplateStr] = _L._template
