"""A plain run imports only what it uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("libcst", "rich", "click", "difflib", "textwrap", "shutil", "logging", "asyncio")
EXAMPLES = Path(__file__).parents[2] / "examples"


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


@pytest.mark.parametrize("arguments", [("rule",), (str(EXAMPLES), "--quiet")])
def test_a_plain_run_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    # importlib.resources, and with it shutil, is what the tree-sitter grammars import.
    own = imported(*arguments)
    allowed = {"shutil"} if "importlib.resources" in own else set()
    assert not own & set(HEAVY) - allowed


def test_only_the_chosen_writer_is_imported() -> None:
    modules = imported(str(EXAMPLES), "--output-format", "concise", "--quiet")
    assert "mcplint.report.concise" in modules
    assert not modules & {"mcplint.report.text", "mcplint.report.json", "mcplint.report.map"}
