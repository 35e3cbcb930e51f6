"""What the JavaScript and TypeScript front end makes of real-looking code."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.files.source import Source
from mcplint.syntax import ir, lower
from tests.syntax.dump import dump


def module(text: str, name: str = "server.js") -> ir.Module:
    return lower(Source(Path(name), text))


def lowered(text: str, name: str = "server.js") -> str:
    """The IR of correct code, statements separated by spaces."""
    result = module(text, name)
    assert result.problems == ()
    return " ".join(dump(statement) for statement in result.body)


def typescript(text: str) -> str:
    return lowered(text, "server.ts")


def find(result: ir.Module, kind: type[ir.Node]) -> ir.Node:
    return next(node for node in ir.walk(*result.body) if isinstance(node, kind))


# --------------------------------------------------------------------------- expressions

EXPRESSIONS = {
    "undefined": "None",
    "void 0": "None",
    "null": "None",
    "1_000": "1000",
    "0x1f": "31",
    "0b101": "5",
    "0o17": "15",
    "017": "15",
    "1e3": "1000",
    "1.5": "1.5",
    ".5e-1": "0.05",
    "10n": "10",
    "'a\\n\\u{1F600}\\x41\\u0042'": "'a\\n😀AB'",
    "'\\ud83d\\ude00'": "'😀'",
    "'it\\'s \\\ncontinued'": '"it\'s continued"',
    "`plain\\t`": "'plain\\t'",
    "``": "''",
    "`a${b}c`": "(Template ['a' b 'c'])",
    "`${'x'}`": "(Template ['x'])",
    "tag`a${b}`": "(Call tag [(Template ['a' b])])",
    "/re/g": "(Opaque)",
    "this.x": "(This).x",
    "a['b']": "a.b",
    "a[`b`]": "a.b",
    "a[0]": "(Index a 0)",
    "a?.b": "a?.b",
    "a?.[b]": "(Index a b)",
    "a?.['b']": "a?.b",
    "a?.()": "(Call a optional)",
    "a.b?.(c).d": "(Call a.b [c] optional).d",
    "this.#timer": "(This).#timer",
    "new X": "(Call X is_new)",
    "new a.B(1, ...c)": "(Call a.B [1 (Spread c)] is_new)",
    "new (f())()": "(Call (Call f) is_new)",
    "new.target": "new.target",
    "import.meta.url": "import.meta.url",
    "a === b": "(Binary == a b)",
    "a !== b": "(Binary != a b)",
    "a != b": "(Binary != a b)",
    "a - b - c": "(Binary - (Binary - a b) c)",
    "a ** b ** c": "(Binary ** a (Binary ** b c))",
    "a && b || c && d": "(Logical or (Logical and a b) (Logical and c d))",
    "a ?? b ?? c": "(Logical nullish (Logical nullish a b) c)",
    "!a": "(Unary not a)",
    "-1": "(Unary - 1)",
    "typeof a": "(Unary typeof a)",
    "delete a.b": "(Unary delete a.b)",
    "void f()": "(Unary void (Call f))",
    "x++": "(Assign x (Binary + x 1) +=)",
    "--x.y": "(Assign x.y (Binary - x.y 1) -=)",
    "a = b = c": "(Assign a (Assign b c =) =)",
    "a ??= b": "(Assign a b ??=)",
    "a ||= b": "(Assign a b ||=)",
    "a += b": "(Assign a b +=)",
    "a ? b : c ? d : e": "(Conditional a then=b otherwise=(Conditional c then=d otherwise=e))",
    "(a, b, c)": "(Group [a b c])",
    "((((a))))": "a",
    "(0, x.foo)(a)": "(Call x.foo [a])",
    "(f(), x.foo)(a)": "(Call (Group [(Call f) x.foo]) [a])",
    "[1, , ...a]": "(Array [1 None (Spread a)])",
    "[a, b,]": "(Array [a b])",
    "async () => { await a }": "(Function body=[(Await a)] is_async captures_this kind=function)",
    "x => y": "(Function [(Param x)] body=[(Return y)] captures_this kind=function)",
    "x => ({})": "(Function [(Param x)] body=[(Return (Object))] captures_this kind=function)",
    "<a b={c()} {...d}>text {e()}<F/></a>": "(Opaque [(Call c) (Spread d) (Call e)])",
    "<></>": "(Opaque)",
    "class extends A {}": "(Class bases=[A])",
    "a /* b */ . /* c */ d ( /* e */ f /* g */ )": "(Call a.d [f])",
}


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS.items(), ids=list(EXPRESSIONS))
def test_an_expression(text: str, expected: str) -> None:
    assert lowered(f"({text});") == expected


OBJECTS = {
    "{ a, b: 1, 'c d': 2, 3: 4 }": "(Object [(Entry a a) (Entry b 1) (Entry c d 2) (Entry 3 4)])",
    "{ ['k']: 1, [`l`]: 2, [m]: 3 }": "(Object [(Entry k 1) (Entry l 2) (Entry 3)])",
    "{ [f()]: v }": "(Object [(Entry (Group [(Call f) v]))])",
    "{ ...rest }": "(Object [(Entry (Spread rest))])",
    "{ a() {} }": "(Object [(Entry a (Function a kind=method))])",
    "{ get a() {} }": "(Object [(Entry a (Function a kind=getter))])",
    "{ set a(v) {} }": "(Object [(Entry a (Function a [(Param v)] kind=setter))])",
    "{ async *a() {} }": "(Object [(Entry a (Function a is_async is_generator kind=method))])",
    "{ constructor() {} }": "(Object [(Entry constructor (Function constructor kind=method))])",
}


@pytest.mark.parametrize(("text", "expected"), OBJECTS.items(), ids=list(OBJECTS))
def test_an_object(text: str, expected: str) -> None:
    assert lowered(f"({text});") == expected


def test_a_pattern_binds_names_with_defaults_and_positions() -> None:
    assert lowered("const { a = 1, b: { c }, ...d } = x;") == (
        "(Declare (Object [(Entry a a default=1) (Entry b (Object [(Entry c c)])) (Entry (Spread d))]) x)"
    )
    assert lowered("const [a, , b = 2] = x;") == ("(Declare (Array [a (Opaque) (Assign b 2 =)]) x)")
    assert lowered("({ a, b: c.d } = x);") == ("(Assign (Object [(Entry a a) (Entry b c.d)]) x =)")


def test_no_call_is_lost_in_an_expression_without_a_meaning_of_its_own() -> None:
    assert lowered("require(f());") == "(Opaque [(Call f) (ImportExpr)])"
    assert lowered("class A { [f()]() {} [g()] = h(); }") == (
        "(ClassDef (Class A methods=[(Function kind=method)] body=[(Call f) (Call g) (Call h)]))"
    )


# --------------------------------------------------------------------------- long code


def test_a_very_long_sum_is_a_shallow_tree_with_every_operand() -> None:
    result = module(" + ".join(f"f{i}()" for i in range(5000)))
    assert result.problems == ()
    assert sum(isinstance(node, ir.Call) for node in ir.walk(*result.body)) == 5000
    assert _depth(result.body[0]) < 60


@pytest.mark.parametrize(
    "text",
    [
        "if (x) a(); else " * 1000 + "last();",
        "b" + ".c()" * 1000 + ".last();",
        "x ? a : " * 1000 + "last();",
        "a = " * 1000 + "last();",
        "a && " * 1000 + "last();",
        "a, " * 1000 + "last();",
    ],
    ids=["else if", "chain", "conditional", "assignment", "and", "sequence"],
)
def test_long_chains_are_not_nesting(text: str) -> None:
    result = module(text)
    assert result.problems == ()
    called = [node.callee for node in ir.walk(*result.body) if isinstance(node, ir.Call)]
    assert any("last" in (getattr(callee, "id", None), getattr(callee, "name", None)) for callee in called)


def _depth(root: ir.Node) -> int:
    deepest, stack = 0, [(root, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in ir.children(node))
    return deepest


# --------------------------------------------------------------------------- statements

STATEMENTS = {
    "var a, b = 1;": "(Declare a) (Declare b 1)",
    "using f = open();": "(Declare f (Call open))",
    "await using f = open();": "(Declare f (Call open))",
    "if (a) b(); else if (c) { d(); } else e();": (
        "(If a then=[(Call b)] otherwise=[(If c then=[(Call d)] otherwise=[(Call e)])])"
    ),
    "while (true) { a(); }": "(Loop kind=while body=[(Call a)] True)",
    "while (1);": "(Loop kind=while 1)",
    "do a(); while (b);": "(Loop kind=do body=[(Call a)] b)",
    "for (;;) {}": "(Loop kind=for)",
    "for (let i = 0; i < 3; i++) a();": (
        "(Loop kind=for body=[(Call a)] (Binary < i 3) init=[(Declare i 0)] "
        "update=(Assign i (Binary + i 1) +=))"
    ),
    "for (i = 0; ; ) {}": "(Loop kind=for init=[(Assign i 0 =)])",
    "for (const [k, v] of m) {}": "(Loop kind=each (Array [k v]) iterable=m)",
    "for (k in o) {}": "(Loop kind=each k iterable=(Call Object.keys [o]))",
    "for await (const x of s) {}": "(Loop kind=each x iterable=s is_async)",
    "a: for (;;) { continue a; }": "(Nested body=[(Loop kind=for body=[(Continue a)])] a)",
    "{ a(); }": "(Nested body=[(Call a)])",
    "switch (a) { case 1: b(); break; default: c(); }": (
        "(Switch a cases=[(Case 1 body=[(Call b) (Break)]) (Case body=[(Call c)])] falls_through)"
    ),
    "try { a(); } catch { b(); } finally { c(); }": (
        "(Try body=[(Call a)] catches=[(Catch body=[(Call b)])] final=[(Call c)])"
    ),
    "try {} catch ({ code }) {}": "(Try catches=[(Catch (Object [(Entry code code)]))])",
    "throw new E();": "(Throw (Call E is_new))",
    "function f() { return; }": "(FunctionDef (Function f body=[(Return)] kind=function))",
    "async function* f() { yield* g(); yield; }": (
        "(FunctionDef (Function f body=[(Yield (Call g)) (Yield)] is_async is_generator kind=function))"
    ),
    "function f(a, { b }, c = 1, ...d) {}": (
        "(FunctionDef (Function f [(Param a) (Param (Object [(Entry b b)])) "
        "(Param c default=1) (Param d rest)] kind=function))"
    ),
    "#!/usr/bin/env node\n'use strict'; ; debugger;": "'use strict'",
}


@pytest.mark.parametrize(("text", "expected"), STATEMENTS.items(), ids=list(STATEMENTS))
def test_a_statement(text: str, expected: str) -> None:
    name = "server.ts" if "using" in text else "server.mjs"
    assert lowered(text, name) == expected


def test_a_class_keeps_its_members_apart() -> None:
    assert lowered(
        "class A extends b.C { #p = 1; static go = () => {}; constructor() { super(); }"
        " static async m() {} get v() {} set v(x) {} static { init(); } }"
    ) == (
        "(ClassDef (Class A bases=[b.C] methods=["
        "(Function constructor body=[(Call (Super))] kind=constructor) "
        "(Function m is_async is_static kind=method) "
        "(Function v kind=getter) (Function v [(Param x)] kind=setter)] "
        "fields=[(Field #p 1) (Field go (Function captures_this kind=function) is_static)] "
        "body=[(Nested body=[(Call init)])]))"
    )


# --------------------------------------------------------------------------- modules

MODULES = {
    "import 'x';": "(Import x level=0)",
    "import a, { b, c as d } from 'x';": (
        "(Import x [(ImportName imported=default local=a) (ImportName imported=b local=b) "
        "(ImportName imported=c local=d)] level=0)"
    ),
    "import * as n from 'x';": "(Import x [(ImportName local=n)] level=0)",
    "import j from './j.json' with { type: 'json' };": (
        "(Import ./j.json [(ImportName imported=default local=j)] level=0)"
    ),
    "import j from './j.json' assert { type: 'json' };": (
        "(Import ./j.json [(ImportName imported=default local=j)] level=0)"
    ),
    "export { a, b as c };": "(ExportNames [[a a] [b c]])",
    "export { default as a } from 'x';": "(ExportNames [[default a]] x)",
    "export * from 'x';": "(ExportNames [[* *]] x)",
    "export * as n from 'x';": "(ExportNames [[* n]] x)",
    "export const a = 1, { b } = c;": (
        "(Declare a 1) (Declare (Object [(Entry b b)]) c) (ExportNames [[a a] [b b]])"
    ),
    "export function f() {}": "(FunctionDef (Function f kind=function)) (ExportNames [[f f]])",
    "export default function f() {}": (
        "(FunctionDef (Function f kind=function)) (ExportNames [[f default]])"
    ),
    "export default function () {}": "(ExportValue default (Function kind=function))",
    "export default class A {}": "(ClassDef (Class A)) (ExportNames [[A default]])",
    "export default class {}": "(ExportValue default (Class))",
    "export default a;": "(ExportValue default a)",
    "const a = require('x');": "(Declare a (ImportExpr x))",
    "require(`x`).y();": "(Call (ImportExpr x).y)",
    "__require('x');": "(ImportExpr x)",
    "await import('x');": "(Await (ImportExpr x lazy))",
    "import(name);": "(ImportExpr lazy)",
    "require(name);": "(ImportExpr)",
    "const a = __importDefault(require('x'));": "(Declare a (ImportExpr x))",
    "const a = tslib_1.__importStar(require('x'));": "(Declare a (ImportExpr x))",
    "const a = (0, tslib_1.__importStar)(require('x'));": "(Declare a (ImportExpr x))",
    "var a = _interopRequireDefault(require('x'));": "(Declare a (ImportExpr x))",
    "var a = __toESM(require('x'), 1);": "(Declare a (ImportExpr x))",
    "module.exports = a;": "(ExportValue = a)",
    "module.exports = exports = a;": "(ExportValue = a)",
    "exports.a = b;": "(ExportValue a b)",
    "module.exports.a = b;": "(ExportValue a b)",
    "exports['a'] = b;": "(ExportValue a b)",
    "exports.a = exports.b = c;": "(ExportValue a c) (ExportValue b c)",
    "exports.a = exports.b = void 0;": "",
    "exports.default = a;": "(ExportValue default a)",
    "if (a) { exports.b = c; }": "(If a then=[(ExportValue b c)])",
    "f(exports.a = b);": "(Call f [(Assign exports.a b =)])",
    "const a = exports.a = f();": "(Declare a (Call f)) (ExportNames [[a a]])",
    "const a = module.exports = {};": "(Declare a (Object)) (ExportValue = a)",
    "Object.defineProperty(exports, 'a', { enumerable: true, get: function () "
    "{ return m.a; } });": "(ExportValue a m.a)",
    "__exportStar(require('./x'), exports);": "(ExportNames [[* *]] ./x)",
    "tslib_1.__exportStar(require('./x'), exports);": "(ExportNames [[* *]] ./x)",
    "__reExport(out, require('./x'), module.exports);": "(ExportNames [[* *]] ./x)",
    "_export(exports, { a: function () { return b; } });": "(ExportNames [[b a]])",
    "__export(inner, { a: () => b });": "(Assign inner (Object [(Entry a b)]) =)",
}


@pytest.mark.parametrize(("text", "expected"), MODULES.items(), ids=list(MODULES))
def test_an_import_or_export(text: str, expected: str) -> None:
    assert lowered(text) == expected


def test_the_exports_of_a_bundle_are_those_of_its_entry_only() -> None:
    text = (
        "__export(main_exports, { run: () => run });"
        "__export(other_exports, { hidden: () => hidden });"
        "module.exports = __toCommonJS(main_exports);"
    )
    exported = [node for node in module(text).body if isinstance(node, ir.ExportNames)]
    assert [export.names for export in exported] == [(("run", "run"),)]


@pytest.mark.parametrize(
    "text",
    [
        "(function (require) { require('x'); });",
        "((require) => require('x'));",
        "var require = lookup; require('x');",
        "function require(id) {} require('x');",
    ],
)
def test_a_rebound_require_imports_nothing(text: str) -> None:
    assert "ImportExpr" not in lowered(text)


@pytest.mark.parametrize(
    "text",
    [
        "const require = createRequire(import.meta.url); require('x');",
        "const require = module_1.createRequire(here); require('x');",
        "(function (require) {}); require('x');",
    ],
)
def test_a_require_that_still_is_nodes_imports(text: str) -> None:
    assert "(ImportExpr x)" in lowered(text)


def test_exports_inside_a_function_are_plain_assignments() -> None:
    assert "ExportValue" not in lowered("(function (exports) { exports.a = 1; })(o);")


# --------------------------------------------------------------------------- TypeScript

TYPESCRIPT = {
    "import type { A } from 'x';": "",
    "import { type A } from 'x';": "",
    "import {} from 'x';": "(Import x level=0)",
    "import { type A, b } from 'x';": "(Import x [(ImportName imported=b local=b)] level=0)",
    "import fs = require('fs');": "(Import fs [(ImportName local=fs)] level=0)",
    "import type fs = require('fs');": "",
    "import a = N.b.c;": "(Declare a N.b.c)",
    "export = a;": "(ExportValue = a)",
    "export type { A } from 'x';": "",
    "export type * from 'x';": "",
    "export { type A, b };": "(ExportNames [[b b]])",
    "export interface A {}": "",
    "export type A = string;": "",
    "export declare const a: string;": "",
    "declare module 'x' { export const a: string; }": "",
    "const a = b as unknown as C;": "(Declare a b)",
    "const a = b satisfies C;": "(Declare a b)",
    "const a = <C>b!;": "(Declare a b)",
    "a!.b!();": "(Call a.b)",
    "f<A>(b);": "(Call f [b])",
    "new F<A>;": "(Call F is_new)",
    "(a as any).b = 1;": "(Assign a.b 1 =)",
    "let a: import('x').B[] = c;": "(Declare a c)",
    "let a: typeof import('x');": "(Declare a)",
    "interface A { abstract?: string } f();": "(Call f)",
    "class A<in out T> { accessor x = 1 }": "(ClassDef (Class A fields=[(Field x 1)]))",
    "enum E { A, B = 5, C, D = f(), E }": (
        "(Declare E (Object [(Entry A 0) (Entry B 5) (Entry C 6) (Entry D (Call f)) (Entry E (Opaque))]))"
    ),
    "export const enum E { 'a b' }": ("(Declare E (Object [(Entry a b 0)])) (ExportNames [[E E]])"),
    "namespace N { export const a = f(); }": "(Nested body=[(Declare a (Call f))])",
    "function f(a: string): void; function f(this: X, a?: any) {}": (
        "(FunctionDef (Function f [(Param a)] kind=function))"
    ),
    "export default async (a: A): Promise<void> => {};": (
        "(ExportValue default (Function [(Param a)] is_async captures_this kind=function))"
    ),
    "@D() export class A { @E() m(@F() x) {} @G() y = 1; }": (
        "(ClassDef (Class A methods=[(Function m [(Param x)] kind=method "
        "decorators=[(Call E) (Call F)])] fields=[(Field y 1)] decorators=[(Call D)] "
        "body=[(Call G)])) (ExportNames [[A A]])"
    ),
    "abstract class A extends B<T> implements C { abstract m(): void; declare x: X; "
    "y?: Y; [k: string]: any }": "(ClassDef (Class A bases=[B] fields=[(Field y)]))",
    "class A { constructor(private x: X, readonly y = 1, z) { log(); super(x); f(); } }": (
        "(ClassDef (Class A methods=[(Function constructor "
        "[(Param x) (Param y default=1) (Param z)] body=[(Call log) (Call (Super) [x]) "
        "(Assign (This).x x =) (Assign (This).y y =) (Call f)] kind=constructor)]))"
    ),
}


@pytest.mark.parametrize(("text", "expected"), TYPESCRIPT.items(), ids=list(TYPESCRIPT))
def test_typescript_is_what_remains_without_its_types(text: str, expected: str) -> None:
    assert typescript(text) == expected


def test_the_suffix_chooses_the_language() -> None:
    assert typescript("const a = <T>b;") == "(Declare a b)"
    assert lowered("const a: T = <b c={d()} />;", "a.tsx") == "(Declare a (Opaque [(Call d)]))"
    assert lowered("const a = <b c={d()} />;", "a.jsx") == "(Declare a (Opaque [(Call d)]))"
    languages = [module("", f"a{suffix}").language for suffix in (".mjs", ".cts", ".tsx", "")]
    assert languages == ["javascript", "typescript", "typescript", "javascript"]


def test_javascript_with_type_annotations_is_read() -> None:
    text = "import type { A } from 'a';\nfunction f(a: A): void { g(a); }"
    assert lowered(text) == "(FunctionDef (Function f [(Param a)] body=[(Call g [a])] kind=function))"


# --------------------------------------------------------------------------- places


def place(text: str, kind: type[ir.Node], name: str = "server.js") -> tuple[int, int, str]:
    """The line and column of the first node of ``kind``, and its text."""
    result = module(text, name)
    node = find(result, kind)
    position = result.source.position(node.start)
    return position.line, position.column, result.source.slice(node.start, node.end)


@pytest.mark.parametrize(
    ("before", "line", "column"),
    [
        ("", 1, 1),
        ("\t", 1, 2),
        ("\r\n\r\n", 3, 1),
        ("'😀é'; ", 1, 7),
        ("/* 😀\n😀 */ ", 2, 6),
        ("'\0'; ", 1, 6),
    ],
)
def test_a_place_counts_characters(before: str, line: int, column: int) -> None:
    assert place(f"{before}run('😀');", ir.Call) == (line, column, "run('😀')")


def test_a_byte_order_mark_has_no_width() -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        source = Source.from_bytes(Path("a.js"), "run();".encode(encoding))
        result = lower(source)
        assert source.position(find(result, ir.Call).start).column == 1


def test_code_that_the_grammar_cannot_read_as_it_is_keeps_its_places() -> None:
    text = "let a: import('x').B<C>[];\nclass A { static accessor x = run('y') }"
    assert place(text, ir.Call, "a.ts") == (2, 31, "run('y')")


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("function stop() {}", "stop"),
        ("x = function (a) {};", "function (a)"),
        ("x = async (a, b) => {};", "async (a, b)"),
        ("x = a => {};", "a"),
        ("x = { stop() {} };", "stop"),
        ("class A { async stop() {} }", "stop"),
        ("class A { get 'stop it'() {} }", "'stop it'"),
    ],
)
def test_a_function_can_be_pointed_at(text: str, head: str) -> None:
    result = module(text)
    function = find(result, ir.Function)
    assert isinstance(function, ir.Function)
    assert result.source.slice(function.name_start, function.name_end) == head


def test_a_call_is_pointed_at_by_its_head() -> None:
    result = module("server.connect(\n  transport,\n);")
    call = find(result, ir.Call)
    assert isinstance(call, ir.Call)
    assert result.source.slice(call.start, call.head_end) == "server.connect"


def test_a_declaration_with_one_name_spans_its_whole_statement() -> None:
    assert place("const a = 1;", ir.Declare)[2] == "const a = 1;"
    assert place("const a = 1, b = 2;", ir.Declare)[2] == "a = 1"


# --------------------------------------------------------------------------- broken code


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("const a = ;\nprocess.exit(0);", 1),
        ("f(;\nprocess.exit(0);", 1),
        ("process.exit(0);\nfunction f() {", 2),
        ("process.exit(0);\nif (", 2),
        ("class A { x( }\nprocess.exit(0);", 1),
        ("}\nprocess.exit(0);", 1),
    ],
)
def test_what_is_broken_is_reported_and_the_rest_is_read(text: str, line: int) -> None:
    result = module(text)
    assert result.source.position(result.problems[0].offset).line == line
    calls = [dump(node) for node in ir.walk(*result.body) if isinstance(node, ir.Call)]
    assert "(Call process.exit [0])" in calls


def test_a_file_that_is_no_code_has_few_problems() -> None:
    result = module("<?xml version='1.0'?>\n" + "<TS><context></name>&\n" * 200, "qt.ts")
    assert 1 <= len(result.problems) <= 4
