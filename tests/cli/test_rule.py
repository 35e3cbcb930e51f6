"""mcplint rule, mcplint map, mcplint version."""

from __future__ import annotations

import json
import re

import pytest

from mcplint import __version__, rules
from tests.cli.conftest import Runner


@pytest.mark.parametrize("arguments", [["version"], ["--version"], ["-V"]])
def test_version(run: Runner, arguments: list[str]) -> None:
    assert run(*arguments).out == f"mcplint {__version__}\n"


def test_the_list_has_a_line_for_each_rule(run: Runner) -> None:
    lines = run("rule").out.splitlines()
    assert [line.split()[0] for line in lines] == list(rules.codes())
    assert re.match(r"MCP101  outlives-client +error +\w", lines[0])


@pytest.mark.parametrize("word", ["MCP101", "mcp101", "outlives-client"])
def test_a_page_is_found_by_code_and_name(run: Runner, word: str) -> None:
    result = run("rule", word)
    assert result.code == 0
    assert result.out.startswith("MCP101 outlives-client: ")
    for heading in rules.HEADINGS:
        assert f"\n{heading}\n" in result.out
    assert "```" not in result.out


def words(text: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("`", "").split()


@pytest.mark.parametrize("code", rules.codes())
def test_a_coloured_page_says_the_same(run: Runner, code: str) -> None:
    plain = run("rule", code).out
    painted = run("rule", code, "--color", "always").out
    assert "\x1b[" in painted
    assert words(painted) == words(plain)
    assert "**" not in plain + painted


def test_json_of_one_rule_and_of_all(run: Runner) -> None:
    one = json.loads(run("rule", "MCP101", "--output-format", "json").out)
    assert one["name"] == "outlives-client"
    assert one["default"] is True
    assert list(one["sections"]) == list(rules.HEADINGS)
    every = json.loads(run("rule", "--output-format", "json").out)
    assert [rule["code"] for rule in every] == list(rules.codes())


def test_an_unknown_rule_is_an_error_with_a_hint(run: Runner) -> None:
    result = run("rule", "outlive")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines() == [
        "error: unknown rule: outlive",
        "hint: did you mean `outlives-client`? `mcplint rule` lists the rules",
    ]


def test_map_shows_servers_and_is_no_judge(run: Runner) -> None:
    result = run("map", ".")
    assert result.code == 0
    assert result.out.startswith("src/index.ts (typescript)\n")
    assert result.err.endswith("1 server in 2 files\n")
    assert run("map", engine="none").err == "no MCP stdio server found in 2 files\n"
    assert run("map", "nowhere", engine="real").code == 2
