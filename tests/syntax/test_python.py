"""What Python source means in the IR."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mcplint.files.source import Source
from mcplint.syntax import ir
from mcplint.syntax.python import lower_python
from tests.syntax.dump import dump


def lower(text: str) -> ir.Module:
    module = lower_python(Source(Path("x.py"), text))
    assert module.problems == ()
    return module


def shown(text: str) -> str:
    return " ".join(dump(node) for node in lower(text).body)


def value(text: str) -> str:
    return shown(f"_({text})").removeprefix("(Call _ [").removesuffix("])")


def texts(text: str, kind: type[ir.Node]) -> list[str]:
    """The source text of every node of a kind."""
    module = lower(text)
    return [module.source.slice(n.start, n.end) for n in ir.walk(*module.body) if type(n) is kind]


def function(text: str, name: str) -> ir.Function:
    nodes = ir.walk(*lower(text).body)
    return next(n for n in nodes if isinstance(n, ir.Function) and n.name == name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b.c", "a.b.c"),
        ("a['b']", "a.b"),
        ("a[0]", "(Index a 0)"),
        ("a[b]", "(Index a b)"),
        ("a[b():2]", "(Index a (Opaque [(Call b) 2]))"),
        ("f(a, *b, c=1, **d)", "(Call f [a (Spread b)] keywords=[(Keyword c 1) (Keyword d)])"),
        ("None", "None"),
        ("-1", "-1"),
        ("1.5", "1.5"),
        ("'a' 'b'", "'ab'"),
        ("True", "True"),
        ("b'x'", "'x'"),
        ("...", "(Opaque)"),
        ("2j", "(Opaque)"),
        ("[a, *b]", "(Array [a (Spread b)])"),
        ("(a, b)", "(Array [a b])"),
        ("{a, b}", "(Array [a b])"),
        ("{'a': 1, 2: b, **c}", "(Object [(Entry a 1) (Entry b) (Entry (Spread c))])"),
        ("{f(): g()}", "(Object [(Entry (Group [(Call f) (Call g)]))])"),
        ("f'a{b}c'", "(Template ['a' b 'c'])"),
        ("f'{b()!r:>{w}}'", "(Template [(Opaque [(Call b) (Template ['>' w])])])"),
        ("a + b * c", "(Binary + a (Binary * b c))"),
        ("a - b - c", "(Binary - (Binary - a b) c)"),
        ("a % (b,)", "(Binary % a (Array [b]))"),
        ("a is None", "(Binary == a None)"),
        ("a is not None", "(Binary != a None)"),
        ("a not in b", "(Binary not in a b)"),
        ("a < b <= c", "(Logical and (Binary < a b) (Binary <= b c))"),
        ("a < f() < c", "(Logical and (Binary < a (Call f)) (Binary < (Opaque) c))"),
        ("a and b or c", "(Logical or (Logical and a b) c)"),
        ("a and b and c", "(Logical and (Logical and a b) c)"),
        ("not a", "(Unary not a)"),
        ("a if b else c", "(Conditional b then=a otherwise=c)"),
        ("(a := b())", "(Assign a (Call b) =)"),
        ("super()", "(Super)"),
        ("super(A, b).c()", "(Call (Super).c)"),
        ("super(a)", "(Call super [a])"),
        ("__import__('a')", "(ImportExpr a lazy)"),
        ("importlib.import_module('a.b').c", "(ImportExpr a.b lazy).c"),
        ("import_module(x)", "(Call import_module [x])"),
        ("[f(x, y) for x in a() if b(x)]", "(Opaque [(Call a) (Call b [(Opaque)]) (Call f [(Opaque) y])])"),
        ("{k: v(k) for k, _ in z}", "(Opaque [z (Opaque) (Call v [(Opaque)])])"),
        ("(x async for x in a)", "(Opaque [(Await a) (Opaque)])"),
    ],
)
def test_expression(text: str, expected: str) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", "(Declare a 1)"),
        ("a: int = 1", "(Declare a 1)"),
        ("a: f()", "(Declare a)"),
        ("a.b: int", ""),
        ("a.b = 1", "(Assign a.b 1 =)"),
        ("a[0] = 1", "(Assign (Index a 0) 1 =)"),
        ("a, (b, *c) = d", "(Declare (Array [a (Array [b (Spread c)])]) d)"),
        ("a, b.c = d", "(Assign (Array [a b.c]) d =)"),
        ("a += f()", "(Assign a (Call f) +=)"),
        ("a = b = f()", "(Declare a (Call f)) (Declare b a)"),
        ("a.b = c = f()", "(Declare c (Call f)) (Assign a.b c =)"),
        ("a.b = a.c = f()", "(Assign a.b (Call f) =) (Assign a.c a.b =)"),
        ("del a, b.c", "(Unary delete a) (Unary delete b.c)"),
        ("assert a(), b()", "(Opaque [(Call a) (Call b)])"),
        ("raise A() from b", "(Throw (Call A))"),
        ("raise A from b()", "(Call b) (Throw A)"),
        ("raise", "(Throw)"),
        ("pass\n'text'\n...", ""),
        ("type: int", "(Declare type)"),
        ("if a: b()\nelif c: d()\nelse: e()",
         "(If a then=[(Call b)] otherwise=[(If c then=[(Call d)] otherwise=[(Call e)])])"),
        ("for a, b in c: d()\nelse: e()",
         "(Loop kind=each body=[(Call d)] (Array [a b]) iterable=c otherwise=[(Call e)])"),
        ("while a: break\nelse: e()", "(Loop kind=while body=[(Break)] a otherwise=[(Call e)])"),
        ("while True: continue", "(Loop kind=while body=[(Continue)] True)"),
        ("with a() as b, c: d()", "(With [(WithItem (Call a) b) (WithItem c)] body=[(Call d)])"),
        ("with a as (b, c): d()", "(With [(WithItem a (Array [b c]))] body=[(Call d)])"),
        ("try: a()\nexcept B as c: d()\nexcept (E, F.g): pass\nexcept: h()\nelse: i()\nfinally: j()",
         "(Try body=[(Call a)] catches=[(Catch types=[B] c body=[(Call d)]) (Catch types=[E F.g]) "
         "(Catch body=[(Call h)])] otherwise=[(Call i)] final=[(Call j)])"),
        ("try: a()\nexcept (): pass", "(Try body=[(Call a)] catches=[(Catch types=[(Array)])])"),
    ],
)  # fmt: skip
def test_statement(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a", "(Import a [(ImportName local=a)])"),
        ("import a.b", "(Import a.b) (Import a [(ImportName local=a)])"),
        ("import a.b as c, d", "(Import a.b [(ImportName local=c)]) (Import d [(ImportName local=d)])"),
        ("from a.b import c, d as e",
         "(Import a.b [(ImportName imported=c local=c) (ImportName imported=d local=e)])"),
        ("from . import x", "(Import  [(ImportName imported=x local=x)] level=1)"),
        ("from ..a import x", "(Import a [(ImportName imported=x local=x)] level=2)"),
        ("from x import *", "(Import x [(ImportName imported=* local=*)])"),
        ("if TYPE_CHECKING:\n import a\nelse:\n b()", "(Call b)"),
        ("if typing.TYPE_CHECKING:\n import a\nelif c: b()", "(If c then=[(Call b)])"),
        ("if not TYPE_CHECKING:\n b()\nelse:\n import a", "(Call b)"),
    ],
)  # fmt: skip
def test_import(text: str, expected: str) -> None:
    assert shown(text).replace(" level=0", "") == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("1", "(Case 1)"),
        ("None", "(Case None)"),
        ("A.b", "(Case A.b)"),
        ("'a' | 'b' | None", "(Case (Array ['a' 'b' None]))"),
        ("_", "(Case)"),
        ("x", "(Case body=[(Declare x (Opaque))])"),
        ("1 | _", "(Case)"),
        ("1 as x", "(Case 1 body=[(Declare x (Opaque))])"),
        ("_ if f()", "(Case (Opaque [(Call f)]))"),
        ("1 if f()", "(Case (Opaque [1 (Call f)]))"),
        ("A(1, b=c)", "(Case (Opaque [A 1]) body=[(Declare c (Opaque))])"),
        ("[1, *rest]", "(Case (Opaque [1]) body=[(Declare rest (Opaque))])"),
        ("{'k': v, **rest}", None),
    ],
)
def test_match(pattern: str, expected: str | None) -> None:
    text = shown(f"match s:\n case {pattern}: pass")
    assert text.startswith("(Switch s cases=[(Case")
    assert "falls_through" not in text
    if expected is not None:
        assert text == f"(Switch s cases=[{expected}])"
    else:
        assert "(Declare v (Opaque))" in text
        assert "(Declare rest (Opaque))" in text


def test_match_none_is_told_from_the_default() -> None:
    switch = lower("match s:\n case None: pass\n case _: pass").body[0]
    assert isinstance(switch, ir.Switch)
    assert [type(case.test) for case in switch.cases] == [ir.Literal, type(None)]


# --------------------------------------------------------------------------- functions


def test_parameters() -> None:
    params = function("def f(a, /, b=g(), *c, d, e=1, **h): pass", "f").params
    assert [(dump(p.target), p.default and dump(p.default), p.rest, p.keyword_only) for p in params] == [
        ("a", None, False, False),
        ("b", "(Call g)", False, False),
        ("c", None, True, False),
        ("d", None, False, True),
        ("e", "1", False, True),
        ("h", None, True, True),
    ]


def test_annotations_are_not_evaluated() -> None:
    assert "Call" not in shown("def f(a: g() = 1, *b: h()) -> i(): x: j() = 1")


def test_kinds_of_functions() -> None:
    assert function("async def f(): await g()", "f").is_async
    assert function("def f():\n x = yield", "f").is_generator
    assert not function("def f():\n def g(): yield", "f").is_generator
    assert not function("def f(): return lambda: (yield)", "f").is_generator
    assert function("def f(): pass", "f").captures_this


@pytest.mark.parametrize(
    "text", ["def serve(): pass", "async  def \\\n serve(): pass", "def\tserve[T](x): pass"]
)
def test_the_name_of_a_function_has_a_place(text: str) -> None:
    if "[" in text and sys.version_info < (3, 12):
        pytest.skip("syntax of Python 3.12")
    module = lower("@a(def_)\n" + text)
    found = next(n for n in ir.walk(*module.body) if isinstance(n, ir.Function))
    assert module.source.slice(found.name_start, found.name_end) == "serve"
    assert module.source.slice(found.start, found.end) == text


def test_a_lambda_points_at_its_head() -> None:
    module = lower("x = lambda a, b=1: a")
    found = next(n for n in ir.walk(*module.body) if isinstance(n, ir.Function))
    assert module.source.slice(found.name_start, found.name_end) == "lambda a, b=1"
    assert dump(found) == (
        "(Function [(Param a) (Param b default=1)] body=[(Return a)] captures_this kind=function)"
    )


def test_decorators_keep_their_order() -> None:
    decorators = function("@a\n@b.c('x')\ndef f(): pass", "f").decorators
    assert [dump(d) for d in decorators] == ["a", "(Call b.c ['x'])"]


def test_overload_stubs_are_no_functions() -> None:
    assert shown("@overload\ndef f(): ...\n@typing.overload\ndef f(): ...") == ""


def test_global_and_nonlocal_names_are_assigned_not_declared() -> None:
    text = shown("def f():\n global a\n a = 1\n b = 2\n def g():\n  nonlocal b\n  b, c = 3\n  a = 4")
    assert "(Assign a 1 =)" in text
    assert "(Declare b 2)" in text
    assert "(Assign (Array [b c]) 3 =)" in text
    assert "(Declare a 4)" in text


# --------------------------------------------------------------------------- classes

CLASS = """
class A(B, metaclass=meta()):
    x = 1
    y: int
    z: int = f()
    def __init__(self, a=b): self.a = a
    async def m(self): await self.n(self)
    @staticmethod
    def s(self): return self
    @classmethod
    def c(cls): return cls()
    @property
    def p(self): return self.a
    @functools.cached_property
    def q(self): return 1
    @p.setter
    def p(self, v): self.a = v
    def __new__(klass): return klass
    if x:
        def late(self): return self
        w = 1
    print(x)
"""


def test_class() -> None:
    module = lower(CLASS)
    definition = module.body[0]
    assert isinstance(definition, ir.ClassDef)
    cls = definition.cls
    assert cls.name == "A"
    assert [dump(base) for base in cls.bases] == ["B"]
    assert [(f.name, f.value and dump(f.value), f.is_static) for f in cls.fields] == [
        ("x", "1", True),
        ("y", None, True),
        ("z", "(Call f)", True),
        ("w", "1", True),
    ]
    assert [(m.name, m.kind, m.is_static) for m in cls.methods] == [
        ("__init__", "constructor", False),
        ("m", "method", False),
        ("s", "method", True),
        ("c", "method", True),
        ("p", "getter", False),
        ("q", "getter", False),
        ("p", "setter", False),
        ("__new__", "method", True),
        ("late", "method", False),
    ]
    bodies = {m.name: " ".join(dump(s) for s in m.body) for m in cls.methods}
    assert bodies["__init__"] == "(Assign (This).a a =)"
    assert bodies["m"] == "(Await (Call (This).n [(This)]))"
    assert bodies["s"] == "(Return self)"
    assert bodies["c"] == "(Return (Call (This)))"
    assert bodies["__new__"] == bodies["late"] == "(Return (This))"
    assert [len(m.params) for m in cls.methods] == [1, 0, 1, 0, 0, 0, 1, 0, 0]
    assert not any(m.captures_this for m in cls.methods)
    assert [dump(s) for s in cls.body] == ["(Call meta)", "(If x)", "(Call print [x])"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return lambda: self.x", "(This).x"),
        ("return lambda self: self.x", "self.x"),
        ("return lambda x=self: x", "default=(This)"),
        ("def g(): return self", "(Return (This))"),
        ("def g(self): return self", "(Return self)"),
        ("def g(*, self): return self", "(Return self)"),
        ("def g():\n   self = h()\n   return self", "(Return self)"),
        ("return [self for x in y]", "(Return (Opaque [y (This)]))"),
        ("return [self for self in y]", "(Return (Opaque [y (Opaque)]))"),
        ("return [lambda x: x for x in y]", "[y (Function [(Param x)] body=[(Return x)]"),
        ("for self in y: g(self)", "(Call g [self])"),
        ("with y as self: g(self)", "(Call g [self])"),
        ("try: y()\n  except E as self: g(self)", "(Call g [self])"),
        ("from y import self\n  g(self)", "(Call g [self])"),
        ("class B:\n   def n(this): return self, this", "(Return (Array [self (This)]))"),
        ("self = self.x\n  g(self)", "(Declare self (This).x) (Call g [self])"),
        ("self.x = self.y = 1", "(Assign (This).x 1 =) (Assign (This).y (This).x =)"),
        ("super().m()", "(Call (Super).m)"),
        ("self.x += 1", "(Assign (This).x 1 +=)"),
    ],
)
def test_the_receiver(body: str, expected: str) -> None:
    assert expected in shown(f"class A:\n def m(self):\n  {body}")


def test_a_function_outside_a_class_has_no_receiver() -> None:
    assert "(Return self)" in shown("def f(self): return self")
    assert "(This)" not in shown("class A:\n f = lambda self: self")


# --------------------------------------------------------------------------- long chains


def test_long_chains_lose_no_call() -> None:
    for operator in ("+", "and", "or", "<", "%"):
        text = f" {operator} ".join(f"f{i}()" for i in range(900))
        assert len(texts(text, ir.Call)) == 900


def test_a_long_elif_chain_becomes_a_switch_on_true() -> None:
    text = "if a0: f0()\n" + "".join(f"elif a{i}: f{i}()\n" for i in range(1, 300)) + "else: g()"
    (switch,) = lower(text).body
    assert isinstance(switch, ir.Switch)
    assert dump(switch.subject) == "True"
    assert not switch.falls_through
    assert len(switch.cases) == 301
    assert dump(switch.cases[7]) == "(Case a7 body=[(Call f7)])"
    assert dump(switch.cases[-1]) == "(Case body=[(Call g)])"


def test_an_elif_chain_of_a_usual_length_stays_ifs() -> None:
    text = "if a: f()\n" + "elif b: f()\n" * 60
    assert len(texts(text, ir.If)) == 61


# --------------------------------------------------------------------------- places


@pytest.mark.parametrize("text", ["if é:\r\n\tsys.exit(\r   '😀', y)\n\x0cz = f( a . b )\n"])
def test_nodes_are_where_the_source_says(text: str) -> None:
    assert texts(text, ir.Call) == ["sys.exit(\r   '😀', y)", "f( a . b )"]
    assert texts(text, ir.Member) == ["sys.exit", "a . b"]
    assert texts(text, ir.Declare) == ["z = f( a . b )"]
    assert texts(text, ir.Name) == ["é", "sys", "y", "z", "f", "a"]


def test_a_call_points_at_its_head() -> None:
    module = lower("a.b(\n1)(c)")
    heads = [
        module.source.slice(n.start, n.head_end) for n in ir.walk(*module.body) if isinstance(n, ir.Call)
    ]
    assert heads == ["a.b(\n1)", "a.b"]


def test_names_that_the_tree_does_not_place() -> None:
    text = "try: a\nexcept as_ as \\\n b: c\nmatch d:\n case [1 as e, *f] | g(): h"
    assert texts(text, ir.Name)[:3] == ["a", "as_", "b"]
    assert {"e", "f"} <= set(texts(text, ir.Name))
    assert texts("def f(aé: int = 1, *b, c : str): pass", ir.Name) == ["aé", "b", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "f'é{a.b}'",
        "x = (f'\\n{a.b}'\n  f'{a.b!r}')",
        "x = f'''\n\n  {a.b}\n{ a.b }'''",
        "x = 'é' f'{a.b:>{a.b}}'",
    ],
)
def test_values_of_f_strings_have_a_place_inside_the_file(text: str) -> None:
    module = lower(text)
    members = [n for n in ir.walk(*module.body) if isinstance(n, ir.Member)]
    assert members
    for member in members:
        place = module.source.slice(member.start, member.end)
        assert place == "a.b" or (place.endswith("'") and place in text)
        if sys.version_info >= (3, 12):
            assert place == "a.b"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="syntax of Python 3.11")
def test_except_star() -> None:
    assert (
        shown("try: a()\nexcept* B: c()")
        == "(Try body=[(Call a)] catches=[(Catch types=[B] body=[(Call c)])])"
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_are_dropped() -> None:
    assert shown("type X[T: f()] = g()") == ""
    assert shown("class A[T: f()]: pass") == "(ClassDef (Class A))"
