"""The flake8 plugin: a view of whole projects, one file at a time.

flake8 shows a plugin one file after the other, in several processes. Each process judges the project of a
file once and hands out the findings file by file, so that one in a helper module appears on that module.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mcplint import __version__
from mcplint.options import Options
from mcplint.rules import codes, default_codes
from mcplint.syntax import PYTHON_SUFFIXES

if TYPE_CHECKING:
    from mcplint.checks.finding import Finding
    from mcplint.report.result import Report

_PYTHON = Options(languages=("python",))
_BOM = "\ufeff"


class Plugin:
    """What flake8 makes for each file."""

    name = "mcplint"
    version = __version__

    _options = _PYTHON
    _noqa = True
    _reports: ClassVar[dict[Path, Report]] = {}

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._text = "".join(lines).removeprefix(_BOM)

    @staticmethod
    def add_options(manager: Any) -> None:
        """Declare the options, and the rules that are off until they are asked for."""
        manager.add_option(
            "--mcplint-config",
            default=None,
            metavar="FILE",
            parse_from_config=True,
            normalize_paths=True,
            help="The mcplint configuration file, in place of the nearest ones.",
        )
        manager.add_option(
            "--mcplint-assume",
            default="",
            metavar="NAME=VERSION",
            parse_from_config=True,
            comma_separated_list=True,
            help="Versions of SDKs where nothing in the project says them.",
        )
        manager.extend_default_ignore(_off())

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Take over what flake8 was given."""
        config = options.mcplint_config
        cls._noqa = not options.disable_noqa
        cls._options = replace(
            _PYTHON,
            # flake8 leaves out the rules that are off.
            extend_select=_off(),
            config=Path(config) if config else None,
            assume=dict(_assumption(text) for text in options.mcplint_assume or () if text),
        )

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """The findings that point at the file."""
        path = self._path()
        real = os.path.realpath(path)
        for finding in self._findings(path):
            if os.path.realpath(finding.place.path) == real:
                at = finding.place.begin
                yield at.line, at.column - 1, f"{finding.code} {finding.message}", type(self)

    def _path(self) -> Path:
        path = Path(self._filename)
        # What has another name is Python all the same, or flake8 would not show it.
        return path if path.suffix in PYTHON_SUFFIXES else Path(f"{self._filename}.py")

    def _findings(self, path: Path) -> Iterator[Finding]:
        report = self._report(path)
        yield from (reported.finding for reported in report.findings)
        for suppressed in report.suppressed:
            # A noqa on the line itself is flake8's to honour, to count, or to be told not to.
            if suppressed.noqa and (suppressed.on_line or not self._noqa):
                yield suppressed.finding

    def _report(self, path: Path) -> Report:
        from mcplint.api import lint, lint_source
        from mcplint.files.project import project_of

        if self._is_on_disk(path):
            project = project_of(path)
            if project not in self._reports:
                self._reports[project] = lint([project], self._options)
            return self._reports[project]
        return lint_source(self._text, path, self._options)

    def _is_on_disk(self, path: Path) -> bool:
        """Whether the text is that of the file, and not something that is yet to be written."""
        from mcplint.files.scan import read_source
        from mcplint.files.source import UndecodableError

        try:
            source = read_source(path)
        except (OSError, UndecodableError):
            return False
        return source.text.replace("\r\n", "\n").replace("\r", "\n") == self._text


def _off() -> tuple[str, ...]:
    return tuple(sorted(set(codes()) - default_codes()))


def _assumption(text: str) -> tuple[str, str]:
    name, _, version = text.rpartition("=")
    return name.strip(), version.strip()
