"""Servers that a command line starts: what belongs to the command that serves, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import cases, judge, node

TICK = "setInterval(() => {}, 1000);"
SERVE = "await server.connect(transport);"
COMMANDER = 'import { Command } from "commander";\nconst program = new Command();\n'
YARGS = 'import yargs from "yargs";\n'

COMMANDS = {
    "in the action that serves": (
        COMMANDER,
        f'program.command("stdio", {{ isDefault: true }}).action(async () => {{ {TICK} {SERVE} }});\nprogram.parse();',
        "survives",
    ),
    "before any command": (
        COMMANDER + TICK,
        f'program.command("stdio").action(async () => {{ {SERVE} }});\nprogram.parse();',
        "survives",
    ),
    "in the action of another command": (
        COMMANDER,
        f'program.command("stdio").action(async () => {{ {SERVE} }});\n'
        f'program.command("watch").option("-p").action(() => {{ {TICK} }});\nprogram.parse();',
        "exits",
    ),
    "in an action that is a function by name": (
        COMMANDER,
        f"async function serve() {{ {TICK} {SERVE} }}\nprogram.option('-v').action(serve);\n"
        "program.parseAsync(process.argv).catch(() => process.exit(1));",
        "survives",
    ),
    "under an option of the command": (
        COMMANDER,
        f"program.action(async (options) => {{ if (options.watch) {{ {TICK} }} {SERVE} }});\nprogram.parse();",
        "unknown",
    ),
    "yargs": (
        YARGS,
        f'yargs(process.argv).command("$0", "serve", (y) => y, async () => {{ {TICK} {SERVE} }}).parse();',
        "survives",
    ),
    "yargs, another command": (
        YARGS,
        f'yargs(process.argv).command("$0", "serve", (y) => y, async () => {{ {SERVE} }})\n'
        f'.command("watch", "watch", (y) => y, () => {{ {TICK} }}).parse();',
        "exits",
    ),
    "yargs, objects": (
        YARGS,
        f'yargs(process.argv).command({{ command: "$0", handler: async () => {{ {SERVE} }} }})\n'
        f'.command({{ command: "watch", handler: () => {{ {TICK} }} }}).parse();',
        "exits",
    ),
    "cac": (
        'import cac from "cac";\nconst cli = cac("t");\n',
        f'cli.command("[root]").action(async () => {{ {TICK} {SERVE} }});\n'
        'cli.command("list").action(() => {});\ncli.parse();',
        "survives",
    ),
}


@pytest.mark.parametrize(("head", "serve", "verdict"), cases(COMMANDS))
def test_what_a_command_starts(tmp_path: Path, head: str, serve: str, verdict: str) -> None:
    assert judge(tmp_path, node(head, connect=serve)).stdin_eof.verdict == verdict


KEPT = {
    "dropped": ("setInterval(() => {}, 1000);", "survives"),
    "kept, and cleared by a command that nobody gives": (
        "const beat = setInterval(() => {}, 1000);\nexport const stop = () => clearInterval(beat);",
        "survives",
    ),
    "kept by a later assignment": ("let beat;\nbeat = setInterval(() => {}, 1000);", "survives"),
    "put into a list": ("const all = [];\nall.push(setInterval(() => {}, 1000));", "unknown"),
    "handed on": ("const beat = setInterval(() => {}, 1000);\nkeep(beat);", "unknown"),
    "kept in an object": ("const kept = { beat: setInterval(() => {}, 1000) };\nkeep(kept);", "unknown"),
}


@pytest.mark.parametrize(("body", "verdict"), cases(KEPT))
def test_what_is_kept_where_nobody_else_gets_at_it(tmp_path: Path, body: str, verdict: str) -> None:
    """Some other timer, without a name, is cleared: it may be this one only if that can hold it."""
    sweep = 'import { keep, kept } from "keeper";\nfor (const t of kept()) clearInterval(t);\n'
    assert judge(tmp_path, node(f"{sweep}{body}")).stdin_eof.verdict == verdict
