"""What a run found: the one thing that every writer writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcplint.checks.finding import Finding
from mcplint.files.place import Place
from mcplint.fixes.edit import Applicability, Fix
from mcplint.lifecycle.model import Server


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that could not be judged, and why."""

    path: Path
    reason: str
    line: int | None = None


class Fixable(Protocol):
    """A fix that is made when somebody asks for it, or one that is made."""

    @property
    def applicability(self) -> Applicability | None:
        """Of which kind it is; None if it cannot be made."""

    def made(self) -> Fix | None:
        """The edits."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding, and what may be a fix of it."""

    finding: Finding
    offer: Fixable | None

    @property
    def fix(self) -> Fix | None:
        """The fix, if it has one: the edits are made now."""
        return self.offer.made() if self.offer is not None else None

    @property
    def applicability(self) -> Applicability | None:
        """Of which kind its fix is, if it has one; cheaper to know than the fix."""
        return self.offer.applicability if self.offer is not None else None


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that a comment in the source silences.

    Attributes:
        comment: the comment.
        reason: what it says for itself.
        noqa: whether it is a ``noqa``, and none of mcplint's own.
        on_line: whether it is about the line that the finding points at, and not only about a related one.
    """

    finding: Finding
    comment: Place
    reason: str
    noqa: bool = False
    on_line: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one run.

    Attributes:
        servers: every server that was judged, by entry path.
        findings: by path, line and code.
        skipped: files with a warning.
        files: how many files were looked at.
        fixed: what was repaired in this run, and is no longer among the findings.
        fix_kinds: the kinds of fixes that the run was asked for.
        suppressed: findings that comments silence, in the same order.
    """

    servers: tuple[Server, ...]
    findings: tuple[Reported, ...]
    skipped: tuple[Skipped, ...]
    files: int
    fixed: tuple[Finding, ...] = ()
    fix_kinds: frozenset[Applicability] = frozenset({"safe"})
    suppressed: tuple[Suppressed, ...] = ()
