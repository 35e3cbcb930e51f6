"""What mcplint says of the programs is what was measured: the same expectations, nothing run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mcplint.api import lint
from mcplint.files.place import Place

from .cases import SnippetCase, programs, snippet_cases
from .shapes import ASKED, Shape, shapes

MANIFESTS = {
    "node": ("package.json", json.dumps({"dependencies": {"@modelcontextprotocol/sdk": "1.32.2"}})),
    "python": ("requirements.txt", "mcp==1.30.0\n"),
}
PROGRAMS = list(programs())
GAPS: dict[str, str] = {}
SNIPPETS = [
    pytest.param(
        case,
        id=case.name,
        marks=pytest.mark.xfail(reason=GAPS[case.name]) if case.name in GAPS else (),
    )
    for case in snippet_cases()
    if case.sdk != "mcp2" and case.table != "unbounded"
]
WAITING = [case for case in snippet_cases() if case.table == "unbounded"]


def place(found: Place, folder: Path) -> str:
    """Such as ``src/index.js:6``."""
    return f"{found.path.resolve().relative_to(folder.resolve()).as_posix()}:{found.begin.line}"


@pytest.mark.parametrize(("label", "folder", "expect"), PROGRAMS, ids=[label for label, _, _ in PROGRAMS])
def test_verdicts_and_findings_of_a_program(label: str, folder: Path, expect: Mapping[str, Any]) -> None:
    report = lint([folder])
    (server,) = report.servers
    verdicts = {trigger: getattr(server, trigger).verdict for trigger in expect["verdict"]}
    found = {(one.finding.code, place(one.finding.place, folder)) for one in report.findings}
    wanted = {(one["code"], f"{one['path']}:{one['line']}") for one in expect.get("finding", ())}
    left_open = dict.fromkeys(expect.get("left_open", ()), "unknown")
    assert (verdicts, found) == ({**expect["verdict"], **left_open}, wanted)
    for one in expect.get("finding", ()):
        related = [
            place(other.place, folder)
            for reported in report.findings
            for other in reported.finding.related
            if reported.finding.code == one["code"]
        ]
        assert set(one.get("related", ())) <= set(related)


@pytest.mark.parametrize("case", SNIPPETS)
def test_the_verdict_on_a_snippet_is_not_wrong(case: SnippetCase, tmp_path: Path) -> None:
    """``unknown`` is allowed: a snippet may need more than its code to be judged."""
    (tmp_path / case.entry).write_text(case.source(), "utf-8")
    manifest, text = MANIFESTS[case.environment.runtime]
    (tmp_path / manifest).write_text(text, "utf-8")
    (server,) = lint([tmp_path]).servers
    measured = "survives" if case.claim == "forever" else "exits"
    assert server.stdin_eof.verdict in (measured, "unknown"), server.stdin_eof.reason


@pytest.mark.parametrize("case", WAITING, ids=lambda case: case.name)
def test_a_wait_that_may_last_is_reported_whether_or_not_it_does(case: SnippetCase, tmp_path: Path) -> None:
    (tmp_path / case.entry).write_text(case.source(), "utf-8")
    assert "MCP302" in {one.finding.code for one in lint([tmp_path]).findings}


SHAPE_GAPS: dict[str, str] = {
    "an async disposal-leaving": "what `using` lets go of at the end of its block is not seen",
    "stdin paused-leaving": "stdin.pause() does not disable listeners",
}
"""Shapes that mcplint does not get right yet, and why."""
SHAPES = [
    pytest.param(
        shape,
        id=shape.label,
        marks=pytest.mark.xfail(strict=True, reason=SHAPE_GAPS[shape.label])
        if shape.label in SHAPE_GAPS
        else (),
    )
    for shape in shapes()
]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_verdicts_on_a_shape_are_what_was_measured(shape: Shape, tmp_path: Path) -> None:
    shape.write(tmp_path)
    (server,) = lint([tmp_path]).servers
    predicted = {ending: getattr(server, ASKED[ending]) for ending in shape.verdicts}
    wrong = {e: p.reason for e, p in predicted.items() if p.verdict not in shape.allowed(e)}
    assert not wrong
