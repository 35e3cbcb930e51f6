from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from mcplint.files import scan as module
from mcplint.files.scan import mentions, read_source, scan
from mcplint.files.source import UndecodableError
from mcplint.files.walk import FoundFile, Skipped, discover

NEEDLE = re.compile(rb"StdioServerTransport|stdio_server")


def test_mentions() -> None:
    assert mentions(b"new StdioServerTransport()", NEEDLE)
    assert not mentions(b"new StdioTransport()", NEEDLE)
    assert mentions("new StdioServerTransport()".encode("utf-16"), NEEDLE)
    assert not mentions(b"\xff\xfe\x00\xd8", NEEDLE)


def test_scan_yields_matches_and_records_the_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("stdio_server()")
    (tmp_path / "b.py").write_text("nothing")
    (tmp_path / "c.py").write_text("stdio_server()")
    files = discover([tmp_path]).files
    (tmp_path / "c.py").unlink()
    skipped: list[Skipped] = []
    found = list(scan(files, NEEDLE, skipped))
    assert [(file.path.name, data) for file, data in found] == [("a.py", b"stdio_server()")]
    assert [(item.path.name, item.reason) for item in skipped] == [("c.py", "no such file or directory")]
    assert len(list(scan(files, NEEDLE))) == 1


def test_a_file_that_grew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("stdio_server()" * 20)
    monkeypatch.setattr(module, "MAX_NAMED_BYTES", 100)
    skipped: list[Skipped] = []
    assert list(scan([FoundFile(path, False)], NEEDLE, skipped)) == []
    assert len(skipped) == 1


def test_read_source(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfx = '\xc3\xa9'\n")
    assert read_source(path).text == "x = 'é'\n"
    path.write_bytes(b"x = '\xe9'\n")
    with pytest.raises(UndecodableError):
        read_source(path)
    with pytest.raises(OSError, match="No such file"):
        read_source(tmp_path / "none.py")
    with pytest.raises(OSError, match=r"."):
        read_source(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(OSError, match="not a regular file"):
        read_source(tmp_path / "pipe.py")


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"")
    assert read_source(tmp_path / "a.py").text == ""
