"""The lines of the README are the lines that CI runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcplint.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_ci_runs_the_readmes_test_line() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (line,) = [
        line for line in readme.splitlines() if "pytest" in line and line.startswith("python3 -m venv")
    ]
    assert line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


@pytest.mark.parametrize("command", re.findall(r"^\$ mcplint (.*)$", README, re.M))
def test_what_the_readme_shows_is_what_is_printed(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    shown = README.split(f"$ mcplint {command}\n", 1)[1].split("\n```", 1)[0]
    main([*command.split(), "--color", "never"])
    captured = capsys.readouterr()
    assert (captured.out + captured.err).rstrip("\n") == shown


def test_links_to_files_lead_somewhere() -> None:
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "rules").glob("*.md"),
    ]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
