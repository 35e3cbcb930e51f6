"""``mcplint check`` when it repairs: ``--fix``, ``--fix-only`` and ``--diff``."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mcplint.cli.check import exit_code
from mcplint.cli.console import Console
from mcplint.cli.judge import conclude, known_paths, warn
from mcplint.report.cells import printable
from mcplint.report.words import count, shown

if TYPE_CHECKING:
    from mcplint.api import Options
    from mcplint.fixes.rounds import Change
    from mcplint.fixing import Repair
    from mcplint.report.registry import Writer


def run(values: Namespace, options: Options, writer: Writer, console: Console) -> int:
    """Repair what can be repaired, or show how, and report what is left."""
    from mcplint.cli import CLEAN, FINDINGS
    from mcplint.fixing import repair

    with known_paths():
        repaired = repair(values.paths or ["."], options, values.unsafe_fixes, to_disk=not values.diff)
    _warn(repaired, console)
    report = repaired.report
    if values.diff:
        lines = [line for change in repaired.changes for line in difference(change)]
        console.produce(lambda out, look: out.writelines(lines))
        _told("Would fix", len(report.fixed), console)
        return FINDINGS if repaired.changes and not values.exit_zero else CLEAN
    if values.fix_only:
        _told("Fixed", len(report.fixed), console)
        return CLEAN
    console.produce(lambda out, look: writer(report, out, look))
    conclude(report, console)
    return exit_code(report, values)


def difference(change: Change) -> Iterator[str]:
    """What a change does to a file, as a unified diff."""
    from difflib import unified_diff

    name = shown(change.before.path)
    before, after = (_lines(source.text) for source in (change.before, change.after))
    for line in unified_diff(before, after, name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> Sequence[str]:
    return [f"{line}\n" for line in text.split("\n")[:-1]] + (
        [rest] if (rest := text.split("\n")[-1]) else []
    )


def _told(does: str, number: int, console: Console) -> None:
    console.note(f"{does} {count(number, 'error')}." if number else "Nothing can be fixed.")


def _warn(repaired: Repair, console: Console) -> None:
    warn(repaired.report.skipped, console)
    for skipped in repaired.unwritten:
        console.warning(f"{printable(shown(skipped.path))} is not fixed: {printable(skipped.reason)}")
    for taken in repaired.taken_back:
        at = taken.finding.place
        where = f"{printable(shown(at.path))}:{at.begin.line}"
        console.warning(f"{where}: the fix of {taken.finding.code} was taken back: {printable(taken.why)}")
    if repaired.unfinished:
        console.warning("fixing was stopped: there was something to fix after every round")
