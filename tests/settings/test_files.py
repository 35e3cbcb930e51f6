"""Which configuration file counts, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcplint import Options, SettingsError, UnknownSelectorError, lint
from tests.settings.project import BOTH, SDK, STAYS, found, put

IGNORING = 'ignore = ["MCP201"]\n'
ONE = {"index.ts MCP101 error"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mcplint_toml", IGNORING),
        ("pyproject_toml", f"[tool.mcplint]\n{IGNORING}"),
        ("package_json", f'{{{SDK}, "mcplint": {{"ignore": ["signal-handler-never-exits"]}}}}'),
    ],
)
def test_settings_are_read_from_each_kind_of_file(tmp_path: Path, name: str, text: str) -> None:
    put(tmp_path, index_ts=STAYS)
    assert found(tmp_path) == BOTH
    put(tmp_path, **{name: text})
    assert found(tmp_path) == ONE
    assert found(tmp_path, "index.ts") == ONE
    assert found(tmp_path, options=Options(isolated=True)) == BOTH


def test_the_nearest_file_wins_for_each_file(tmp_path: Path) -> None:
    put(tmp_path, mcplint_toml=IGNORING, a__index_ts=STAYS, b__src__index_ts=STAYS)
    put(tmp_path, b__mcplint_toml='select = ["MCP2"]', b__src__pyproject_toml="[tool.other]\nmcplint = 1")
    assert found(tmp_path) == {"a/index.ts MCP101 error", "b/src/index.ts MCP201 error"}


def test_of_several_in_one_folder_the_first_that_speaks_of_it_counts(tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS, pyproject_toml=f"[tool.mcplint]\n{IGNORING}")
    put(tmp_path, package_json=f'{{{SDK}, "mcplint": {{"select": ["MCP2"]}}}}')
    assert found(tmp_path) == ONE
    put(tmp_path, mcplint_toml="")
    assert found(tmp_path) == BOTH


def test_a_broken_manifest_of_others_is_theirs(tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS, pyproject_toml="[tool.black\n", package_json='{"mcplint": ')
    assert found(tmp_path) == BOTH


def test_one_file_extends_another(tmp_path: Path) -> None:
    put(
        tmp_path,
        base__mcplint_toml='extend = "../more.toml"\nselect = ["MCP2"]\nextend-select = ["MCP1"]\n'
        '[severity]\nMCP1 = "info"\nMCP2 = "info"\n',
        more_toml='select = ["MCP4"]\nextend-exclude = ["old/"]\n',
        app__mcplint_toml='extend = "../base/mcplint.toml"\n[severity]\nMCP201 = "warning"\n',
        app__index_ts=STAYS,
        old__index_ts=STAYS,
    )
    assert found(tmp_path / "app") == {"index.ts MCP101 info", "index.ts MCP201 warning"}


def test_a_pattern_is_relative_to_the_file_that_holds_it(tmp_path: Path) -> None:
    put(tmp_path, base_toml='exclude = ["/app/old"]', app__mcplint_toml='extend = "../base.toml"')
    put(tmp_path, app__old__index_ts=STAYS, app__index_ts=STAYS, app__app__old__index_ts=STAYS)
    assert {line.split()[0] for line in found(tmp_path)} == {"app/index.ts", "app/app/old/index.ts"}


def test_one_named_file_counts_for_everything(tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS, mcplint_toml='select = ["MCP2"]', other_toml=IGNORING)
    assert found(tmp_path, options=Options(config=tmp_path / "other.toml")) == ONE


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('\nselct = ["MCP1"]', ":2: unknown key `selct`", "did you mean `select`?"),
        ('select = "MCP1"', ":1: `select` must be a list of rules, not a string", None),
        ('# a\nignore = [\n  "MCP1",\n  "MCP777",\n]', ":2: unknown rule `MCP777` in `ignore`", ...),
        ('ignore = ["outlive-client"]', ":1: unknown rule", "did you mean `outlives-client`?"),
        ("force-exclude = 1", ":1: `force-exclude` must be true or false, not a number", None),
        ("exclude = [1]", ":1: `exclude[0]` must be a string, not a number", None),
        (
            '[severity]\nMCP1 = "eror"',
            ":2: `severity.MCP1` must be one of `error`, `warning`, `info`, not `eror`",
            "did you mean `error`?",
        ),
        ('[severity]\n"MCP7x" = "error"', ":2: unknown rule `MCP7x` in `severity`", ...),
        ('[assume]\n"@a/sdk" = 1', ":2: `assume.@a/sdk` must be a string, not a number", None),
        ("[[holders]]\nnames = []\n\n[[holders]]\nname = []", ":5: unknown key `holders[1].name`", "did you mean `names`?"),
        ('[[holders]]\nwhat = "x"', ":1: `holders[0]` lacks the key `names`", None),
        (
            '[[holders]]\nnames = ["x"]\nholds = "forver"',
            ":3: `holders[0].holds` must be one of `forever`, `peer`, `child`, not `forver`",
            "did you mean `forever`?",
        ),
        ('[[exits]]\nnames = "x"', ":2: `exits[0].names` must be a list of strings, not a string", None),
        ('[modes]\nx = ["y"]', ":2: `modes.x` must be a string, a number or a boolean, not a list", None),
        ('extend = "gone.toml"', ":1: the file in `extend` does not exist: gone.toml", None),
        ('extend = "mcplint.toml"', ":1: `extend` goes round in a circle: mcplint.toml", None),
        ("select = [", ": cannot be parsed: ", None),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said_with_its_place(
    tmp_path: Path, text: str, message: str, hint: object
) -> None:
    put(tmp_path, index_ts=STAYS, mcplint_toml=text)
    with pytest.raises(SettingsError) as caught:
        lint([tmp_path])
    assert f"mcplint.toml{message}" in str(caught.value)
    assert hint is ... or caught.value.hint == hint


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pyproject_toml", '[project]\nselect = 1\n\n[tool.mcplint]\nselct = ["MCP1"]', "pyproject.toml:5: unknown key `selct`"),
        ("pyproject_toml", "[tool]\nmcplint = 1", "pyproject.toml:2: `tool.mcplint` must be a table"),
        ("pyproject_toml", "[tool.mcplint.per-file-ignores]\n'a/*' = 'MCP1'", "pyproject.toml:2: `per-file-ignores.a/*` must be a list of rules"),
        ("package_json", '{\n  "select": 1,\n  "mcplint": {\n    "select": "MCP1"\n  }\n}', "package.json:4: `select` must be a list"),
        ("package_json", '{\n  "mcplint": true\n}', "package.json:2: `mcplint` must be a table"),
    ],
)  # fmt: skip
def test_the_place_is_right_in_manifests(tmp_path: Path, name: str, text: str, message: str) -> None:
    put(tmp_path, index_ts=STAYS, **{name: text})
    with pytest.raises(SettingsError) as caught:
        lint([tmp_path])
    assert message in str(caught.value)


def test_a_named_file_must_hold_settings(tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS, pyproject_toml="[project]\n")
    for name, message in (
        ("pyproject.toml", "holds no settings: `tool.mcplint` is missing"),
        ("no.toml", "cannot be read"),
    ):
        with pytest.raises(SettingsError, match=message):
            lint([tmp_path], Options(config=tmp_path / name))


def test_an_unknown_rule_of_the_caller_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS)
    with pytest.raises(UnknownSelectorError):
        lint([tmp_path], Options(select=("MCP777",)))
