"""Statements of JavaScript and TypeScript, without imports and exports."""

from __future__ import annotations

from typing import Literal as OneOf

from tree_sitter import Node as Syntax

from mcplint.syntax._js_core import (
    SKIPPED,
    Context,
    block,
    expression,
    field_of,
    inner,
    on_statement,
    optional_inner,
    solid,
    statements,
)
from mcplint.syntax._js_modules import commonjs_exports, declared_exports
from mcplint.syntax.ir import (
    Block,
    Break,
    Call,
    Case,
    Catch,
    Continue,
    Declare,
    Expr,
    ExprStmt,
    If,
    Loop,
    Member,
    Name,
    Nested,
    Return,
    Stmt,
    Switch,
    Throw,
    Try,
)

# --------------------------------------------------------------------------- simple ones


@on_statement("expression_statement")
def _expression_statement(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    parts = solid(node.children)
    start, end = node.start_byte, node.end_byte
    if len(parts) != 1:
        out.extend(ExprStmt(part.start_byte, part.end_byte, expression(ctx, part)) for part in parts)
        return
    part = parts[0]
    if part.type == "internal_module":
        _namespace(ctx, part, out)
    elif (resource := _resource(part)) is not None:
        target, value = (
            field_of(ctx, resource, "left"),
            field_of(ctx, resource, "right"),
        )
        out.append(Declare(start, end, target, value))
    else:
        value = expression(ctx, part)
        exports = None if ctx.functions else commonjs_exports(ctx, start, end, value)
        if exports is None:
            out.append(ExprStmt(start, end, value))
        else:
            out.extend(exports)


def _resource(node: Syntax) -> Syntax | None:
    """The assignment that a grammar makes of ``using x = …`` and ``await using x = …``."""
    if node.type == "await_expression":
        node = node.children[-1]
    if node.type == "assignment_expression" and node.children[0].type == "using":
        return node
    return None


@on_statement("lexical_declaration", "variable_declaration", "using_declaration")
def _declaration(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    for declarator in declarators:
        children = declarator.children
        target = expression(ctx, children[0])
        value: Expr | None = None
        if len(children) > 1 and (initial := declarator.child_by_field_name("value")):
            value = expression(ctx, initial)
        place = node if len(declarators) == 1 else declarator
        declare = Declare(place.start_byte, place.end_byte, target, value)
        out.extend((declare,) if ctx.functions else declared_exports(declare))


@on_statement("statement_block")
def _nested(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(Nested(node.start_byte, node.end_byte, block(ctx, node)))


@on_statement("labeled_statement")
def _labeled(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    label = ctx.text(node.children[0])
    out.append(Nested(node.start_byte, node.end_byte, block(ctx, node.children[-1]), label))


@on_statement("internal_module", "module")
def _namespace(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None or name is None or name.type == "string":
        return
    ctx.functions += 1
    out.append(Nested(node.start_byte, node.end_byte, block(ctx, body)))
    ctx.functions -= 1


@on_statement("with_statement")
def _with(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    value = field_of(ctx, node, "object")
    out.append(ExprStmt(value.start, value.end, value))
    body = node.child_by_field_name("body")
    out.append(Nested(node.start_byte, node.end_byte, block(ctx, body)))


@on_statement("return_statement")
def _return(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(Return(node.start_byte, node.end_byte, optional_inner(ctx, node)))


@on_statement("throw_statement")
def _throw(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(Throw(node.start_byte, node.end_byte, inner(ctx, node)))


@on_statement("break_statement")
def _break(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(Break(node.start_byte, node.end_byte, _label(ctx, node)))


@on_statement("continue_statement")
def _continue(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(Continue(node.start_byte, node.end_byte, _label(ctx, node)))


def _label(ctx: Context, node: Syntax) -> str | None:
    label = node.child_by_field_name("label")
    return None if label is None else ctx.text(label)


# --------------------------------------------------------------------------- branches


@on_statement("if_statement")
def _if(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    """``if … else if … else``, without recursion along the chain."""
    arms: list[tuple[int, int, Expr, Block]] = []
    otherwise: Block = ()
    current: Syntax | None = node
    while current is not None:
        if current.type != "if_statement":
            otherwise = block(ctx, current)
            break
        test = field_of(ctx, current, "condition")
        then = block(ctx, current.child_by_field_name("consequence"))
        arms.append((current.start_byte, current.end_byte, test, then))
        current = _alternative(current)
    for start, end, test, then in reversed(arms):
        otherwise = (If(start, end, test, then, otherwise),)
    out.extend(otherwise)


def _alternative(node: Syntax) -> Syntax | None:
    clause = node.children[-1]
    if clause.type != "else_clause":
        return None
    parts = clause.named_children
    return parts[-1] if parts else None


@on_statement("switch_statement")
def _switch(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    subject = field_of(ctx, node, "value")
    body = node.child_by_field_name("body")
    cases: list[Case] = []
    for arm in [] if body is None else body.named_children:
        if arm.type in _CASES:
            cases.append(_case(ctx, arm))
    out.append(Switch(node.start_byte, node.end_byte, subject, tuple(cases)))


_CASES = frozenset({"switch_case", "switch_default"})


def _case(ctx: Context, node: Syntax) -> Case:
    children = node.children
    colon = next((i for i, child in enumerate(children) if child.type == ":"), len(children))
    value = node.child_by_field_name("value")
    test = None if value is None else expression(ctx, value)
    body = tuple(statements(ctx, children[colon + 1 :]))
    return Case(node.start_byte, node.end_byte, test, body)


@on_statement("try_statement")
def _try(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    body: Block = ()
    catches: tuple[Catch, ...] = ()
    final: Block = ()
    for child in node.named_children:
        kind = child.type
        if kind == "statement_block":
            body = block(ctx, child)
        elif kind == "catch_clause":
            catches = (_catch(ctx, child),)
        elif kind == "finally_clause":
            final = block(ctx, child.child_by_field_name("body"))
    out.append(Try(node.start_byte, node.end_byte, body, catches, (), final))


def _catch(ctx: Context, node: Syntax) -> Catch:
    parameter = node.child_by_field_name("parameter")
    target = None if parameter is None else expression(ctx, parameter)
    body = block(ctx, node.child_by_field_name("body"))
    return Catch(node.start_byte, node.end_byte, (), target, body)


# --------------------------------------------------------------------------- loops


@on_statement("while_statement")
def _while(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(_tested(ctx, node, "while"))


@on_statement("do_statement")
def _do(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    out.append(_tested(ctx, node, "do"))


def _tested(ctx: Context, node: Syntax, kind: OneOf["while", "do"]) -> Loop:
    test = field_of(ctx, node, "condition")
    body = block(ctx, node.child_by_field_name("body"))
    return Loop(node.start_byte, node.end_byte, kind, body, test)


@on_statement("for_statement")
def _for(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    initializer = node.child_by_field_name("initializer")
    increment = node.child_by_field_name("increment")
    init = () if initializer is None else tuple(statements(ctx, (initializer,)))
    test = _condition(ctx, node)
    update = None if increment is None else expression(ctx, increment)
    body = block(ctx, node.child_by_field_name("body"))
    start, end = node.start_byte, node.end_byte
    out.append(Loop(start, end, "for", body, test, init=init, update=update))


def _condition(ctx: Context, node: Syntax) -> Expr | None:
    condition = node.child_by_field_name("condition")
    if condition is None or not condition.is_named or condition.type in SKIPPED:
        return None
    if condition.type == "expression_statement":
        return inner(ctx, condition)
    return expression(ctx, condition)


def _keys_of(owner: Expr) -> Expr:
    """What ``for (… in owner)`` goes through."""
    keys = Member(owner.start, owner.start, Name(owner.start, owner.start, "Object"), "keys")
    return Call(owner.start, owner.end, keys, (owner,))


@on_statement("for_in_statement")
def _for_each(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    target = field_of(ctx, node, "left")
    iterable = field_of(ctx, node, "right")
    if any(child.type == "in" for child in node.children):
        iterable = _keys_of(iterable)
    body = block(ctx, node.child_by_field_name("body"))
    is_async = any(child.type == "await" for child in node.children[:3])
    out.append(
        Loop(
            node.start_byte,
            node.end_byte,
            "each",
            body,
            target=target,
            iterable=iterable,
            is_async=is_async,
        )
    )
