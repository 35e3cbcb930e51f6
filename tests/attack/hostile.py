"""Programs that serve over stdio and hold something that nobody would write."""

from __future__ import annotations

from collections.abc import Iterator

DEEP = 10_000
WIDE = 5_000

_JS_HEAD = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
"""
_JS_TAIL = """
const server = new McpServer({ name: "x", version: "1" });
setInterval(() => {}, 1000);
process.on("SIGTERM", () => { go(); });
await server.connect(new StdioServerTransport());
"""
_PY_HEAD = """\
import os, signal, threading
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("x")
"""
_PY_TAIL = """
def stop(*_):
    go()
signal.signal(signal.SIGTERM, stop)
threading.Thread(target=go).start()
if __name__ == "__main__":
    mcp.run()
"""


def javascript(middle: str) -> str:
    """A server on whose shutdown path ``go`` lies, which ``middle`` defines."""
    return _JS_HEAD + middle + _JS_TAIL


def python(middle: str) -> str:
    """The same in Python."""
    return _PY_HEAD + middle + _PY_TAIL


def _js(body: str) -> str:
    return f"function go() {{\n{body}\n}}"


def _py(body: str) -> str:
    return f"def go():\n    {body}\n"


def _each(template: str, count: int, first: int = 0) -> str:
    """``template`` once for each number, with the number for I and the next and previous ones."""
    numbers = range(first, first + count)
    return "".join(
        template.replace("NEXT", str(i + 1)).replace("PREV", str(i - 1)).replace("I", str(i)) for i in numbers
    )


def javascript_programs() -> Iterator[tuple[str, str]]:
    """Name and source."""
    n = DEEP
    nested = {
        "parentheses": "(" * n + "a" + ")" * n,
        "arrays": "return " + "[" * n + "]" * n,
        "objects": "return " + "{a:" * n + "1" + "}" * n,
        "blocks": "{" * n + "}" * n,
        "ifs": "if (a) {" * n + "}" * n,
        "loops": "while (a) {" * n + "}" * n,
        "tries": "try {" * n + "} finally {}" * n,
        "functions": "function f() {" * n + "}" * n,
        "arrows": "return " + "() => " * n + "1",
        "calls": "f(" * n + ")" * n,
        "not": "return " + "!" * n + "a",
        "templates": "return " + "`${" * n + "1" + "}`" * n,
        "classes": "return " + "class { x = " * n + "1" + "}" * n,
        "unclosed": "(" * n,
        "promises": "return " + "new Promise((r) => " * n + "r()" + ")" * n,
        "types": "let x: " + "A<" * n + "b" + ">" * n,
        "patterns": "const " + "{a: " * n + "b" + "}" * n + " = x",
    }
    chained = {
        "members": "return a" + ".b" * n,
        "methods": "return a" + ".b()" * n,
        "curried": "return a" + "()" * n,
        "indexes": "return a" + "[i]" * n,
        "then": "return p" + ".then(() => process.exit(0))" * n,
        "else if": "if (a) b(); " + "else if (a) b(); " * n + "else process.exit(0);",
        "ternaries": "return " + "a ? b : " * n + "c",
        "sum": "return a" + " + a" * n,
        "and": "return a" + " && a" * n,
        "comma": "a" + ", a" * n,
        "assignments": "a = " * n + "1",
        "statements": "a();\n" * n,
        "cases": "switch (a) {" + _each("case I: b();\n", n) + "}",
        "hostile regular expression": "return /(a+)+$/.test('" + "a" * 100_000 + "')",
    }
    for name, body in (nested | chained).items():
        yield name, _js(body)
    yield "bind", "function g() { process.exit(0); }\nconst go = g" + ".bind(null)" * n
    yield (
        "aliases",
        "const a0 = () => process.exit(0);\n" + _each("const aI = aPREV;\n", n, 1) + f"const go = a{n};",
    )
    yield "aliases of what comes later", _each("let aI = aNEXT;\n", n) + "let go = a0;"
    yield "callees", _each("function fI() { fNEXT(); }\n", n) + _js("f0();")
    yield "awaited callees", _each("async function fI() { await fNEXT(); }\n", n) + _js("f0();")
    yield (
        "passed callback",
        _each("function fI(cb) { fNEXT(cb); }\n", n)
        + f"function f{n}(cb) {{ cb(); }}\n"
        + _js("f0(() => process.exit(0));"),
    )
    yield "mutual recursion", _mutual("function {} {{ if (a) {}; else {}; }}\n") + _js("f0();")
    yield "many callers", "function go(x) { if (x) process.exit(0); }\n" + "go(1);\n" * WIDE
    yield "many callbacks", "function go(x) { x(); }\n" + _each("go(() => { yI(); });\n", WIDE)
    yield (
        "ancestors",
        ("class C0 { m() {} }\n" + _each("class CI extends CPREV {}\n", n, 1) + _js(f"new C{n}().m();")),
    )
    yield "its own ancestor", "class A extends B {}\nclass B extends A {}\n" + _js("new A().m();")
    yield (
        "spread objects",
        "const o0 = { f() {} };\n" + _each("const oI = { ...oPREV };\n", n, 1) + _js(f"o{n}.f();"),
    )
    yield "an object in itself", "let o = { f() {} };\n" + "o = { p: o };\n" * 2000 + _js("o.p.p.p.f();")
    yield "a function of itself", "let f = (x) => x;\n" + "f = f(f);\n" * 1000 + _js("f(f)(f)(f);")
    yield (
        "doubling text",
        "const b0 = 'xx';\n"
        + _each("const bI = `${bPREV}${bPREV}` + bPREV;\n", 200, 1)
        + "process.on(b200, go);\n"
        + _js(""),
    )


def python_programs() -> Iterator[tuple[str, str]]:
    """Name and source."""
    n = DEEP
    bodies = {
        "parentheses": "(" * n + "a" + ")" * n,
        "not": "return " + "not " * n + "a",
        "lambdas": "return " + "lambda: " * n + "1",
        "members": "return a" + ".b" * n,
        "methods": "return a" + ".b()" * n,
        "curried": "return a" + "()" * n,
        "indexes": "return a" + "[i]" * n,
        "ternaries": "return " + "a if b else " * n + "c",
        "sum": "return a" + " + a" * n,
        "and": "return a" + " and a" * n,
        "comparison": "return a" + " < a" * n,
        "assignments": "a = " * n + "1",
        "statements": "a()" + "\n    a()" * n,
        "elif": "if a: b()" + "\n    elif a: b()" * n,
        "with": "with " + ", ".join(["a()"] * n) + ": pass",
        "match": "match x:\n" + _each("        case I: b()\n", n),
    }
    for name, body in bodies.items():
        yield name, _py(body)
    yield (
        "blocks",
        "def go():\n" + "".join(f"{' ' * (i + 1)}if a:\n" for i in range(95)) + " " * 96 + "pass\n",
    )
    yield "decorators", "@d\n" * n + _py("pass")
    yield "aliases", "a0 = lambda: os._exit(0)\n" + _each("aI = aPREV\n", n, 1) + f"go = a{n}\n"
    yield "callees", _each("def fI(): fNEXT()\n", n) + _py("f0()")
    yield "mutual recursion", _mutual("def {}:\n    if a: {}\n    else: {}\n") + _py("f0()")
    yield "many callers", "def go(x=0): os._exit(0)\n" + "go(1)\n" * WIDE
    yield (
        "ancestors",
        ("class C0:\n    def m(self): pass\n" + _each("class CI(CPREV): pass\n", n, 1) + _py(f"C{n}().m()")),
    )
    yield "its own ancestor", "class A(A):\n    def __init__(self): self.x = A()\n" + _py("A().x.x.x()")
    yield "an object in itself", "x = 1\n" + "x = [x]\n" * 3000 + _py("x[0][0]()")
    yield "doubling text", "b0 = 'xx'\n" + _each("bI = bPREV + bPREV\n", 200, 1) + _py("getattr(x, b200)()")


def _mutual(template: str) -> str:
    def name(number: int) -> str:
        return f"f{number % WIDE}()"

    return "".join(template.format(name(i), name(i * 7 + 1), name(i * 13 + 5)) for i in range(WIDE))
