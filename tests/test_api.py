"""What ``import mcplint`` offers: the code on its page runs, and the page names everything."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mcplint
from tests.settings.project import STAYS, put

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")


def test_the_code_on_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, package_json="{}", src__index_ts=STAYS)
    monkeypatch.chdir(tmp_path)
    first, second = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    scope: dict[str, object] = {}
    exec(first, scope)
    assert re.search(r"index.ts:7:7 MCP101 server outlives", capsys.readouterr().out)
    exec(second, scope)
    report = scope["report"]
    assert isinstance(report, mcplint.Report)
    assert [r.finding.code for r in report.findings] == ["MCP101"]


def test_the_page_names_all_that_is_offered() -> None:
    for name in mcplint.__all__:
        assert getattr(mcplint, name) is not None
        assert name == "__version__" or re.search(rf"\b{name}\b", PAGE), name
    with pytest.raises(AttributeError):
        mcplint.nothing  # noqa: B018


ROWS = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.split("## What comes back")[1], re.M))


@pytest.mark.parametrize("name", ["Report", "Finding", "Related", "Suppressed", "Skipped", "Position"])
def test_the_fields_on_the_page_are_there_and_do_not_change(name: str) -> None:
    cls = getattr(mcplint, name)
    fields = {field.name for field in dataclasses.fields(cls)}
    assert set(re.findall(r"`([a-z_]+)`", ROWS[name])) <= fields
    assert cls.__dataclass_params__.frozen


def test_every_field_of_the_options_is_on_the_page() -> None:
    for field in dataclasses.fields(mcplint.Options):
        assert f"`{field.name}`" in PAGE


def test_nothing_is_imported_before_it_is_used() -> None:
    code = "import sys, mcplint; print(mcplint.__version__, *[m for m in sys.modules if m.startswith('mcplint.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == f"{mcplint.__version__}\n"


def test_text_is_judged_in_the_project_of_its_file(tmp_path: Path) -> None:
    put(
        tmp_path,
        package_json="{}",
        src__index_ts='import "./timer.js";\n' + STAYS.replace("setInterval", "void "),
    )
    put(tmp_path, src__timer_ts="")
    assert not mcplint.lint_source("export {};", tmp_path / "src/timer.ts").findings
    report = mcplint.lint_source("setInterval(() => {}, 10);", tmp_path / "src/timer.ts")
    (reported,) = report.findings
    assert reported.finding.place.path == tmp_path / "src/index.ts"
    assert reported.finding.related[0].place.path == tmp_path / "src/timer.ts"
    assert (tmp_path / "src/timer.ts").read_text("utf-8") == ""


def test_text_is_text_whatever_its_coding_line_says(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\nNAME = 'π'  # mcplint: ignore[MCP999]\nfrom mcp.server.fastmcp import FastMCP\n"
    report = mcplint.lint_source(f'{text}FastMCP("s").run()\n', tmp_path / "s.py")
    (reported,) = report.findings
    assert (reported.finding.code, reported.finding.place.begin.column) == ("MCP900", 31)
    assert mcplint.lint_source(b"\xff\xfe", tmp_path / "s.py").findings == ()


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(mcplint.PathNotFoundError):
        mcplint.lint([tmp_path / "gone.ts"])


def test_languages_can_be_chosen(tmp_path: Path) -> None:
    put(tmp_path, index_ts=STAYS)
    assert mcplint.lint([tmp_path], mcplint.Options(languages=("python",))).servers == ()
