"""What ends a Node server, and what only looks as if it did; the verdicts are measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.lifecycle.model import Event

from .programs import BEAT, cases, judge, life, node, node2, package, report_of

GAPS = {
    "behind a wait that never settles": "code behind a top-level await that never settles counts",
    "stdin is paused": "stdin.pause() at start does not disable its listeners",
}
"""Cases that mcplint does not get right yet, and why."""


def end(handler: str) -> str:
    """A server that something holds, and what its stdin listener is."""
    return node(BEAT + f'process.stdin.on("end", {handler});')


# ---------------------------------------------------------------------------- listening to the end

LISTENS = {
    "nothing": ("", "survives"),
    "end": ('process.stdin.on("end", () => process.exit(0));', "exits"),
    "close": ('process.stdin.on("close", () => process.exit(0));', "exits"),
    "once": ('process.stdin.once("end", () => process.exit(0));', "exits"),
    "addListener": ('process.stdin.addListener("end", () => process.exit(0));', "exits"),
    "chained": (
        'process.stdin.on("error", () => {}).on("end", () => process.exit(0));',
        "exits",
    ),
    "chained data": ('process.stdin.on("data", () => {}).on("error", () => {});', "survives"),
    "error only": ('process.stdin.on("error", () => process.exit(1));', "survives"),
    "finish": ('process.stdin.on("finish", () => process.exit(1));', "survives"),
    "another stream's end": (
        'import { createReadStream } from "node:fs";\n'
        'createReadStream("a").on("end", () => process.exit(0));',
        "survives",
    ),
    "process exit": ('process.on("exit", () => process.exit(0));', "survives"),
    "beforeExit": ('process.on("beforeExit", () => process.exit(0));', "survives"),
    "disconnect": ('process.on("disconnect", () => process.exit(0));', "survives"),
    "SIGHUP": ('process.on("SIGHUP", () => process.exit(0));', "survives"),
    "SIGTERM": ('process.on("SIGTERM", () => process.exit(0));', "survives"),
    "stdout error": ('process.stdout.on("error", () => process.exit(0));', "survives"),
    "stdout close": ('process.stdout.on("close", () => process.exit(0));', "survives"),
    "readline close": (
        'import readline from "node:readline";\n'
        'readline.createInterface({ input: process.stdin }).on("close", () => process.exit(0));',
        "exits",
    ),
    "readline named import": (
        'import { createInterface } from "readline";\n'
        "const lines = createInterface({ input: process.stdin, terminal: false });\n"
        'lines.on("close", () => process.exit(0));',
        "exits",
    ),
    "readline of a file": (
        'import readline from "node:readline";\nimport fs from "node:fs";\n'
        'readline.createInterface({ input: fs.createReadStream("a") }).on("close", () => process.exit(0));',
        "survives",
    ),
    "readline line": (
        'import readline from "node:readline";\n'
        'readline.createInterface({ input: process.stdin }).on("line", () => process.exit(0));',
        "survives",
    ),
    "stream finished": (
        'import { finished } from "node:stream";\nfinished(process.stdin, () => process.exit(0));',
        "exits",
    ),
    "stream finished of stdout": (
        'import { finished } from "node:stream";\nfinished(process.stdout, () => process.exit(0));',
        "survives",
    ),
    "promised finished": (
        'import { finished } from "node:stream/promises";\n'
        "finished(process.stdin).then(() => process.exit(0));",
        "exits",
    ),
    "events once": (
        'import { once } from "node:events";\nonce(process.stdin, "end").then(() => process.exit(0));',
        "exits",
    ),
    "events once of data": (
        'import { once } from "node:events";\nonce(process.stdin, "data").then(() => {});',
        "survives",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(LISTENS, GAPS))
def test_which_listeners_hear_the_end(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, node(BEAT + body)).stdin_eof.verdict == verdict


AWAITED = {
    "await events once": (
        'import { once } from "node:events";',
        'await once(process.stdin, "close");\nprocess.exit(0);',
    ),
    "for await": ("", "for await (const chunk of process.stdin) void chunk;\nprocess.exit(0);"),
    "readableEnded polled": (
        "",
        "setInterval(() => { if (process.stdin.readableEnded) process.exit(0); }, 100);",
    ),
    "destroyed polled": ("", "setInterval(() => { if (process.stdin.destroyed) process.exit(0); }, 100);"),
}


@pytest.mark.parametrize(("before", "after"), cases(AWAITED, GAPS))
def test_an_end_that_is_waited_for_is_no_false_alarm(tmp_path: Path, before: str, after: str) -> None:
    assert judge(tmp_path, node(before + "\n" + BEAT, after)).stdin_eof.verdict != "survives"


@pytest.mark.parametrize("where", ["body", "after"])
def test_a_listener_counts_before_and_behind_the_connection(tmp_path: Path, where: str) -> None:
    line = 'process.stdin.on("end", () => process.exit(0));'
    text = node(BEAT + line) if where == "body" else node(BEAT, line)
    assert judge(tmp_path, text).stdin_eof.verdict == "exits"


# ---------------------------------------------------------------------------- spellings of the handler

SPELLINGS = {
    "arrow": ("", "() => process.exit(0)"),
    "function": ("", "function () { process.exit(0); }"),
    "async": ("", "async () => { process.exit(0); }"),
    "bare": ("", "process.exit"),
    "named": ("function stop() { process.exit(0); }", "stop"),
    "named below": ("", "stop);\nfunction stop() { process.exit(0); }\nvoid (0"),
    "const arrow": ("const stop = () => process.exit(0);", "stop"),
    "wrapper": ("const stop = (why) => { console.error(why); process.exit(0); };", '() => stop("end")'),
    "async wrapper": ("const stop = async () => { process.exit(0); };", "() => void stop()"),
    "bind": ("function stop(why) { process.exit(0); }", 'stop.bind(null, "end")'),
    "factory": ("const stopper = (why) => () => { console.error(why); process.exit(0); };", 'stopper("end")'),
    "method": ("class App { stop() { process.exit(0); } }\nconst app = new App();", "() => app.stop()"),
    "bound method": (
        "class App { stop() { process.exit(0); } }\nconst app = new App();",
        "app.stop.bind(app)",
    ),
    "object method": ("const app = { stop() { process.exit(0); } };", "app.stop"),
    "arrow property": ("class App { stop = () => process.exit(0); }\nconst app = new App();", "app.stop"),
    "static method": ("class App { static stop() { process.exit(0); } }", "App.stop"),
    "private method": (
        "class App { #end() { process.exit(0); } stop() { this.#end(); } }\nconst app = new App();",
        "() => app.stop()",
    ),
    "process imported": ('import process from "node:process";', "() => process.exit(0)"),
    "exit imported": ('import { exit } from "node:process";', "() => exit(0)"),
    "exit imported bare": ('import { exit as leave } from "process";', "leave"),
    "exit kept": ("const { exit } = process;", "() => exit(0)"),
    "exit bound": ("const leave = process.exit.bind(process);", "() => leave(0)"),
    "globalThis": ("", "() => globalThis.process.exit(0)"),
    "injected with default": ("function stop(exit = process.exit) { exit(0); }", "() => stop()"),
    "injected by option": (
        "const stopper = (options = {}) => { const exit = options.exit ?? process.exit; return () => exit(0); };",
        "stopper()",
    ),
    "optional call": ("const stop = () => process.exit?.(0);", "stop"),
    "abort": ("", "() => process.abort()"),
    "nextTick": ("", "() => process.nextTick(() => process.exit(0))"),
    "setImmediate": ("", "() => setImmediate(() => process.exit(0))"),
    "setImmediate bare": ("", "() => setImmediate(process.exit)"),
    "queueMicrotask": ("", "() => queueMicrotask(() => process.exit(0))"),
    "deadline": ("", "() => setTimeout(() => process.exit(0), 1000)"),
    "deadline with code": ("", "() => setTimeout(process.exit, 1000, 0)"),
    "deadline without holding": ("", "() => { setTimeout(() => process.exit(0), 1000).unref(); }"),
    "kill itself": ("", "() => process.kill(process.pid)"),
    "kill itself with a signal": ("", '() => process.kill(process.pid, "SIGKILL")'),
    "throw": ("", '() => { throw new Error("gone"); }'),
    "rejection": ("", 'async () => { throw new Error("gone"); }'),
}


@pytest.mark.parametrize(("setup", "handler"), cases(SPELLINGS, GAPS))
def test_a_handler_that_ends_the_process_in_any_spelling(tmp_path: Path, setup: str, handler: str) -> None:
    text = node(f'{BEAT}{setup}\nprocess.stdin.on("end", {handler});')
    assert judge(tmp_path, text).stdin_eof.verdict == "exits"


USELESS = {
    "empty": ("", "() => {}"),
    "log": ("", '() => console.error("gone")'),
    "flag": ("let gone = false;", "() => { gone = true; }"),
    "exitCode": ("", "() => { process.exitCode = 0; }"),
    "server close": ("", "() => server.close()"),
    "transport close": ("", "async () => { await transport.close(); }"),
    "a function that is not called": ("const stop = () => process.exit(0);", "() => { stop; }"),
    "a factory whose product is not called": (
        "const stopper = () => () => process.exit(0);",
        "() => stopper()",
    ),
    "a bind that is not called": ("const stop = () => process.exit(0);", "() => stop.bind(null)"),
    "kill another": ("", '() => process.kill(process.ppid, "SIGUSR2")'),
    "emit without a listener": ("", '() => process.emit("SIGTERM")'),
    "a client that is told to quit": (
        'import { createClient } from "redis"; const redis = createClient(); redis.connect();',
        "async () => { await redis.quit(); }",
    ),
    "a parameter's method": ("const stop = (log) => log.info(1);", "() => stop(console)"),
    "waits for ever": ("", "async () => { await new Promise(() => {}); process.exit(0); }"),
}


@pytest.mark.parametrize(("setup", "handler"), cases(USELESS, GAPS))
def test_a_handler_that_leaves_the_process_alone(tmp_path: Path, setup: str, handler: str) -> None:
    text = node(f'{BEAT}{setup}\nprocess.stdin.on("end", {handler});')
    assert judge(tmp_path, text).stdin_eof.verdict == "survives"


RELEASES = {
    "clearInterval": ("() => clearInterval(beat)", "exits"),
    "clearTimeout": ("() => clearTimeout(beat)", "exits"),
    "unref": ("() => beat.unref()", "exits"),
    "if there": ("() => { if (beat) clearInterval(beat); }", "exits"),
    "on the first run": (
        "() => { once ??= tidy(); }); let once; const tidy = () => clearInterval(beat); void (0",
        "exits",
    ),
    "unless a variable says otherwise": ("() => { if (!process.env.KEEP) clearInterval(beat); }", "exits"),
    "if a variable says so": ("() => { if (process.env.TIDY) clearInterval(beat); }", "unknown"),
    "in a helper": ("() => tidy()); const tidy = () => clearInterval(beat); void (0", "exits"),
    "another timer": (
        "() => clearInterval(other)); const other = setTimeout(() => {}, 1); void (0",
        "survives",
    ),
}


@pytest.mark.parametrize(("handler", "verdict"), cases(RELEASES, GAPS))
def test_letting_go_of_what_holds_ends_too(tmp_path: Path, handler: str, verdict: str) -> None:
    assert judge(tmp_path, end(handler)).stdin_eof.verdict == verdict


def test_all_that_holds_must_be_let_go(tmp_path: Path) -> None:
    second = "const second = setInterval(() => {}, 10);\n"
    one = node(BEAT + second + 'process.stdin.on("end", () => clearInterval(beat));')
    both = node(
        BEAT + second + 'process.stdin.on("end", () => { clearInterval(beat); clearInterval(second); });'
    )
    assert judge(tmp_path / "one", one).stdin_eof.verdict == "survives"
    assert judge(tmp_path / "both", both).stdin_eof.verdict == "exits"


def test_a_handler_behind_an_unknown_function_is_unknown_and_no_finding(tmp_path: Path) -> None:
    text = node(BEAT + 'import { onGone } from "some-lifecycle";\nprocess.stdin.on("end", onGone);')
    assert judge(tmp_path, text).stdin_eof.verdict == "unknown"


OPAQUE = {
    "given the handler": 'import { wrap } from "some-lifecycle";\n'
    'process.stdin.on("end", wrap(() => process.exit(0)));',
    "called by the handler": 'import { leave } from "some-lifecycle";\n'
    'process.stdin.on("end", () => leave.gracefulExit());',
    "given stdin": 'import { watchParent } from "some-lifecycle";\nwatchParent(process.stdin);',
    "event names not known": "for (const name of JSON.parse(process.env.EVENTS)) "
    "process.stdin.on(name, () => process.exit(0));",
    "parameter never bound": "export function install(exit) "
    '{ process.stdin.on("end", () => exit(0)); }\ninstall(globalThis.leave);',
    "under an option": 'if (process.env.EXIT_WITH_CLIENT) process.stdin.on("end", () => process.exit(0));',
    "exits by an option": 'process.stdin.on("end", () => { if (!process.env.STAY) process.exit(0); });',
}


@pytest.mark.parametrize("body", cases(OPAQUE, GAPS))
def test_what_cannot_be_decided_is_unknown(tmp_path: Path, body: str) -> None:
    assert judge(tmp_path, node(BEAT + body)).stdin_eof.verdict == "unknown"


def test_an_unknown_function_elsewhere_is_no_excuse(tmp_path: Path) -> None:
    text = node(
        BEAT + 'import { log } from "some-logger";\nlog("started");\nprocess.stdin.on("end", () => {});'
    )
    assert judge(tmp_path, text).stdin_eof.verdict == "survives"


# ---------------------------------------------------------------------------- loops over names

BOTH = "() => process.exit(0)"
LOOPS = {
    "for of": f'for (const s of ["SIGTERM", "SIGINT"]) process.on(s, {BOTH});',
    "for of a name": f'const signals = ["SIGTERM", "SIGINT"];\nfor (const s of signals) {{ process.once(s, {BOTH}); }}',
    "for of, typed": f'const signals = ["SIGTERM", "SIGINT"] as const;\nfor (const s of signals) process.on(s, {BOTH});',
    "forEach": f'["SIGTERM", "SIGINT"].forEach((s) => process.on(s, {BOTH}));',
    "forEach function": f'["SIGTERM", "SIGINT"].forEach(function (s) {{ process.on(s, {BOTH}); }});',
    "forEach frozen": f'const signals = Object.freeze(["SIGTERM", "SIGINT"]);\nsignals.forEach((s) => process.on(s, {BOTH}));',
    "counted": 'const signals = ["SIGTERM", "SIGINT"];\n'
    f"for (let i = 0; i < signals.length; i++) process.on(signals[i], {BOTH});",
    "helper": f'const listen = (s) => process.on(s, {BOTH});\nlisten("SIGTERM");\nlisten("SIGINT");',
    "object keys": f"for (const s of Object.keys({{ SIGTERM: 15, SIGINT: 2 }})) process.on(s, {BOTH});",
}


@pytest.mark.parametrize("body", cases(LOOPS, GAPS))
def test_signals_named_in_a_loop(tmp_path: Path, body: str) -> None:
    idle = body.replace(BOTH, "() => {}")
    assert life(judge(tmp_path / "good", {"server.ts": node(body)})) == "exits exits exits"
    assert life(judge(tmp_path / "bad", {"server.ts": node(idle)})) == "exits survives survives"


def test_a_loop_over_stdin_events(tmp_path: Path) -> None:
    body = BEAT + 'for (const e of ["end", "close"]) process.stdin.on(e, () => {});'
    assert judge(tmp_path / "bad", node(body)).stdin_eof.verdict == "survives"
    good = body.replace("() => {});", "() => process.exit(0));")
    assert judge(tmp_path / "good", node(good)).stdin_eof.verdict == "exits"


# ---------------------------------------------------------------------------- other modules

HELPERS = {
    "named": ('import { install } from "./life.js";\ninstall();', "export function install() {"),
    "default": ('import install from "./life.js";\ninstall();', "export default function () {"),
    "namespace": ('import * as life from "./life.js";\nlife.install();', "export const install = () => {"),
    "class": (
        'import { Life } from "./life.js";\nnew Life().install();',
        "export class Life { install() {",
    ),
    "singleton": (
        'import { life } from "./life.js";\nlife.install();',
        "class Life { install() {",
    ),
}
ENDING = {"class": "} }", "singleton": "} }\nexport const life = new Life();"}


@pytest.mark.parametrize("form", HELPERS)
@pytest.mark.parametrize(
    ("handler", "verdict"), [("() => process.exit(0)", "exits"), ("() => {}", "survives")]
)
def test_a_helper_in_another_module(tmp_path: Path, form: str, handler: str, verdict: str) -> None:
    use, head = HELPERS[form]
    files = {
        "src/index.ts": node(f"{BEAT}{use}"),
        "src/life.ts": f'{head}\nprocess.stdin.on("end", {handler});\n{ENDING.get(form, "}")}\n',
    }
    assert judge(tmp_path, files).stdin_eof.verdict == verdict


def test_a_helper_that_nobody_calls_does_not_count(tmp_path: Path) -> None:
    files = {
        "src/index.ts": node(BEAT + 'import { install } from "./life.js";\nvoid install;'),
        "src/life.ts": 'export function install() { process.stdin.on("end", () => process.exit(0)); }\n',
    }
    assert judge(tmp_path, files).stdin_eof.verdict == "survives"


def test_stdin_and_exit_handed_to_a_helper(tmp_path: Path) -> None:
    life_ts = (
        "export interface Hooks { stdin?: NodeJS.ReadStream; exit?: (code: number) => void }\n"
        "export function install({ stdin = process.stdin, exit = process.exit }: Hooks = {}): void {\n"
        '  stdin.once("end", () => exit(0));\n}\n'
    )
    files = {
        "src/index.ts": node(BEAT + 'import { install } from "./life.js";\ninstall();'),
        "src/life.ts": life_ts,
    }
    assert judge(tmp_path / "default", files).stdin_eof.verdict == "exits"
    files["src/index.ts"] = node(BEAT + 'import { install } from "./life.js";\ninstall({ exit: () => {} });')
    assert judge(tmp_path / "given", files).stdin_eof.verdict != "exits"


def test_the_whole_process_handed_to_a_helper(tmp_path: Path) -> None:
    files = {
        "index.mjs": node(BEAT + 'import { install } from "./life.mjs";\ninstall(process);'),
        "life.mjs": 'export function install(p) { p.stdin.on("close", () => p.exit(0)); }\n',
    }
    assert judge(tmp_path, files).stdin_eof.verdict == "exits"


# ---------------------------------------------------------------------------- signals

EXIT = 'process.on("SIGTERM", () => process.exit(0));'
SIGNALS = {
    "default": ("", BEAT, "exits"),
    "exits": (EXIT, BEAT, "exits"),
    "empty": ('process.on("SIGTERM", () => {});', BEAT, "survives"),
    "empty, nothing held": ('process.on("SIGTERM", () => {});', "", "survives"),
    "once and empty": ('process.once("SIGTERM", () => {});', BEAT, "survives"),
    "log": ('process.on("SIGTERM", () => console.error("term"));', "", "survives"),
    "flag": ('let stop = false;\nprocess.on("SIGTERM", () => { stop = true; });', BEAT, "survives"),
    "exitCode": ('process.on("SIGTERM", () => { process.exitCode = 0; });', BEAT, "survives"),
    "server close": ('process.on("SIGTERM", () => server.close());', BEAT, "survives"),
    "server close, nothing held": ('process.on("SIGTERM", () => server.close());', "", "exits"),
    "awaited close, nothing held": (
        'process.on("SIGTERM", async () => { await server.close(); });',
        "",
        "exits",
    ),
    "low-level close, nothing held": ('process.on("SIGTERM", () => server.server.close());', "", "exits"),
    "transport close, nothing held": ('process.on("SIGTERM", () => transport.close());', "", "exits"),
    "clearInterval": ('process.on("SIGTERM", () => clearInterval(beat));', BEAT, "survives"),
    "close and clearInterval": (
        'process.on("SIGTERM", async () => { clearInterval(beat); await server.close(); });',
        BEAT,
        "exits",
    ),
    "stdin destroyed and clearInterval": (
        'process.on("SIGTERM", () => { clearInterval(beat); process.stdin.destroy(); });',
        BEAT,
        "exits",
    ),
    "waits for ever": (
        'process.on("SIGTERM", async () => { await new Promise(() => {}); process.exit(0); });',
        BEAT,
        "survives",
    ),
    "throw": ('process.on("SIGTERM", () => { throw new Error("term"); });', BEAT, "exits"),
    "kill itself hard": ('process.on("SIGTERM", () => process.kill(process.pid, "SIGKILL"));', BEAT, "exits"),
    "kill itself again": (
        'process.once("SIGTERM", () => { process.removeAllListeners("SIGTERM"); '
        'process.kill(process.pid, "SIGTERM"); });',
        BEAT,
        "exits",
    ),
    "kill itself with its own signal": (
        'process.on("SIGTERM", () => process.kill(process.pid, "SIGTERM"));',
        BEAT,
        "survives",
    ),
    "http close": (
        'import http from "node:http";\nconst web = http.createServer(() => {}).listen(0);\n'
        'process.on("SIGTERM", () => web.close(() => process.exit(0)));',
        "",
        "exits",
    ),
    "one of two exits": (EXIT + '\nprocess.on("SIGTERM", () => {});', BEAT, "exits"),
    "another signal's": ('process.on("SIGHUP", () => {});', BEAT, "exits"),
    "behind an option": (
        'if (process.env.STUBBORN) process.on("SIGTERM", () => {});',
        BEAT,
        "unknown",
    ),
    "an unknown function": (
        'import { stop } from "some-lifecycle";\nprocess.on("SIGTERM", stop);',
        BEAT,
        "unknown",
    ),
}


@pytest.mark.parametrize(("body", "hold", "verdict"), cases(SIGNALS, GAPS))
def test_sigterm_while_stdin_is_open(tmp_path: Path, body: str, hold: str, verdict: str) -> None:
    server = judge(tmp_path, node(hold + body))
    assert server.sigterm.verdict == verdict
    assert server.sigint.verdict == "exits"


# ---------------------------------------------------------------------------- one event sets off another

RELAYED = {
    "kill, listener exits": ('() => process.kill(process.pid, "SIGTERM")', EXIT, "exits"),
    "kill, listener empty": (
        '() => process.kill(process.pid, "SIGTERM")',
        'process.on("SIGTERM", () => {});',
        "survives",
    ),
    "emit, listener exits": ('() => process.emit("SIGTERM")', EXIT, "exits"),
    "close, then onclose exits": (
        "() => server.close()",
        "server.server.onclose = () => process.exit(0);",
        "exits",
    ),
    "transport close, then onclose exits": (
        "() => transport.close()",
        "server.server.onclose = () => process.exit(0);",
        "exits",
    ),
    "close, then onclose logs": (
        "() => server.close()",
        "server.server.onclose = () => console.error();",
        "survives",
    ),
    "log, and onclose exits": (
        "() => console.error()",
        "server.server.onclose = () => process.exit(0);",
        "survives",
    ),
}


@pytest.mark.parametrize(("handler", "other", "verdict"), cases(RELAYED, GAPS))
def test_one_event_sets_off_another(tmp_path: Path, handler: str, other: str, verdict: str) -> None:
    text = node(f'{BEAT}{other}\nprocess.stdin.on("end", {handler});')
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


SWALLOW = 'process.on("uncaughtException", () => {});\n'
CRASHES = {
    "throw": ("", '() => { throw new Error("x"); }', "exits"),
    "throw swallowed": (SWALLOW, '() => { throw new Error("x"); }', "survives"),
    "rejection swallowed": (
        'process.on("unhandledRejection", () => {});\n',
        'async () => { throw new Error("x"); }',
        "survives",
    ),
    "rejection swallowed as exception": (SWALLOW, 'async () => { throw new Error("x"); }', "survives"),
    "throw, crash handler exits": (
        'process.on("uncaughtException", () => process.exit(1));\n',
        '() => { throw new Error("x"); }',
        "exits",
    ),
    "throw caught": ("", '() => { try { throw new Error("x"); } catch { return; } }', "survives"),
    "exit in finally": (
        SWALLOW,
        '() => { try { throw new Error("x"); } finally { process.exit(0); } }',
        "exits",
    ),
    "exit in catch": (SWALLOW, '() => { try { throw new Error("x"); } catch { process.exit(1); } }', "exits"),
}


@pytest.mark.parametrize(("setup", "handler", "verdict"), cases(CRASHES, GAPS))
def test_an_exception_ends_unless_something_swallows_it(
    tmp_path: Path, setup: str, handler: str, verdict: str
) -> None:
    text = node(f'{BEAT}{setup}process.stdin.on("end", {handler});')
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


# ---------------------------------------------------------------------------- SDKs and their versions

GONE = "() => process.exit(0)"
ONCLOSE = {
    "low-level": (f"server.server.onclose = {GONE};", ""),
    "low-level, after": ("", f"server.server.onclose = {GONE};"),
    "transport": (f"transport.onclose = {GONE};", ""),
    "transport, after": ("", f"transport.onclose = {GONE};"),
}


@pytest.mark.parametrize(("before", "after"), cases(ONCLOSE, GAPS))
def test_onclose_counts_from_the_version_that_calls_it(tmp_path: Path, before: str, after: str) -> None:
    first = {"server.mjs": node(BEAT + before, after)}
    assert judge(tmp_path / "1", first).stdin_eof.verdict == "survives"
    for version, verdict in (("2.0.0", "survives"), ("2.1.0", "exits"), ("2.4.0", "exits")):
        second = {
            "server.mjs": node2(BEAT + before, after),
            "package.json": package("@modelcontextprotocol/server", version),
        }
        assert judge(tmp_path / version, second).stdin_eof.verdict == verdict


@pytest.mark.parametrize("text", [node, node2], ids=["v1", "v2"])
def test_onclose_of_the_high_level_server_is_never_called(tmp_path: Path, text: object) -> None:
    make = node if text is node else node2
    sdk = "@modelcontextprotocol/sdk" if text is node else "@modelcontextprotocol/server"
    version = "1.32.2" if text is node else "2.4.0"
    files = {"server.mjs": make(BEAT + f"server.onclose = {GONE};"), "package.json": package(sdk, version)}
    server = judge(tmp_path, files)
    assert server.stdin_eof.verdict == "survives"
    (handler,) = server.handlers_of(Event.TRANSPORT_CLOSE)
    assert not handler.called
    assert not handler.fires


ON = f"server.server.onclose = {GONE};"
REACHES = {
    "nothing closes": (node(BEAT + ON), "1.30.0", False),
    "the end of stdin closes": (
        node(f'{BEAT}{ON}process.stdin.on("end", () => server.close());'),
        "1.30.0",
        True,
    ),
    "a signal closes": (node(f'{BEAT}{ON}process.on("SIGTERM", () => server.close());'), "1.30.0", False),
    "the SDK closes": (node2(BEAT + ON), "2.1.0", True),
    "the SDK does not close yet": (node2(BEAT + ON), "2.0.0", False),
    "something unknown listens": (
        node(f'import {{ stop }} from "somewhere";\n{BEAT}{ON}process.stdin.on("end", stop);'),
        "1.30.0",
        True,
    ),
}


@pytest.mark.parametrize(("text", "version", "fires"), cases(REACHES, GAPS))
def test_whether_the_end_of_stdin_reaches_onclose(
    tmp_path: Path, text: str, version: str, fires: bool
) -> None:
    sdk = "@modelcontextprotocol/sdk" if version.startswith("1") else "@modelcontextprotocol/server"
    server = judge(tmp_path, {"server.mjs": text, "package.json": package(sdk, version)})
    (handler,) = server.handlers_of(Event.TRANSPORT_CLOSE)
    assert handler.called
    assert handler.fires is fires


CLOSING = 'process.stdin.on("end", () => transport.close());\n'
LOST = f"transport.onclose = {GONE};"
LOGS = "transport.onclose = () => console.error();"
REPLACED = {
    "set before, and replaced": (node(BEAT + CLOSING + LOST), "1.13.1", "survives"),
    "set before, and called too": (node(BEAT + CLOSING + LOST), "1.13.2", "exits"),
    "set before, of a range": (node(BEAT + CLOSING + LOST), "^1.12.0", "exits"),
    "set behind": (node(BEAT + CLOSING, LOST), "1.13.1", "exits"),
    "set in a function": (
        node(f"{BEAT}{CLOSING}function watch() {{ {LOST} }}", "watch();"),
        "1.13.1",
        "exits",
    ),
    "the server's, replaced from behind": (node(BEAT + CLOSING + ON, LOGS), "1.30.0", "survives"),
    "the server's, replaced if an option is set": (
        node(BEAT + CLOSING + ON, f"if (process.env.LOG) {{ {LOGS} }}"),
        "1.30.0",
        "exits",
    ),
    "the server's beside the transport's": (node(BEAT + CLOSING + ON + LOGS), "1.30.0", "exits"),
    "the server's, before it is replaced": (node(BEAT + CLOSING + ON + LOGS), "1.13.1", "exits"),
    "that of another transport": (
        node(BEAT + CLOSING + ON, f"const other = new StdioServerTransport();\nother.{LOGS[10:]}"),
        "1.30.0",
        "exits",
    ),
}


@pytest.mark.parametrize(("text", "version", "verdict"), cases(REPLACED, GAPS))
def test_a_transport_has_one_onclose(tmp_path: Path, text: str, version: str, verdict: str) -> None:
    files = {"server.mjs": text, "package.json": package(version=version)}
    assert judge(tmp_path, files).stdin_eof.verdict == verdict


def test_a_signal_that_closes_sets_off_onclose(tmp_path: Path) -> None:
    close = 'process.on("SIGTERM", () => server.close());'
    assert judge(tmp_path / "1", node(BEAT + ON + close)).sigterm.verdict == "exits"
    assert judge(tmp_path / "2", node(BEAT + close)).sigterm.verdict == "survives"
    unread = f"server.onclose = {GONE};"
    assert judge(tmp_path / "3", node(BEAT + unread + close)).sigterm.verdict == "survives"


def test_onclose_that_lets_go_of_the_holder(tmp_path: Path) -> None:
    text = node2(BEAT + "server.server.onclose = () => clearInterval(beat);")
    for version, verdict in (("2.0.0", "survives"), ("2.4.0", "exits")):
        files = {"server.mjs": text, "package.json": package("@modelcontextprotocol/server", version)}
        assert judge(tmp_path / version, files).stdin_eof.verdict == verdict


SERVE_STDIO = (
    'import {{ McpServer }} from "@modelcontextprotocol/server";\n'
    'import {{ serveStdio }} from "@modelcontextprotocol/server/stdio";\n'
    '{0}\nserveStdio(() => {{ const server = new McpServer({{ name: "t", version: "1" }}); {1} return server; }});\n{2}'
).format
SERVES = {
    "plain": (SERVE_STDIO("", "", ""), "exits"),
    "held": (SERVE_STDIO(BEAT, "", ""), "survives"),
    "held by the factory": (SERVE_STDIO("", BEAT, ""), "survives"),
    "onclose of the factory's server": (SERVE_STDIO(BEAT, f"server.server.onclose = {GONE};", ""), "exits"),
    "stdin listener": (SERVE_STDIO(BEAT, "", f'process.stdin.on("end", {GONE});'), "exits"),
}


@pytest.mark.parametrize(("text", "verdict"), cases(SERVES, GAPS))
def test_serve_stdio(tmp_path: Path, text: str, verdict: str) -> None:
    files = {"server.mjs": text, "package.json": package("@modelcontextprotocol/server", "2.4.0")}
    assert judge(tmp_path, files).stdin_eof.verdict == verdict


def test_serve_stdio_takes_the_onclose_of_its_transport_for_itself(tmp_path: Path) -> None:
    text = (
        'import { McpServer } from "@modelcontextprotocol/server";\n'
        'import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";\n'
        f"{BEAT}const transport = new StdioServerTransport();\ntransport.onclose = {GONE};\n"
        'serveStdio(() => new McpServer({ name: "t", version: "1" }), { transport });\n'
    )
    files = {"server.mjs": text, "package.json": package("@modelcontextprotocol/server", "2.4.0")}
    assert judge(tmp_path, files).stdin_eof.verdict == "survives"


FASTMCP = 'import {{ FastMCP }} from "fastmcp";\nconst app = new FastMCP({{ name: "t", version: "1.0.0" }});\n{}\nawait app.start({});\n'.format
FRAMEWORKS = {
    "fastmcp": ("fastmcp", "4.20.16", FASTMCP("", '{ transportType: "stdio" }'), "exits exits exits"),
    "fastmcp without options": ("fastmcp", "4.20.16", FASTMCP("", ""), "exits exits exits"),
    "fastmcp held": (
        "fastmcp",
        "4.20.16",
        FASTMCP(BEAT, '{ transportType: "stdio" }'),
        "survives exits exits",
    ),
    "old fastmcp held": (
        "fastmcp",
        "3.35.0",
        FASTMCP(BEAT, '{ transportType: "stdio" }'),
        "survives exits exits",
    ),
    "fastmcp disconnect": (
        "fastmcp",
        "4.20.16",
        FASTMCP(BEAT + f'app.on("disconnect", {GONE});', '{ transportType: "stdio" }'),
        "exits exits exits",
    ),
    "old fastmcp disconnect": (
        "fastmcp",
        "3.35.0",
        FASTMCP(BEAT + f'app.on("disconnect", {GONE});', '{ transportType: "stdio" }'),
        "survives exits exits",
    ),
    "mcp-framework": (
        "mcp-framework",
        "0.2.22",
        'import { MCPServer } from "mcp-framework";\nawait new MCPServer().start();\n',
        "exits exits exits",
    ),
    "mcp-framework held": (
        "mcp-framework",
        "0.2.22",
        'import { MCPServer } from "mcp-framework";\n' + BEAT + "await new MCPServer().start();\n",
        "survives survives survives",
    ),
    "tmcp held": (
        "@tmcp/transport-stdio",
        "0.5.0",
        'import { McpServer } from "tmcp";\nimport { StdioTransport } from "@tmcp/transport-stdio";\n'
        + BEAT
        + "const server = new McpServer({}, {});\nnew StdioTransport(server).listen();\n",
        "exits exits exits",
    ),
}


@pytest.mark.parametrize(("sdk", "version", "text", "verdicts"), cases(FRAMEWORKS, GAPS))
def test_frameworks(tmp_path: Path, sdk: str, version: str, text: str, verdicts: str) -> None:
    server = judge(tmp_path, {"server.mjs": text, "package.json": package(sdk, version)})
    assert life(server) == verdicts
    assert server.transport.sdk == sdk


def test_fastmcp_on_http_is_no_stdio_server(tmp_path: Path) -> None:
    text = FASTMCP(BEAT, '{ transportType: "httpStream", httpStream: { port: 1 } }')
    files = {"server.mjs": text, "package.json": package("fastmcp", "4.20.16")}
    assert report_of(tmp_path, files).servers == ()


VERSIONS = {
    "pinned": ({"package.json": package(version="1.30.0")}, "1.30.0"),
    "locked": (
        {
            "package.json": package(version="^1.0.0"),
            "package-lock.json": '{"lockfileVersion": 3, "packages": {"": {}, '
            '"node_modules/@modelcontextprotocol/sdk": {"version": "1.25.1"}}}',
        },
        "1.25.1",
    ),
    "installed": (
        {
            "package.json": package(version="^1.0.0"),
            "node_modules/@modelcontextprotocol/sdk/package.json": '{"name": "@modelcontextprotocol/sdk", '
            '"version": "1.29.0"}',
        },
        "1.29.0",
    ),
    "unknown": ({"package.json": "{}"}, None),
}


@pytest.mark.parametrize(("files", "version"), cases(VERSIONS, GAPS))
def test_the_version_of_the_sdk(tmp_path: Path, files: dict[str, str], version: str | None) -> None:
    found = judge(tmp_path, {"server.mjs": node(BEAT), **files}).transport.version
    assert (found.version if found is not None else None) == version


def test_an_unknown_version_of_the_second_sdk_counts_as_its_newest(tmp_path: Path) -> None:
    files = {"server.mjs": node2(BEAT + f"server.server.onclose = {GONE};"), "package.json": "{}"}
    assert judge(tmp_path, files).stdin_eof.verdict == "exits"


SPELLED = {
    "default export path": "@modelcontextprotocol/sdk/server/stdio.js",
    "no suffix": "@modelcontextprotocol/sdk/server/stdio",
    "esm build": "@modelcontextprotocol/sdk/dist/esm/server/stdio.js",
}


@pytest.mark.parametrize("path", cases(SPELLED, GAPS))
def test_spellings_of_the_transport_module(tmp_path: Path, path: str) -> None:
    text = node(BEAT).replace("@modelcontextprotocol/sdk/server/stdio.js", path)
    assert judge(tmp_path, text).stdin_eof.verdict == "survives"


TRANSPORTS = {
    "alias": (
        'import { StdioServerTransport as Stdio } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "await server.connect(new Stdio());"
    ),
    "namespace": (
        'import * as stdio from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "await server.connect(new stdio.StdioServerTransport());"
    ),
    "dynamic": (
        'const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");\n'
        "await server.connect(new StdioServerTransport());"
    ),
    "subclass": (
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "class Quiet extends StdioServerTransport { send(message) { return super.send(message); } }\n"
        "await server.connect(new Quiet());"
    ),
    "in a function": (
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "const open = () => new StdioServerTransport();\nserver.connect(open()).catch(() => process.exit(1));"
    ),
    "in main": (
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "async function main() { const t = new StdioServerTransport(); await server.connect(t); }\n"
        "main().catch((e) => { console.error(e); process.exit(1); });"
    ),
    "in a method": (
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "class App { constructor() { this.server = server; } async run() "
        "{ await this.server.connect(new StdioServerTransport()); } }\nnew App().run();"
    ),
    "factory by name": (
        'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n'
        "const make = { stdio: () => new StdioServerTransport() };\nawait server.connect(make.stdio());"
    ),
}


@pytest.mark.parametrize("rest", cases(TRANSPORTS, GAPS))
def test_ways_to_make_a_transport(tmp_path: Path, rest: str) -> None:
    head = (
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n'
        'const server = new McpServer({ name: "t", version: "1.0.0" });\n'
    )
    good = f'process.stdin.on("end", {GONE});\n'
    assert judge(tmp_path / "bad", {"server.mjs": head + BEAT + rest}).stdin_eof.verdict == "survives"
    assert judge(tmp_path / "good", {"server.mjs": head + BEAT + good + rest}).stdin_eof.verdict == "exits"


def test_a_subclass_that_ends_the_process_itself(tmp_path: Path) -> None:
    text = node(
        BEAT,
        connect="class Mortal extends StdioServerTransport {\n"
        f'  async start() {{ process.stdin.on("end", {GONE}); await super.start(); }}\n}}\n'
        "await server.connect(new Mortal());",
    )
    assert judge(tmp_path, text).stdin_eof.verdict != "survives"


# ---------------------------------------------------------------------------- as people write it

CACHE = (
    "export class Cache {\n  private timer: NodeJS.Timeout | null = null;\n"
    "  constructor(private readonly ttl = 1000) { this.start(); }\n"
    "  start(): void { this.timer = setInterval(() => this.sweep(), this.ttl); }\n"
    "  stop(): void { if (this.timer) { clearInterval(this.timer); this.timer = null; } }\n  private sweep(): void {}\n}\n"
)
APP = (
    'import {{ McpServer }} from "@modelcontextprotocol/sdk/server/mcp.js";\n'
    'import {{ StdioServerTransport }} from "@modelcontextprotocol/sdk/server/stdio.js";\n'
    'import {{ Cache }} from "./cache.js";\n'
    "export class App {{\n  private readonly server = new McpServer({{ name: 't', version: '1' }});\n"
    "  constructor(private readonly cache: Cache) {{}}\n"
    "  async start(): Promise<void> {{\n    {0}\n    await this.server.connect(new StdioServerTransport());\n  }}\n"
    "  async stop(): Promise<void> {{ {1} }}\n}}\n"
).format
HOOK = 'process.stdin.on("end", () => this.stop());'
MAIN = 'import { App } from "./app.js";\nimport { Cache } from "./cache.js";\n'
WILD = {
    "class, held": (
        {
            "src/app.ts": APP("", ""),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN + "await new App(new Cache()).start();\n",
        },
        "survives exits exits",
    ),
    "class, exits": (
        {
            "src/app.ts": APP(HOOK, "process.exit(0);"),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN + "await new App(new Cache()).start();\n",
        },
        "exits exits exits",
    ),
    "class, lets go": (
        {
            "src/app.ts": APP(HOOK, "this.cache.stop();"),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN + "await new App(new Cache()).start();\n",
        },
        "exits exits exits",
    ),
    "class, closes only": (
        {
            "src/app.ts": APP(HOOK, "await this.server.close();"),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN + "await new App(new Cache()).start();\n",
        },
        "survives exits exits",
    ),
    "class, signals close only": (
        {
            "src/app.ts": APP(
                'for (const s of ["SIGTERM", "SIGINT"] as const) process.on(s, () => void this.stop());',
                "await this.server.close();",
            ),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN + "await new App(new Cache()).start();\n",
        },
        "survives survives survives",
    ),
    "main with catch": (
        {
            "src/app.ts": APP("", ""),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN
            + "async function main(): Promise<void> { await new App(new Cache()).start(); }\n"
            "main().catch((error: unknown) => { console.error(error); process.exit(1); });\n",
        },
        "survives exits exits",
    ),
    "immediately invoked": (
        {
            "src/app.ts": APP("", ""),
            "src/cache.ts": CACHE,
            "src/index.ts": MAIN + "void (async () => { await new App(new Cache()).start(); })();\n",
        },
        "survives exits exits",
    ),
    "commander": (
        {
            "src/app.ts": APP("", ""),
            "src/cache.ts": CACHE,
            "src/index.ts": 'import { Command } from "commander";\n'
            + MAIN
            + "const program = new Command();\n"
            'program.command("serve").action(async () => { await new App(new Cache()).start(); });\nprogram.parse();\n',
        },
        "survives exits exits",
    ),
    "logger that listens": (
        {
            "src/index.ts": node('import { log } from "./log.js"; log("up");'),
            "src/log.ts": "export const log = (text: string): void => console.error(text);\n"
            'process.on("SIGTERM", () => log("closing the log"));\n',
        },
        "exits survives exits",
    ),
    "oninitialized": (
        {"src/index.ts": node("server.server.oninitialized = () => { setInterval(() => {}, 1000); };")},
        "survives exits exits",
    ),
    "event of an emitter": (
        {
            "src/index.ts": node(
                BEAT + 'import { EventEmitter } from "node:events"; const bus = new EventEmitter();\n'
                'bus.on("gone", () => process.exit(0));\nprocess.stdin.on("end", () => bus.emit("gone"));'
            )
        },
        "exits exits exits",
    ),
    "abort signal": (
        {
            "src/index.ts": node(
                BEAT + "const aborter = new AbortController();\n"
                'aborter.signal.addEventListener("abort", () => process.exit(0));\n'
                'process.stdin.on("end", () => aborter.abort());'
            )
        },
        "exits exits exits",
    ),
    "list of cleanups": (
        {
            "src/index.ts": node(
                BEAT + "const cleanups: (() => void)[] = [];\ncleanups.push(() => clearInterval(beat));\n"
                'process.stdin.on("end", () => { for (const run of cleanups) run(); process.exit(0); });'
            )
        },
        "exits exits exits",
    ),
    "table of timers": (
        {
            "src/index.ts": node(
                "const timers = new Map<string, NodeJS.Timeout>();\n"
                'timers.set("a", setInterval(() => {}, 1000));\n'
                'process.stdin.on("end", () => { for (const t of timers.values()) clearInterval(t); });'
            )
        },
        "unknown exits exits",
    ),
    "enum and satisfies": (
        {
            "src/index.ts": node(
                "enum Mode { On = 1 }\nconst options = { every: 1000 } satisfies { every: number };\n"
                "const beat = setInterval((): void => {}, options.every as number)!;\nvoid Mode.On; void beat;"
            )
        },
        "survives exits exits",
    ),
    "signal table": (
        {
            "src/index.ts": node(
                BEAT
                + "const handlers: Record<string, () => void> = { SIGTERM: () => {}, SIGINT: () => {} };\n"
                "for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);"
            )
        },
        "survives survives survives",
    ),
    "shutdown by reason": (
        {
            "src/index.ts": node(
                BEAT + "const stop = (reason: string) => async (): Promise<void> => {\n"
                "  console.error(reason);\n  try { await server.close(); } finally { process.exit(0); }\n};\n"
                'process.stdin.on("end", stop("end"));\nprocess.on("SIGTERM", stop("SIGTERM"));\n'
                'process.on("SIGINT", stop("SIGINT"));'
            )
        },
        "exits exits exits",
    ),
    "deadline beside cleanup": (
        {
            "src/index.ts": node(
                BEAT + "async function stop(): Promise<void> {\n"
                "  const hard = setTimeout(() => process.exit(1), 2000);\n  hard.unref();\n"
                "  await fetch('http://x').catch(() => {});\n  process.exit(0);\n}\n"
                'process.stdin.on("end", stop);\nprocess.on("SIGTERM", stop);'
            )
        },
        "exits exits exits",
    ),
    "exit only if the parent is gone": (
        {
            "src/index.ts": node(
                BEAT + 'process.stdin.on("end", () => { if (process.ppid === 1) process.exit(0); });'
            )
        },
        "unknown exits exits",
    ),
    "countdown that something cancels": (
        {
            "src/index.ts": node(
                BEAT + "let timer: NodeJS.Timeout | undefined;\n"
                'process.stdin.on("end", () => { timer = setTimeout(() => process.exit(0), 5000); });\n'
                'process.stdin.on("data", () => clearTimeout(timer));'
            )
        },
        "exits exits exits",
    ),
    "listener outside containers": (
        {
            "src/index.ts": node(
                BEAT + 'import { existsSync } from "node:fs";\n'
                'if (!existsSync("/.dockerenv")) process.stdin.on("end", () => process.exit(0));'
            )
        },
        "unknown exits exits",
    ),
    "reconnecting socket": (
        {
            "src/index.ts": node(
                'import WebSocket from "ws";\nfunction open(): void {\n  const socket = new WebSocket("ws://x");\n'
                '  socket.on("close", () => setTimeout(open, 1000));\n}\nopen();'
            )
        },
        "survives exits exits",
    ),
    "supervised start": (
        {
            "src/index.ts": node(
                'const beat = process.env.NODE_ENV === "test" ? undefined : setInterval(() => {}, 1000);\nvoid beat;'
            )
        },
        "survives exits exits",
    ),
}


@pytest.mark.parametrize(("files", "verdicts"), cases(WILD, GAPS))
def test_as_people_write_it(tmp_path: Path, files: dict[str, str], verdicts: str) -> None:
    assert life(judge(tmp_path, files)) == verdicts


NEVER = "await new Promise(() => {});"
ORDER = {
    "listener in then": (BEAT, "", "server.connect(transport).then(() => { LISTEN });", "exits"),
    "before a wait that never settles": (BEAT + "LISTEN", NEVER, "await server.connect(transport);", "exits"),
    "behind a wait that never settles": (
        BEAT,
        NEVER + "\nLISTEN",
        "await server.connect(transport);",
        "survives",
    ),
    "stdin is paused": (
        BEAT + "LISTEN",
        "process.stdin.pause();",
        "await server.connect(transport);",
        "survives",
    ),
    "yargs": (
        'import yargs from "yargs";',
        "",
        f'yargs(process.argv).command("go", "", () => {{}}, async () => {{ {BEAT} await server.connect(transport); }})'
        ".parse();",
        "survives",
    ),
    "asynchronous initialisation": (
        "",
        "",
        f"class A {{ constructor() {{ this.init(); }} async init() {{ {BEAT} await server.connect(transport); }} }}\n"
        "new A();",
        "survives",
    ),
    "watchdog on the parent": (
        BEAT + "const parent = process.ppid;\n"
        "setInterval(() => { if (process.ppid !== parent) process.exit(0); }, 500).unref();",
        "",
        "await server.connect(transport);",
        "unknown",
    ),
}


@pytest.mark.parametrize(("before", "after", "connect", "verdict"), cases(ORDER, GAPS))
def test_when_a_listener_is_there(
    tmp_path: Path, before: str, after: str, connect: str, verdict: str
) -> None:
    text = node(before, after, connect).replace("LISTEN", 'process.stdin.on("end", () => process.exit(0));')
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


# ---------------------------------------------------------------------------- one variable, two tests

MODE = 'const mode = process.argv[2] || "stdio";\n'
HTTP = "(await import('node:http')).createServer().listen(3000);"
SAME_DECISION = {
    "the other arm of an equal test": (
        f'if (mode === "http") {{ {HTTP} }} else {{ await server.connect(transport); }}',
        'if (mode !== "http") process.stdin.on("end", () => process.exit(0));',
        "exits",
    ),
    "another constant": (
        f'if (mode === "stdio") {{ await server.connect(transport); }} else {{ {HTTP} }}',
        'if (mode !== "http") process.stdin.on("end", () => process.exit(0));',
        "exits",
    ),
    "a property of an object": (
        f'const o = load(); if (o.mode === "stdio") {{ await server.connect(transport); }} else {{ {HTTP} }}',
        'if (o.mode === "stdio") process.stdin.on("end", () => process.exit(0));',
        "exits",
    ),
    "a handler of the other mode": (
        f'if (mode === "stdio") {{ await server.connect(transport); }} else {{ {HTTP} }}',
        'if (mode === "http") process.stdin.on("end", () => process.exit(0));',
        "survives",
    ),
    "another variable": (
        f'if (mode === "stdio") {{ await server.connect(transport); }} else {{ {HTTP} }}',
        'const kind = load(); if (kind === "stdio") process.stdin.on("end", () => process.exit(0));',
        "unknown",
    ),
}


@pytest.mark.parametrize(("connect", "after", "verdict"), cases(SAME_DECISION))
def test_two_tests_of_one_variable_are_one_decision(
    tmp_path: Path, connect: str, after: str, verdict: str
) -> None:
    load = 'import { load } from "some-config";\n'
    text = load + node(BEAT + MODE, after, connect)
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


MADE_OF_ITSELF = {
    "set": "let names = new Set(['end']);\nnames = new Set([...names]);\nnames = new Set(names);",
    "array": "let names = Array.from(['end']);\nfor (const n of names) names = Array.from(names);",
}


@pytest.mark.parametrize("body", cases(MADE_OF_ITSELF, GAPS))
def test_a_list_that_is_made_from_itself(tmp_path: Path, body: str) -> None:
    text = node(f"{BEAT}{body}\nfor (const name of names) process.stdin.on(name, () => process.exit(0));")
    assert judge(tmp_path, text).stdin_eof.verdict == "unknown"


MCP_FRAMEWORK = (
    f'import {{{{ MCPServer }}}} from "mcp-framework";\n{BEAT}'.replace("{}", "{{}}")
    + "const server = new MCPServer({0});\nawait server.start();\n"
).format
OVER_STDIO = {
    "nothing said": ("", True),
    "no transport said": ('{ name: "t" }', True),
    "stdio": ('{ transport: { type: "stdio" } }', True),
    "a variable": ('{ transport: { type: process.env.KIND ?? "stdio" } }', True),
    "web": ('{ transport: { type: "http-stream", options: { port: 8080 } } }', False),
    "events": ('{ transport: { type: "sse" } }', False),
    "both": ('{ transports: [{ type: "stdio" }, { type: "http-stream" }] }', True),
    "web in a list": ('{ transports: [{ type: "http-stream" }] }', False),
}


@pytest.mark.parametrize(("options", "stdio"), cases(OVER_STDIO, GAPS))
def test_a_framework_that_is_told_another_transport_serves_no_stdio(
    tmp_path: Path, options: str, stdio: bool
) -> None:
    files = {"server.mjs": MCP_FRAMEWORK(options), "package.json": package("mcp-framework", "0.2.22")}
    assert bool(report_of(tmp_path, files).servers) is stdio


# ---------------------------------------------------------------------------- too late for an end

LISTEN = f'process.stdin.on("end", {GONE});'
LATE = {
    "behind the connection": (LISTEN, False),
    "behind a wait": (f'await fetch("http://a");\n{LISTEN}', True),
    "behind a pause": (f"await new Promise((r) => setTimeout(r, 10));\n{LISTEN}", False),
    "behind an import": (f'await import("node:http");\n{LISTEN}', False),
    "behind a wait that may not come": (f'if (globalThis.x) await fetch("http://a");\n{LISTEN}', False),
    "behind a wait, by what remembers": (
        f'await fetch("http://a");\n(await import("node:stream")).finished(process.stdin, {GONE});',
        False,
    ),
}


@pytest.mark.parametrize(("after", "late"), cases(LATE, GAPS))
def test_listeners_that_may_come_too_late(tmp_path: Path, after: str, late: bool) -> None:
    server = judge(tmp_path, node(BEAT, after))
    assert [h.late for h in server.handlers] == [late]
    assert server.stdin_eof.verdict == ("unknown" if late else "exits")


def test_a_wait_before_the_connection_makes_nobody_late(tmp_path: Path) -> None:
    server = judge(tmp_path, node(f'{BEAT}await fetch("http://a");', LISTEN))
    assert [h.late for h in server.handlers] == [False]
