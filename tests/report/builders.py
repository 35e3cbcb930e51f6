"""Reports made by hand, for tests of what is written about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mcplint.checks.finding import Finding, Related
from mcplint.files.place import Place
from mcplint.files.source import Source
from mcplint.fixes.edit import Edit, Fix
from mcplint.lifecycle.model import (
    Child,
    Deed,
    Ending,
    Event,
    Handler,
    Holder,
    Server,
    Sharing,
    Transport,
    Watchdog,
    Write,
)
from mcplint.lifecycle.outcomes import Outcome, Way
from mcplint.program.versions import PackageVersion
from mcplint.report.result import Report, Reported, Skipped

INDEX = """\
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import "./cache.js";

process.on("SIGTERM", () => console.error("bye"));
await server.connect(new StdioServerTransport());
"""

CACHE = """\
const entries = new Map();

setInterval(() => entries.clear(), 1000);
"""


def source(text: str, path: str = "src/index.ts") -> Source:
    return Source(Path(path), text)


def place(where: Source, needle: str) -> Place:
    start = where.utf8.index(needle.encode())
    return Place(where, start, start + len(needle.encode()))


index = source(INDEX)
cache = source(CACHE, "src/cache.ts")


def finding(
    at: Place | None = None,
    *related: Related,
    code: str = "MCP101",
    severity: str = "error",
    confidence: str = "high",
    when: str = "start",
    message: str = "server outlives its client: `setInterval` in src/cache.ts:3 holds it",
) -> Finding:
    return Finding(
        code=code,
        name="outlives-client",
        message=message,
        why="each crash of a client leaves a process behind",
        severity=severity,  # type: ignore[arg-type]
        confidence=confidence,  # type: ignore[arg-type]
        when=when,  # type: ignore[arg-type]
        place=at or place(index, "server.connect"),
        related=related,
    )


def fix() -> Fix:
    at = place(index, "await server")
    return Fix("exit when stdin ends", "safe", (Edit(Place(index, at.start, at.start), "…\n"),))


def holder() -> Holder:
    return Holder(
        what="setInterval",
        place=place(cache, "setInterval"),
        seconds=None,
        when="start",
        certain=True,
        released_at=frozenset(),
        perhaps_released_at=frozenset(),
        known="measured",
    )


def handler(ways: Way = Way.FALLS) -> Handler:
    return Handler(
        event=Event.SIGTERM,
        place=place(index, "process.on"),
        function=place(index, "() =>"),
        name=None,
        outcome=Outcome(ways),
        guarded=False,
        certain=True,
        closes_transport=False,
    )


def server(version: PackageVersion | None = None) -> Server:
    made = place(index, "new StdioServerTransport")
    return Server(
        entry=Path("src/index.ts"),
        language="typescript",
        transport=Transport(
            sdk="@modelcontextprotocol/sdk",
            what="StdioServerTransport",
            version=version,
            at_eof="nothing",
            made=made,
            serve=place(index, "server.connect"),
        ),
        holders=(holder(),),
        handlers=(handler(),),
        stdin_eof=Ending("survives", "`setInterval` in src/cache.ts:3 holds it", holder()),
        stdin_eof_after_call=Ending("survives", "`setInterval` in src/cache.ts:3 holds it", holder()),
        sigterm=Ending("survives", "its handler does not end it", None, handler()),
        sigint=Ending("exits", "nothing handles it"),
    )


def rich_server() -> Server:
    """A server of which everything is known that a report can show."""
    deed = Deed("pool.end", place(index, "server.connect"), "waits for clients")
    rich = replace(
        handler(Way.ENDS),
        under=place(index, "() =>"),
        writes=(deed,),
        cleans_up=(deed,),
        waits_for=deed,
        ends_unless=deed,
    )
    return replace(
        server(),
        handlers=(rich,),
        elsewhere=(replace(handler(Way.ENDS), event=Event.STDIN_END),),
        watchdog=Watchdog(place(cache, "setInterval"), of_parent=True),
        blocking=(deed,),
        children=(Child("spawn", place(cache, "entries"), "left"),),
        writes=(
            Write(
                "pino", place(cache, "entries"), "logger", "call", True, False, "logs", place(index, "() =>")
            ),
        ),
        sharing=(Sharing("spawn", place(cache, "entries"), True, True, "start", False, True),),
    )


def report(*reported: Reported, servers: int = 1, skipped: tuple[Skipped, ...] = ()) -> Report:
    return Report(servers=(server(),) * servers, findings=reported, skipped=skipped, files=2)


def found(fixable: bool = False, **changes: str) -> Reported:
    related = (
        Related(place(cache, "setInterval"), "the holder"),
        Related(place(index, "process.on"), "the handler"),
    )
    return Reported(finding(None, *related, **changes), fix() if fixable else None)
