"""The life of a server on one screen."""

from __future__ import annotations

import io
import re
from dataclasses import replace

from mcplint.lifecycle.model import Ending
from mcplint.lifecycle.outcomes import Way
from mcplint.program.versions import PackageVersion
from mcplint.report.look import Look
from mcplint.report.map import write
from mcplint.report.result import Report
from tests.report import builders


def written(report: Report, colour: bool = False) -> str:
    out = io.StringIO()
    write(report, out, Look(colour=colour))
    return out.getvalue()


def test_one_block_tells_the_life_of_a_server() -> None:
    assert (
        written(builders.report())
        == """\
src/index.ts (typescript)
  transport  StdioServerTransport at line 5
             @modelcontextprotocol/sdk of unknown version
             which takes no notice when stdin ends
  held by    setInterval  src/cache.ts:3:1  for ever, from the start
  listens    SIGTERM  line 4    does not end the process
  stdin end  survives  `setInterval` in src/cache.ts:3 holds it
  SIGTERM    survives  its handler does not end it
  SIGINT     exits     nothing handles it
"""
    )


def test_it_says_how_the_version_was_learnt() -> None:
    def line(exact: bool) -> str:
        version = PackageVersion(
            "@modelcontextprotocol/sdk", "1.30.0", "asked for in package.json", exact, None
        )
        server = replace(builders.server(), transport=replace(builders.server().transport, version=version))
        return written(Report((server,), (), (), 1)).splitlines()[2]

    assert line(exact=True).endswith("sdk 1.30.0 (asked for in package.json)")
    assert line(exact=False).endswith("sdk 1.30.0 or later (asked for in package.json)")


def test_it_says_what_a_first_call_changes() -> None:
    server = replace(builders.server(), stdin_eof=Ending("exits", "nothing holds it"))
    lines = written(Report((server,), (), (), 1)).splitlines()
    assert "  stdin end  exits     nothing holds it" in lines
    assert (
        "             survives  `setInterval` in src/cache.ts:3 holds it, after a first call or connection"
        in lines
    )


def test_servers_stand_apart() -> None:
    assert written(builders.report(servers=2)).count("\n\nsrc/index.ts (typescript)\n") == 1


def test_colour_is_only_paint() -> None:
    painted = written(builders.report(), colour=True)
    assert "\x1b[31;1msurvives\x1b[0m" in painted
    assert "\x1b[32;1mexits\x1b[0m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == written(builders.report())


def test_every_outcome_has_words() -> None:
    words = {
        Way.ENDS: "ends the process",
        Way.ENDS | Way.WAITS: "may wait without a limit, then ends",
        Way.ENDS | Way.FALLS: "ends on some paths only",
        Way.FALLS: "does not end the process",
        Way.HANGS: "never comes back",
        Way.UNWINDS: "unwinds: ends only when everything else returns",
        Way.FALLS | Way.UNKNOWN: "outcome unknown",
    }
    for ways, expected in words.items():
        server = replace(builders.server(), handlers=(builders.handler(ways),))
        report = Report((server,), (), (), 1)
        assert expected in written(report)


def test_what_stands_beside_the_stdio_path() -> None:
    lines = written(Report((builders.rich_server(),), (), (), 1)).splitlines()
    assert "  elsewhere  stdin end  line 4    ends the process" in lines
    assert "  watches    its parent process, at src/cache.ts:3:1" in lines
    assert "  children   spawn  src/cache.ts:1:7  nothing ends it" in lines
    kept = "when it is asked for something, kept off the wire by the SDK"
    assert f"  stdout     pino  src/cache.ts:1:7  {kept}" in lines
    shares = "shares stdin and stdout, before it serves, perhaps"
    assert f"  shared     spawn  src/cache.ts:1:7  {shares}" in lines
