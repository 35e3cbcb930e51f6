"""What ``check`` and ``map`` share: run the linter, say what it looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcplint.cli.console import Console, UsageError
from mcplint.report.cells import printable
from mcplint.report.words import shown, summary

if TYPE_CHECKING:
    from mcplint.api import Options
    from mcplint.report.result import Report, Skipped


def judge(paths: Sequence[str], options: Options, console: Console) -> Report:
    """Lint the paths and warn of every file that was left out.

    Raises:
        UsageError: a path does not exist.
    """
    from mcplint.api import lint

    with known_paths():
        report = lint(paths or ["."], options)
    warn(report.skipped, console)
    return report


def judge_text(text: bytes, filename: str, options: Options, console: Console) -> Report:
    """Lint text that stands for a file, in the project of that file."""
    from mcplint.api import lint_source

    with known_paths():
        report = lint_source(text, filename, options)
    warn(report.skipped, console)
    return report


@contextmanager
def known_paths() -> Iterator[None]:
    """Turn a path that does not exist into what the user can do about it.

    The same for a configuration that makes no sense.

    Raises:
        UsageError: a path does not exist, or a configuration file makes no sense.
    """
    from mcplint.files.walk import PathNotFoundError
    from mcplint.settings.settings import SettingsError

    try:
        yield
    except SettingsError as error:
        raise UsageError(printable(str(error)), error.hint) from error
    except PathNotFoundError as error:
        word = str(error.path)
        raise UsageError(f"path does not exist: {printable(word)}", _command_hint(word)) from error


def warn(skipped: Iterable[Skipped], console: Console) -> None:
    """Warn of files, and say why."""
    for one in skipped:
        line = f":{one.line}" if one.line else ""
        console.warning(f"{printable(shown(one.path))}{line}: {printable(one.reason)}")


def conclude(report: Report, console: Console) -> None:
    """Say on stderr what was looked at; a clean run and an empty one read differently."""
    clean = report.servers and not report.findings
    console.note(f"{summary(report)}{', no findings' if clean else ''}")


def _command_hint(word: str) -> str | None:
    from mcplint.cli import COMMANDS
    from mcplint.hints import close_matches

    matches = close_matches(word, COMMANDS, 1)
    if word in COMMANDS:
        return f"a command comes first: `mcplint {word} …`"
    return f"did you mean the command `{matches[0]}`?" if matches else None
