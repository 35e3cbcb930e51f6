"""What every part of the JavaScript front end shares: the context, the dispatch and recovery.

The parts register a handler for each tree-sitter node type that they know. A handler for an
expression returns it; a handler for a statement appends what it lowers to, because one
``const a = 1, b = 2`` is two statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tree_sitter import Node as Syntax

from mcplint.syntax.ir import (
    MAX_DEPTH,
    Block,
    Call,
    Expr,
    ExprStmt,
    ImportExpr,
    Lambda,
    Opaque,
    Problem,
    Stmt,
    walk,
)

MAX_SYNTAX_PROBLEMS = 3

_TOO_DEEP = "nested too deeply"


class Context:
    """The state of lowering one file.

    Attributes:
        functions: how many functions, classes and namespaces enclose the current place.
        requires: whether ``require`` still means Node's here.
    """

    def __init__(self, data: bytes, problems: list[Problem], requires: bool) -> None:
        self.data = data
        self.problems = problems
        self.requires = requires
        self.depth = 0
        self.functions = 0

    def text(self, node: Syntax) -> str:
        """The source text of ``node``."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def too_deep(self, node: Syntax) -> Opaque:
        """Stand in for ``node`` and report it, once for each file."""
        if not any(problem.message == _TOO_DEEP for problem in self.problems):
            self.problems.append(Problem(node.start_byte, _TOO_DEEP))
        return Opaque(node.start_byte, node.end_byte)


ExpressionHandler = Callable[[Context, Syntax], Expr]
StatementHandler = Callable[[Context, Syntax, list[Stmt]], None]

EXPRESSIONS: dict[str, ExpressionHandler] = {}
STATEMENTS: dict[str, StatementHandler] = {}

SKIPPED = frozenset(
    {
        "comment",
        "html_comment",
        "hash_bang_line",
        "empty_statement",
        "debugger_statement",
        "type_annotation",
        "type_arguments",
        "type_parameters",
        "type_predicate_annotation",
        "asserts_annotation",
        "interface_declaration",
        "type_alias_declaration",
        "function_signature",
        "method_signature",
        "abstract_method_signature",
        "index_signature",
        "ambient_declaration",
        "implements_clause",
        "accessibility_modifier",
        "override_modifier",
        "statement_identifier",
        "optional_chain",
        "jsx_closing_element",
        "jsx_namespace_name",
    }
)
"""Node types that mean nothing at run time."""


def on_expression(*kinds: str) -> Callable[[ExpressionHandler], ExpressionHandler]:
    """Register a handler for the expressions of these node types."""

    def register(handler: ExpressionHandler) -> ExpressionHandler:
        for kind in kinds:
            EXPRESSIONS[kind] = handler
        return handler

    return register


def on_statement(*kinds: str) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler for the statements of these node types."""

    def register(handler: StatementHandler) -> StatementHandler:
        for kind in kinds:
            STATEMENTS[kind] = handler
        return handler

    return register


def expression(ctx: Context, node: Syntax) -> Expr:
    """Lower one expression or pattern."""
    if ctx.depth >= MAX_DEPTH:
        return ctx.too_deep(node)
    ctx.depth += 1
    result = EXPRESSIONS.get(node.type, unknown)(ctx, node)
    ctx.depth -= 1
    return result


def expressions(ctx: Context, nodes: Iterable[Syntax]) -> list[Expr]:
    """Lower the expressions among ``nodes``, which lie one level below the current place."""
    result: list[Expr] = []
    too_deep = ctx.depth >= MAX_DEPTH
    ctx.depth += 1
    for node in nodes:
        kind = node.type
        handler = EXPRESSIONS.get(kind)
        if handler is None:
            if kind in SKIPPED or not node.is_named:
                continue
            handler = unknown
        result.append(ctx.too_deep(node) if too_deep else handler(ctx, node))
    ctx.depth -= 1
    return result


def statements(ctx: Context, nodes: Iterable[Syntax]) -> list[Stmt]:
    """Lower the statements among ``nodes``, which lie one level below the current place."""
    result: list[Stmt] = []
    too_deep = ctx.depth >= MAX_DEPTH
    ctx.depth += 1
    for node in nodes:
        kind = node.type
        handler = STATEMENTS.get(kind)
        if handler is None:
            if kind in SKIPPED or not node.is_named:
                continue
            handler = _salvaged_statements
        if too_deep:
            result.append(ExprStmt(node.start_byte, node.end_byte, ctx.too_deep(node)))
        else:
            handler(ctx, node, result)
    ctx.depth -= 1
    return result


def block(ctx: Context, node: Syntax | None) -> Block:
    """Lower a ``{ … }``, or the single statement that stands in its place."""
    if node is None:
        return ()
    ctx.depth += 1
    body = statements(ctx, each_child(node) if node.type == "statement_block" else (node,))
    ctx.depth -= 1
    return tuple(body)


def each_child(node: Syntax) -> Iterator[Syntax]:
    """The children one at a time, so that what is lowered is freed; ``children`` keeps them."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        child = cursor.node
        if child is not None:
            yield child
        more = cursor.goto_next_sibling()


def inner(ctx: Context, node: Syntax) -> Expr:
    """Lower what stands inside a pair of brackets or behind a keyword."""
    parts = solid(node.children)
    return expression(ctx, parts[0]) if len(parts) == 1 else unknown(ctx, node)


def optional_inner(ctx: Context, node: Syntax) -> Expr | None:
    """Like :func:`inner` for a keyword that can stand alone."""
    parts = solid(node.children)
    if not parts:
        return None
    return expression(ctx, parts[0]) if len(parts) == 1 else unknown(ctx, node)


def field_of(ctx: Context, node: Syntax, name: str) -> Expr:
    """Lower a field that must be there; a broken tree gives an Opaque."""
    child = node.child_by_field_name(name)
    return Opaque(node.start_byte, node.end_byte) if child is None else expression(ctx, child)


def unknown(ctx: Context, node: Syntax) -> Expr:
    """Lower a node without a meaning of its own to the expressions inside it."""
    return Opaque(node.start_byte, node.end_byte, tuple(expressions(ctx, _readable(node))))


def solid(nodes: list[Syntax]) -> list[Syntax]:
    """The children that are neither punctuation nor comments."""
    return [node for node in nodes if node.is_named and node.type not in SKIPPED]


def has_effects(*values: Expr) -> bool:
    """Whether something in ``values`` would be lost if they were dropped or repeated."""
    return any(isinstance(node, Call | ImportExpr | Lambda) for node in walk(*values))


def find_problems(root: Syntax) -> list[Problem]:
    """The first syntax errors, in source order."""
    found: list[Problem] = []
    stack = [root]
    while stack and len(found) < MAX_SYNTAX_PROBLEMS:
        node = stack.pop()
        if node.is_missing:
            found.append(Problem(node.start_byte, f"syntax error: missing {node.type}"))
        elif node.is_error:
            found.append(Problem(node.start_byte, "syntax error"))
        elif node.has_error:
            stack.extend(reversed(node.children))
    return found


def _readable(node: Syntax) -> Iterator[Syntax]:
    """The nearest nodes below ``node`` that have a handler, in source order."""
    stack = node.named_children[::-1]
    while stack:
        child = stack.pop()
        kind = child.type
        if kind in EXPRESSIONS or kind in STATEMENTS:
            yield child
        elif kind not in SKIPPED:
            stack.extend(reversed(child.named_children))


def _salvaged_statements(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    """Lower an expression in the place of a statement, or what is readable in broken code."""
    for child in (node,) if node.type in EXPRESSIONS else _readable(node):
        if child.type in STATEMENTS:
            out.extend(statements(ctx, (child,)))
        else:
            out.append(ExprStmt(child.start_byte, child.end_byte, expression(ctx, child)))
