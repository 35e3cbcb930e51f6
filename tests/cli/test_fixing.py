"""mcplint check --fix, --fix-only, --diff and --unsafe-fixes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mcplint import fixing
from mcplint.files.source import Source
from tests.cli.conftest import Runner
from tests.truth.cases import FIXTURES, ROOT


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with a safe and an unsafe fix, in the current folder."""
    shutil.copytree(FIXTURES / "wild" / "crash-handlers-only", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "src"


def test_a_plain_run_tells_of_both_kinds(run: Runner, program: Path) -> None:
    result = run(".", engine="real")
    assert "src/start.ts:10:6: MCP101 [*] server" in result.out
    assert ": MCP202 uncaughtException" in result.out
    assert result.out.endswith(
        "[*] 1 fixable with the `--fix` option"
        " (1 hidden fix can be enabled with the `--unsafe-fixes` option).\n"
    )
    assert run(".", "--unsafe-fixes", engine="real").out.endswith("[*] 2 fixable with the `--fix` option.\n")
    only = run(".", "--select", "MCP202", engine="real").out
    assert only.endswith(
        "No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).\n"
    )


def test_what_is_fixed_is_written_and_the_rest_reported(run: Runner, program: Path) -> None:
    guard = (program / "guard.ts").read_bytes()
    result = run(".", "--fix", engine="real")
    assert result.code == 1
    assert "MCP101" not in result.out
    assert "Found 2 errors (1 fixed, 1 remaining).\n" in result.out
    assert 'process.stdin.once("end", shutdown)' in (program / "start.ts").read_text()
    assert (program / "guard.ts").read_bytes() == guard
    result = run(".", "--fix", "--unsafe-fixes", engine="real")
    assert result.code == 0
    assert result.out == "Found 1 error (1 fixed, 0 remaining).\n"
    assert run(".", engine="real").code == 0
    assert run(".", "--fix", engine="real").out == ""


def test_fixing_only_reports_nothing(run: Runner, program: Path) -> None:
    result = run(".", "--fix-only", engine="real")
    assert (result.code, result.out, result.err) == (0, "", "Fixed 1 error.\n")
    result = run(".", "--fix-only", engine="real")
    assert (result.code, result.out, result.err) == (0, "", "Nothing can be fixed.\n")


def test_a_diff_changes_nothing(run: Runner, program: Path) -> None:
    before = {path: path.read_bytes() for path in program.iterdir()}
    result = run(".", "--diff", engine="real")
    assert result.code == 1
    assert result.out.startswith("--- src/start.ts\n+++ src/start.ts\n@@ -7,4 +7,22 @@\n")
    assert result.err == "Would fix 1 error.\n"
    assert {path: path.read_bytes() for path in program.iterdir()} == before
    result = run(".", "--diff", "--select", "MCP202", engine="real")
    assert (result.code, result.out, result.err) == (0, "", "Nothing can be fixed.\n")


def test_only_what_is_selected_is_fixed(run: Runner, program: Path) -> None:
    result = run(".", "--fix", "--unsafe-fixes", "--select", "MCP202", engine="real")
    assert result.code == 0
    assert [
        f["code"] for f in json.loads(run(".", "--output-format", "json", engine="real").out)["findings"]
    ] == ["MCP101"]


def test_json_has_the_edits_and_counts_what_was_fixed(run: Runner, program: Path) -> None:
    value = json.loads(run(".", "--output-format", "json", engine="real").out)
    fixes = {one["code"]: one["fix"] for one in value["findings"]}
    assert fixes["MCP202"]["applicability"] == "unsafe"
    (edit,) = fixes["MCP101"]["edits"]
    assert (edit["path"], edit["line"], edit["column"]) == ("src/start.ts", 10, 1)
    assert (edit["end_line"], edit["end_column"]) == (10, 1)
    assert edit["text"].startswith("let stopping = false;\n")
    assert value["summary"]["fixed"] == 0
    value = json.loads(run(".", "--fix", "--output-format", "json", engine="real").out)
    assert value["summary"] == {"servers": 1, "files": 3, "findings": 1, "fixed": 1}


def test_a_file_that_changed_meanwhile_is_left_alone(
    run: Runner, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fixing.write

    def late(before: Source, after: Source) -> None:
        with before.path.open("a") as file:
            file.write("// mine\n")
        real(before, after)

    monkeypatch.setattr(fixing, "write", late)
    result = run(".", "--fix", engine="real")
    assert result.code == 1
    assert "warning: src/start.ts is not fixed: it has changed since it was read\n" in result.err
    assert "MCP101" in result.out
    assert (program / "start.ts").read_text().endswith("// mine\n")


def test_a_path_that_does_not_exist_is_wrong_usage(run: Runner) -> None:
    result = run("no-such-path", "--fix", engine="real")
    assert (result.code, result.err) == (2, "error: path does not exist: no-such-path\n")


def test_a_crlf_file_stays_one(run: Runner, program: Path) -> None:
    start = program / "start.ts"
    start.write_bytes(start.read_bytes().replace(b"\n", b"\r\n"))
    run(".", "--fix", engine="real")
    data = start.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 20


def test_examples_fixed_on_disk_are_clean(run: Runner, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "weather", tmp_path, dirs_exist_ok=True)
    assert run(str(tmp_path), "--fix", engine="real").code == 0
