"""The options of the command line about settings, and stdin."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from mcplint.files.data import parse_toml
from tests.cli.conftest import Runner
from tests.settings.project import STAYS, put


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(run: Runner, *arguments: str) -> list[str]:
    result = run(*arguments, "--output-format", "concise", "-q", engine="real")
    assert result.err == ""
    return [line.split(" ")[0] + line.split(":")[3][:7] for line in result.out.splitlines()]


def test_a_configuration_that_makes_no_sense_is_exit_code_2(run: Runner, tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS, pyproject_toml='[tool.mcplint]\nselct = ["MCP1"]\n')
    result = run(".", engine="real")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: pyproject.toml:2: unknown key `selct`\nhint: did you mean `select`?\n"
    assert run("map", ".", engine="real").code == 2
    assert run(".", "--isolated", engine="real").code == 1
    assert run(".", "--fix", "--diff", engine="real").code == 2


def test_options_about_files_and_rules(run: Runner, tmp_path: Path) -> None:
    put(tmp_path, a__index_ts=STAYS, b__index_ts=STAYS, mcplint_toml='ignore = ["MCP101"]')
    both = ["a/index.ts:6:1: MCP201", "b/index.ts:6:1: MCP201"]
    assert lines(run, ".") == both
    assert lines(run, ".", "--exclude", "b,c") == both[:1]
    assert lines(run, ".", "--extend-exclude", "a") == both[1:]
    assert lines(run, "a", "--extend-exclude", "a") == both[:1]
    assert lines(run, "a", "--extend-exclude", "a", "--force-exclude") == []
    assert lines(run, ".", "--per-file-ignores", "a/**:MCP2,MCP3") == both[1:]
    assert len(lines(run, ".", "--isolated")) == 4
    put(tmp_path, other_toml='select = ["MCP101"]')
    assert len(lines(run, ".", "--config", "other.toml")) == 2
    assert run(".", "--per-file-ignores", "a", engine="real").code == 2
    assert run(".", "--per-file-ignores", "a:MCP777", engine="real").code == 2


def test_a_whole_project_is_judged_for_one_file(run: Runner, tmp_path: Path) -> None:
    put(tmp_path, package_json="{}", src__timer_ts="export const t = setInterval(() => {}, 1000);\n")
    put(
        tmp_path,
        src__index_ts=STAYS.replace(
            "setInterval(() => server.sendToolListChanged(), 1000);", 'import "./timer.js";'
        ),
    )
    put(tmp_path, src__other_ts="export const x = 1;\n")
    assert lines(run, "src/timer.ts") == []
    assert lines(run, "src/timer.ts", "--whole-project") == ["src/index.ts:7:7: MCP101"]
    assert lines(run, "src/index.ts", "--whole-project") == [
        "src/index.ts:6:1: MCP201",
        "src/index.ts:7:7: MCP101",
    ]
    assert lines(run, "src/other.ts", "--whole-project") == []
    assert len(lines(run, "src", "--whole-project")) == 2


def test_text_from_stdin_stands_for_a_file(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, package_json="{}", src__index_ts="")

    def given(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    for name in ("src/index.ts", "src/new.ts"):
        given(STAYS)
        assert lines(run, "-", "--stdin-filename", name) == [f"{name}:6:1: MCP201", f"{name}:7:7: MCP101"]
    given("")
    assert lines(run, "-", "--stdin-filename", "src/index.ts") == []
    assert "needs --stdin-filename" in run("-", engine="real").err
    assert run("-", "--stdin-filename", "src/index.ts", "--fix", engine="real").code == 2


def test_shown_settings_are_settings(run: Runner, tmp_path: Path) -> None:
    put(
        tmp_path,
        mcplint_toml='select = ["MCP1"]\nexclude = ["old"]\n[severity]\nMCP101 = "info"\n'
        '[per-file-ignores]\n"x/*" = ["MCP2"]\n[modes]\n"process.env.A" = true\n'
        '[[holders]]\nnames = ["a.b"]\nunless = [{ at = 0, is = 1 }]\n',
        src__index_ts=STAYS,
    )
    result = run("src/index.ts", "--show-settings", "--ignore", "MCP103", engine="real")
    assert result.code == 0
    assert result.out.startswith("# settings for src/index.ts\n# from mcplint.toml\n")
    shown = parse_toml(result.out)
    assert shown is not None
    assert "MCP103" not in shown["select"]
    assert shown["severity"] == {"MCP101": "info"}
    assert shown["holders"] == [{"names": ["a.b"], "unless": [{"at": 0, "is": 1}]}]
    put(tmp_path, shown_toml=result.out)
    again = run("src/index.ts", "--show-settings", "--config", "shown.toml", engine="real")
    assert (parse_toml(again.out) or {})["select"] == shown["select"]
