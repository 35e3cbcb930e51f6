"""Comments that silence findings, on any place of them, and those that silence nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.api import Options, lint
from mcplint.report.result import Report

PACKAGE = '{"dependencies": {"@modelcontextprotocol/sdk": "1.30.0"}}'

CACHE = """\
export function startCache(): void {
  setInterval(() => evict(), 60_000);AT_TIMER
}
function evict() {}
"""

INDEX = """\
HEAD
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { startCache } from "./cache.js";

const server = new McpServer({ name: "s", version: "1.0.0" });
startCache();
ABOVE
await server.connect(new StdioServerTransport());BEHIND
"""

PYTHON = """\
HEAD
import threading
import time
from mcp.server.fastmcp import FastMCP

app = FastMCP("s")


def tick():
    while True:
        time.sleep(1)


threading.Thread(
    target=tick,
).start()AT_THREAD
ABOVE
app.run()BEHIND
"""


def filled(text: str, comments: dict[str, str]) -> str:
    for word in ("HEAD", "ABOVE", "BEHIND", "AT_TIMER", "AT_THREAD"):
        text = text.replace(word, comments.get(word, ""))
    return text


def judged(folder: Path, options: Options | None = None, **comments: str) -> Report:
    for name, text in {"package.json": PACKAGE, "src/index.ts": INDEX, "src/cache.ts": CACHE}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(filled(text, comments), encoding="utf-8")
    return lint([folder], options)


def judged_python(folder: Path, options: Options | None = None, **comments: str) -> Report:
    (folder / "server.py").write_text(filled(PYTHON, comments), encoding="utf-8")
    return lint([folder], options)


def codes(report: Report) -> list[str]:
    return [reported.finding.code for reported in report.findings]


def messages(report: Report) -> list[str]:
    return [reported.finding.message for reported in report.findings]


@pytest.mark.parametrize(
    ("where", "comment"),
    [
        ("BEHIND", " // mcplint: ignore[MCP101] the client kills it"),
        ("BEHIND", " /* mcplint: ignore[outlives-client] */"),
        ("BEHIND", " // see below // mcplint: ignore[MCP102, MCP101]"),
        ("ABOVE", "// mcplint: ignore[MCP101]\n\n// why, told at length"),
        ("ABOVE", "/*\n * why, at length\n */\n/* mcplint:ignore[mcp101]: meant */"),
        ("ABOVE", "// mcplint: ignore-next-line[MCP101] meant"),
        ("HEAD", "// mcplint: file-ignore[MCP101] meant"),
        ("AT_TIMER", " // mcplint: ignore[MCP101] flushes until it is killed"),
    ],
)
def test_a_comment_silences_at_any_place_of_a_finding(tmp_path: Path, where: str, comment: str) -> None:
    report = judged(tmp_path, Options(ignore=("MCP900",)), **{where: comment})
    assert codes(report) == []
    (suppressed,) = report.suppressed
    assert suppressed.finding.code == "MCP101"


def test_the_reason_is_kept(tmp_path: Path) -> None:
    report = judged(tmp_path, AT_TIMER=" // mcplint: ignore[MCP101] - killed by its supervisor")
    assert [s.reason for s in report.suppressed] == ["killed by its supervisor"]
    assert report.suppressed[0].comment.path == tmp_path / "src/cache.ts"


@pytest.mark.parametrize(
    ("where", "comment", "message"),
    [
        ("BEHIND", "\n// mcplint: ignore[MCP101]", "`MCP101` silences nothing here"),
        ("HEAD", "// mcplint: ignore[MCP101]", "`MCP101` silences nothing here"),
        ("BEHIND", " // mcplint: ignore[MCP201]", "`MCP201` silences nothing here"),
        (
            "BEHIND",
            " // mcplint: ignore[outlive-client]",
            "there is no rule `outlive-client`: did you mean `outlives-client`?",
        ),
        ("BEHIND", " // mcplint: ignore", "`mcplint: ignore` names no rule: `ignore[MCP101]`"),
        ("BEHIND", " // mcplint: ignore[] all", "`mcplint: ignore` names no rule: `ignore[MCP101]`"),
        (
            "BEHIND",
            " // mcplint: ignor[MCP101]",
            "`mcplint: ignor` means nothing: did you mean `ignore`?",
        ),
    ],
)
def test_what_silences_nothing_is_said_and_the_finding_stays(
    tmp_path: Path, where: str, comment: str, message: str
) -> None:
    report = judged(tmp_path, **{where: comment})
    assert sorted(codes(report)) == ["MCP101", "MCP900"]
    assert message in messages(report)


@pytest.mark.parametrize(
    "text",
    [
        '\nconst help = "// mcplint: ignore[MCP101]";',
        "\nconst page = `\n// mcplint: ignore[MCP101]\n`;",
        "\nconst shape = /# mcplint: ignore[MCP101]/;",
        "\n// mcplint: a linter for servers",
        "\n// we run mcplint here: ignore[MCP101] would be wrong",
    ],
)
def test_text_that_is_no_such_comment_means_nothing(tmp_path: Path, text: str) -> None:
    assert codes(judged(tmp_path, BEHIND=text)) == ["MCP101"]


def test_one_used_name_of_two_leaves_the_other_unused(tmp_path: Path) -> None:
    report = judged(tmp_path, BEHIND=" // mcplint: ignore[MCP101, MCP302]")
    assert messages(report) == ["`MCP302` silences nothing here"]
    place = report.findings[0].finding.place
    assert place.source.slice(place.start, place.end) == "MCP302"


def test_a_rule_that_nobody_looked_for_is_not_unused(tmp_path: Path) -> None:
    comment = " // mcplint: ignore[MCP101, MCP201, MCP901]"
    assert codes(judged(tmp_path, Options(ignore=("MCP2",)), BEHIND=comment)) == []
    assert codes(judged(tmp_path, Options(select=("MCP1",)), BEHIND=" // mcplint: ignore[NOPE]")) == [
        "MCP101"
    ]


def test_a_file_of_no_judged_server_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "other.ts").write_text("f(); // mcplint: ignore[MCP101]\n", encoding="utf-8")
    assert codes(judged(tmp_path)) == ["MCP101"]


def test_the_report_on_comments_can_be_silenced_too(tmp_path: Path) -> None:
    head = "// mcplint: file-ignore[MCP900] this file is also judged by an older version"
    assert codes(judged(tmp_path, HEAD=head, BEHIND=" // mcplint: ignore[MCP201]")) == ["MCP101"]


@pytest.mark.parametrize(
    ("where", "comment"),
    [
        ("BEHIND", "  # mcplint: ignore[MCP101] meant"),
        ("BEHIND", "  # noqa: MCP101"),
        ("BEHIND", "  # NoQA:E501,mcp1"),
        ("BEHIND", "  # noqa"),
        ("BEHIND", "  # fmt: skip # noqa : odd, and so everything"),
        ("ABOVE", "# mcplint: ignore[MCP101] meant\n# and why"),
        ("AT_THREAD", "  # noqa: MCP101"),
        ("AT_THREAD", "  # mcplint: ignore[MCP101]"),
        ("HEAD", "# flake8: noqa"),
        ("HEAD", "# flake8: noqa: MCP101"),
        ("HEAD", "# mcplint: file-ignore[MCP101]"),
    ],
)
def test_python_knows_noqa_besides(tmp_path: Path, where: str, comment: str) -> None:
    report = judged_python(tmp_path, **{where: comment})
    assert codes(report) == []
    assert len(report.suppressed) == 1


@pytest.mark.parametrize(
    ("where", "comment"),
    [
        ("BEHIND", "  # noqa: E501"),
        ("ABOVE", "# noqa: E501, W291"),
        ("BEHIND", '\nHELP = "# noqa: MCP101"'),
        ("BEHIND", '\nHELP = """\n# mcplint: ignore[MCP101]\n"""'),
        ("ABOVE", "# flake8: noqa: E501"),
    ],
)
def test_a_noqa_for_others_and_text_mean_nothing(tmp_path: Path, where: str, comment: str) -> None:
    assert codes(judged_python(tmp_path, **{where: comment})) == ["MCP101"]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("  # noqa: E501, MCP201", "`MCP201` silences nothing here"),
        ("  # noqa: MCP777", "there is no rule `MCP777`"),
    ],
)
def test_a_noqa_of_ours_that_does_nothing_is_said(tmp_path: Path, comment: str, message: str) -> None:
    report = judged_python(tmp_path, BEHIND=comment)
    assert sorted(codes(report)) == ["MCP101", "MCP900"]
    assert any(found.startswith(message) for found in messages(report))


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_are_counted_whatever_ends_them(tmp_path: Path, ending: str) -> None:
    text = filled(PYTHON, {"HEAD": "# π", "AT_THREAD": "  # noqa: MCP101"}).replace("\n", ending)
    (tmp_path / "server.py").write_bytes(text.encode())
    assert codes(lint([tmp_path])) == []


def test_comments_of_a_broken_file_before_the_fault_count(tmp_path: Path) -> None:
    broken = filled(INDEX, {"BEHIND": " // mcplint: ignore[MCP101]\nconst = ;"})
    (tmp_path / "package.json").write_text(PACKAGE, encoding="utf-8")
    (tmp_path / "cache.ts").write_text(filled(CACHE, {}), encoding="utf-8")
    (tmp_path / "index.ts").write_text(broken, encoding="utf-8")
    report = lint([tmp_path])
    assert report.servers
    assert codes(report) == []
