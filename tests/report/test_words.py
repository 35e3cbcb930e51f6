"""Names of files, and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.report.words import count, shown, summary
from tests.report import builders


def test_files_below_the_current_folder_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(tmp_path / "src" / "a.ts") == "src/a.ts"
    assert shown(Path("src/../a.ts")) == "a.ts"
    assert shown(Path("../a.ts")) == "../a.ts"


def test_files_elsewhere_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert shown(tmp_path / "here2" / "a.ts") == (tmp_path / "here2" / "a.ts").as_posix()


def test_counts() -> None:
    assert (count(0, "file"), count(1, "file"), count(2, "file")) == ("0 files", "1 file", "2 files")


def test_summary_tells_none_from_some() -> None:
    assert summary(builders.report()) == "1 server in 2 files"
    assert summary(builders.report(servers=0)) == "no MCP stdio server found in 2 files"
