"""A plain run imports only what it uses."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("libcst", "rich", "click", "difflib", "json", "textwrap", "importlib.resources", "unicodedata")


def imported(*arguments: str) -> set[str]:
    script = (
        "import sys; from mcplint.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(result.stderr.split())


def test_version_imports_no_room_of_the_house() -> None:
    rooms = ("api", "engine", "program", "lifecycle", "checks", "fixes", "syntax", "files")
    modules = imported("--version")
    assert not {f"mcplint.{room}" for room in rooms} & modules
    assert "argparse" not in modules


@pytest.mark.parametrize("name", HEAVY)
def test_the_rule_list_imports_nothing_heavy(name: str) -> None:
    assert name not in imported("rule") - {"unicodedata"}
