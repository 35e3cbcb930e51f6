"""What a run found: the one thing that every writer writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcplint.checks.finding import Finding
from mcplint.fixes.edit import Fix
from mcplint.lifecycle.model import Server


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be judged, and why."""

    path: Path
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding with its fix, if it has one."""

    finding: Finding
    fix: Fix | None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one run.

    Attributes:
        servers: every server that was judged, by entry path.
        findings: by path, line and code.
        skipped: files with a warning.
        files: how many files were looked at.
    """

    servers: tuple[Server, ...]
    findings: tuple[Reported, ...]
    skipped: tuple[Skipped, ...]
    files: int
