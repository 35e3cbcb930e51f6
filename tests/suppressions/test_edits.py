"""Comments that are taken away by --fix, and those that --add-ignore writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mcplint.cli import main
from tests.suppressions.test_suppressions import CACHE, INDEX, PACKAGE, PYTHON, filled

Files = Callable[..., Path]


@pytest.fixture
def python_file(tmp_path: Path) -> Files:
    def write(**comments: str) -> Path:
        path = tmp_path / "server.py"
        path.write_text(filled(PYTHON, comments), encoding="utf-8")
        return path

    return write


@pytest.fixture
def node_file(tmp_path: Path) -> Files:
    def write(**comments: str) -> Path:
        for name, text in {"package.json": PACKAGE, "cache.ts": CACHE, "index.ts": INDEX}.items():
            (tmp_path / name).write_text(filled(text, comments), encoding="utf-8")
        return tmp_path / "index.ts"

    return write


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  # mcplint: ignore[MCP101, MCP201]", "  # mcplint: ignore[MCP101]"),
        ("  # mcplint: ignore[MCP201,MCP203, MCP101] meant", "  # mcplint: ignore[MCP101] meant"),
        ("  # noqa: MCP101  # mcplint: ignore[MCP201] gone", "  # noqa: MCP101"),
        ("  # noqa: MCP101, MCP201", "  # noqa: MCP101"),
        ("  # noqa: MCP201,E501,MCP101", "  # noqa: E501,MCP101"),
        ("  # mcplint: ignore[MCP201] x  # noqa: E501", "  # noqa: E501"),
        ("  # mcplint: ignore[MCP201]  # type: ignore", "  # type: ignore"),
        ("  # noqa: MCP201", ""),
        ("  # noqa: MCP201 as the client says", "  # as the client says"),
        ("  # mcplint: ignore[outlives-cliemt]", ""),
        ("\n# mcplint: file-ignore[MCP201]\nX = 1", "\nX = 1"),
        ("\n    # noqa: MCP201", ""),
    ],
)
def test_fix_removes_what_silences_nothing(python_file: Files, before: str, after: str) -> None:
    path = python_file(BEHIND=before)
    main([str(path), "--fix", "-q", "--select", "MCP900,MCP101,MCP2"])
    assert path.read_text("utf-8").rstrip("\n") == filled(PYTHON, {"BEHIND": after}).rstrip("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" // mcplint: ignore[MCP201] gone", ""),
        (" /* mcplint: ignore[MCP201] gone */", ""),
        (" /* mcplint: ignore[MCP201] */ // more", " // more"),
        (" // more // mcplint: ignore[MCP201]", " // more"),
        (" // mcplint: ignore[MCP201] // prettier-ignore", " // prettier-ignore"),
        ("\n/* mcplint: ignore[MCP201]\n   gone */\nlast();", "\n/*\n   gone */\nlast();"),
    ],
)
def test_fix_removes_them_from_javascript(node_file: Files, before: str, after: str) -> None:
    path = node_file(BEHIND=before)
    main([str(path), "--fix", "-q", "--select", "MCP900,MCP2"])
    assert path.read_text("utf-8") == filled(INDEX, {"BEHIND": after})


def test_what_cannot_be_understood_is_left(node_file: Files, capsys: pytest.CaptureFixture[str]) -> None:
    path = node_file(BEHIND=" // mcplint: ignore")
    main([str(path.parent), "--fix", "-q", "--output-format", "concise", "--select", "MCP900"])
    assert "MCP900" in capsys.readouterr().out
    assert path.read_text("utf-8") == filled(INDEX, {"BEHIND": " // mcplint: ignore"})


def test_every_finding_gets_a_comment(node_file: Files, capsys: pytest.CaptureFixture[str]) -> None:
    path = node_file(ABOVE='process.on("SIGTERM", () => {});')
    assert main([str(path.parent), "--add-ignore=known  in May"]) == 0
    assert capsys.readouterr().err == "Silenced 2 findings.\n"
    text = path.read_text("utf-8")
    assert 'process.on("SIGTERM", () => {}); // mcplint: ignore[MCP201] known in May\n' in text
    assert "new StdioServerTransport()); // mcplint: ignore[MCP101] known in May\n" in text
    assert main([str(path.parent), "-q"]) == 0
    assert main([str(path.parent), "--add-ignore", "-q"]) == 0
    assert path.read_text("utf-8") == text


def test_a_comment_that_is_there_gets_the_name(python_file: Files) -> None:
    path = python_file(BEHIND="  # mcplint: ignore[MCP201] later")
    assert main(["--add-ignore", "-q", "--ignore", "MCP900", str(path)]) == 0
    assert "app.run()  # mcplint: ignore[MCP201, MCP101] later\n" in path.read_text("utf-8")


def test_no_comment_goes_into_a_string(node_file: Files, capsys: pytest.CaptureFixture[str]) -> None:
    path = node_file()
    text = path.read_text("utf-8").replace("StdioServerTransport());", "StdioServerTransport(), `a\nb`);")
    path.write_text(text, encoding="utf-8")
    assert main([str(path.parent), "--add-ignore"]) == 1
    assert "no comment was added for MCP101" in capsys.readouterr().err
    assert path.read_text("utf-8") == text
