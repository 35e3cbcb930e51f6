"""How control leaves a handler: branches, guards, tries, promises, deadlines, recursion."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import BEAT, cases, judge, node, python

GAPS = {
    "deadline, cancelled at once": "a cancelled deadline still counts",
}
"""Cases that mcplint does not get right yet, and why."""

# The body of a function ``stop``, which ``end`` of stdin and SIGTERM both call.

BRANCHES = {
    "both arms": ("if (globalThis.x) process.exit(0); else process.exit(1);", "exits"),
    "one arm": ("if (globalThis.x) process.exit(0);", "unknown"),
    "then behind": ("if (globalThis.x) console.error(1); process.exit(0);", "exits"),
    "no arm": ("if (globalThis.x) console.error(1);", "survives"),
    "return before": ("return; process.exit(0);", "survives"),
    "early return": ("if (globalThis.x) return; process.exit(0);", "unknown"),
    "constant true": ("if (true) process.exit(0);", "exits"),
    "constant false": ("if (false) process.exit(0);", "survives"),
    "conditional": ("globalThis.x ? process.exit(0) : process.exit(1);", "exits"),
    "half a conditional": ("globalThis.x ? process.exit(0) : null;", "unknown"),
    "and": ("globalThis.x && process.exit(0);", "unknown"),
    "or": ("globalThis.x || process.exit(0);", "unknown"),
    "sequence": ("console.error(1), process.exit(0);", "exits"),
    "as an argument": ("console.error(process.exit(0));", "exits"),
    "switch with default": (
        "switch (globalThis.x) { case 1: process.exit(1); break; default: process.exit(0); }",
        "exits",
    ),
    "switch falling through": ("switch (globalThis.x) { case 1: default: process.exit(0); }", "exits"),
    "switch without default": ("switch (globalThis.x) { case 1: process.exit(0); }", "unknown"),
    "switch, break before": ("switch (globalThis.x) { case 1: break; default: process.exit(0); }", "unknown"),
    "switch that never ends it": (
        "switch (globalThis.x) { case 1: break; default: console.error(1); }",
        "survives",
    ),
    "labelled block": ("out: { if (globalThis.x) break out; process.exit(1); } process.exit(0);", "exits"),
    "loop then exit": ("for (const x of globalThis.list) console.error(x); process.exit(0);", "exits"),
    "exit in a loop": ("for (const x of globalThis.list) process.exit(0);", "unknown"),
    "exit in a loop over a list": ("for (const x of [1, 2]) process.exit(0);", "exits"),
    "infinite loop": ("for (;;) { console.error(1); } process.exit(0);", "survives"),
    "infinite loop with break": ("while (true) { break; } process.exit(0);", "exits"),
    "while true exit": ("while (true) { process.exit(0); }", "exits"),
    "do while": ("do { process.exit(0); } while (globalThis.x);", "exits"),
    "in a nested function": ("const go = () => { process.exit(0); }; go();", "exits"),
    "in a nested function, not called": ("const go = () => { process.exit(0); };", "survives"),
    "immediately invoked": ("(() => { process.exit(0); })();", "exits"),
    "forEach": ("[1].forEach(() => process.exit(0));", "exits"),
}
TRIES = {
    "try": ("try { console.error(1); process.exit(0); } catch { console.error(2); }", "exits"),
    "catch only": ("try { console.error(1); } catch { process.exit(1); }", "survives"),
    "finally": ("try { JSON.parse('x'); } finally { process.exit(0); }", "exits"),
    "behind": ("try { JSON.parse('x'); } catch { console.error(1); } process.exit(0);", "exits"),
    "both": ("try { JSON.parse('x'); process.exit(0); } catch { process.exit(1); }", "exits"),
    "return in try, exit in finally": ("try { return; } finally { process.exit(0); }", "exits"),
    "return in try, exit behind": ("try { return; } catch { } process.exit(0);", "survives"),
    "throw to a catch that exits": ("try { throw new Error('x'); } catch { process.exit(1); }", "exits"),
    "throw to a catch that does not": (
        "try { throw new Error('x'); } catch { console.error(1); }",
        "survives",
    ),
    "finally that returns": ("try { process.exitCode = 1; } finally { return; }", "survives"),
}
WAITS = {
    "await then exit": ("await server.close(); process.exit(0);", "exits"),
    "await something slow": ("await fetch('http://x'); process.exit(0);", "exits"),
    "await never": ("await new Promise(() => {}); process.exit(0);", "survives"),
    "await a deadline": ("await new Promise((r) => setTimeout(r, 100)); process.exit(0);", "exits"),
    "race with a deadline": (
        "await Promise.race([fetch('http://x'), new Promise((r) => setTimeout(r, 500))]); process.exit(0);",
        "exits",
    ),
    "never raced with a deadline": (
        "await Promise.race([new Promise(() => {}), new Promise((r) => setTimeout(r, 500))]); process.exit(0);",
        "exits",
    ),
    "allSettled": ("await Promise.allSettled([fetch('http://x')]); process.exit(0);", "exits"),
    "try finally": ("try { await fetch('http://x'); } finally { process.exit(0); }", "exits"),
    "no exit behind": ("await fetch('http://x');", "survives"),
    "then": ("fetch('http://x').then(() => process.exit(0));", "exits"),
    "then and catch": (
        "fetch('http://x').then(() => process.exit(0)).catch(() => process.exit(1));",
        "exits",
    ),
    "then with two": ("fetch('http://x').then(() => process.exit(0), () => process.exit(1));", "exits"),
    "finally": ("fetch('http://x').finally(() => process.exit(0));", "exits"),
    "catch then finally": ("fetch('http://x').catch(() => {}).finally(() => process.exit(0));", "exits"),
    "bare finally": ("fetch('http://x').finally(process.exit);", "exits"),
    "then without an exit": ("fetch('http://x').then(() => console.error(1));", "survives"),
    "catch only": ("fetch('http://x').catch(() => process.exit(1));", "survives"),
    "void async": ("void (async () => { await fetch('http://x'); process.exit(0); })();", "exits"),
    "callback of close": ("web.close(() => process.exit(0));", "exits"),
    "callback that does not exit": ("web.close(() => console.error(1));", "survives"),
    "callback and deadline": (
        "web.close(() => process.exit(0)); setTimeout(() => process.exit(1), 500).unref();",
        "exits",
    ),
    "deadline only": ("setTimeout(() => process.exit(1), 500);", "exits"),
    "deadline, cancelled at once": (
        "const t = setTimeout(() => process.exit(1), 500); clearTimeout(t);",
        "survives",
    ),
    "deadline beside a wait for ever": (
        "setTimeout(() => process.exit(1), 500).unref(); await new Promise(() => {});",
        "exits",
    ),
    "deadline that does not exit": ("setTimeout(() => console.error(1), 500);", "survives"),
    "promise of a callback": ("await new Promise((done) => web.close(done)); process.exit(0);", "exits"),
}
GUARDS = {
    "flag": ("if (stopping) return; stopping = true; process.exit(0);", "exits"),
    "flag around": ("if (!stopping) { stopping = true; process.exit(0); }", "exits"),
    "flag never set": ("if (stopping) return; process.exit(0);", "exits"),
    "guard that never lets it run": ("if (!stopping) return; process.exit(0);", "survives"),
    "flag, then no exit": ("if (stopping) return; stopping = true; console.error(1);", "survives"),
    "set": ("if (seen.has('x')) return; seen.add('x'); process.exit(0);", "exits"),
    "property": ("if (state.stopping) return; state.stopping = true; process.exit(0);", "exits"),
    "state": ("if (state.now !== 'up') return; state.now = 'down'; process.exit(0);", "exits"),
    "counter": ("if (count++ > 0) return; process.exit(0);", "exits"),
    "memoised": (
        "running ??= (async () => { await fetch('http://x'); process.exit(0); })(); return running;",
        "exits",
    ),
    "memoised with if": (
        "if (running) return running; running = (async () => { process.exit(0); })(); return running;",
        "exits",
    ),
    "not set by itself": ("if (globalThis.busy) return; process.exit(0);", "unknown"),
    "log and return": (
        "if (stopping) { console.error('again'); return; } stopping = true; process.exit(0);",
        "exits",
    ),
}
HEAD = (
    'import http from "node:http";\nconst web = http.createServer();\n'
    "let stopping = false; let running; let count = 0;\n"
    "const seen = new Set(); const state = { stopping: false, now: 'up' };\n"
)


def check(tmp_path: Path, kind: str, body: str, verdict: str) -> None:
    stop = f"{kind} stop() {{ {body} }}\n"
    hooks = 'process.stdin.on("end", () => stop());\nprocess.on("SIGTERM", () => stop());'
    server = judge(tmp_path, node(BEAT + HEAD + stop + hooks))
    assert (server.stdin_eof.verdict, server.sigterm.verdict) == (verdict, verdict)


@pytest.mark.parametrize(("body", "verdict"), cases(BRANCHES, GAPS))
def test_branches_and_loops(tmp_path: Path, body: str, verdict: str) -> None:
    check(tmp_path, "function", body, verdict)


@pytest.mark.parametrize(("body", "verdict"), cases(TRIES, GAPS))
def test_tries(tmp_path: Path, body: str, verdict: str) -> None:
    check(tmp_path, "function", body, verdict)


@pytest.mark.parametrize(("body", "verdict"), cases(WAITS, GAPS))
def test_waiting(tmp_path: Path, body: str, verdict: str) -> None:
    check(tmp_path, "async function", body, verdict)


@pytest.mark.parametrize(("body", "verdict"), cases(GUARDS, GAPS))
@pytest.mark.parametrize("kind", ["function", "async function"])
def test_guards_do_not_hide_the_exit(tmp_path: Path, kind: str, body: str, verdict: str) -> None:
    check(tmp_path, kind, body, verdict)


RECURSION = {
    "itself": ("function stop(n = 3) { if (n > 0) return stop(n - 1); process.exit(0); }", "exits"),
    "each other": (
        "function stop() { other(); }\nfunction other() { if (globalThis.x) stop(); process.exit(0); }",
        "exits",
    ),
    "without an exit": ("function stop() { if (globalThis.x) stop(); }", "survives"),
    "retry": (
        "function stop() { if (globalThis.busy) { setTimeout(stop, 10); return; } process.exit(0); }",
        "unknown",
    ),
    "deep": (
        "\n".join(f"function f{n}() {{ f{n + 1}(); }}" for n in range(30))
        + "\nfunction f30() { process.exit(0); }\nconst stop = f0;",
        "exits",
    ),
}


@pytest.mark.parametrize(("text", "verdict"), cases(RECURSION, GAPS))
def test_recursion(tmp_path: Path, text: str, verdict: str) -> None:
    server = judge(tmp_path, node(f'{BEAT}{text}\nprocess.stdin.on("end", () => stop());'))
    assert server.stdin_eof.verdict == verdict


PYTHON = {
    "both arms": ("if s == 15:\n        os._exit(0)\n    else:\n        os._exit(1)", "exits"),
    "one arm": ("if os.environ.get('X'):\n        os._exit(0)", "unknown"),
    "early return": ("if os.environ.get('X'):\n        return\n    os._exit(0)", "unknown"),
    "try except": ("try:\n        tidy()\n    except Exception:\n        pass\n    os._exit(0)", "exits"),
    "finally": ("try:\n        tidy()\n    finally:\n        os._exit(0)", "exits"),
    "finally beside sys.exit": ("try:\n        sys.exit(0)\n    finally:\n        os._exit(0)", "exits"),
    "SystemExit caught": (
        "try:\n        sys.exit(0)\n    except SystemExit:\n        os._exit(0)",
        "exits",
    ),
    "everything caught": ("try:\n        sys.exit(0)\n    except BaseException:\n        pass", "survives"),
    "with": ("with lock:\n        os._exit(0)", "exits"),
    "match": (
        "match s:\n        case 15:\n            os._exit(0)\n        case _:\n            os._exit(1)",
        "exits",
    ),
    "match without default": ("match s:\n        case 15:\n            os._exit(0)", "unknown"),
    "for else": ("for x in ():\n        pass\n    else:\n        os._exit(0)", "exits"),
    "while true": ("while True:\n        time.sleep(1)\n    os._exit(0)", "survives"),
    "sys.exit in try, exit behind": ("tidy()\n    os._exit(0)\n    sys.exit(0)", "exits"),
    "sys.exit before it": ("sys.exit(0)\n    os._exit(0)", "survives"),
    "guard": ("global gone\n    if gone:\n        return\n    gone = True\n    os._exit(0)", "exits"),
    "conditional": ("os._exit(0) if s else os._exit(1)", "exits"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(PYTHON, GAPS))
def test_outcomes_of_python_handlers(tmp_path: Path, body: str, verdict: str) -> None:
    head = "lock = threading.Lock()\ngone = False\ndef tidy():\n    sys.stderr.flush()\n"
    text = python(f"{head}def stop(s, f):\n    {body}\nsignal.signal(signal.SIGTERM, stop)")
    assert judge(tmp_path, text).sigterm.verdict == verdict
