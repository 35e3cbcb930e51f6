"""Round after round: fix what can be fixed, look again, take back what made something worse."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcplint.checks.finding import Finding
from mcplint.files.source import Source
from mcplint.fixes.apply import apply, without_overlaps
from mcplint.fixes.edit import Applicability, Fix
from mcplint.fixes.write import NotWrittenError, encoded

MAX_ROUNDS = 10
Contents = Mapping[str, bytes]
"""What files hold instead of what is on disk, by their real paths."""


class Offered(Protocol):
    """Something found, and its fix if there is one."""

    @property
    def finding(self) -> Finding:
        """What is wrong."""

    @property
    def fix(self) -> Fix | None:
        """Its fix."""


class LeftOut(Protocol):
    """A file that could not be read as code."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def reason(self) -> str:
        """Why."""


class Judgement(Protocol):
    """What a look at all files gives."""

    @property
    def findings(self) -> Sequence[Offered]:
        """All that was found."""

    @property
    def skipped(self) -> Sequence[LeftOut]:
        """The files that could not be judged."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after."""

    before: Source
    after: Source


@dataclass(frozen=True, slots=True)
class Done:
    """A repair that was kept, and the files that it edits."""

    finding: Finding
    files: frozenset[Path]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A fix that was tried and not kept, and why."""

    finding: Finding
    why: str


@dataclass(frozen=True, slots=True)
class Rounds:
    """What came of fixing.

    Attributes:
        changes: the files that are changed, by path.
        fixed: what was repaired, in the order of the repairs.
        taken_back: what was tried in vain.
        unfinished: whether there was still something to fix after the last round.
    """

    changes: tuple[Change, ...]
    fixed: tuple[Done, ...]
    taken_back: tuple[TakenBack, ...]
    unfinished: bool = False


def fix_all(
    look: Callable[[Contents], Judgement],
    allowed: frozenset[Applicability],
    wanted: Callable[[Finding], bool],
) -> Rounds:
    """Fix until nothing changes, at most ``MAX_ROUNDS`` times.

    Args:
        look: judges all files, of which some hold something else than on disk.
        allowed: which kinds of fixes may be made.
        wanted: whether a finding is one to be fixed.
    """
    return _Fixing(look, allowed, wanted).run()


class _Fixing:
    def __init__(
        self,
        look: Callable[[Contents], Judgement],
        allowed: frozenset[Applicability],
        wanted: Callable[[Finding], bool],
    ) -> None:
        self._look = look
        self._allowed = allowed
        self._wanted = wanted
        self._first: dict[str, Source] = {}
        self._latest: dict[str, Source] = {}
        self._fixed: list[Done] = []
        self._taken_back: dict[tuple[str, ...], TakenBack] = {}
        self._seen = look({})

    def run(self) -> Rounds:
        for _ in range(MAX_ROUNDS):
            fixes = without_overlaps(_in_turn(list(self._possible())))
            if not fixes:
                return self._result(unfinished=False)
            if len(fixes) == 1 or not self._keep(fixes):
                self._one_by_one(fixes)
        return self._result(unfinished=next(self._possible(), None) is not None)

    def _result(self, unfinished: bool) -> Rounds:
        changes = (Change(self._first[key], self._latest[key]) for key in sorted(self._latest))
        kept = tuple(change for change in changes if change.before.text != change.after.text)
        return Rounds(kept, tuple(self._fixed), tuple(self._taken_back.values()), unfinished)

    def _possible(self) -> Iterator[tuple[Finding, Fix]]:
        for found in self._seen.findings:
            finding = found.finding
            if self._wanted(finding) and _identity(finding) not in self._taken_back:
                fix = found.fix
                if fix is not None and fix.applicability in self._allowed:
                    yield finding, fix

    def _one_by_one(self, fixes: Sequence[tuple[Finding, Fix]]) -> None:
        """Try each by itself. After the first that is kept, the others no longer fit and come again."""
        for finding, fix in fixes:
            if self._keep([(finding, fix)]):
                return

    def _keep(self, fixes: Sequence[tuple[Finding, Fix]]) -> bool:
        """Make fixes together if that leaves everything better; one that does not is remembered."""
        edited = apply(fix for _, fix in fixes)
        latest = self._latest | {_key(after): after for _, after in edited}
        try:
            seen = self._look({key: encoded(source) for key, source in latest.items()})
            why = _worse(self._seen, seen, [finding for finding, _ in fixes])
        except NotWrittenError as error:
            why = str(error)
        if why is not None:
            if len(fixes) == 1:
                finding = fixes[0][0]
                self._taken_back[_identity(finding)] = TakenBack(finding, why)
            return False
        for before, after in edited:
            self._first.setdefault(_key(before), before)
            self._latest[_key(after)] = after
        self._seen = seen
        # What made something worse before may not do so now.
        self._taken_back.clear()
        self._fixed += [Done(f, frozenset(e.place.path for e in fix.edits)) for f, fix in fixes]
        return True


def _in_turn(fixes: Sequence[tuple[Finding, Fix]]) -> Iterator[tuple[Finding, Fix]]:
    """The fixes that need not wait for others."""
    codes = {finding.code for finding, _ in fixes}
    return (pair for pair in fixes if codes.isdisjoint(pair[1].after))


def _key(source: Source) -> str:
    return os.path.realpath(source.path)


def _identity(finding: Finding) -> tuple[str, ...]:
    """A finding whatever line it has moved to."""
    return (finding.code, str(finding.place.path), re.sub(r"\d+", "", finding.message))


def _worse(before: Judgement, after: Judgement, fixed: Sequence[Finding]) -> str | None:
    """Why a change is not to be kept; None if it only did what it was for."""
    known = {(left.path, left.reason) for left in before.skipped}
    for left in after.skipped:
        if (left.path, left.reason) not in known:
            return f"it leaves {left.path.name} broken: {left.reason}"
    now, then = _counts(after), _counts(before)
    for key, number in now.items():
        if number > then[key]:
            return f"it brings about {key[0]}"
    for key, number in Counter((f.code, str(f.place.path)) for f in fixed).items():
        if now[key] > then[key] - number:
            return "it does not help"
    return None


def _counts(judgement: Judgement) -> Counter[tuple[str, str]]:
    return Counter((f.finding.code, str(f.finding.place.path)) for f in judgement.findings)
