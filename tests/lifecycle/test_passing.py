"""What holds a process for a time of its own: told as surviving where that is long."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import lint

from .programs import cases, judge, node, python

COUNTED = {
    "counted to a limit": "let n = 0; const t = setInterval(() => { n++; if (n >= 5) clearInterval(t); }, 10000);",
    "counted in the test": "let n = 0; const t = setInterval(() => { if (++n >= 5) clearInterval(t); }, 10000);",
    "one beyond the limit": "let n = 0; const t = setInterval(() => { n += 1; if (n > 4) clearInterval(t); }, 10000);",
    "with work before": "let n = 0; const t = setInterval(async () => { n++; await fetch('x'); n === 5 && clearInterval(t); }, 10000);",
    "in fields": (
        "class Poll { count = 0; MOST = 5; timer;\n"
        "  start() { this.timer || (this.timer = setInterval(() => { this.count++; this.count >= this.MOST && this.stop(); }, 10000)); }\n"
        "  stop() { this.timer && (clearInterval(this.timer), this.timer = undefined); } }\n"
        "new Poll().start();"
    ),
}


@pytest.mark.parametrize("body", cases(COUNTED))
def test_a_timer_that_counts_its_rounds_holds_for_so_long(tmp_path: Path, body: str) -> None:
    server = judge(tmp_path, node(body))
    (holder,) = server.holders
    assert (holder.seconds, holder.certain, server.stdin_eof.verdict) == (50, True, "survives")


UNCOUNTED = {
    "another limit may come first": (
        "let n = 0; const t = setInterval(() => { n++; if (n >= 5 || globalThis.done) clearInterval(t); }, 10000);"
    ),
    "something else stops it, too": (
        "let n = 0; const t = setInterval(() => { n++; if (n >= 5) clearInterval(t); }, 10000);\n"
        "globalThis.bus?.on('done', () => clearInterval(t));"
    ),
    "a limit that is not known": (
        "let n = 0; const t = setInterval(() => { n++; if (n >= globalThis.most) clearInterval(t); }, 10000);"
    ),
    "a counter that others set": (
        "let n = 0; const t = setInterval(() => { n++; if (n >= 5) clearInterval(t); }, 10000);\nn = globalThis.n;"
    ),
    "counted down": "let n = 5; const t = setInterval(() => { n--; if (n <= 0) clearInterval(t); }, 10000);",
    "counted by something else": (
        "let n = 0; globalThis.bus?.on('x', () => n++);\n"
        "const t = setInterval(() => { if (n >= 5) clearInterval(t); }, 10000);"
    ),
    "in the other arm": (
        "let n = 0; const t = setInterval(() => { n++; if (n >= 5) return; clearInterval(t); }, 10000);"
    ),
}


@pytest.mark.parametrize("body", cases(UNCOUNTED))
def test_a_timer_that_something_else_may_stop_is_open(tmp_path: Path, body: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == "unknown"


LENGTHS = {
    "a minute": ("setTimeout(() => {}, 60000);", "survives"),
    "half a minute": ("setTimeout(() => {}, 30000);", "exits"),
    "a minute, let go of": ("setTimeout(() => {}, 60000).unref();", "exits"),
    "a minute, perhaps cleared": (
        "const t = setTimeout(() => {}, 60000); if (globalThis.x) clearTimeout(t);",
        "exits",
    ),
    "one of two times": ("setTimeout(() => {}, globalThis.x ? 60000 : 100);", "exits"),
    "where something happens": ("globalThis.bus?.on('x', () => setTimeout(() => {}, 60000));", "exits"),
    "ended by a listener": (
        "setTimeout(() => {}, 60000); process.stdin.on('end', () => process.exit(0));",
        "exits",
    ),
    "few rounds": (
        "let n = 0; const t = setInterval(() => { if (++n >= 3) clearInterval(t); }, 1000);",
        "exits",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(LENGTHS))
def test_only_what_holds_long_is_told_as_surviving(tmp_path: Path, body: str, verdict: str) -> None:
    server = judge(tmp_path, node(body))
    assert (server.stdin_eof.verdict, server.sigterm.verdict) == (verdict, "exits")


def test_what_a_tool_starts_for_a_while_is_no_fault(tmp_path: Path) -> None:
    tool = (
        'server.registerTool("t", {}, async () => { setTimeout(() => {}, 60000); return { content: [] }; });'
    )
    assert judge(tmp_path, node(tool)).stdin_eof_after_call.verdict == "exits"


@pytest.mark.parametrize(("seconds", "verdict"), [(60, "survives"), (20, "exits")])
def test_a_timer_of_python(tmp_path: Path, seconds: int, verdict: str) -> None:
    server = judge(tmp_path, python(f"threading.Timer({seconds}, print).start()"))
    assert server.stdin_eof.verdict == verdict


def test_a_finding_says_for_how_long_and_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "server.mjs").write_text(node("setTimeout(() => {}, 60000);"))
    (found,) = lint([tmp_path]).findings
    assert (found.finding.code, found.finding.severity) == ("MCP101", "warning")
    assert "`setTimeout` in line 5 (for 60 s) keeps the process alive" in found.finding.message
    assert "for good" not in found.finding.why


OWN_NAME = {
    "a class": "const Clock = class Own { static start() { return new Own(); } constructor() { setInterval(() => {}, 1000); } };\nClock.start();",
    "a function": "const go = function again(n) { if (n) setInterval(() => {}, 1000); else again(1); };\ngo(0);",
}


@pytest.mark.parametrize("body", cases(OWN_NAME))
def test_an_expression_knows_its_own_name(tmp_path: Path, body: str) -> None:
    assert judge(tmp_path, node(body)).holders


def test_nobody_else_knows_the_name_of_a_class_expression(tmp_path: Path) -> None:
    body = "const Clock = class Own { constructor() { setInterval(() => {}, 1000); } };\nif (globalThis.x) new Own();"
    assert not judge(tmp_path, node(body)).holders


MISSING = {
    "or": ("t || (t = setInterval(() => {}, 1000));", "survives"),
    "not and": ("!t && (t = setInterval(() => {}, 1000));", "survives"),
    "or, with words before": ("t || (console.error('x'), t = setInterval(() => {}, 1000));", "survives"),
    "and": ("t && (t = setInterval(() => {}, 1000));", "unknown"),
    "another": ("globalThis.u || (t = setInterval(() => {}, 1000));", "unknown"),
}


@pytest.mark.parametrize(("make", "verdict"), cases(MISSING))
def test_what_is_made_because_it_is_missing(tmp_path: Path, make: str, verdict: str) -> None:
    assert judge(tmp_path, node(f"let t;\nfunction go() {{ {make} }}\ngo();")).stdin_eof.verdict == verdict
