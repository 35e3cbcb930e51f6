"""What each key does."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint import Options, lint
from tests.settings.project import BOTH, SDK, STAYS, found, put

HEAD = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as acme from "@acme/lib";

const server = new McpServer({ name: "s", version: "1.0.0" });
"""
SERVE = "await server.connect(new StdioServerTransport());\n"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('select = ["MCP2"]', {"index.ts MCP201 error"}),
        ('ignore = ["MCP2"]', {"index.ts MCP101 error"}),
        ('select = ["MCP2"]\nextend-select = ["outlives-client"]', BOTH),
        ('select = ["ALL"]\nignore = ["MCP2", "MCP9"]', {"index.ts MCP101 error"}),
        ('[per-file-ignores]\n"*.ts" = ["MCP2"]', {"index.ts MCP101 error"}),
        ('[per-file-ignores]\n"/index.ts" = ["ALL"]', set()),
        ('[per-file-ignores]\n"*.js" = ["ALL"]', BOTH),
        ('[severity]\nMCP2 = "info"', {"index.ts MCP101 error", "index.ts MCP201 info"}),
        (
            '[severity]\nMCP201 = "info"\nMCP2 = "warning"\nALL = "warning"',
            {"index.ts MCP101 warning", "index.ts MCP201 info"},
        ),
        ('exclude = ["index.*"]', set()),
        ('exclude = ["src/"]', BOTH),
    ],
)
def test_rules_and_files(tmp_path: Path, settings: str, expected: set[str]) -> None:
    put(tmp_path, index_ts=STAYS, mcplint_toml=settings)
    assert found(tmp_path) == expected


def test_options_go_before_files(tmp_path: Path) -> None:
    put(
        tmp_path,
        index_ts=STAYS,
        mcplint_toml='select = ["MCP2"]\nignore = ["MCP1"]\n[severity]\nMCP1 = "info"',
    )
    assert found(tmp_path, options=Options(select=("MCP1",))) == {"index.ts MCP101 info"}
    assert found(tmp_path, options=Options(extend_select=("MCP101",))) == {
        "index.ts MCP101 info",
        "index.ts MCP201 error",
    }
    assert found(tmp_path, options=Options(ignore=("MCP201",))) == set()
    assert found(tmp_path, options=Options(severity={"MCP2": "warning"})) == {"index.ts MCP201 warning"}
    ignores = {str(tmp_path / "index.ts").lstrip("/"): ("MCP2",)}
    assert found(tmp_path, options=Options(per_file_ignores=ignores)) == {"index.ts MCP201 error"}


def test_what_is_excluded_is_judged_when_it_is_named_unless_forced(tmp_path: Path) -> None:
    put(tmp_path, old__index_ts=STAYS, old__deep__index_ts=STAYS, mcplint_toml='exclude = ["old"]')
    assert found(tmp_path) == set()
    assert {line.split()[0] for line in found(tmp_path, "old/index.ts")} == {"old/index.ts"}
    assert found(tmp_path, "old/index.ts", "old", options=Options(force_exclude=True)) == set()
    put(tmp_path, mcplint_toml='exclude = ["old"]\nforce-exclude = true')
    assert found(tmp_path, "old/deep/index.ts") == set()


def test_what_is_excluded_is_still_read_as_part_of_a_program(tmp_path: Path) -> None:
    put(tmp_path, mcplint_toml='exclude = ["lib/"]', lib__timer_ts="setInterval(() => {}, 1000);\n")
    put(tmp_path, index_ts=HEAD.replace("@acme/lib", "./lib/timer.js") + SERVE)
    assert found(tmp_path) == {"index.ts MCP101 error"}


def test_exclude_of_the_caller_replaces_that_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, a__index_ts=STAYS, b__index_ts=STAYS, c__index_ts=STAYS)
    put(tmp_path, mcplint_toml='exclude = ["a"]\nextend-exclude = ["c"]')

    def folders(**options: tuple[str, ...]) -> set[str]:
        return {line.split("/")[0] for line in found(tmp_path, options=Options(**options))}  # type: ignore[arg-type]

    assert folders() == {"b"}
    assert folders(exclude=("b",)) == {"a"}
    assert folders(extend_exclude=("b",)) == set()


def test_an_assumed_version_decides_where_nothing_else_does(tmp_path: Path) -> None:
    put(
        tmp_path,
        index_ts=HEAD.replace("sdk/server/mcp.js", "server").replace("sdk/server/stdio.js", "server/stdio")
        + SERVE,
    )
    put(tmp_path, mcplint_toml='[assume]\n"@modelcontextprotocol/server" = "2.0.0"')
    version = lint([tmp_path]).servers[0].transport.version
    assert version is not None
    assert (version.version, version.how) == ("2.0.0", "assumed by the configuration")
    version = (
        lint([tmp_path], Options(assume={"@modelcontextprotocol/server": "2.4.0"}))
        .servers[0]
        .transport.version
    )
    assert version is not None
    assert (version.version, version.how) == ("2.4.0", "assumed by --assume")


def test_a_mode_says_which_run_is_judged(tmp_path: Path) -> None:
    branch = 'if (process.env.KEEP_WARM === "yes") setInterval(() => {}, 1000);\n'
    put(tmp_path, package_json=f"{{{SDK}}}", index_ts=HEAD + branch + SERVE)
    assert found(tmp_path) == set()
    put(tmp_path, mcplint_toml='[modes]\n"process.env.KEEP_WARM" = "yes"')
    assert found(tmp_path) == {"index.ts MCP101 error"}
    put(tmp_path, mcplint_toml='[modes]\n"process.env.KEEP_WARM" = "no"')
    assert found(tmp_path) == set()


def test_own_holders(tmp_path: Path) -> None:
    put(tmp_path, package_json=f"{{{SDK}}}", index_ts=HEAD + "const r = acme.startReporter();\n" + SERVE)
    assert found(tmp_path) == set()
    row = '[[holders]]\nnames = ["@acme/lib.startReporter"]\nreleases = ["stop"]\n'
    put(tmp_path, mcplint_toml=row)
    (reported,) = lint([tmp_path]).findings
    assert "`startReporter`" in reported.finding.message
    ended = 'process.stdin.on("end", () => r.stop());\n'
    put(tmp_path, index_ts=HEAD + "const r = acme.startReporter();\n" + ended + SERVE)
    assert found(tmp_path) == set()
    conditional = row + 'unless = [{ at = 0, key = "once", is = true }]\n'
    put(tmp_path, mcplint_toml=conditional, index_ts=HEAD + "acme.startReporter({ once: true });\n" + SERVE)
    assert found(tmp_path) == set()


def test_own_holders_take_the_place_of_the_catalog(tmp_path: Path) -> None:
    put(tmp_path, package_json=f"{{{SDK}}}", index_ts=HEAD + "setInterval(() => {}, 1000);\n" + SERVE)
    put(tmp_path, mcplint_toml='[[holders]]\nnames = ["timers.setInterval"]\nholds = 2\n')
    assert found(tmp_path) == set()


def test_own_exits(tmp_path: Path) -> None:
    handler = 'process.on("SIGTERM", () => { acme.leave(); });\n'
    put(tmp_path, package_json=f"{{{SDK}}}", index_ts=HEAD + handler + SERVE)
    assert lint([tmp_path]).servers[0].sigterm.verdict != "exits"
    put(tmp_path, mcplint_toml='[[exits]]\nnames = ["@acme/lib.leave"]\n')
    assert lint([tmp_path]).servers[0].sigterm.verdict == "exits"


def test_own_transports(tmp_path: Path) -> None:
    code = 'import { Bridge } from "@acme/mcp";\nsetInterval(() => {}, 1000);\nnew Bridge().attach();\n'
    put(tmp_path, index_ts=code)
    assert lint([tmp_path]).servers == ()
    row = '[[transports]]\nnames = ["@acme/mcp.Bridge"]\n'
    put(tmp_path, mcplint_toml=row)
    (server,) = lint([tmp_path]).servers
    assert (server.transport.what, server.transport.sdk) == ("Bridge", "@acme/mcp")
    assert found(tmp_path) == {"index.ts MCP101 error"}
    put(tmp_path, mcplint_toml=row + 'at_eof = "exits"\n')
    assert found(tmp_path) == set()


def test_own_loggers(tmp_path: Path) -> None:
    put(tmp_path, package_json=f"{{{SDK}}}", index_ts=HEAD + 'acme.log.info("starting");\n' + SERVE)
    assert found(tmp_path) == set()
    put(
        tmp_path,
        mcplint_toml='[[loggers]]\nnames = ["@acme/lib.log"]\nmethods = ["info"]\nwhy = "prints to stdout"\n',
    )
    assert found(tmp_path) == {"index.ts MCP401 error"}


def test_packages_of_one_run_know_their_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path, **{f"{name}__index_ts": HEAD + "acme.startReporter();\n" + SERVE})
    put(
        tmp_path,
        package_json=f"{{{SDK}}}",
        a__mcplint_toml='[[holders]]\nnames = ["@acme/lib.startReporter"]\n',
    )
    assert found(tmp_path) == {"a/index.ts MCP101 error"}
    assert len(lint([tmp_path]).servers) == 2


def test_own_loggers_that_a_call_makes(tmp_path: Path) -> None:
    code = HEAD + 'const log = acme.createLogger("x");\nlog.info("starting");\nlog.debug("no");\n' + SERVE
    put(tmp_path, package_json=f"{{{SDK}}}", index_ts=code)
    put(tmp_path, mcplint_toml='[[loggers]]\nnames = ["@acme/lib.createLogger"]\nmethods = ["info"]\n')
    assert found(tmp_path) == {"index.ts MCP401 error"}
