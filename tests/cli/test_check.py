"""mcplint check: exit codes, streams, options."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mcplint.api import Options
from tests.cli.conftest import Runner


@pytest.mark.parametrize(
    ("arguments", "engine", "code"),
    [
        ([], "findings", 1),
        (["--exit-zero"], "findings", 0),
        ([], "clean", 0),
        ([], "none", 0),
        (["--error-on-no-server"], "none", 3),
        (["--error-on-no-server", "--exit-zero"], "none", 3),
        (["--error-on-no-server"], "clean", 0),
        (["--error-on-no-server"], "findings", 1),
        ([], "broken", 2),
        (["--exit-zero"], "broken", 2),
        ([], "interrupted", 130),
    ],
)
def test_exit_codes(run: Runner, arguments: list[str], engine: str, code: int) -> None:
    assert run(".", *arguments, engine=engine).code == code
    assert run("check", *arguments, ".", engine=engine).code == code


def test_findings_go_to_stdout_and_the_rest_to_stderr(run: Runner) -> None:
    result = run(".")
    assert "src/index.ts:5:7: MCP101" in result.out
    assert result.out.endswith("Found 1 error and 1 warning in 1 server.\n")
    assert (
        result.err
        == """\
warning: src/bad.ts: it is not UTF-8
warning: a.py:7: syntax
1 server in 2 files
"""
    )


def test_clean_reads_differently_from_no_server(run: Runner) -> None:
    clean, none = run(engine="clean"), run(engine="none")
    assert clean.out == none.out == ""
    assert clean.err == "1 server in 2 files, no findings\n"
    assert none.err == "no MCP stdio server found in 2 files\n"


def test_quiet_prints_findings_only(run: Runner) -> None:
    assert run(".", "--quiet").err == ""
    assert "MCP101" in run(".", "-q").out
    assert run("no-such-path", "-q", engine="real").err == "error: path does not exist: no-such-path\n"


def test_a_missing_path_is_said_before_anything_is_judged(run: Runner) -> None:
    result = run(".", "x/y.ts", engine="real")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: path does not exist: x/y.ts\n"


def test_an_internal_error_is_one_line_and_a_hint(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(engine="broken").err == (
        "error: internal error: RuntimeError: the sky fell\n"
        "hint: please report it, with what MCPLINT_DEBUG=1 prints\n"
    )
    monkeypatch.setenv("MCPLINT_DEBUG", "1")
    debugged = run(engine="broken")
    assert debugged.code == 2
    assert "Traceback" in debugged.err


def test_an_interrupt_is_quiet(run: Runner) -> None:
    result = run(engine="interrupted")
    assert (result.out, result.err) == ("", "")


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["--selct", "MCP1"], "unknown option: --selct", "did you mean `--select`?"),
        (["--output=json"], "unknown option: --output", None),
        (["--output-format", "jsn"], "unknown output format: jsn", "did you mean `json`?"),
        (["--output-format", "sarif9"], "unknown output format: sarif9", "choose from text"),
        (["--select", "MCP110"], "unknown rule: MCP110", "did you mean `MCP"),
        (["--select", "MCP7"], "unknown rule: MCP7", "`mcplint rule` lists the rules"),
        (["--ignore", "outlive-client"], "unknown rule: outlive-client", "did you mean `outlives-client`?"),
        (["--color", "allways"], "unknown colour choice: allways", "did you mean `always`?"),
        (["--assume", "sdk"], "--assume takes NAME=VERSION, not: sdk", "for example"),
        (["--assume", "mcp=latest"], "--assume takes NAME=VERSION, not: mcp=latest", "for example"),
        (["--select"], "--select: expected one argument", "--help"),
        (["chek", "."], "path does not exist: chek", "did you mean the command `check`?"),
        (["-q", "map"], "path does not exist: map", "a command comes first: `mcplint map …`"),
    ],
)
def test_wrong_usage_exits_2_with_a_hint(
    run: Runner, arguments: list[str], error: str, hint: str | None
) -> None:
    result = run(*arguments, engine="real")
    assert (result.code, result.out) == (2, "")
    lines = result.err.splitlines()
    assert lines[0] == f"error: {error}"
    assert len(lines) <= 2
    if hint:
        assert hint in lines[1]


def test_the_format_comes_from_the_option_then_the_environment(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCPLINT_OUTPUT_FORMAT", "json")
    assert json.loads(run(".").out)["status"] == "findings"
    assert run(".", "--output-format", "concise").out.count("\n") == 2
    monkeypatch.setenv("MCPLINT_OUTPUT_FORMAT", "")
    assert "= why:" in run(".").out
    monkeypatch.setenv("MCPLINT_OUTPUT_FORMAT", "jsom")
    wrong = run(".")
    assert wrong.code == 2
    assert wrong.err.startswith("error: unknown output format in MCPLINT_OUTPUT_FORMAT: jsom\n")


def test_json_is_one_object_whatever_was_found(run: Runner) -> None:
    for engine, status in (("findings", "findings"), ("clean", "clean"), ("none", "no-server")):
        assert json.loads(run("--output-format", "json", engine=engine).out)["status"] == status


def test_selectors_are_codes_prefixes_and_names(options_of: Callable[..., Options]) -> None:
    assert options_of(".").select is None
    assert options_of("--select", "mcp101,MCP90").select == ("MCP101", "MCP900", "MCP901")
    assert options_of("--select", "MCP101", "--select", "MCP20").select == (
        "MCP101",
        "MCP201",
        "MCP202",
        "MCP203",
    )
    assert options_of("--extend-select=outlives-client", ".").extend_select == ("MCP101",)
    assert options_of("--ignore", "Unguarded-Shutdown").ignore == ("MCP301",)
    assert set(options_of("--select", "ALL").select or ()) >= {"MCP101", "MCP201", "MCP301"}


def test_an_empty_selection_is_a_mistake(run: Runner) -> None:
    assert run("--select", "").code == 2


def test_assumptions_are_handed_on(options_of: Callable[..., Options]) -> None:
    options = options_of("--assume", "@modelcontextprotocol/sdk=1.30.0", "--assume", "mcp=2.3.0", ".")
    assert options.assume == {"@modelcontextprotocol/sdk": "1.30.0", "mcp": "2.3.0"}


def test_paths_may_stand_anywhere(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "-c"):
        (tmp_path / name).mkdir()
    assert run("a", "--exit-zero", "b").code == 0
    assert run("--exit-zero", "a", "--ignore", "MCP1", "b").code == 0
    assert run("--exit-zero", "--", "-c").code == 0


def test_help_tells_commands_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    from mcplint.cli import main

    with pytest.raises(SystemExit) as exit_info:
        main(["--help"])
    assert exit_info.value.code == 0
    text = capsys.readouterr().out
    for word in ("mcplint map", "mcplint rule", "--output-format", "exit codes", "--assume"):
        assert word in text
