"""Applying edits, going on in rounds, and writing files."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mcplint.checks.finding import Finding
from mcplint.files.place import Place
from mcplint.files.source import Source
from mcplint.fixes import write as writing
from mcplint.fixes.apply import apply, clash, without_overlaps
from mcplint.fixes.edit import Edit, Fix
from mcplint.fixes.newlines import with_newlines_of
from mcplint.fixes.rounds import MAX_ROUNDS, Contents, Rounds, fix_all
from mcplint.fixes.write import NotWrittenError, encoded, write
from mcplint.report.result import Report, Reported, Skipped
from tests.report import builders

TEXT = "0123456789"


def edit(start: int, end: int, text: str, source: Source | None = None) -> Edit:
    return Edit(Place(source or Source(Path("a.js"), TEXT), start, end), text)


def fix(*edits: Edit, kind: str = "safe", after: frozenset[str] = frozenset()) -> Fix:
    return Fix("change it", kind, edits, after)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- applying


def test_edits_are_put_in_whatever_their_order() -> None:
    ((_, after),) = apply([fix(edit(8, 9, "b"), edit(2, 4, "a")), fix(edit(10, 10, "!"))])
    assert after.text == "01a4567b9!"


def test_insertions_of_one_fix_at_one_byte_keep_their_order() -> None:
    ((_, after),) = apply([fix(edit(0, 0, "a"), edit(0, 0, "b"), edit(0, 1, "c"))])
    assert after.text == "abc123456789"


def test_bytes_are_counted_and_not_characters() -> None:
    source = Source(Path("a.js"), "éé = 1;")
    ((_, after),) = apply([fix(edit(4, 4, "è", source))])
    assert after.text == "ééè = 1;"


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ((0, 2), (2, 4), True),
        ((0, 3), (2, 4), False),
        ((2, 2), (2, 4), False),
        ((2, 2), (2, 2), False),
        ((0, 9), (4, 4), False),
        ((0, 4), (4, 4), True),
    ],
)
def test_fixes_that_touch_each_other_wait(
    first: tuple[int, int], second: tuple[int, int], together: bool
) -> None:
    fixes = [("one", fix(edit(*first, "x"))), ("two", fix(edit(*second, "y")))]
    assert [owner for owner, _ in without_overlaps(fixes)] == (["one", "two"] if together else ["one"])


def test_edits_of_one_fix_may_stand_at_one_byte_but_not_overlap() -> None:
    assert not clash([edit(3, 3, "a"), edit(3, 3, "b"), edit(3, 5, "c")])
    assert clash([edit(3, 6, "a"), edit(4, 4, "b")])


@pytest.mark.parametrize(("text", "newline"), [("a\nb\n", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb", "\r")])
def test_new_lines_are_broken_as_most_of_the_file(text: str, newline: str) -> None:
    assert with_newlines_of(Source(Path("a.js"), text), "x\ny\n") == f"x{newline}y{newline}"


# ---------------------------------------------------------------------------- rounds


@dataclass
class World:
    """One file of digits, in which some are faults."""

    faults: Callable[[str], Sequence[tuple[str, int, str]]]
    """Of a text: the code, the offset, and what is to stand there instead."""
    kind: str = "safe"
    looks: int = 0
    after: frozenset[str] = frozenset()

    def look(self, contents: Contents) -> Report:
        self.looks += 1
        path = Path("numbers.js")
        text = contents.get(os.path.realpath(path), b"9 1 2 3").decode()
        source = Source(path, text)
        found = tuple(
            Reported(
                self._finding(code, source, at),
                fix(
                    edit(at, at + 1, new, source),
                    kind=self.kind,
                    after=self.after if code == "MCP101" else frozenset(),
                ),
            )
            for code, at, new in self.faults(text)
        )
        skipped = (Skipped(path, "syntax error"),) if "?" in text else ()
        return Report((), found, skipped, 1)

    @staticmethod
    def _finding(code: str, source: Source, at: int) -> Finding:
        return replace(builders.finding(Place(source, at, at + 1), message=f"fault {code}"), code=code)


def rounds(world: World, kinds: str = "safe", codes: str = "MCP101 MCP201 MCP301") -> Rounds:
    wanted = frozenset(codes.split())
    return fix_all(world.look, frozenset(kinds.split()), lambda finding: finding.code in wanted)  # type: ignore[arg-type]


def text_of(result: Rounds) -> str | None:
    return result.changes[0].after.text if result.changes else None


def each(code: str, old: str, new: str) -> Callable[[str], list[tuple[str, int, str]]]:
    return lambda text: [(code, at, new) for at, letter in enumerate(text) if letter == old]


def test_fixes_of_the_same_place_are_made_one_after_the_other() -> None:
    def faults(text: str) -> list[tuple[str, int, str]]:
        first = [("MCP101", 0, "8")] if text[0] == "9" else []
        return first + ([("MCP201", 0, "7")] if text[0] in "98" else [])

    result = rounds(World(faults))
    assert text_of(result) == "7 1 2 3"
    assert [done.finding.code for done in result.fixed] == ["MCP101", "MCP201"]


def test_a_fix_that_changes_nothing_for_the_better_is_taken_back() -> None:
    result = rounds(World(lambda text: [("MCP101", 0, "x")]))
    assert not result.changes
    assert [taken.why for taken in result.taken_back] == ["it does not help"]


def test_all_that_goes_together_is_fixed_in_one_round() -> None:
    world = World(lambda text: [*each("MCP101", "1", "a")(text), *each("MCP201", "2", "b")(text)])
    result = rounds(world)
    assert text_of(result) == "9 a b 3"
    assert [done.finding.code for done in result.fixed] == ["MCP101", "MCP201"]
    assert world.looks == 2


def test_a_fix_that_breaks_the_file_is_taken_back_alone() -> None:
    world = World(lambda text: [*each("MCP101", "1", "?")(text), *each("MCP201", "2", "b")(text)])
    result = rounds(world)
    assert text_of(result) == "9 1 b 3"
    assert [(t.finding.code, t.why) for t in result.taken_back] == [
        ("MCP101", "it leaves numbers.js broken: syntax error")
    ]


def test_a_fix_that_brings_about_another_finding_is_taken_back() -> None:
    world = World(lambda text: [*each("MCP101", "1", "7")(text), *each("MCP301", "7", "8")(text)])
    result = rounds(world)
    assert not result.changes
    assert [taken.why for taken in result.taken_back] == ["it brings about MCP301"]


def test_what_was_taken_back_is_tried_again_when_the_file_has_changed() -> None:
    """The first is of use only once the second is made."""

    def faults(text: str) -> list[tuple[str, int, str]]:
        broken = each("MCP101", "1", "a")(text)
        return (
            broken + each("MCP201", "2", "b")(text) + (each("MCP301", "a", "z")(text) if "2" in text else [])
        )

    result = rounds(World(faults))
    assert text_of(result) == "9 a b 3"
    assert not result.taken_back


def test_a_fix_may_wait_for_others() -> None:
    world = World(
        lambda text: [
            *each("MCP101", "1", "a" if "2" in text else "c")(text),
            *each("MCP201", "2", "b")(text),
        ],
        after=frozenset({"MCP201"}),
    )
    assert text_of(rounds(world)) == "9 c b 3"
    assert text_of(rounds(world, codes="MCP101")) == "9 a 2 3"


def test_unsafe_fixes_are_made_when_asked_for() -> None:
    world = World(each("MCP101", "1", "a"), kind="unsafe")
    assert not rounds(world).changes
    assert text_of(rounds(world, "safe unsafe")) == "9 a 2 3"


def test_rounds_have_an_end() -> None:
    """There is a fault less each time, and many of them."""

    left = [30]

    def shrinking(text: str) -> list[tuple[str, int, str]]:
        left[0] -= 1
        return [("MCP101", 0, "xy"[left[0] % 2])] * left[0]

    result = rounds(World(shrinking))
    assert result.unfinished
    assert len(result.fixed) == MAX_ROUNDS


# ---------------------------------------------------------------------------- writing


def read(path: Path) -> Source:
    return Source.from_bytes(path, path.read_bytes())


def changed(source: Source) -> Source:
    return replace(source, text=source.text.replace("old", "new"))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.js", b"old\n"),
        ("a.js", b"\xef\xbb\xbfold\r\n\xc3\xa9"),
        ("a.js", "\ufeffold é\r".encode("utf-16-le")),
        ("a.py", b"# -*- coding: latin-1 -*-\nold = '\xe9'\n"),
    ],
)
def test_what_a_file_has_beside_its_text_is_kept(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    path.chmod(0o751)
    source = read(path)
    write(source, changed(source))
    assert path.read_bytes() == data.replace("old".encode(source.encoding), "new".encode(source.encoding))
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.js").write_text("old")
    link = tmp_path / "link.js"
    link.symlink_to("real.js")
    source = read(link)
    write(source, changed(source))
    assert link.is_symlink()
    assert (tmp_path / "real.js").read_text() == "new"


def test_a_file_that_has_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.js"
    path.write_text("old")
    source = read(path)
    path.write_text("mine")
    with pytest.raises(NotWrittenError, match="it has changed since it was read"):
        write(source, changed(source))
    assert path.read_text() == "mine"
    path.unlink()
    with pytest.raises(NotWrittenError, match="it has changed since it was read"):
        write(source, changed(source))
    assert not path.exists()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "a.js"
    path.write_text("old")
    source = read(path)
    monkeypatch.setattr(writing.os, step, full)
    with pytest.raises(NotWrittenError, match="no space left on device"):
        write(source, changed(source))
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.js"]


def test_a_file_that_may_not_be_written_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.js"
    path.write_text("old")
    source = read(path)
    # Root may write everything, so that the answer of the system is given here.
    monkeypatch.setattr(writing.os, "access", lambda *_: False)
    with pytest.raises(NotWrittenError, match="it is read-only"):
        write(source, changed(source))
    assert path.read_text() == "old"


def test_a_character_that_the_encoding_lacks_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# coding: latin-1\nold\n")
    source = read(path)
    with pytest.raises(NotWrittenError, match="it cannot be written as latin-1"):
        write(source, replace(source, text=source.text + "日"))
    with pytest.raises(NotWrittenError):
        encoded(Source(path, "\udc80"))
    assert path.read_bytes() == b"# coding: latin-1\nold\n"
