"""A small test for an author's own repository: the server is gone when its client is."""

from __future__ import annotations

import json

from mcplint.probe.conversation import CLASSIC
from mcplint.probe.result import Subject

_PYTEST = '''\
"""The server is gone soon after its client is."""

import json
import subprocess
import sys

COMMAND = {command}
FOLDER = {cwd}
OPENING = {{
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {{
        "protocolVersion": "{protocol}",
        "capabilities": {{}},
        "clientInfo": {{"name": "test", "version": "1"}},
    }},
}}


def started():
    server = subprocess.Popen(COMMAND, cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server.stdin.write(json.dumps(OPENING).encode() + b"\\n")
    server.stdin.flush()
    assert server.stdout.readline(), "the server did not answer"
    return server


def ends(server):
    try:
        server.wait({wait})
        return True
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        return False


def test_ends_when_its_client_is_gone():
    server = started()
    server.stdout.close()
    server.stdin.close()
    assert ends(server), "the server outlived its client"


def test_ends_at_sigterm():
    if sys.platform == "win32":
        return
    server = started()
    server.terminate()
    ended = ends(server)
    server.stdout.close()
    server.stdin.close()
    assert ended, "the server ignored SIGTERM"
'''

_NODE = """\
// The server is gone soon after its client is. Run it with: node --test
import assert from "node:assert/strict";
import {{ spawn }} from "node:child_process";
import {{ once }} from "node:events";
import {{ createInterface }} from "node:readline";
import {{ test }} from "node:test";

const [program, ...args] = {command};
const opening = {{
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {{
    protocolVersion: "{protocol}",
    capabilities: {{}},
    clientInfo: {{ name: "test", version: "1" }},
  }},
}};

async function started() {{
  const server = spawn(program, args, {{ cwd: {cwd}, stdio: ["pipe", "pipe", "inherit"] }});
  server.stdin.write(`${{JSON.stringify(opening)}}\\n`);
  await once(createInterface({{ input: server.stdout }}), "line");
  return server;
}}

async function ends(server) {{
  const exit = once(server, "exit").then(() => true);
  const late = new Promise((resolve) => setTimeout(resolve, {milliseconds}, false).unref());
  const ended = await Promise.race([exit, late]);
  if (!ended) {{
    server.kill("SIGKILL");
    await exit;
  }}
  return ended;
}}

test("ends when its client is gone", async () => {{
  const server = await started();
  server.stdout.destroy();
  server.stdin.end();
  assert.ok(await ends(server), "the server outlived its client");
}});

test("ends at SIGTERM", {{ skip: process.platform === "win32" }}, async () => {{
  const server = await started();
  server.kill("SIGTERM");
  assert.ok(await ends(server), "the server ignored SIGTERM");
}});
"""

KINDS = {"pytest": _PYTEST, "node": _NODE}


def regression_test(kind: str, subject: Subject, wait: float) -> str:
    """The text of a test for pytest or ``node --test`` that needs nothing else."""
    cwd = json.dumps(subject.cwd) if subject.cwd else {"pytest": "None", "node": "undefined"}[kind]
    return KINDS[kind].format(
        command=json.dumps(list(subject.command)),
        cwd=cwd,
        protocol=CLASSIC,
        wait=f"{wait:g}",
        milliseconds=round(wait * 1000),
    )
