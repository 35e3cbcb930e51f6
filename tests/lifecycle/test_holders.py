"""What keeps a server alive: where it is made, what lets go of it, and what never held."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import BEAT, LOOP, cases, held_by, judge, node, python, report_of

GAPS = {
    "executor, finite": "a function from outside that a thread runs may never come back, however plain",
    "options passed on": "keywords passed on by a subclass are not followed",
}
"""Cases that mcplint does not get right yet, and why."""

TICK = "setInterval(() => {}, 1000)"

# ---------------------------------------------------------------------------- Node: timers

TIMERS = {
    "bare": (f"{TICK};", "survives"),
    "kept": (BEAT, "survives"),
    "globalThis": ("globalThis.setInterval(() => {}, 1000);", "survives"),
    "imported": ('import { setInterval as every } from "node:timers";\nevery(() => {}, 1000);', "survives"),
    "unref chained": (f"{TICK}.unref();", "exits"),
    "unref optional": (f"{TICK}.unref?.();", "exits"),
    "unref later": (f"{BEAT}beat.unref();", "exits"),
    "unref later, optional": (f"{BEAT}beat?.unref?.();", "exits"),
    "unref if there": (f"{BEAT}if (beat.unref) beat.unref();", "exits"),
    "unref by type": (f'{BEAT}if (typeof beat.unref === "function") beat.unref();', "exits"),
    "unref of an object": (f'{BEAT}if (typeof beat === "object") beat.unref();', "exits"),
    "unref by type and presence": (
        f'{BEAT}if (beat && typeof beat.unref === "function") {{ beat.unref(); }}',
        "exits",
    ),
    "unref by and": (f"{BEAT}beat.unref && beat.unref();", "exits"),
    "unref by in": (f'{BEAT}if ("unref" in beat) beat.unref();', "exits"),
    "unref and ref": (f"{BEAT}beat.unref();\nbeat.ref();", "survives"),
    "unref in a helper": (f"function quiet(t) {{ t.unref(); return t; }}\nquiet({TICK});", "exits"),
    "unref in a helper not called": (f"function quiet(t) {{ t.unref(); }}\n{BEAT}void quiet;", "survives"),
    "unref of another": (f"{BEAT}const other = setTimeout(() => {{}}, 1);\nother.unref();", "survives"),
    "unref by an option": (f"{BEAT}if (process.env.QUIET) beat.unref();", "unknown"),
    "cleared at once": (f"{BEAT}clearInterval(beat);", "exits"),
    "cleared by another name": (f"{BEAT}const same = beat;\nclearInterval(same);", "exits"),
    "cleared only in a function nobody calls": (
        f"{BEAT}export const stop = () => clearInterval(beat);",
        "survives",
    ),
    "cleared by itself, perhaps": (
        "const t = setInterval(() => { if (globalThis.done) clearInterval(t); }, 10);",
        "unknown",
    ),
    "cleared by a one-shot": (f"{BEAT}setTimeout(() => clearInterval(beat), 500);", "exits"),
    "under if false": (f"if (false) {TICK};", "exits"),
    "under a constant": (f"const ENABLED = false;\nif (ENABLED) {TICK};", "exits"),
    "under a true constant": (f"const ENABLED = true;\nif (ENABLED) {TICK};", "survives"),
    "under an option": (f"if (process.env.BEAT) {TICK};", "unknown"),
    "in a function nobody calls": (f"function start() {{ {TICK}; }}\nvoid start;", "exits"),
    "in a called function": (f"function start() {{ {TICK}; }}\nstart();", "survives"),
    "behind an await": ("async function start() { await 0; " + TICK + "; }\nawait start();", "survives"),
    "in then": (f"Promise.resolve().then(() => {TICK});", "survives"),
    "in a loop": (f"for (const n of [1, 2]) {TICK};", "survives"),
    "in a conditional": (f"const t = process.env.BEAT ? {TICK} : null;", "unknown"),
    "one shot": ("setTimeout(() => {}, 500);", "exits"),
    "re-armed": ("function tick() { setTimeout(tick, 1000); }\ntick();", "survives"),
    "re-armed by arrow": ("const tick = () => { setTimeout(() => tick(), 1000); };\ntick();", "survives"),
    "re-armed in finally": (
        "async function tick() { try { await fetch('http://x'); } finally { setTimeout(tick, 1000); } }\ntick();",
        "survives",
    ),
    "re-armed in a class": (
        "class Poll { start() { this.timer = setTimeout(() => this.start(), 1000); } }\nnew Poll().start();",
        "survives",
    ),
    "re-armed without holding": ("function tick() { setTimeout(tick, 1000).unref(); }\ntick();", "exits"),
    "re-armed, never started": ("function tick() { setTimeout(tick, 1000); }\nvoid tick;", "exits"),
    "re-armed, perhaps": (
        "let n = 0;\nfunction tick() { if (n++ < 3) setTimeout(tick, 1000); }\ntick();",
        "unknown",
    ),
    "setImmediate loop": ("function tick() { setImmediate(tick); }\ntick();", "survives"),
    "sleep loop": (
        "const nap = (ms) => new Promise((r) => setTimeout(r, ms));\n(async () => { for (;;) await nap(1000); })();",
        "survives",
    ),
    "sleep loop inline": (
        "async function poll() { while (true) { await new Promise((r) => setTimeout(r, 1000)); } }\npoll();",
        "survives",
    ),
    "finite sleep loop": (
        "const nap = (ms) => new Promise((r) => setTimeout(r, ms));\n"
        "(async () => { for (let i = 0; i < 3; i++) await nap(1000); })();",
        "exits",
    ),
    "sleep once": (
        "const nap = (ms) => new Promise((r) => setTimeout(r, ms));\nawait nap(10);",
        "exits",
    ),
    "timers/promises loop": (
        'import { setTimeout as nap } from "node:timers/promises";\n(async () => { while (true) await nap(1000); })();',
        "survives",
    ),
    "timers/promises interval": (
        'import { setInterval as ticks } from "node:timers/promises";\n'
        "(async () => { for await (const _ of ticks(1000)) {} })();",
        "survives",
    ),
    "timers/promises interval, ref false": (
        'import { setInterval as ticks } from "node:timers/promises";\n'
        "(async () => { for await (const _ of ticks(1000, null, { ref: false })) {} })();",
        "exits",
    ),
    "AbortSignal.timeout": ("AbortSignal.timeout(60000);", "exits"),
    "a promise that never settles": ("new Promise(() => {});", "exits"),
    "a shadowed name": ("{ const setInterval = (f) => f(); setInterval(() => {}, 1); }", "exits"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(TIMERS, GAPS))
def test_timers_of_node(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, {"server.mjs": node(body)}).stdin_eof.verdict == verdict


# ---------------------------------------------------------------------------- Node: where it is made

CACHE = {
    "constructor of a singleton": (
        "class Cache { constructor() { setInterval(() => this.sweep(), 1000); } sweep() {} }\n"
        "export const cache = new Cache();",
        "survives",
    ),
    "constructor, unref'd": (
        "class Cache { constructor() { const t = setInterval(() => {}, 1000); t.unref(); } }\n"
        "export const cache = new Cache();",
        "exits",
    ),
    "field": (
        "class Cache { timer = setInterval(() => {}, 1000); }\nexport const cache = new Cache();",
        "survives",
    ),
    "field, unref'd": (
        "class Cache { timer = setInterval(() => {}, 1000).unref(); }\nexport const cache = new Cache();",
        "exits",
    ),
    "static field": (
        "export class cache { static timer = setInterval(() => {}, 1000); }",
        "survives",
    ),
    "kept in a field, unref'd by it": (
        "class Cache { constructor() { this.timer = setInterval(() => {}, 1000); this.timer.unref(); } }\n"
        "export const cache = new Cache();",
        "exits",
    ),
    "kept in a field, unref'd if there": (
        "class Cache { constructor() { this.timer = setInterval(() => {}, 1000); this.timer?.unref?.(); } }\n"
        "export const cache = new Cache();",
        "exits",
    ),
    "start method called by the constructor": (
        "class Cache { constructor() { this.start(); } start() { this.timer = setInterval(() => {}, 1000); } }\n"
        "export const cache = new Cache();",
        "survives",
    ),
    "inherited constructor": (
        "class Base { constructor() { setInterval(() => {}, 1000); } }\nclass Cache extends Base {}\n"
        "export const cache = new Cache();",
        "survives",
    ),
    "super": (
        "class Base { constructor() { setInterval(() => {}, 1000); } }\n"
        "class Cache extends Base { constructor() { super(); } }\nexport const cache = new Cache();",
        "survives",
    ),
    "class never made": ("export class cache { constructor() { setInterval(() => {}, 1000); } }", "exits"),
    "getInstance, never called": (
        "export class cache { static one; static get() { return (cache.one ??= new cache()); }\n"
        "constructor() { setInterval(() => {}, 1000); } }",
        "exits",
    ),
    "enabled false by a constant": (
        "class Cache { constructor(options) { if (!options.enabled) return; setInterval(() => {}, 1000); } }\n"
        "export const cache = new Cache({ enabled: false });",
        "exits",
    ),
    "enabled true by a constant": (
        "class Cache { constructor(options) { if (!options.enabled) return; setInterval(() => {}, 1000); } }\n"
        "export const cache = new Cache({ enabled: true });",
        "survives",
    ),
    "enabled false in a field": (
        "class Cache { constructor(options) { this.options = options; if (this.options.enabled) this.start(); }\n"
        "start() { setInterval(() => {}, 1000); } }\nexport const cache = new Cache({ enabled: false });",
        "exits",
    ),
    "enabled by default": (
        "class Cache { constructor({ enabled = true } = {}) { if (enabled) setInterval(() => {}, 1000); } }\n"
        "export const cache = new Cache();",
        "survives",
    ),
    "options by the environment": (
        "class Cache { constructor(options) { if (options.enabled) setInterval(() => {}, 1000); } }\n"
        "export const cache = new Cache({ enabled: process.env.CACHE === '1' });",
        "unknown",
    ),
    "module level": ("setInterval(() => {}, 1000);\nexport const cache = 1;", "survives"),
    "function at module level": (
        "function start() { setInterval(() => {}, 1000); }\nstart();\nexport const cache = 1;",
        "survives",
    ),
    "immediately invoked": (
        "(function () { setInterval(() => {}, 1000); })();\nexport const cache = 1;",
        "survives",
    ),
}


@pytest.mark.parametrize(("text", "verdict"), cases(CACHE, GAPS))
def test_a_timer_of_another_module(tmp_path: Path, text: str, verdict: str) -> None:
    files = {
        "src/index.mjs": node('import { cache } from "./cache.mjs";\nvoid cache;'),
        "src/cache.mjs": text,
    }
    server = judge(tmp_path, files)
    assert server.stdin_eof.verdict == verdict
    if verdict == "survives":
        assert {at.partition(":")[0] for at in held_by(tmp_path, server)} == {"src/cache.mjs"}


def test_one_class_made_twice_with_other_options(tmp_path: Path) -> None:
    text = "export class Cache { constructor(on) { if (on) setInterval(() => {}, 1000); } }\n"
    for name, use, verdict in (
        ("one on", "new Cache(true); new Cache(false);", "survives"),
        ("all off", "new Cache(false); new Cache(0);", "exits"),
    ):
        files = {"index.mjs": node('import { Cache } from "./cache.mjs";\n' + use), "cache.mjs": text}
        assert judge(tmp_path / name, files).stdin_eof.verdict in (verdict, "unknown")


TOOLS = {
    "tool": 'server.tool("t", async () => { WORK return { content: [] }; });',
    "registerTool": 'server.registerTool("t", {}, async () => { WORK return { content: [] }; });',
    "low level": "server.server.setRequestHandler({}, async () => { WORK return {}; });",
    "named": 'async function handle() { WORK return {}; }\nserver.tool("t", handle);',
    "method": "class Tools { async run() { WORK } }\nconst tools = new Tools();\n"
    'server.tool("t", async () => { await tools.run(); return {}; });',
    "table": "const handlers = { ping: async () => { WORK return {}; } };\n"
    'server.tool("ping", (args) => handlers.ping(args));',
}


@pytest.mark.parametrize("tool", cases(TOOLS, GAPS))
def test_a_holder_made_by_a_tool_counts_from_the_first_call(tmp_path: Path, tool: str) -> None:
    report = report_of(tmp_path / "held", {"server.mjs": node(tool.replace("WORK", f"{TICK};"))})
    (server,) = report.servers
    assert (server.stdin_eof.verdict, server.stdin_eof_after_call.verdict) == ("exits", "survives")
    assert [(r.finding.code, r.finding.when, r.finding.severity) for r in report.findings] == [
        ("MCP101", "call", "warning")
    ]
    clean = node(tool.replace("WORK", "setTimeout(() => {}, 10);"))
    assert report_of(tmp_path / "clean", {"server.mjs": clean}).findings == ()


def test_a_timer_that_its_own_tool_clears(tmp_path: Path) -> None:
    body = (
        'server.tool("t", async () => { const t = setInterval(() => {}, 100);\n'
        "  try { await fetch('http://x'); } finally { clearInterval(t); } return { content: [] }; });"
    )
    server = judge(tmp_path, node(body))
    assert server.stdin_eof.verdict == "exits"
    assert server.stdin_eof_after_call.verdict != "survives"


# ---------------------------------------------------------------------------- Node: connections

PG = 'import pg from "pg";\nconst pool = new pg.Pool({});\n'
MYSQL = 'import mysql from "mysql2/promise";\nconst pool = mysql.createPool({});\n'
ASK = 'server.tool("q", async () => { await pool.query("select 1"); return {}; });'
POOLS = {
    "pg unused": (PG, "exits exits"),
    "pg used at start, for ten seconds": (PG + 'await pool.query("select 1");', "exits exits"),
    "pg used by a tool": (PG + ASK, "exits exits"),
    "pg without idle timeout, used by a tool": (
        PG.replace("{}", "{ idleTimeoutMillis: 0 }") + ASK,
        "exits survives",
    ),
    "pg with a minimum, at start": (
        PG.replace("{}", "{ min: 1 }") + 'await pool.query("x");',
        "survives survives",
    ),
    "pg with a minimum, unused": (PG.replace("{}", "{ min: 1 }"), "exits exits"),
    "pg, exit on idle": (
        PG.replace("{}", "{ min: 1, allowExitOnIdle: true }") + 'await pool.query("x");',
        "exits exits",
    ),
    "pg client": (
        'import { Client } from "pg";\nconst c = new Client();\nawait c.connect();',
        "survives survives",
    ),
    "pg client, not connected": ('import { Client } from "pg";\nconst c = new Client();', "exits exits"),
    "pg client, ended": (
        'import { Client } from "pg";\nconst c = new Client();\nawait c.connect();\nawait c.end();',
        "exits exits",
    ),
    "mysql2 unused": (MYSQL, "exits exits"),
    "mysql2 used at start": (MYSQL + 'await pool.query("select 1");', "survives survives"),
    "mysql2 used by a tool": (MYSQL + ASK, "exits survives"),
    "mysql2 used by a helper of a tool": (
        MYSQL
        + 'const ask = (q) => pool.execute(q);\nserver.tool("q", async () => { await ask("x"); return {}; });',
        "exits survives",
    ),
    "ioredis": ('import Redis from "ioredis";\nconst r = new Redis();', "survives survives"),
    "ioredis named": ('import { Redis } from "ioredis";\nconst r = new Redis();', "survives survives"),
    "ioredis lazy": (
        'import Redis from "ioredis";\nconst r = new Redis({ lazyConnect: true });',
        "exits exits",
    ),
    "redis not connected": (
        'import { createClient } from "redis";\nconst r = createClient();',
        "exits exits",
    ),
    "redis connected": (
        'import { createClient } from "redis";\nconst r = createClient();\nawait r.connect();',
        "survives survives",
    ),
}


@pytest.mark.parametrize(("body", "verdicts"), cases(POOLS, GAPS))
def test_pools_and_connections(tmp_path: Path, body: str, verdicts: str) -> None:
    server = judge(tmp_path, node(body))
    assert f"{server.stdin_eof.verdict} {server.stdin_eof_after_call.verdict}" == verdicts


def test_a_pool_of_another_module(tmp_path: Path) -> None:
    files = {
        "src/index.ts": node(
            'import { ask } from "./store/index.js";\nserver.tool("q", async () => ({ rows: await ask() }));'
        ),
        "src/store/index.ts": 'export * from "./pool";\n',
        "src/store/pool.ts": 'import { createPool } from "mysql2/promise";\nconst pool = createPool({});\n'
        'export const ask = () => pool.query("select 1");\n',
    }
    server = judge(tmp_path, files)
    assert server.stdin_eof_after_call.verdict == "survives"
    assert server.stdin_eof_after_call.holder is not None
    assert server.stdin_eof_after_call.holder.place.path.name == "pool.ts"


LISTENERS = {
    "http": ('import http from "node:http";\nhttp.createServer(() => {}).listen(3000);', "survives"),
    "http by name": (
        'import { createServer } from "http";\nconst web = createServer();\nweb.listen(0, () => {});',
        "survives",
    ),
    "http, not listening": ('import http from "node:http";\nhttp.createServer(() => {});', "exits"),
    "http, unref'd": (
        'import http from "node:http";\nhttp.createServer(() => {}).listen(0).unref();',
        "exits",
    ),
    "http, unref'd by its server": (
        'import http from "node:http";\nconst web = http.createServer();\nweb.listen(0);\nweb.unref();',
        "exits",
    ),
    "http, closed": (
        'import http from "node:http";\nconst web = http.createServer();\nweb.listen(0);\nweb.close();',
        "exits",
    ),
    "express": ('import express from "express";\nconst app = express();\napp.listen(3000);', "survives"),
    "express, not listening": ('import express from "express";\nconst app = express();', "exits"),
    "ws": ('import { WebSocketServer } from "ws";\nnew WebSocketServer({ port: 8080 });', "survives"),
    "ws, no server": (
        'import { WebSocketServer } from "ws";\nnew WebSocketServer({ noServer: true });',
        "exits",
    ),
    "fs.watch": ('import fs from "node:fs";\nfs.watch(".", () => {});', "survives"),
    "fs.watch, not persistent": (
        'import fs from "node:fs";\nfs.watch(".", { persistent: false }, () => {});',
        "exits",
    ),
    "chokidar": ('import chokidar from "chokidar";\nchokidar.watch(".");', "survives"),
    "chokidar, not persistent": (
        'import chokidar from "chokidar";\nchokidar.watch(".", { persistent: false });',
        "exits",
    ),
    "node-cron": ('import cron from "node-cron";\ncron.schedule("* * * * *", () => {});', "survives"),
    "cron not started": ('import { CronJob } from "cron";\nnew CronJob("* * * * *", () => {});', "exits"),
    "stdin resumed": ("process.stdin.resume();", "exits"),
    "signal listener": ('process.on("SIGTERM", () => process.exit(0));', "exits"),
    "readline": ('import rl from "node:readline";\nrl.createInterface({ input: process.stdin });', "exits"),
    "emitter": (
        'import { EventEmitter } from "node:events";\nnew EventEmitter().on("x", () => {});',
        "exits",
    ),
    "fetch caught": ('fetch("http://127.0.0.1:1/").catch(() => {});', "exits"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(LISTENERS, GAPS))
def test_sockets_watchers_and_schedules(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == verdict


# ---------------------------------------------------------------------------- Node: the other mode

MADE = "const transport = new StdioServerTransport();\n"
WEB = 'import http from "node:http";\nfunction serveHttp() { http.createServer().listen(3000); }\n'
STDIO = "async function serveStdio() { await server.connect(new StdioServerTransport()); }\n"
MODES = {
    "flag": ('if (process.argv.includes("--http")) { serveHttp(); } else { await serveStdio(); }', "exits"),
    "environment": ('if (process.env.MODE === "http") serveHttp(); else await serveStdio();', "exits"),
    "inverted": ('if (process.env.MODE !== "http") { await serveStdio(); } else { serveHttp(); }', "exits"),
    "early return": (
        'async function main() { if (process.argv[2] === "http") { serveHttp(); return; } await serveStdio(); }\nmain();',
        "exits",
    ),
    "early exit": (
        'async function main() { if (process.argv[2] === "version") { setInterval(() => {}, 9); process.exit(0); }\n'
        "  await serveStdio(); }\nmain();",
        "exits",
    ),
    "switch": (
        'switch (process.env.MODE) { case "http": serveHttp(); break; case "stdio": await serveStdio(); break; }',
        "exits",
    ),
    "switch with default": (
        'switch (process.env.MODE) { case "http": serveHttp(); break; default: await serveStdio(); }',
        "exits",
    ),
    "conditional": ('await (process.env.MODE === "http" ? serveHttp() : serveStdio());', "exits"),
    "by a variable": (
        'const mode = process.env.MODE ?? "stdio";\nif (mode === "stdio") await serveStdio(); else serveHttp();',
        "exits",
    ),
    "beside, always": ("serveHttp();\nawait serveStdio();", "survives"),
    "beside, by another flag": ("if (process.env.BRIDGE) serveHttp();\nawait serveStdio();", "unknown"),
    "both in one branch": (
        'if (process.env.MODE === "http") { console.error(1); } else { serveHttp(); await serveStdio(); }',
        "survives",
    ),
    "two ifs on one flag": (
        'const web = process.argv.includes("--http");\nif (web) serveHttp();\nif (!web) await serveStdio();',
        "exits",
    ),
}


@pytest.mark.parametrize(("body", "verdict"), cases(MODES, GAPS))
def test_only_the_stdio_branch_is_judged(tmp_path: Path, body: str, verdict: str) -> None:
    text = node(WEB + STDIO + body, connect="").replace(MADE, "")
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


def test_a_transport_that_only_one_branch_serves(tmp_path: Path) -> None:
    """Made at the top level, connected in a branch."""
    body = 'if (process.argv.includes("--http")) serveHttp(); else await server.connect(transport);'
    assert judge(tmp_path, node(WEB + body, connect="")).stdin_eof.verdict == "exits"


def test_a_module_imported_in_the_http_branch_only(tmp_path: Path) -> None:
    def files(branch: str) -> dict[str, str]:
        return {
            "index.mjs": node(
                f'if (process.argv.includes("--http")) {{ {branch} }} else {{',
                connect="await server.connect(new StdioServerTransport()); }",
            ).replace(MADE, ""),
            "web.mjs": "setInterval(() => {}, 1000);\n",
        }

    assert judge(tmp_path / "there", files('await import("./web.mjs");')).stdin_eof.verdict == "exits"
    hoisted = files("")
    hoisted["index.mjs"] = 'import "./web.mjs";\n' + hoisted["index.mjs"]
    assert judge(tmp_path / "hoisted", hoisted).stdin_eof.verdict == "survives"


# ---------------------------------------------------------------------------- Python

THREADS = {
    "thread": (LOOP + "threading.Thread(target=work).start()", "survives"),
    "kept": (LOOP + "t = threading.Thread(target=work)\nt.start()", "survives"),
    "imported": (LOOP + "from threading import Thread\nThread(target=work).start()", "survives"),
    "positional": (LOOP + "threading.Thread(None, work).start()", "survives"),
    "never started": (LOOP + "t = threading.Thread(target=work)", "exits"),
    "daemon keyword": (LOOP + "threading.Thread(target=work, daemon=True).start()", "exits"),
    "daemon false": (LOOP + "threading.Thread(target=work, daemon=False).start()", "survives"),
    "daemon attribute": (LOOP + "t = threading.Thread(target=work)\nt.daemon = True\nt.start()", "exits"),
    "daemon attribute, false": (
        LOOP + "t = threading.Thread(target=work)\nt.daemon = False\nt.start()",
        "survives",
    ),
    "daemon of another": (
        LOOP + "u = threading.Thread(target=print)\nu.daemon = True\nthreading.Thread(target=work).start()",
        "survives",
    ),
    "setDaemon": (LOOP + "t = threading.Thread(target=work)\nt.setDaemon(True)\nt.start()", "exits"),
    "daemon constant": (
        LOOP + "DAEMON = True\nthreading.Thread(target=work, daemon=DAEMON).start()",
        "exits",
    ),
    "daemon by an option": (
        LOOP + "threading.Thread(target=work, daemon=bool(os.environ.get('D'))).start()",
        "unknown",
    ),
    "subclass": (
        "class Worker(threading.Thread):\n    def run(self):\n        while True:\n            time.sleep(1)\n"
        "Worker().start()",
        "survives",
    ),
    "subclass, daemon by super": (
        "class Worker(threading.Thread):\n    def __init__(self):\n        super().__init__(daemon=True)\n"
        "    def run(self):\n        while True:\n            time.sleep(1)\nWorker().start()",
        "exits",
    ),
    "subclass, daemon by base": (
        "class Worker(threading.Thread):\n    def __init__(self):\n        threading.Thread.__init__(self, daemon=True)\n"
        "    def run(self):\n        while True:\n            time.sleep(1)\nWorker().start()",
        "exits",
    ),
    "subclass, daemon by attribute": (
        "class Worker(threading.Thread):\n    def __init__(self):\n        super().__init__()\n"
        "        self.daemon = True\n    def run(self):\n        while True:\n            time.sleep(1)\nWorker().start()",
        "exits",
    ),
    "subclass, daemon by class": (
        "class Worker(threading.Thread):\n    daemon = True\n    def run(self):\n"
        "        while True:\n            time.sleep(1)\nWorker().start()",
        "exits",
    ),
    "subclass, daemon by its caller": (
        "class Worker(threading.Thread):\n    def run(self):\n        while True:\n            time.sleep(1)\n"
        "w = Worker(daemon=True)\nw.start()",
        "exits",
    ),
    "subclass, starts itself": (
        "class Worker(threading.Thread):\n    def __init__(self):\n        super().__init__()\n        self.start()\n"
        "    def run(self):\n        while True:\n            time.sleep(1)\nWorker()",
        "survives",
    ),
    "subclass, finite": (
        "class Worker(threading.Thread):\n    def run(self):\n        print('x', file=sys.stderr)\nWorker().start()",
        "exits",
    ),
    "method target": (
        "class App:\n    def __init__(self):\n        threading.Thread(target=self._work).start()\n"
        "    def _work(self):\n        while True:\n            time.sleep(1)\nApp()",
        "survives",
    ),
    "kept in a field": (
        "class App:\n    def __init__(self):\n        self.t = threading.Thread(target=self._work)\n"
        "        self.t.daemon = True\n        self.t.start()\n"
        "    def _work(self):\n        while True:\n            time.sleep(1)\nApp()",
        "exits",
    ),
    "lambda target": (LOOP + "threading.Thread(target=lambda: work()).start()", "survives"),
    "finite target": ("def work():\n    time.sleep(1)\nthreading.Thread(target=work).start()", "exits"),
    "loop with a break": (
        "def work():\n    while True:\n        break\nthreading.Thread(target=work).start()",
        "exits",
    ),
    "loop over a range": (
        "def work():\n    for _ in range(3):\n        time.sleep(1)\nthreading.Thread(target=work).start()",
        "exits",
    ),
    "loop that swallows": (
        "def work():\n    while True:\n        try:\n            time.sleep(1)\n        except Exception:\n"
        "            continue\nthreading.Thread(target=work).start()",
        "survives",
    ),
    "loop until a flag": (
        "running = True\ndef work():\n    while running:\n        time.sleep(1)\nthreading.Thread(target=work).start()",
        "survives",
    ),
    "external target": (
        "import http.server\nweb = http.server.HTTPServer(('', 0), None)\n"
        "threading.Thread(target=web.serve_forever).start()",
        "survives",
    ),
    "external target, daemon": (
        "import http.server\nweb = http.server.HTTPServer(('', 0), None)\n"
        "threading.Thread(target=web.serve_forever, daemon=True).start()",
        "exits",
    ),
    "loop of its own": (
        "loop = asyncio.new_event_loop()\nthreading.Thread(target=loop.run_forever).start()",
        "survives",
    ),
    "uvicorn": (
        "import uvicorn\nweb = uvicorn.Server(uvicorn.Config('app:app'))\nthreading.Thread(target=web.run).start()",
        "survives",
    ),
    "unknown target": (
        "from somewhere import work\nthreading.Thread(target=work).start()",
        "unknown",
    ),
    "in a function nobody calls": (LOOP + "def start():\n    threading.Thread(target=work).start()", "exits"),
    "under if False": (LOOP + "if False:\n    threading.Thread(target=work).start()", "exits"),
    "under an option": (
        LOOP + "if os.environ.get('W'):\n    threading.Thread(target=work).start()",
        "unknown",
    ),
    "behind is-main": (
        LOOP + "if __name__ == '__main__':\n    threading.Thread(target=work).start()",
        "survives",
    ),
    "TYPE_CHECKING": (
        LOOP
        + "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    threading.Thread(target=work).start()",
        "exits",
    ),
    "one-shot timer": ("threading.Timer(5, print).start()", "exits"),
    "recurring timer": ("def again():\n    threading.Timer(5, again).start()\nagain()", "survives"),
    "recurring timer, daemon": (
        "def again():\n    t = threading.Timer(5, again)\n    t.daemon = True\n    t.start()\nagain()",
        "exits",
    ),
    "executor": (
        LOOP
        + "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor()\npool.submit(work)",
        "survives",
    ),
    "executor, finite": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor()\npool.submit(time.sleep, 1)",
        "exits",
    ),
    "executor, idle": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor()",
        "exits",
    ),
    "executor, not waited for": (
        LOOP
        + "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor()\npool.submit(work)\n"
        "atexit.register(pool.shutdown, wait=False)",
        "survives",
    ),
    "process": (LOOP + "import multiprocessing\nmultiprocessing.Process(target=work).start()", "survives"),
    "process, daemon": (
        LOOP + "import multiprocessing\nmultiprocessing.Process(target=work, daemon=True).start()",
        "exits",
    ),
    "process, imported": (
        LOOP + "from multiprocessing import Process\np = Process(target=work)\np.start()",
        "survives",
    ),
    "pool of processes": ("import multiprocessing\npool = multiprocessing.Pool(2)", "exits"),
    "BackgroundScheduler": (
        "from apscheduler.schedulers.background import BackgroundScheduler\nBackgroundScheduler().start()",
        "exits",
    ),
    "BackgroundScheduler, no daemon": (
        "from apscheduler.schedulers.background import BackgroundScheduler\nBackgroundScheduler(daemon=False).start()",
        "survives",
    ),
    "socket": ("import socket\ns = socket.socket()\ns.listen()", "exits"),
    "child": ("import subprocess\nsubprocess.Popen(['sleep', '9'])", "exits"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(THREADS, GAPS))
def test_what_python_waits_for(tmp_path: Path, body: str, verdict: str) -> None:
    assert judge(tmp_path, python(body)).stdin_eof.verdict == verdict


POLLED = "stop = threading.Event()\ndef work():\n    while not stop.is_set():\n        stop.wait(0.5)\n"
STOPPED = {
    "never set": (POLLED, "mcp.run()", "survives"),
    "set in finally": (POLLED, "try:\n    mcp.run()\nfinally:\n    stop.set()", "exits"),
    "set behind": (POLLED, "mcp.run()\nstop.set()", "exits"),
    "set at exit": (POLLED + "atexit.register(stop.set)\n", "mcp.run()", "survives"),
    "set by a function nobody calls": (POLLED + "def halt():\n    stop.set()\n", "mcp.run()", "survives"),
    "flag cleared in finally": (
        "running = True\ndef work():\n    while running:\n        time.sleep(1)\n",
        "try:\n    mcp.run()\nfinally:\n    running = False",
        "exits",
    ),
}


@pytest.mark.parametrize(("body", "serve", "verdict"), cases(STOPPED, GAPS))
def test_a_thread_that_is_told_to_stop(tmp_path: Path, body: str, serve: str, verdict: str) -> None:
    text = python(body + "threading.Thread(target=work).start()", serve=serve)
    assert judge(tmp_path, text).stdin_eof.verdict in (verdict, "unknown")
    assert judge(tmp_path, text).stdin_eof.verdict != {"exits": "survives", "survives": "exits"}[verdict]


LIFESPAN = (
    "from contextlib import asynccontextmanager\nimport asyncio, threading, time\n"
    "from mcp.server.fastmcp import FastMCP\n{0}\n@asynccontextmanager\nasync def lifespan(app):\n"
    "    {1}\n    yield\n\nmcp = FastMCP('t', lifespan=lifespan)\nmcp.run()\n"
).format
TASKS = {
    "thread": (LIFESPAN(LOOP, "threading.Thread(target=work).start()"), "survives"),
    "daemon thread": (LIFESPAN(LOOP, "threading.Thread(target=work, daemon=True).start()"), "exits"),
    "to_thread": (LIFESPAN(LOOP, "task = asyncio.create_task(asyncio.to_thread(work))"), "survives"),
    "run_in_executor": (LIFESPAN(LOOP, "asyncio.get_running_loop().run_in_executor(None, work)"), "survives"),
    "task": (
        LIFESPAN(
            "async def poll():\n    while True:\n        await asyncio.sleep(1)\n",
            "task = asyncio.create_task(poll())",
        ),
        "exits",
    ),
    "task that catches errors": (
        LIFESPAN(
            "async def poll():\n    while True:\n        try:\n            await asyncio.sleep(1)\n"
            "        except Exception:\n            pass\n",
            "task = asyncio.create_task(poll())",
        ),
        "exits",
    ),
}


@pytest.mark.parametrize(("text", "verdict"), cases(TASKS, GAPS))
def test_what_a_lifespan_starts(tmp_path: Path, text: str, verdict: str) -> None:
    assert judge(tmp_path, text).stdin_eof.verdict == verdict


@pytest.mark.parametrize("decorator", ["@mcp.tool()", "@mcp.tool", "@mcp.resource('a://b')", "@mcp.prompt()"])
def test_a_thread_of_a_tool_counts_from_the_first_call(tmp_path: Path, decorator: str) -> None:
    def text(daemon: str) -> str:
        tool = f"{decorator}\ndef tool() -> str:\n    threading.Thread(target=work{daemon}).start()\n    return ''\n"
        return python(LOOP + tool)

    report = report_of(tmp_path / "bad", {"server.py": text("")})
    (server,) = report.servers
    assert (server.stdin_eof.verdict, server.stdin_eof_after_call.verdict) == ("exits", "survives")
    assert [(r.finding.code, r.finding.when) for r in report.findings] == [("MCP101", "call")]
    assert report_of(tmp_path / "good", {"server.py": text(", daemon=True")}).findings == ()


UNCERTAIN = {
    "child": 'import { spawn } from "node:child_process";\nspawn("x", ["y"]);',
    "worker": 'import { Worker } from "node:worker_threads";\nnew Worker("./w.js");',
    "port by the environment": 'import express from "express";\nconst app = express();\n'
    "if (process.env.PORT) app.listen(process.env.PORT);",
}


@pytest.mark.parametrize("body", cases(UNCERTAIN, GAPS))
def test_what_may_hold_is_unknown(tmp_path: Path, body: str) -> None:
    assert judge(tmp_path, node(body)).stdin_eof.verdict == "unknown"


QUEUE = "import queue\njobs = queue.Queue()\n"
MORE = {
    "aiosqlite kept by a tool": (
        "import aiosqlite\n@mcp.tool()\nasync def ask() -> str:\n    global db\n"
        "    db = await aiosqlite.connect('x')\n    return ''",
        "exits survives",
    ),
    "aiosqlite in a with": (
        "import aiosqlite\n@mcp.tool()\nasync def ask() -> str:\n"
        "    async with aiosqlite.connect('x') as db:\n        return ''",
        "exits exits",
    ),
    "queue without an end": (
        QUEUE + "def work():\n    while True:\n        jobs.get()\nthreading.Thread(target=work).start()",
        "survives survives",
    ),
    "several daemons": (
        LOOP
        + "for n in range(3):\n    t = threading.Thread(target=work)\n    t.daemon = True\n    t.start()",
        "exits exits",
    ),
    "options passed on": (
        "class Work(threading.Thread):\n    def __init__(self, **options):\n        super().__init__(**options)\n"
        "    def run(self):\n        while True:\n            time.sleep(1)\nWork(daemon=True).start()",
        "exits exits",
    ),
}


@pytest.mark.parametrize(("body", "verdicts"), cases(MORE, GAPS))
def test_more_that_python_waits_for(tmp_path: Path, body: str, verdicts: str) -> None:
    server = judge(tmp_path, python(body))
    assert f"{server.stdin_eof.verdict} {server.stdin_eof_after_call.verdict}" == verdicts


@pytest.mark.xfail(strict=True, reason="an event set behind the serve call is only a perhaps")
def test_a_thread_that_is_stopped_and_joined(tmp_path: Path) -> None:
    body = (
        "stop = threading.Event()\ndef work():\n    while not stop.wait(1):\n        pass\n"
        "worker = threading.Thread(target=work)\nworker.start()"
    )
    serve = "try:\n    mcp.run()\nfinally:\n    stop.set()\n    worker.join()"
    assert judge(tmp_path, python(body, serve=serve)).stdin_eof.verdict == "exits"
