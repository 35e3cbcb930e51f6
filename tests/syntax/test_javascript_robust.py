"""Whatever the text is, the JavaScript front end gives a module, and its places are real."""

from __future__ import annotations

import inspect
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcplint.files.source import Source
from mcplint.syntax import ir, lower

SERVER = """\
#!/usr/bin/env node
import { Server } from "@scope/sdk/server/index.js";
import type { Request } from "./types";
const fs = require("fs"), { a = 1, ...rest } = options;
export class Pool extends Base<Pool> {
  #timer = setInterval(() => this.poll?.(), 1_000);
  static async *items() { for await (const x of this.all()) yield x ** 2; }
  constructor(private readonly url: string, opts = {}) { super(); }
  get size(): number { return this.list[0]!.length as number; }
}
process.on('SIGTERM', async () => {
  try { await server.close(); } catch (error) { console.error(`failed: ${error}`); }
  finally { process.exit(0); }
});
label: for (let i = 0; i < 10; i++) { if (i % 2) continue label; else if (!x) break; }
switch (mode) { case "stdio": start(); break; default: throw new Error("mode"); }
module.exports = exports = { start, ["stop"]: async function stop() {}, ...rest };
const view = <div title={title()} {...rest}>{items.map((x) => <p key={x}>é😀</p>)}</div>;
do { y = a ? b : c ?? d, z ||= /[/]x/g.test(s); } while (void 0);
export default (0, lib.run)(new Pool, a => ({ a }), function* () {}), tag`x`;
"""
SUFFIXES = (".js", ".ts", ".tsx")
DEPTH = 10_000


def lowered(text: str, suffix: str = ".js") -> ir.Module:
    return lower(Source(Path("server" + suffix), text))


def check(module: ir.Module) -> None:
    """Every place lies in the file, and problems are few and in order."""
    size = len(module.source.utf8)
    for node in ir.walk(*module.body):
        assert 0 <= node.start <= node.end <= size
    offsets = [problem.offset for problem in module.problems]
    assert offsets == sorted(offsets)
    assert len(offsets) <= 4
    assert all(0 <= offset <= size for offset in offsets)


@settings(max_examples=150, deadline=None)
@given(st.text(), st.sampled_from(SUFFIXES))
def test_any_text(text: str, suffix: str) -> None:
    check(lowered(text, suffix))


PUNCTUATION = r"""{ } ( ) [ ] ` ${ < > </ /> => ?. ... ; , : = ! @ # . ' " // /* */ \ """
TOKENS = sorted({*SERVER.split(), *PUNCTUATION.split(), "\0", "\ud800", "\u2028", "\r"})


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=60), st.sampled_from(SUFFIXES))
def test_any_mix_of_tokens(tokens: list[str], suffix: str) -> None:
    check(lowered(" ".join(tokens), suffix))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(SERVER)), st.integers(0, 40), st.text(max_size=5))
def test_a_server_that_is_being_edited(at: int, removed: int, added: str) -> None:
    text = SERVER[:at] + added + SERVER[at + removed :]
    for suffix in SUFFIXES:
        check(lowered(text, suffix))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_server_that_is_being_typed(suffix: str) -> None:
    for end in range(0, len(SERVER), 7):
        check(lowered(SERVER[:end], suffix))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_a_shuffled_server(seed: int) -> None:
    lines = SERVER.splitlines()
    random.Random(seed).shuffle(lines)
    check(lowered("\n".join(lines), ".tsx"))


NESTS = {
    "round": ("(", "a", ")"),
    "square": ("[", "", "]"),
    "curly": ("{", "", "}"),
    "call": ("a(", "", ")"),
    "chained call": ("a.b(", "", ").c()"),
    "not": ("!", "a", ""),
    "await": ("await ", "a", ""),
    "yield": ("yield ", "a", ""),
    "new": ("new ", "a", "()"),
    "if": ("if (a) ", "b()", ""),
    "else": ("if (a) b(); else ", "c()", ""),
    "function": ("function f() {", "", "}"),
    "callback": ("f(function () {", "", "})"),
    "default": ("function f(a = function () {", "", "}) {}"),
    "arrow": ("() => ", "a", ""),
    "arrow body": ("() => {", "a", "}"),
    "arrow default": ("(a = ", "1", ") => b"),
    "class": ("class A { a() {", "", "} }"),
    "class value": ("x = class { a = ", "1", "}"),
    "static": ("class A { static {", "", "} }"),
    "extends": ("class A extends ", "B", "{}"),
    "object": ("x = { a: ", "1", "}"),
    "object method": ("x = { a() {", "", "} }"),
    "pattern": ("({ a: ", "a", "} = b)"),
    "spread": ("[...", "a", "]"),
    "template": ("`${", "a", "}`"),
    "conditional": ("a ? ", "b", " : c"),
    "alternative": ("a ? b : ", "c", ""),
    "power": ("a ** ", "b", ""),
    "assignment": ("a = ", "b", ""),
    "label": ("a: ", "b", ""),
    "switch": ("switch (a) { case 1: ", "", "}"),
    "try": ("try {", "", "} catch {}"),
    "catch": ("try {} catch {", "", "}"),
    "while": ("while (1) ", "a", ""),
    "do": ("do ", "a", " while (1)"),
    "for": ("for (;;) {", "", "}"),
    "import": ("import(", "a", ")"),
    "interop": ("__toESM(", "a", ")"),
    "element": ("<a>", "", "</a>"),
    "attribute": ("<a b={", "1", "}/>"),
    "decorator": ("@a(", "", ") class A {}"),
    "as": ("", "a", " as b"),
    "type": ("let a: A<", "B", ">"),
    "namespace": ("namespace A {", "", "}"),
    "index": ("", "a", "[b]"),
    "member": ("", "a", ".b"),
    "calls": ("", "a", "()"),
    "tagged": ("", "a", "`b`"),
}


@contextmanager
def few_frames() -> Iterator[None]:
    """Leave room for 650 frames: what a caller deep in other code can count on."""
    limit, depth = sys.getrecursionlimit(), len(inspect.stack(0))
    sys.setrecursionlimit(depth + 650)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize("name", NESTS)
def test_hostile_nesting(name: str, closed: bool) -> None:
    before, middle, after = NESTS[name]
    text = before * DEPTH + middle + after * DEPTH * closed
    for suffix in (".js", ".ts"):
        started = time.perf_counter()
        with few_frames():
            module = lowered(text, suffix)
        assert time.perf_counter() - started < 20
        check(module)


def test_nesting_that_is_cut_off_is_reported_once_and_what_follows_is_read() -> None:
    module = lowered("(" * DEPTH + "a" + ")" * DEPTH + ";\n" + "[" * DEPTH + "]" * DEPTH + "; f();")
    assert [problem.message for problem in module.problems] == ["nested too deeply"]
    assert any(isinstance(node, ir.Call) for node in ir.walk(*module.body))


def test_real_nesting_is_not_cut_off() -> None:
    text = "on(() => { if (x) { " * 20 + "f();" + "} });" * 20
    module = lowered(text)
    assert module.problems == ()
    assert sum(isinstance(node, ir.Call) for node in ir.walk(*module.body)) == 21


def test_a_large_file_is_read_to_its_end() -> None:
    line = "server.tool('name', async ({ a }) => { await run(a, { timeout: 1000 }); });\n"
    count = 2_000_000 // len(line)
    module = lowered(line * count)
    assert module.problems == ()
    assert len(module.body) == count
    last = module.body[-1]
    assert module.source.position(last.start).line == count


@pytest.mark.parametrize("word", ["abstract", "import", "typeof import", "export type", "var", "<"])
def test_endless_space_after_a_word_takes_no_endless_time(word: str) -> None:
    started = time.perf_counter()
    module = lowered(f"x(;{word}{' ' * 300_000}(", ".ts")
    assert time.perf_counter() - started < 20
    check(module)
