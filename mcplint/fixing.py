"""One run that repairs: from paths to changed texts and to what is left."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcplint import engine
from mcplint.fixes.rounds import Change, TakenBack, fix_all
from mcplint.fixes.write import NotWrittenError, encoded, write
from mcplint.report.result import Skipped
from mcplint.rules import default_codes

if TYPE_CHECKING:
    from mcplint.fixes.edit import Applicability
    from mcplint.options import Options
    from mcplint.report.result import Report


@dataclass(frozen=True, slots=True)
class Repair:
    """What fixing comes to.

    Attributes:
        report: what is left, and what was fixed.
        changes: the files that change, by path.
        taken_back: fixes that were tried and made something worse, or did not help.
        unfinished: whether fixing stopped before everything was fixed.
        unwritten: the files that were to change and were left as they are, and why.
    """

    report: Report
    changes: tuple[Change, ...]
    taken_back: tuple[TakenBack, ...]
    unfinished: bool
    unwritten: tuple[Skipped, ...] = ()


def repair(paths: Sequence[Path | str], options: Options, unsafe: bool, to_disk: bool) -> Repair:
    """Fix what the options ask for in copies of the files that are kept in memory, then write them.

    Raises:
        PathNotFoundError: a path does not exist.
        UnknownSelectorError: a selector names no rule.
    """
    where = [Path(path) for path in paths]
    watched_codes = engine.selected_codes(options, where) | default_codes()
    # A fix that brings about what another rule reports is taken back, so all rules look.
    watched = replace(options, select=tuple(watched_codes), extend_select=(), ignore=())
    kinds: frozenset[Applicability] = frozenset({"safe", "unsafe"} if unsafe else {"safe"})
    rounds = fix_all(lambda contents: engine.run(where, watched, contents), kinds, engine.wanted(options))
    unwritten = _written(rounds.changes) if to_disk else ()
    left = {skipped.path for skipped in unwritten}
    changes = tuple(change for change in rounds.changes if change.before.path not in left)
    contents = {os.path.realpath(c.after.path): encoded(c.after) for c in changes}
    report = replace(
        engine.run(where, options, contents),
        fixed=tuple(done.finding for done in rounds.fixed if left.isdisjoint(done.files)),
        fix_kinds=kinds,
    )
    return Repair(report, changes, rounds.taken_back, rounds.unfinished, unwritten)


def _written(changes: Sequence[Change]) -> tuple[Skipped, ...]:
    """Write what has changed; the files that were left as they are, and why."""
    left = []
    for change in changes:
        try:
            write(change.before, change.after)
        except NotWrittenError as error:
            left.append(Skipped(change.before.path, str(error)))
    return tuple(left)
