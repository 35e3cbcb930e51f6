"""Silencing all that is found today, by comments that are tried before they are written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcplint.checks import unused_suppression
from mcplint.checks.finding import Finding
from mcplint.engine import run
from mcplint.fixes.apply import apply
from mcplint.fixes.edit import Fix
from mcplint.fixes.write import NotWrittenError, encoded, write
from mcplint.options import Options
from mcplint.report.result import Report, Skipped
from mcplint.suppressions.edits import additions


@dataclass(frozen=True, slots=True)
class Added:
    """What came of it.

    Attributes:
        silenced: findings that have a comment now.
        left: findings for which none was added, and why.
        skipped: files that could not be judged.
    """

    silenced: tuple[Finding, ...]
    left: tuple[tuple[Finding, str], ...]
    skipped: tuple[Skipped, ...]


def add(paths: Sequence[Path | str], options: Options, reason: str) -> Added:
    """Write a comment that silences it behind the line of every finding.

    Raises:
        PathNotFoundError: a path does not exist.
    """
    where = [Path(path) for path in paths]
    before = run(where, options)
    found = [r.finding for r in before.findings if r.finding.code != unused_suppression.CODE]
    comments = additions(found, reason)
    good = comments
    if comments and not _silences(where, options, before, comments):
        good = [pair for pair in comments if _silences(where, options, before, [pair])]
    left: dict[str, str] = {}
    for old, new in apply(fix for _, fix in good):
        try:
            write(old, new)
        except NotWrittenError as error:
            left[str(old.path)] = str(error)
    lines = {_line(finding) for finding, _ in good}
    silenced = [f for f in found if _line(f) in lines and str(f.place.path) not in left]
    why = "no comment can stand behind this line"
    rest = [(f, left.get(str(f.place.path), why)) for f in found if f not in silenced]
    return Added(tuple(silenced), tuple(rest), before.skipped)


def _silences(
    paths: list[Path], options: Options, before: Report, comments: Sequence[tuple[Finding, Fix]]
) -> bool:
    """Whether comments silence all that is found on their lines, and do nothing else."""
    try:
        contents = {os.path.realpath(new.path): encoded(new) for _, new in apply(fix for _, fix in comments)}
    except NotWrittenError:
        return False
    after = run(paths, options, contents)
    lines = {_line(finding) for finding, _ in comments}
    wanted = [_known(r.finding) for r in before.findings if _line(r.finding) not in lines]
    return sorted(wanted) == sorted(_known(r.finding) for r in after.findings) and [
        (s.path, s.reason) for s in before.skipped
    ] == [(s.path, s.reason) for s in after.skipped]


def _line(finding: Finding) -> tuple[str, int]:
    return (str(finding.place.path), finding.place.begin.line)


def _known(finding: Finding) -> tuple[str, str, int]:
    return (finding.code, *_line(finding))
