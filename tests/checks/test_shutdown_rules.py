"""What shutdown code really looks like: who is blamed, and the near miss that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.lifecycle.model import Server
from tests.lifecycle.programs import BEAT, found, judge, node, report_of

WEB = 'import http from "node:http";\nconst web = http.createServer((q, s) => s.end()).listen(8123);\n'
POOL = 'import pg from "pg";\nconst pool = new pg.Pool();\n'
SOCKETS = 'import { WebSocketServer } from "ws";\nconst wss = new WebSocketServer({ port: 9001 });\n'
FILES = 'import fs from "node:fs";\nimport files from "node:fs/promises";\n'
LOCK = FILES + 'const tidy = () => { try { fs.unlinkSync("/tmp/lock"); } catch {} };\n'
SPAWN = 'import { spawn } from "node:child_process";\n'
AT_TERM = 'process.on("SIGTERM", () => { tidy(); process.exit(0); });\n'


def shutdown(steps: str) -> str:
    """A guarded shutdown of some steps, which the usual triggers start from a function of their own."""
    return (
        f"let stopping = false;\nasync function stop() {{\n  if (stopping) return;\n  stopping = true;\n{steps}\n}}\n"
        'process.stdin.on("end", () => void stop());\nprocess.stdin.on("close", () => { stop(); });\n'
        'process.on("SIGTERM", () => { stop().catch(() => process.exit(1)); });\nprocess.on("SIGINT", () => stop());'
    )


def at_term(steps: str) -> str:
    """Steps at SIGTERM, behind a deadline for what has none of its own."""
    return f'process.on("SIGTERM", async () => {{\n{steps}\n}});'


def codes(root: Path, text: str) -> set[str]:
    return {finding.split()[0] for finding in found(root, {"server.mjs": text})}


CLOSED = "await new Promise((done) => web.close(done));"
RACE = "function within(work, ms) { return Promise.race([work, new Promise((done) => setTimeout(done, ms))]); }\n"
REFUSE = (
    "function within(work, ms) {\n  return new Promise((done, fail) => {\n"
    '    const late = setTimeout(() => fail(new Error("late")), ms);\n'
    "    work.then((v) => { clearTimeout(late); done(v); }, fail);\n  });\n}\n"
)
WAITS = {
    "a pool": POOL + shutdown("  await pool.end();\n  process.exit(0);"),
    "a pool whose failure is taken": POOL
    + shutdown("  await pool.end().catch(() => {});\n  process.exit(0);"),
    "a pool that may be there": 'import pg from "pg";\nlet pool;\n'
    'server.tool("q", async () => { pool ??= new pg.Pool(); await pool.query("select 1"); return {}; });\n'
    + shutdown("  await pool?.end();\n  process.exit(0);"),
    "a web server": WEB + shutdown(f"  {CLOSED}\n  process.exit(0);"),
    "sockets": SOCKETS
    + shutdown("  await new Promise((done) => wss.close(() => done()));\n  process.exit(0);"),
    "several at once": POOL
    + WEB
    + shutdown(
        "  await Promise.all([pool.end(), new Promise((done) => web.close(done))]);\n  process.exit(0);"
    ),
    "a chain": POOL + shutdown("  pool.end().finally(() => process.exit(0));"),
    "a worker": 'import { Worker } from "bullmq";\nconst w = new Worker("q", async () => {});\n'
    + shutdown("  await w.close();\n  process.exit(0);"),
    "a private method": POOL + "class Life {\n  #close() { return pool.end(); }\n"
    "  async stop() { await this.#close(); process.exit(0); }\n}\nconst life = new Life();\n"
    'process.on("SIGTERM", () => { life.stop(); });',
}
DO_NOT_WAIT = {
    "a deadline": WEB
    + shutdown(f"  setTimeout(() => process.exit(1), 3000).unref();\n  {CLOSED}\n  process.exit(0);"),
    "a race in a helper": RACE + POOL + shutdown("  await within(pool.end(), 2000);\n  process.exit(0);"),
    "a helper that refuses": REFUSE
    + POOL
    + shutdown("  try { await within(pool.end(), 2000); } catch {}\n  process.exit(0);"),
    "a helper of a library": 'import { within } from "deadlines";\n'
    + POOL
    + shutdown("  await within(pool.end(), 2000);\n  process.exit(0);"),
    "connections that are cut first": WEB
    + shutdown(f"  web.closeAllConnections();\n  {CLOSED}\n  process.exit(0);"),
    "connections that are cut behind": WEB
    + shutdown("  web.close(() => process.exit(0));\n  web.closeAllConnections();"),
    "connections that are kept and cut": WEB
    + 'const open = new Set();\nweb.on("connection", (c) => open.add(c));\n'
    + shutdown(f"  for (const c of open) c.destroy();\n  {CLOSED}\n  process.exit(0);"),
    "clients that are sent away": SOCKETS
    + shutdown(
        "  wss.clients.forEach((c) => c.terminate());\n"
        "  await new Promise((done) => wss.close(() => done()));\n  process.exit(0);"
    ),
    "another listener": WEB + 'process.stdin.on("end", () => web.close(() => process.exit(0)));\n'
    'process.stdin.on("close", () => setTimeout(() => process.exit(0), 500));',
    "a worker that is not waited for": 'import { Worker } from "bullmq";\nconst w = new Worker("q", async () => {});\n'
    + shutdown("  await w.close(true);\n  process.exit(0);"),
    "nothing that is waited for": POOL
    + "async function farewell() { await pool.end(); }\n"
    + shutdown("  farewell();\n  process.exit(0);"),
}


@pytest.mark.parametrize("text", WAITS.values(), ids=WAITS)
def test_an_exit_that_can_hang(tmp_path: Path, text: str) -> None:
    assert "MCP302" in codes(tmp_path, node(text))


@pytest.mark.parametrize("text", DO_NOT_WAIT.values(), ids=DO_NOT_WAIT)
def test_an_exit_with_a_deadline(tmp_path: Path, text: str) -> None:
    assert "MCP302" not in codes(tmp_path, node(text))


UNLINK = 'files.unlink("/tmp/lock")'


def logged(step: str) -> str:
    """A step whose failure is logged and skips the exit."""
    return f"try {{ await {step}; process.exit(0); }} catch (e) {{ console.error(e); }}"


SKIPPED = {
    "a step": FILES + at_term(logged(UNLINK)),
    "a step of a promise of all": FILES + at_term(logged(f"Promise.all([{UNLINK}])")),
    "a caller that only logs": FILES
    + 'async function stop() { await files.unlink("/tmp/lock"); process.exit(0); }\n'
    'process.on("SIGTERM", () => { stop().catch((e) => console.error(e)); });',
}
NOT_SKIPPED = {
    "what settles in any case": FILES + at_term(logged(f"Promise.allSettled([{UNLINK}])")),
    "parts that cannot fail": FILES
    + 'async function part() { try { await files.unlink("/tmp/lock"); } catch {} }\n'
    + at_term(logged("Promise.all([part(), part()])")),
    "a caller that exits": FILES
    + 'async function stop() { await files.unlink("/tmp/lock"); process.exit(0); }\n'
    'process.on("SIGTERM", () => { stop().catch(() => process.exit(1)); });',
    "close, which comes after end": FILES
    + BEAT
    + f'process.stdin.on("end", async () => {{ {logged(UNLINK)} }});\nprocess.stdin.on("close", () => process.exit(0));',
}


@pytest.mark.parametrize("text", SKIPPED.values(), ids=SKIPPED)
def test_an_exit_that_a_failure_skips(tmp_path: Path, text: str) -> None:
    assert "MCP303" in codes(tmp_path, node(text))


@pytest.mark.parametrize("text", NOT_SKIPPED.values(), ids=NOT_SKIPPED)
def test_an_exit_that_no_failure_skips(tmp_path: Path, text: str) -> None:
    assert "MCP303" not in codes(tmp_path, node(text))


def test_a_step_that_can_hang_and_fail_is_told_once(tmp_path: Path) -> None:
    text = POOL + at_term("try { await pool.end(); process.exit(0); } catch (e) { console.error(e); }")
    assert codes(tmp_path, node(text)) == {"MCP302"}


MISSED = {
    "a lock": LOCK + AT_TERM,
    "a child": SPAWN
    + 'let dev;\nserver.tool("go", async () => { dev = spawn("npm", ["start"]); return {}; });\n'
    'process.on("SIGTERM", () => { dev?.kill(); process.exit(0); });',
    "a lock, beside a listener that only exits": LOCK
    + AT_TERM
    + 'process.stdin.on("end", () => process.exit(0));',
}
NOT_MISSED = {
    "the same in other words": LOCK
    + AT_TERM
    + 'process.stdin.on("end", () => { try { fs.unlinkSync("/tmp/lock"); } finally { process.exit(0); } });',
    "an end that signals itself": LOCK
    + AT_TERM
    + 'process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"));',
    "an end that calls the listeners": LOCK
    + AT_TERM
    + 'process.stdin.on("end", () => { process.emit("SIGTERM"); });',
    "a hook of a library": LOCK + AT_TERM + 'import hook from "exit-hook";\nhook(tidy);',
    "a list of hooks": LOCK
    + "const hooks = [];\nhooks.push(tidy);\nconst all = () => hooks.forEach((h) => h());\n"
    'process.on("exit", all);\nprocess.on("SIGTERM", () => { all(); process.exit(0); });',
    "a child that is talked to": SPAWN
    + 'const tool = spawn("language-server");\ntool.stdin.write("hello");\n'
    'process.on("SIGTERM", () => { tool.kill(); process.exit(0); });\nprocess.stdin.on("end", () => process.exit(0));',
    "a connection": POOL + 'process.on("SIGTERM", async () => { await pool.end(); process.exit(0); });\n'
    'process.stdin.on("end", () => process.exit(0));',
    "a browser, which its library kills": 'import puppeteer from "puppeteer";\nlet page;\n'
    'server.tool("go", async () => { page = await puppeteer.launch(); return {}; });\n'
    'process.on("SIGTERM", async () => { await page?.close(); process.exit(0); });\n'
    'process.stdin.on("end", () => process.exit(0));',
}


@pytest.mark.parametrize("text", MISSED.values(), ids=MISSED)
def test_cleanup_that_the_end_misses(tmp_path: Path, text: str) -> None:
    assert "MCP203" in codes(tmp_path, node(text))


@pytest.mark.parametrize("text", NOT_MISSED.values(), ids=NOT_MISSED)
def test_cleanup_that_the_end_does_not_miss(tmp_path: Path, text: str) -> None:
    assert "MCP203" not in codes(tmp_path, node(text))


def test_cleanup_that_several_listeners_start_is_told_once(tmp_path: Path) -> None:
    listeners = "".join(
        f'process.on("{signal}", () => {{ tidy(); process.exit(0); }});\n' for signal in ("SIGINT", "SIGTERM")
    )
    (one,) = report_of(tmp_path, {"server.mjs": node(LOCK + listeners)}).findings
    assert "runs at SIGINT and SIGTERM only" in one.finding.message


def test_a_child_that_is_talked_to_in_another_file(tmp_path: Path) -> None:
    child = 'export const tool = spawn("language-server");\nexport const kill = () => tool.kill();\n'
    files = {
        "child.mjs": SPAWN + child,
        "talk.mjs": 'import { tool } from "./child.mjs";\nexport const say = (text) => tool.stdin.write(text);\n',
        "server.mjs": 'import { kill } from "./child.mjs";\nimport { say } from "./talk.mjs";\n'
        + node(
            'server.tool("go", async () => { say("hello"); return {}; });\n'
            'process.on("SIGTERM", () => { kill(); process.exit(0); });\nprocess.stdin.on("end", () => process.exit(0));'
        ),
    }
    assert not found(tmp_path, files)


def test_cleanup_behind_a_loop_over_stdin_is_not_missed(tmp_path: Path) -> None:
    after = "for await (const _ of process.stdin) {}\ntidy();\nprocess.exit(0);"
    assert "MCP203" not in codes(tmp_path, node(LOCK + AT_TERM, after))


def at_sigterm(root: Path, body: str) -> str:
    server: Server = judge(root, node(body))
    return server.sigterm.verdict


def test_a_callback_that_ends_the_process_unless_it_is_told_of_an_error(tmp_path: Path) -> None:
    callback = "(e) => { if (e) { console.error(e); return; } process.exit(0); }"
    text = FILES + f'process.on("SIGTERM", () => fs.unlink("/tmp/lock", {callback}));'
    assert at_sigterm(tmp_path, text) == "unknown"


def test_a_callback_that_never_ends_the_process(tmp_path: Path) -> None:
    text = FILES + 'process.on("SIGTERM", () => fs.unlink("/tmp/lock", (e) => { console.error(e); }));'
    assert at_sigterm(tmp_path, text) == "survives"


SHELL = 'import { execSync, execFileSync } from "node:child_process";\nimport which from "which";\nimport { z } from "zod";\n'


def tool(line: str, before: str = "") -> str:
    """A tool that is asked for a command, and a line of it."""
    return (
        SHELL
        + before
        + f'server.tool("run", {{ cmd: z.string() }}, async ({{ cmd }}) => {{\n{line}\nreturn {{}};\n}});'
    )


ASKED_FOR = {
    "a command": tool("execSync(cmd);"),
    "a text made of it": tool("execSync(String(cmd).trim());"),
    "the beginning of a command": tool("execSync(`${cmd} --version`);"),
    "through a helper": tool("sh(cmd);", 'function sh(c) { return execSync(c, { encoding: "utf8" }); }\n'),
    "checked first": tool("execSync(asked.parse(cmd));", "const asked = z.string();\n"),
    "an argument that may be missing": SHELL
    + "server.setRequestHandler(x, async (req) => run(req.params.arguments ?? {}));\n"
    "async function run(args) { execSync(args.command); return {}; }\n",
    "options without a limit": tool("const o = {};\no.maxBuffer = 9;\nexecSync(cmd, o);"),
    "options that are put together": tool('execSync(cmd, Object.assign({}, { cwd: "/" }));'),
}
OWN = {
    "words that are joined": tool('execSync(["git", "log", cmd].join(" "));'),
    "words that are added to": tool('const words = ["rg"];\nwords.push(cmd);\nexecSync(words.join(" "));'),
    "a command that is made": tool("execSync(make(cmd));", "function make(f) { return `prettier ${f}`; }\n"),
    "a helper for commands of its own": tool(
        "sh(`list ${cmd}`);\nconst other = `show ${cmd}`;\nsh(other);",
        "function sh(c) { return execSync(c); }\n",
    ),
    "its own interpreter": tool('execFileSync(process.execPath, ["job.js", cmd]);'),
    "a program that is looked up": tool('execFileSync(which.sync("rg"), [cmd]);'),
    "a setting": tool('execFileSync(process.env.GIT_PATH, ["log", cmd]);'),
    "a limit that is put in later": tool("const o = {};\no.timeout = 900;\nexecSync(cmd, o);"),
    "a limit that is merged in": tool(
        "execSync(cmd, Object.assign({}, limits));", "const limits = { timeout: 9 };\n"
    ),
    "a limit that is spread": tool(
        'execSync(cmd, { cwd: "/", ...limits });', "const limits = { timeout: 9 };\n"
    ),
}


@pytest.mark.parametrize("text", ASKED_FOR.values(), ids=ASKED_FOR)
def test_a_command_that_the_caller_chooses(tmp_path: Path, text: str) -> None:
    assert "MCP107" in codes(tmp_path, node(text))


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_a_command_that_the_program_chooses(tmp_path: Path, text: str) -> None:
    assert "MCP107" not in codes(tmp_path, node(text))


VITE = (
    SPAWN
    + 'const vite = spawn("vite", { stdio: "ignore"%s });\nprocess.stdin.on("end", () => process.exit(0));\n'
)
LEFT = {
    "nobody ends it": VITE % "",
    "another child's number": VITE % "" + 'const other = spawn("x");\nconsole.error(other.pid);',
    "a shell around it": VITE % ", shell: true" + 'process.on("exit", () => vite.kill());',
}
NOT_LEFT = {
    "ended by its number": VITE % "" + 'process.on("exit", () => process.kill(vite.pid));',
    "its whole group": VITE % ", detached: true" + 'process.on("exit", () => process.kill(-vite.pid));',
    "by another program": VITE % ""
    + 'import kill from "tree-kill";\nprocess.on("exit", () => kill(vite.pid));',
    "by another program, behind a shell": VITE % ", shell: true"
    + 'process.on("exit", () => { vite.kill(); spawn("taskkill", ["/pid", String(vite.pid)]); });',
    "with a signal of its own": "const life = new AbortController();\n"
    + VITE % ", signal: life.signal"
    + 'process.on("exit", () => life.abort());',
    "after a time": VITE % ", timeout: 5000",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_a_child_that_stays(tmp_path: Path, text: str) -> None:
    assert "MCP304" in codes(tmp_path, node(text))


@pytest.mark.parametrize("text", NOT_LEFT.values(), ids=NOT_LEFT)
def test_a_child_that_is_ended(tmp_path: Path, text: str) -> None:
    assert "MCP304" not in codes(tmp_path, node(text))


@pytest.mark.parametrize(
    ("event", "verdict"), [("exit", "unknown"), ("close", "unknown"), ("error", "survives")]
)
def test_what_a_handler_ends_may_end_the_process_in_turn(tmp_path: Path, event: str, verdict: str) -> None:
    text = SPAWN + f'const work = spawn("work");\nwork.on("{event}", () => process.exit(0));\n'
    assert at_sigterm(tmp_path, text + 'process.on("SIGTERM", () => work.kill());') == verdict


LOOP_UNTIL = (
    "async function work() { while (!done) await new Promise((r) => setTimeout(r, 200)); %s }\nvoid work();\n"
)
SETS = "let done = false;\n" + LOOP_UNTIL + 'process.on("SIGTERM", () => { done = true; });\n'


@pytest.mark.parametrize(("behind", "verdict"), [("process.exit(0);", "unknown"), ("", "survives")])
def test_a_handler_that_tells_a_loop_to_stop(tmp_path: Path, behind: str, verdict: str) -> None:
    assert at_sigterm(tmp_path, SETS % behind) == verdict


def test_a_handler_that_tells_a_loop_which_somebody_waits_for(tmp_path: Path) -> None:
    called = "async function main() { await work(); process.exit(0); }\nvoid main();\n"
    assert at_sigterm(tmp_path, (SETS % "").replace("void work();\n", called)) == "unknown"


@pytest.mark.parametrize("handler", ["gate.resolve", "() => gate.resolve()"])
def test_a_handler_that_lets_a_promise_go(tmp_path: Path, handler: str) -> None:
    body = f'const gate = Promise.withResolvers();\nprocess.on("SIGTERM", {handler});'
    server = judge(tmp_path, node(body, after="await gate.promise;\nprocess.exit(0);"))
    assert server.sigterm.verdict == "unknown"


CRASH = 'process.on("uncaughtException", (e) => { console.error(e); });\n'


@pytest.mark.parametrize(("heard", "loops"), [("", True), ('process.stderr.on("error", () => {});', False)])
def test_a_write_that_fails_loops_unless_it_is_listened_for(tmp_path: Path, heard: str, loops: bool) -> None:
    (one,) = report_of(tmp_path, {"server.mjs": node(CRASH + heard)}).findings
    assert one.finding.code == "MCP202"
    assert ("for ever" in one.finding.message) is loops
