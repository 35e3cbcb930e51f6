"""The measure of the world: its table, its scores and its page."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from benchmarks import world
from benchmarks.world import Judged, Row, Said, Score

COLUMNS = ["registry", "name", "version", "sdk", "entry", "survives_eof", "sigterm", "note"]


def row(
    name: str = "some-mcp",
    survives: bool = False,
    ignores: bool = False,
    registry: str = "npm",
    note: str = "",
) -> Row:
    return Row(registry, name, "1.0.0", "sdk@1.0.0", "index.js", survives, ignores, note)


def judged(eof: Said, sigterm: Said = "exits", **of_row: object) -> Judged:
    return Judged(row(**of_row), eof, sigterm)  # type: ignore[arg-type]


SOME = (
    judged("survives", survives=True, name="right"),
    judged("survives", name="false-alarm"),
    judged("exits", survives=True, name="wrong", note="why"),
    judged("unknown", survives=True, name="open"),
    judged("none", survives=True, name="nowhere"),
    judged("unknown", name="open-and-gone"),
    judged("exits", name="gone"),
)


# --------------------------------------------------------------------------- the table of figures


def test_every_row_of_the_table_is_complete_and_there_once() -> None:
    lines = world.TABLE.read_text("utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    assert cells[0] == COLUMNS
    assert {len(c) for c in cells} == {len(COLUMNS)}
    assert {c[0] for c in cells[1:]} == {"npm", "pypi"}
    assert {c[5] for c in cells[1:]} == {"yes", "no"}
    assert {c[6] for c in cells[1:]} == {"default", "exits", "ignored"}
    rows = list(world.read_table())
    assert len(rows) == len(cells) - 1
    assert len({r.label for r in rows}) == len(rows)


def test_notes_are_short_and_say_why_each_server_stays() -> None:
    for r in world.read_table():
        assert len(r.note) < 120, r.label
        assert r.note or not (r.survives or r.ignores), r.label


# --------------------------------------------------------------------------- scores


def test_an_open_prediction_is_no_claim_and_a_miss_if_the_server_stays() -> None:
    assert world.score(SOME, "eof") == Score(hits=1, false_alarms=1, misses=3, unknown=2, not_found=1)


def test_precision_and_recall() -> None:
    found = world.score(SOME, "eof")
    assert (found.precision, found.recall) == (0.5, 0.25)
    assert str(found) == (
        "precision 0.50, recall 0.25 (1 right, 1 false alarms, 3 missed; "
        "left open: 2 unknown, 1 with no server found)"
    )


def test_nothing_said_and_nothing_there_is_perfect() -> None:
    found = world.score([judged("exits")], "eof")
    assert (found.precision, found.recall) == (1.0, 1.0)


def test_each_event_is_scored_by_itself() -> None:
    items = [judged("exits", "survives", ignores=True), judged("survives", "exits", survives=True)]
    assert world.score(items, "sigterm") == Score(1, 0, 0, 0, 0)
    assert world.score(items, "eof") == Score(1, 0, 0, 0, 0)


class _Ending:
    def __init__(self, verdict: str) -> None:
        self.verdict = verdict


class _Server:
    def __init__(self, eof: str, sigterm: str) -> None:
        self.stdin_eof, self.sigterm = _Ending(eof), _Ending(sigterm)


class _Finding:
    def __init__(self, code: str, when: str) -> None:
        self.code, self.when = code, when


class _Reported:
    def __init__(self, code: str, when: str = "start") -> None:
        self.finding = _Finding(code, when)


class _Report:
    def __init__(self, servers: list[_Server], findings: tuple[_Reported, ...] = ()) -> None:
        self.servers, self.findings = servers, findings


@pytest.mark.parametrize(
    ("finding", "eof"),
    [
        (_Reported("MCP106"), "survives"),
        (_Reported("MCP101", "call"), "unknown"),
        (_Reported("MCP302"), "unknown"),
    ],
    ids=["under a condition", "after a call", "of another rule"],
)
def test_what_the_user_is_told_counts(finding: _Reported, eof: str) -> None:
    report = _Report([_Server("unknown", "exits")], (finding,))
    assert world.verdict(report, "eof") == eof  # type: ignore[arg-type]
    assert world.verdict(report, "sigterm") == "exits"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("servers", "eof", "sigterm"),
    [
        ([], "none", "none"),
        ([_Server("exits", "exits")], "exits", "exits"),
        ([_Server("exits", "survives"), _Server("unknown", "exits")], "unknown", "survives"),
        ([_Server("unknown", "exits"), _Server("survives", "exits")], "survives", "exits"),
    ],
)
def test_the_worst_server_of_a_package_counts(servers: list[_Server], eof: str, sigterm: str) -> None:
    assert world.verdict(_Report(servers), "eof") == eof  # type: ignore[arg-type]
    assert world.verdict(_Report(servers), "sigterm") == sigterm  # type: ignore[arg-type]


# --------------------------------------------------------------------------- writing


def test_the_table_has_a_line_for_each_row() -> None:
    head, rule, *lines = world.lines(SOME)
    assert head.count("|") == rule.count("|")
    assert [line.split(" | ")[0] for line in lines] == [f"| {j.row.title}" for j in SOME]
    assert lines[0] == "| right 1.0.0 | survives | survives | exits | exits |  |"
    assert lines[1] == "| false-alarm 1.0.0 | exits | **survives** | exits | exits |  |"
    assert lines[2] == "| wrong 1.0.0 | survives | **exits** | exits | exits | why |"
    assert " survives | open |" in lines[3]
    assert " survives | no server found |" in lines[4]


def test_a_note_cannot_break_the_table() -> None:
    *_, line = world.lines([judged("exits", note="a | b <c>")])
    assert line.endswith(r"| a \| b &lt;c> |")


def test_false_alarms_and_misses_are_listed() -> None:
    text = "\n".join(world.errors(SOME))
    assert "Survives the end of stdin, false alarms:\n\n- false-alarm 1.0.0 (survives): " in text
    missed = text.split("end of stdin, missed:\n\n")[1].split("\n\n")[0]
    assert missed.splitlines() == [
        "- wrong 1.0.0 (exits): why",
        "- open 1.0.0 (open): ",
        "- nowhere 1.0.0 (no server found): ",
    ]
    assert "Ignores SIGTERM, missed: none." in text


def test_the_summary_tells_the_registries_apart() -> None:
    text = "\n".join(world.summary([*SOME, judged("exits", registry="pypi")]))
    assert re.findall(r"^- (\w+), (\d+) servers$", text, re.M) == [("Node", "7"), ("Python", "1")]
    assert "Survives the end of stdin (4 do): precision 0.50" in text
    assert "Survives the end of stdin (0 do): precision 1.00" in text


def test_only_what_is_between_the_markers_is_replaced() -> None:
    page = f"before\n{world.BEGIN}\nold\n{world.END}\nafter\n"
    new = world.filled(page, ["a", "b"])
    assert new == f"before\n{world.BEGIN}\n\na\nb\n\n{world.END}\nafter\n"
    assert world.filled(new, ["a", "b"]) == new
    with pytest.raises(ValueError, match="lacks"):
        world.filled("nothing", ["a"])


def test_a_part_is_not_written(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["world.py", "--name", "some-mcp", "--write"])
    with pytest.raises(SystemExit, match="2"):
        world.main()
    assert "--write needs all rows" in capsys.readouterr().err


# --------------------------------------------------------------------------- the page


def shown(module: ModuleType = world) -> str:
    return module.PAGE.read_text("utf-8").split(world.BEGIN)[1].split(world.END)[0]  # type: ignore[no-any-return]


def test_the_page_has_one_line_for_each_row_with_what_was_measured() -> None:
    lines = [line for line in shown().splitlines() if line.startswith("| ")][1:]
    for line, r in zip(lines, world.read_table(), strict=True):
        name, eof, _, term, _, note = re.split(r"(?<!\\) \| ", line.strip("|").strip(" ") + " ", maxsplit=5)
        assert name == r.title
        assert (eof == "survives", term == "survives") == (r.survives, r.ignores)
        assert note.strip() == r.note


def judged_on_the_page() -> list[Judged]:
    rows = {r.title: r for r in world.read_table()}
    said: dict[str, Said] = {"open": "unknown", "no server found": "none"}
    found = []
    for line in shown().splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if (title := cells[0].removeprefix("| ")) in rows:
            eof, term = (cells[i].strip("*") for i in (2, 4))
            found.append(Judged(rows[title], said.get(eof, eof), said.get(term, term)))  # type: ignore[arg-type]
    return found


def test_the_page_gives_the_scores_of_its_own_table() -> None:
    found = judged_on_the_page()
    text = shown().strip("\n")
    assert text.startswith("\n".join(world.summary(found)) + "\n\n")
    assert text.endswith("\n".join(world.errors(found)).strip("\n"))


def test_the_readme_gives_the_same_figures() -> None:
    """What to write there is what this expects."""
    found = judged_on_the_page()
    eof, term = world.score(found, "eof"), world.score(found, "sigterm")
    readme = " ".join((world.HERE.parent / "README.md").read_text("utf-8").split())
    assert f"Of {len(found)} published servers" in readme
    assert f"mcplint named {eof.hits} of the {eof.hits + eof.misses} that survived" in readme
    assert f"and {term.hits} of the {term.hits + term.misses} that ignored SIGTERM" in readme
    alarms = eof.false_alarms + term.false_alarms
    assert f"with {alarms or 'no'} false alarm" in readme
