"""Whatever stands between the lines of a program: a fix keeps every byte that it does not edit."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcplint.api import Options
from mcplint.files.source import Source
from mcplint.fixing import repair
from mcplint.syntax import ir, lower
from tests.fixes.fixed import served
from tests.fixes.test_fixtures import NOT_FIXED
from tests.fixes.test_shapes import MANIFEST, SHAPES

PROGRAMS = [*SHAPES, *(one.folder for one in served() if one.label not in NOT_FIXED)]
"""A file by itself, or the folder of a fixture."""

BETWEEN = st.sampled_from(
    [
        "",
        "\n",
        "\n\n",
        "// see below\n",
        "/* a { brace */\n",
        "\t\n",
        "  // 'quoted' \"twice\" `thrice`\n",
        "/**\n * é 日本\n */\n",
    ]
)
"""What may stand in front of a statement and mean nothing."""


@cache
def files(program: Path) -> dict[str, bytes]:
    """The files of a program."""
    if program.is_file():
        return {f"server{program.suffix}": program.read_bytes(), "package.json": MANIFEST.encode()}
    paths = (path for path in program.rglob("*") if path.is_file())
    return {
        path.relative_to(program).as_posix(): path.read_bytes()
        for path in paths
        if "node_modules" not in path.parts and path.name != "expect.toml"
    }


def statement_starts(text: bytes, name: str) -> list[int]:
    """Where the top-level statements of a file begin a line."""
    module = lower(Source.from_bytes(Path(name), text))
    starts = {s.start for s in module.body if not isinstance(s, (ir.ExportNames,))}
    first = -1 if text.startswith(b"#!") else 0
    return sorted(at for at in starts if at == first or (at > 0 and text[at - 1 : at] == b"\n"))


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_fix_keeps_what_it_does_not_edit(data: st.DataObject) -> None:
    program = data.draw(st.sampled_from(PROGRAMS))
    crlf, tabs = data.draw(st.booleans()), data.draw(st.booleans())
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for name, content in files(program).items():
            text = content
            if name.endswith(("js", "ts", "tsx")):
                for at in reversed(statement_starts(content, name)):
                    text = text[:at] + data.draw(BETWEEN).encode() + text[at:]
                if tabs:
                    text = text.replace(b"\n  ", b"\n\t")
                if crlf:
                    text = text.replace(b"\n", b"\r\n")
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text)
        repaired = repair([root], Options(), unsafe=True, to_disk=True)
        assert repaired.changes
        assert not repaired.taken_back
        for change in repaired.changes:
            assert change.after.path.read_bytes() == change.after.utf8
            check_kept(change.before.utf8, change.after.utf8, crlf)
        assert not repair([root], Options(), unsafe=True, to_disk=True).changes


def check_kept(before: bytes, after: bytes, crlf: bool) -> None:
    """Every line of before is still there in order, but for its indent and what an edit put in the place of it."""
    if crlf:
        assert after.count(b"\n") == after.count(b"\r\n")
    lines, now = ([line.strip() for line in text.splitlines()] for text in (before, after))
    blocks = SequenceMatcher(None, lines, now, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in blocks) >= len(lines) - MOST_REPLACED
    for mark in (b"//", b"/*", b"*/"):
        assert after.count(mark) == before.count(mark)


MOST_REPLACED = 6
"""Lines that a fix may rewrite: the head and the end of what it gives a name or moves."""
