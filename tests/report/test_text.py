"""What a person reads."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcplint.checks.finding import Related
from mcplint.files.place import Place
from mcplint.report.cells import strip, width_of
from mcplint.report.look import Look
from mcplint.report.registry import writer
from mcplint.report.result import Report, Reported
from tests.report import builders


def written(report: Report, name: str = "text", look: Look | None = None) -> str:
    out = io.StringIO()
    writer(name)(report, out, look or Look())
    return out.getvalue()


def frame(text: str, needle: str, width: int = 120) -> list[str]:
    """The source line and the caret line of a finding at ``needle``."""
    source = builders.source(text)
    reported = Reported(builders.finding(builders.place(source, needle)), None)
    return written(builders.report(reported), look=Look(width=width)).splitlines()[2:4]


def test_a_finding_shows_its_code_its_places_and_why() -> None:
    assert (
        written(builders.report(builders.found()))
        == """\
src/index.ts:5:7: MCP101 server outlives its client: `setInterval` in src/cache.ts:3 holds it
  |
5 | await server.connect(new StdioServerTransport());
  |       ^^^^^^^^^^^^^^
  |
 --> src/cache.ts:3:1 the holder
  |
3 | setInterval(() => entries.clear(), 1000);
  | ^^^^^^^^^^^
  |
 --> src/index.ts:4:1 the handler
  |
4 | process.on("SIGTERM", () => console.error("bye"));
  | ^^^^^^^^^^
  |
  = why: each crash of a client leaves a process behind
  = help: mcplint rule MCP101

Found 1 error in 1 server.
"""
    )


def test_only_a_finding_with_a_fix_carries_the_mark() -> None:
    assert "MCP101 [*] server" in written(builders.report(builders.found(fixable=True)))
    assert "[*]" not in written(builders.report(builders.found()))


def test_what_is_not_certain_is_said() -> None:
    text = written(builders.report(builders.found(when="call", confidence="medium")))
    assert "  = note: only after a tool call or a first connection, medium confidence\n" in text
    assert "note:" not in written(builders.report(builders.found()))


@pytest.mark.parametrize(
    ("severities", "expected"),
    [
        (["error"], "Found 1 error in 2 servers."),
        (["error", "error", "warning"], "Found 2 errors and 1 warning in 2 servers."),
        (["warning", "info", "error"], "Found 1 error, 1 warning and 1 remark in 2 servers."),
    ],
)
def test_the_closing_line_counts(severities: list[str], expected: str) -> None:
    findings = [builders.found(severity=severity) for severity in severities]
    assert written(builders.report(*findings, servers=2)).endswith(f"\n{expected}\n")


def test_nothing_is_written_when_there_is_nothing_to_say() -> None:
    assert written(builders.report()) == ""
    assert written(builders.report(), "concise") == ""


def test_the_gutter_is_as_wide_as_the_widest_line_number() -> None:
    far = builders.source("\n" * 1233 + "far();\n", "src/far.ts")
    near = builders.source("near();\n")
    related = Related(builders.place(far, "far()"), "there")
    reported = Reported(builders.finding(builders.place(near, "near()"), related), None)
    lines = written(builders.report(reported)).splitlines()
    assert "   1 | near();" in lines
    assert "1234 | far();" in lines
    assert "    --> src/far.ts:1234:1 there" in lines


@pytest.mark.parametrize(
    ("text", "shown", "carets"),
    [
        ("\tfoo();", "    foo();", "    ^^^"),
        ("ab\tfoo();", "ab  foo();", "    ^^^"),
        ("'日本' + foo();", "'日本' + foo();", "         ^^^"),
        ("'👩‍👧' + foo();", "'👩👧' + foo();", "         ^^^"),
        ("'e\u0301' + foo();", "'e\u0301' + foo();", "      ^^^"),
        ("a();\r\nfoo();\r\n", "foo();", "^^^"),
    ],
)
def test_carets_stand_below_the_code(text: str, shown: str, carets: str) -> None:
    assert [line[4:] for line in frame(text, "foo")] == [shown, carets]


def test_wide_characters_get_two_carets() -> None:
    assert [line[4:] for line in frame("x = '日本';", "日本")] == ["x = '日本';", "     ^^^^"]


def test_source_cannot_steer_the_terminal() -> None:
    line = frame("'\x1b[2J\u202e' + foo();", "foo")[0]
    assert line[4:] == "'␛[2J\N{REPLACEMENT CHARACTER}' + foo();"


def test_messages_and_paths_stay_on_one_line() -> None:
    source = builders.source("foo();", "src/a\nb\x1b.ts")
    reported = Reported(builders.finding(builders.place(source, "foo"), message="a\nb"), None)
    assert written(builders.report(reported), "concise") == "src/a␊b␛.ts:1:1: MCP101 a␊b\n"


@pytest.mark.parametrize("before", [0, 10, 60, 70, 71, 72, 73, 74, 75, 76, 100, 5000])
@pytest.mark.parametrize("after", [0, 100, 5000])
def test_long_lines_are_cut_around_the_carets(before: int, after: int) -> None:
    code, carets = frame("x" * before + "foo" + "y" * after, "foo", width=80)
    assert len(code) <= 80
    assert code[carets.index("^") : carets.rindex("^") + 1] == "foo"
    assert "foo" in code
    assert (code[4] != "…") or before > 71
    assert code.endswith("…") == (after > 0)


def test_a_place_longer_than_the_line_is_marked_up_to_its_edge() -> None:
    code, carets = frame("a = " + "z" * 300, "z" * 300, width=60)
    assert len(code) <= 60
    assert len(carets) <= 60


def test_a_place_over_many_lines_is_marked_to_the_end_of_the_first() -> None:
    assert frame("call(\n  1,\n);", "call(\n  1,\n)") == ["1 | call(", "  | ^^^^^"]


def test_an_empty_place_gets_one_caret() -> None:
    source = builders.source("foo();")
    reported = Reported(builders.finding(Place(source, 6, 6)), None)
    assert written(builders.report(reported)).splitlines()[3] == "  |       ^"


def test_a_huge_line_is_shown_at_once() -> None:
    code, carets = frame("x" * 2_000_000 + "foo" + "y" * 2_000_000, "foo", width=80)
    assert code[carets.index("^") : carets.rindex("^") + 1] == "foo"


def test_colour_is_only_paint() -> None:
    import re

    report = builders.report(builders.found(fixable=True))
    for name in ("text", "concise"):
        painted = written(report, name, Look(colour=True))
        assert "\x1b[" in painted
        assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == written(report, name)
        assert "\x1b[" not in written(report, name)


def test_concise_is_one_line_a_finding() -> None:
    report = builders.report(builders.found(fixable=True), builders.found(code="MCP201"))
    assert written(report, "concise").splitlines() == [
        "src/index.ts:5:7: MCP101 [*] server outlives its client: `setInterval` in src/cache.ts:3 holds it",
        "src/index.ts:5:7: MCP201 server outlives its client: `setInterval` in src/cache.ts:3 holds it",
    ]


@given(
    line=st.text(st.characters(exclude_characters="\r\n"), max_size=300),
    begin=st.integers(0, 300),
    length=st.integers(0, 300),
    width=st.integers(20, 120),
)
def test_a_strip_fits_and_its_marks_lie_in_it(line: str, begin: int, length: int, width: int) -> None:
    shape = strip(line, begin, begin + length, width)
    assert shape.length >= 1
    assert width_of(shape.text) <= width
    assert shape.indent + shape.length <= max(width, width_of(shape.text) + 1)
    assert not set(shape.text) & set("\t\x1b\x00\u202e")
