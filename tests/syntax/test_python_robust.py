"""No text, however broken, large or deep, stops the Python front end."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcplint.files.source import Source
from mcplint.syntax import ir
from mcplint.syntax.python import lower_python

SERVER = '''\
"""A server."""
from __future__ import annotations
import asyncio, signal as sig
from mcp.server.fastmcp import FastMCP
from . import worker

mcp = FastMCP("démo", **{"debug": True})
STATE: dict[str, list[int]] = {f"k{i}": [i] for i in range(3)}

class Poller(worker.Base, metaclass=Meta):
    interval = 5
    @property
    def busy(self): return self._n > 0 and not self.done
    async def run(self, *args, every: float = 1.0, **kw):
        try:
            while (n := await self.next()) is not None:
                self._n += n
        except* (asyncio.CancelledError, OSError) as error:
            raise RuntimeError(f"no {error!r:>{10}}") from error
        else:
            return [x async for x in self if x]
        finally:
            super().close()

@mcp.tool(name="add")
def add(a: int, b: int = 2, /) -> int:
    global STATE
    match a:
        case 0 | 1: STATE = {}
        case Poller(busy=True) as p if p: del p.x, STATE["a"]
        case [first, *rest] | {"k": first, **rest}: pass
    with open("x") as f, lock: yield from f
    return (lambda x=a: x if x else ...)(b)

if __name__ == "__main__":
    sig.signal(sig.SIGTERM, lambda *_: exit(0))
    mcp.run(transport="stdio")
'''.replace("except*", "except* " if sys.version_info >= (3, 11) else "except ")


def lower(text: str) -> ir.Module:
    """Lower, and check what must hold for every module."""
    source = Source(Path("x.py"), text)
    module = lower_python(source)
    size = len(source.utf8)
    for node in ir.walk(*module.body):
        assert 0 <= node.start <= node.end <= size, node
    for problem in module.problems:
        assert 0 <= problem.offset <= size
        assert "\n" not in problem.message
    return module


def depth_of(module: ir.Module) -> int:
    deepest = 0
    stack: list[tuple[ir.Node, int]] = [(node, 1) for node in module.body]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        levels = isinstance(node, (ir.Expr, ir.Stmt))
        stack.extend((child, depth + levels) for child in ir.children(node))
    return deepest


# --------------------------------------------------------------------------- any text


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=200)
def test_any_text(text: str) -> None:
    lower(text)


_WORDS = [
    "def",
    "f",
    "class",
    "A",
    ":",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    "=",
    "==",
    ":=",
    "+",
    "-",
    "*",
    "**",
    "@",
    "not",
    "lambda",
    "if",
    "else",
    "elif",
    "for",
    "in",
    "while",
    "try",
    "except",
    "finally",
    "with",
    "as",
    "import",
    "from",
    "return",
    "yield",
    "await",
    "async",
    "match",
    "case",
    "_",
    "x",
    "'a'",
    "f'{x}'",
    "f'{'",
    "1",
    "True",
    "None",
    "global",
    "nonlocal",
    "del",
    "raise",
    "pass",
    "...",
    "->",
    "\\",
    "#",
    "type",
    "|",
    "&",
    "\n",
    "\r",
    "\t",
    "\x0c",
    "\ufeff",
    "é",
    "\x00",
]


@given(st.lists(st.sampled_from([*_WORDS, "\n ", "\n  ", " "]), max_size=25))
@settings(deadline=None, max_examples=200)
def test_any_tokens(words: list[str]) -> None:
    lower(" ".join(words))


@given(st.integers(0, len(SERVER)), st.integers(0, len(SERVER)), st.sampled_from([*_WORDS, ""]))
@settings(deadline=None, max_examples=150)
def test_mutations_of_a_server(start: int, end: int, insert: str) -> None:
    lower(SERVER[:start] + insert + SERVER[end:])


def test_every_truncation_of_a_server() -> None:
    assert lower(SERVER).problems == ()
    for end in range(0, len(SERVER), 7):
        lower(SERVER[:end])


# --------------------------------------------------------------------------- broken files


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x = (\n", "("),
        ("x = 1\r\né = = 2", "= 2"),
        ("a = 1\nprint 'x'\n", "print"),
        ("x = '😀' $", "$"),
        ("x\0y", "\0"),
        ("if a:\nb", "b"),
        ("x = 08", "0"),
    ],
)
def test_a_syntax_error_has_its_place(text: str, place: str) -> None:
    module = lower(text)
    assert module.body == ()
    (problem,) = module.problems
    assert problem.message.startswith("syntax error: ")
    assert problem.offset == text.encode().index(place.encode())


@pytest.mark.parametrize(
    "text", ["\ud800", "x = '\udfff'", "\ufeffx", "\ufeff\ufeff", "f'{a b}'", "\\", "x\x1a"]
)
def test_odd_characters_are_a_problem_at_most(text: str) -> None:
    assert len(lower(text).problems) <= 1


def test_nothing_is_printed_about_odd_escapes(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lower("x = '\\d'\nif x is 1: 1()\n").problems == ()
    assert capfd.readouterr() == ("", "")


# --------------------------------------------------------------------------- depth and size

N = 10_000
DEEP = {
    "parentheses": "(" * N + ")" * N,
    "lists": "[" * N + "]" * N,
    "dicts": "{1:" * N + "1" + "}" * N,
    "open brackets": "([{" * N,
    "calls": "f(" * N + ")" * N,
    "call chain": "a" + "()" * N,
    "method chain": "a" + ".b()" * N,
    "attributes": "a" + ".b" * N,
    "subscripts": "a" + "[0]" * N,
    "sum": "a" + "+a" * N,
    "power": "a" + "**a" * N,
    "comparison": "a" + "<a" * N,
    "and": "a" + " and a" * N,
    "and or": "a" + " and a or a" * N,
    "negation": "-" * N + "1",
    "not": "not " * N + "1",
    "lambdas": "lambda:" * N + "1",
    "lambda defaults": "lambda x=" * N + "1" + ":1" * N,
    "conditional": "a if b else " * N + "c",
    "walrus": "(a:=" * N + "1" + ")" * N,
    "f-strings": "f'{" * N + "1" + "}'" * N,
    "format specs": "f'" + "{a:" * N + "}" * N + "'",
    "comprehensions": "[a for a in " * N + "x" + "]" * N,
    "comprehension clauses": "[a " + "for a in b if a " * N + "]",
    "targets": "(" * N + "a," + ",)" * N + "=1",
    "assignments": "a=" * N + "1",
    "member assignments": "a.b=" * N + "1",
    "elif": "if a: pass\n" + "elif a: f()\n" * N,
    "decorators": "@a\n" * N + "def f(): pass",
    "handlers": "try: pass\n" + "except A: pass\n" * N,
    "or-pattern": "match x:\n case 1" + "|1" * N + ": pass",
    "patterns": "match x:\n case " + "[" * N + "a" + "]" * N + ": pass",
    "strings": "x = " + "'a' " * N,
    "with items": "with " + ",".join(["a"] * N) + ": pass",
    "indentation": "".join(" " * i + "if a:\n" for i in range(2000)) + " " * 2000 + "pass",
    "unfinished": "a = " + "-" * N,
    "unfinished lists": "a = [" + "(1,2)," * N,
    "digits": "1" * N,
}


@pytest.mark.parametrize("kind", DEEP)
def test_ten_thousand_levels(kind: str) -> None:
    module = lower(DEEP[kind])
    assert module.body or module.problems
    assert len(module.problems) <= 1
    assert depth_of(module) <= ir.MAX_DEPTH + 3


WRAPPERS = {
    "call": ("f(", ")"),
    "list": ("[", "]"),
    "pair": ("a and b and (c < d < ", ")"),
    "lambda": ("lambda: (", ")"),
    "negation": ("-(", ")"),
    "await": ("[a async for b in ", "]"),
    "sum": ("a + b * (", ")"),
    "template": ("{'k': ", "}"),
    "keyword": ("f(k=", ")"),
    "spread": ("{**", "}"),
    "computed key": ("{f(): ", "}"),
    "conditional": ("(a if b else ", ")"),
    "walrus": ("(x := ", ")"),
}


def nested(kind: str, levels: int) -> str:
    head, tail = WRAPPERS[kind]
    return head * levels + "g()" + tail * levels


@pytest.mark.parametrize("kind", WRAPPERS)
def test_the_ir_is_never_deeper_than_its_limit(kind: str) -> None:
    """Whoever walks the IR may recurse."""
    shallow = lower(nested(kind, 20))
    assert shallow.problems == ()
    module = lower("if a:\n  try:\n    " + nested(kind, 190) + "\n  finally: pass\nh()")
    assert depth_of(module) <= ir.MAX_DEPTH + 3
    last = module.body[-1]
    assert isinstance(last, ir.ExprStmt)
    assert isinstance(last.value, ir.Call)


def test_what_is_too_deep_is_said_once_and_the_rest_is_kept() -> None:
    deep = "a" + ".b()" * 150
    module = lower(f"{deep}\n{deep}\nf()\n")
    assert [problem.message for problem in module.problems] == ["nested too deeply"]
    assert len(module.body) == 3


def test_a_deep_file_in_a_deep_stack() -> None:
    text = "f(" * 190 + ")" * 190
    room = 700

    def recurse(levels: int) -> ir.Module:
        return lower(text) if levels == 0 else recurse(levels - 1)

    results: list[ir.Module] = []
    thread = threading.Thread(target=lambda: results.append(recurse(room)))
    thread.start()
    thread.join()
    (module,) = results
    assert module.body or module.problems


def test_chains_of_a_hundred_thousand_do_not_crash_the_interpreter() -> None:
    """A stack overflow would take the test run with it, so it gets its own process."""
    code = (
        "from pathlib import Path\n"
        "from mcplint.files.source import Source\n"
        "from mcplint.syntax.python import lower_python\n"
        "for text in ('a' + '.b()' * 100000, 'a' + '+a' * 300000, 'a' + '()' * 300000, 'a' + '[0]' * 300000,\n"
        "             'a' + '.b' * 300000, '-' * 300000, 'a if b else ' * 100000 + 'c'):\n"
        "    module = lower_python(Source(Path('x.py'), text))\n"
        "    assert module.body or module.problems\n"
        "print('alive')\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("alive\n", 0), done.stderr


def test_two_megabytes() -> None:
    text = "".join(f"def f{i}(a, b=1):\n    return g{i}(a.b, [b, 'é'], k=1)\n" for i in range(36_000))
    assert len(text) > 2_000_000
    module = lower_python(Source(Path("x.py"), text))
    assert len(module.body) == 36_000
    assert module.problems == ()


def test_one_long_line() -> None:
    text = "x = [" + "f('é')," * 100_000 + "]"
    assert lower_python(Source(Path("x.py"), text)).problems == ()
