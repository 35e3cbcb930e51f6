"""Imports and exports: ES modules, TypeScript's own forms, and what compilers make of them."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node as Syntax

from mcplint.records import replace
from mcplint.syntax._js_core import Context, expression, inner, on_statement, statements
from mcplint.syntax._js_functions import CLASSES, lower_class
from mcplint.syntax._js_literals import name_text, string_value
from mcplint.syntax.ir import (
    Array,
    Assign,
    Call,
    ClassDef,
    ClassExpr,
    Declare,
    Entry,
    ExportNames,
    ExportValue,
    Expr,
    ExprStmt,
    FunctionDef,
    Import,
    ImportExpr,
    ImportName,
    Lambda,
    Literal,
    Member,
    Name,
    Object,
    Return,
    Spread,
    Stmt,
)

# --------------------------------------------------------------------------- import


@on_statement("import_statement")
def _import(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    children = node.children
    if any(_marks_type(ctx, child) for child in children[1:3]):
        return
    clause: Syntax | None = None
    for child in children:
        if child.type == "import_require_clause":
            _import_require(ctx, node, child, out)
            return
        if child.type == "import_clause":
            clause = child
    source = node.child_by_field_name("source")
    if source is None:
        return
    names = [] if clause is None else _imported_names(ctx, clause)
    if names is not None:
        module = string_value(ctx, source)
        out.append(Import(node.start_byte, node.end_byte, module, tuple(names)))


def _marks_type(ctx: Context, node: Syntax) -> bool:
    """``import type``; the JavaScript grammar takes Flow's for an error."""
    return node.type in _TYPE_WORDS or (node.is_error and ctx.text(node) in _TYPE_WORDS)


_TYPE_WORDS = frozenset({"type", "typeof"})


def _imported_names(ctx: Context, clause: Syntax) -> list[ImportName] | None:
    """The names of an import, or None when all of them are types."""
    names: list[ImportName] = []
    dropped = False
    for child in clause.named_children:
        start, end = child.start_byte, child.end_byte
        if child.type == "identifier":
            names.append(ImportName(start, end, "default", ctx.text(child)))
        elif child.type == "namespace_import":
            names.append(ImportName(start, end, None, ctx.text(child.children[-1])))
        elif child.type == "named_imports":
            for specifier in child.named_children:
                if specifier.type != "import_specifier":
                    continue
                if pair := _specifier(ctx, specifier):
                    place = specifier.start_byte, specifier.end_byte
                    names.append(ImportName(*place, pair[0], pair[1]))
                else:
                    dropped = True
    return names if names or not dropped else None


def _specifier(ctx: Context, node: Syntax) -> tuple[str, str] | None:
    """``name as alias``, or None for a type."""
    if node.children and node.children[0].type in _TYPE_WORDS:
        return None
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is None:
        return None
    text = name_text(ctx, name)
    return text, (text if alias is None else name_text(ctx, alias))


def _import_require(ctx: Context, node: Syntax, clause: Syntax, out: list[Stmt]) -> None:
    source = clause.child_by_field_name("source")
    if source is None:
        return
    local = clause.children[0]
    name = ImportName(local.start_byte, local.end_byte, None, ctx.text(local))
    out.append(Import(node.start_byte, node.end_byte, string_value(ctx, source), (name,)))


@on_statement("import_alias")
def _import_alias(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) == 2:
        target = expression(ctx, parts[0])
        value = _qualified(ctx, parts[1])
        out.append(Declare(node.start_byte, node.end_byte, target, value))


def _qualified(ctx: Context, node: Syntax) -> Expr:
    links: list[Syntax] = []
    while node.type == "nested_identifier":
        links.append(node)
        node = node.children[0]
    value = expression(ctx, node)
    for link in reversed(links):
        name = ctx.text(link.children[-1])
        value = Member(link.start_byte, link.end_byte, value, name)
    return value


# --------------------------------------------------------------------------- export


@on_statement("export_statement")
def _export(ctx: Context, node: Syntax, out: list[Stmt]) -> None:
    children = node.children
    tokens = {child.type for child in children}
    if "type" in tokens or "namespace" in tokens:
        return
    source = node.child_by_field_name("source")
    module = None if source is None else string_value(ctx, source)
    declaration = node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    if declaration is not None:
        _export_declaration(ctx, node, declaration, "default" in tokens, out)
    elif value is not None:
        result = _decorated(ctx, node, value) or expression(ctx, value)
        out.append(ExportValue(node.start_byte, node.end_byte, "default", result))
    elif "=" in tokens:
        result = expression(ctx, [child for child in children if child.is_named][-1])
        out.append(ExportValue(node.start_byte, node.end_byte, "=", result))
    else:
        names = _exported_names(ctx, node)
        if names is not None:
            out.append(ExportNames(node.start_byte, node.end_byte, names, module))


def _exported_names(ctx: Context, node: Syntax) -> tuple[tuple[str, str], ...] | None:
    for child in node.children:
        if child.type == "*":
            return (("*", "*"),)
        if child.type == "namespace_export":
            return (("*", name_text(ctx, child.children[-1])),)
        if child.type == "export_clause":
            specifiers = [part for part in child.named_children if part.type == "export_specifier"]
            pairs = tuple(pair for part in specifiers if (pair := _specifier(ctx, part)))
            return pairs if pairs or not specifiers else None
    return None


def _export_declaration(
    ctx: Context, node: Syntax, declaration: Syntax, is_default: bool, out: list[Stmt]
) -> None:
    start, end = node.start_byte, node.end_byte
    if (decorated := _decorated(ctx, node, declaration)) is not None:
        lowered: list[Stmt] = [ClassDef(decorated.start, decorated.end, decorated.cls)]
    else:
        lowered = statements(ctx, (declaration,))
    out.extend(lowered)
    if ctx.functions:  # a namespace's export is not the module's
        return
    names = tuple(name for statement in lowered for name in _bound_names(statement))
    if names:
        pairs = tuple((name, "default" if is_default else name) for name in names)
        out.append(ExportNames(start, end, pairs))


def _decorated(ctx: Context, node: Syntax, definition: Syntax) -> ClassExpr | None:
    """A class whose decorators stand in front of ``export``."""
    decorators = [child for child in node.children if child.type == "decorator"]
    if not decorators or definition.type not in CLASSES:
        return None
    values = tuple(inner(ctx, decorator) for decorator in decorators)
    cls = lower_class(ctx, definition, values)
    return ClassExpr(definition.start_byte, definition.end_byte, cls)


def _bound_names(statement: Stmt) -> Iterator[str]:
    if isinstance(statement, Declare):
        yield from _pattern_names(statement.target)
    elif isinstance(statement, FunctionDef) and statement.function.name:
        yield statement.function.name
    elif isinstance(statement, ClassDef) and statement.cls.name:
        yield statement.cls.name


def _pattern_names(target: Expr) -> Iterator[str]:
    stack = [target]
    while stack:
        current = stack.pop()
        if isinstance(current, Name):
            yield current.id
        elif isinstance(current, Object):
            stack.extend(entry.value for entry in reversed(current.entries))
        elif isinstance(current, Array):
            stack.extend(reversed(current.items))
        elif isinstance(current, Spread):
            stack.append(current.value)
        elif isinstance(current, Assign):
            stack.append(current.target)


# --------------------------------------------------------------------------- CommonJS

_STAR_HELPERS = frozenset({"__exportStar", "_export_star", "__export"})
_GETTER_HELPERS = frozenset({"__export", "_export"})


def commonjs_exports(ctx: Context, start: int, end: int, value: Expr) -> list[Stmt] | None:
    """The exports that an expression statement makes, or None when it makes none."""
    if isinstance(value, Assign):
        return _assigned_exports(start, end, value)
    if not isinstance(value, Call):
        return None
    callee, args = value.callee, value.args
    if isinstance(callee, Member) and callee.name == "defineProperty":
        return _defined_property(start, end, args)
    name = callee.id if isinstance(callee, Name) else getattr(callee, "name", None)
    if name in _STAR_HELPERS and args and isinstance(args[0], ImportExpr) and args[0].module:
        return [ExportNames(start, end, (("*", "*"),), args[0].module)]
    if name == "__reExport" and len(args) > 1:
        return _re_export(start, end, args[1])
    if name in _GETTER_HELPERS and len(args) == 2 and isinstance(args[1], Object):
        return _getter_exports(ctx, start, end, args[0], args[1])
    return None


def _assigned_exports(start: int, end: int, assign: Assign) -> list[Stmt] | None:
    names, value = _export_targets(assign)
    if not names:
        return None
    if isinstance(value, Literal) and value.value is None:
        return []
    return [ExportValue(start, end, name, value) for name in names if name]


def _export_targets(value: Expr) -> tuple[list[str], Expr]:
    """The names that a chain of assignments exports, and what it assigns."""
    names: list[str] = []
    while isinstance(value, Assign) and value.operator == "=":
        name = _export_name(value.target)
        if name is None:
            break
        names.append(name)
        value = value.value
    return names, value


def _export_name(target: Expr) -> str | None:
    """The exported name, ``"="`` for ``module.exports`` and ``""`` for a bare ``exports``."""
    if isinstance(target, Name):
        return "" if target.id == "exports" else None
    if not isinstance(target, Member):
        return None
    if _is_exports(target):
        return "="
    return target.name if _is_exports(target.object) else None


def _is_exports(value: Expr) -> bool:
    if isinstance(value, Name):
        return value.id == "exports"
    return (
        isinstance(value, Member)
        and value.name == "exports"
        and isinstance(value.object, Name)
        and value.object.id == "module"
    )


def declared_exports(declare: Declare) -> list[Stmt]:
    """``const a = exports.b = value``: the declaration, and what it exports."""
    if not isinstance(declare.target, Name) or not isinstance(declare.value, Assign):
        return [declare]
    names, value = _export_targets(declare.value)
    if not names:
        return [declare]
    start, end, local = declare.start, declare.end, declare.target
    out: list[Stmt] = [Declare(start, end, local, value)]
    for name in names:
        if name == "=":
            out.append(ExportValue(start, end, name, replace(local)))
        elif name:
            out.append(ExportNames(start, end, ((local.id, name),)))
    return out


def _defined_property(start: int, end: int, args: tuple[Expr, ...]) -> list[Stmt] | None:
    """``Object.defineProperty(exports, "name", { get: … })``."""
    if len(args) != 3 or not _is_exports(args[0]):
        return None
    key, descriptor = args[1], args[2]
    if not isinstance(key, Literal) or not isinstance(key.value, str):
        return None
    if key.value == "__esModule" or not isinstance(descriptor, Object):
        return None
    for entry in descriptor.entries:
        value = entry.value if entry.key == "value" else None
        if entry.key == "get":
            value = _returned(entry.value)
        if value is not None:
            return [ExportValue(start, end, key.value, value)]
    return None


def _returned(value: Expr) -> Expr | None:
    """What a getter that only returns gives."""
    if isinstance(value, Lambda) and len(value.function.body) == 1:
        only = value.function.body[0]
        return only.value if isinstance(only, Return) else None
    return None


def _re_export(start: int, end: int, value: Expr) -> list[Stmt] | None:
    if isinstance(value, ImportExpr) and value.module:
        return [ExportNames(start, end, (("*", "*"),), value.module)]
    return None


def _getter_exports(ctx: Context, start: int, end: int, target: Expr, getters: Object) -> list[Stmt] | None:
    """``__export(target, { name: () => value })``.

    A bundler calls it for every module inside the bundle; only the target that becomes
    ``module.exports`` is exported. The others are objects that the rest of the bundle uses.
    """
    entries: list[Entry] = []
    for entry in getters.entries:
        value = _returned(entry.value)
        if value is None or entry.key is None:
            return None
        entries.append(replace(entry, value=value))
    if _is_exports(target):
        return _entry_exports(start, end, entries)
    if not isinstance(target, Name):
        return None
    filled = Object(getters.start, getters.end, tuple(entries))
    out: list[Stmt] = [ExprStmt(start, end, Assign(start, end, target, filled))]
    if b"__toCommonJS(" + target.id.encode("utf-8", "replace") + b")" in ctx.data:
        out.extend(_entry_exports(start, end, entries))
    return out


def _entry_exports(start: int, end: int, entries: list[Entry]) -> list[Stmt]:
    out: list[Stmt] = []
    for entry in entries:
        if isinstance(entry.value, Name):
            out.append(ExportNames(start, end, ((entry.value.id, entry.key or ""),)))
        else:
            out.append(ExportValue(start, end, entry.key or "", entry.value))
    return out
