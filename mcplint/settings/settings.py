"""What holds for a file: the settings of the nearest configuration, with those of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mcplint.files.ignore import IgnoreFile
from mcplint.files.place import shown
from mcplint.records import node
from mcplint.rules import default_codes, expand

if TYPE_CHECKING:
    from mcplint.checks.finding import Finding, Severity
    from mcplint.options import Options
    from mcplint.settings.read import Layer

NAMES = ("mcplint.toml", "pyproject.toml", "package.json")
"""The files that may hold settings; in one folder the first that does counts."""


class SettingsError(Exception):
    """A configuration file makes no sense.

    Attributes:
        hint: what could be meant.
    """

    def __init__(self, path: Path, line: int | None, message: str, hint: str | None = None) -> None:
        super().__init__(f"{shown(path)}{f':{line}' if line else ''}: {message}")
        self.hint = hint


CATALOG_KEYS = ("holders", "exits", "transports", "loggers")
"""The keys whose rows add to the catalog."""


@dataclass(frozen=True)
class Knowledge:
    """What settings add to what is known of names and versions.

    Attributes:
        rows: rows of the catalog by key.
        assume: versions of SDKs where nothing in the project says them, each with who said so.
        modes: names that have one value in the run that is judged.
    """

    rows: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...]
    assume: tuple[tuple[str, tuple[str, str]], ...]
    modes: tuple[tuple[str, str | int | bool], ...]

    def __hash__(self) -> int:
        return hash((self.assume, self.modes, len(self.rows)))


@node
class _Patterns:
    """Patterns and the folder that they are relative to."""

    folder: str
    patterns: tuple[str, ...]
    rules: IgnoreFile

    def match(self, path: str, is_folder: bool) -> bool:
        """Whether an entry, or a folder that it is in, matches the last pattern that names it."""
        if not path.startswith(self.rules.prefix):
            return False
        parts = path[len(self.rules.prefix) :].split(os.sep)
        at = self.rules.prefix.rstrip(os.sep)
        for index, part in enumerate(parts):
            at = f"{at}{os.sep}{part}"
            if self.rules.verdict(at, part, is_folder or index + 1 < len(parts)):
                return True
        return False


def patterns(folder: Path | str, words: Iterable[str]) -> _Patterns:
    """Patterns that are relative to a folder."""
    listed = tuple(words)
    top = os.path.abspath(folder)
    return _Patterns(top, listed, IgnoreFile(top, "\n".join(listed)))


class Settings:
    """What holds for the files whose nearest configuration is one file.

    Attributes:
        layers: the file and those that it extends; none if there is no file.
    """

    def __init__(self, layers: tuple[Layer, ...], options: Options) -> None:
        self.layers = layers
        self._options = options

    # ------------------------------------------------------------------ rules

    @cached_property
    def codes(self) -> frozenset[str]:
        """The rules to report, before files are looked at."""
        given = self._options
        ignored = expand(given.ignore)
        if given.select is not None:
            return (expand(given.select) | expand(given.extend_select)) - ignored
        chosen = self._first("select")
        selected = default_codes() if chosen is None else expand(chosen)
        added = expand([word for layer in self.layers for word in layer.values.get("extend-select", ())])
        left_out = expand(self._first("ignore") or ())
        return ((selected | added) - left_out | expand(given.extend_select)) - ignored

    def codes_for(self, path: Path) -> frozenset[str]:
        """The rules to report in a file."""
        text = os.path.abspath(path)
        spared = [codes for files, codes in self._per_file if files.match(text, False)]
        return self.codes.difference(*spared)

    @cached_property
    def _per_file(self) -> tuple[tuple[_Patterns, frozenset[str]], ...]:
        return tuple(
            (patterns(folder, [pattern]), expand(selectors))
            for folder, table in (
                *((layer.path.parent, layer.values.get("per-file-ignores", {})) for layer in self.layers),
                (Path.cwd(), self._options.per_file_ignores),
            )
            for pattern, selectors in table.items()
        )

    @cached_property
    def severities(self) -> Mapping[str, Severity]:
        """Other severities, by code; what is said nearer and longer goes before."""
        found: dict[str, Severity] = {}
        tables = [
            *(layer.values.get("severity", {}) for layer in reversed(self.layers)),
            self._options.severity,
        ]
        for table in tables:
            for selector, severity in sorted(table.items(), key=lambda item: _reach(item[0])):
                found |= {code: cast("Severity", severity) for code in expand([selector])}
        return found

    # ------------------------------------------------------------------ files

    def excludes(self, path: str, is_folder: bool) -> bool:
        """Whether a file or folder is left out, by itself or with a folder that it is in."""
        return any(group.match(path, is_folder) for group in self._excluded)

    def prunes(self, path: str, is_folder: bool) -> bool:
        """Whether a walk that has come to a file or folder leaves it out.

        A folder that was named is looked through even if it is left out itself.
        """
        name = os.path.basename(path)
        return any(
            path.startswith(group.rules.prefix) and group.rules.verdict(path, name, is_folder)
            for group in self._excluded
        )

    @cached_property
    def _excluded(self) -> tuple[_Patterns, ...]:
        given = self._options
        groups = [
            patterns(layer.path.parent, layer.values.get("extend-exclude", ())) for layer in self.layers
        ]
        if given.exclude is None:
            layer = next((layer for layer in self.layers if "exclude" in layer.values), None)
            if layer is not None:
                groups.append(patterns(layer.path.parent, layer.values["exclude"]))
        groups.append(patterns(Path.cwd(), (*(given.exclude or ()), *given.extend_exclude)))
        return tuple(group for group in groups if group.patterns)

    @property
    def force_exclude(self) -> bool:
        """Whether that counts for what is named on the command line, too."""
        return bool(self._options.force_exclude or self._first("force-exclude"))

    # ------------------------------------------------------------------ knowledge

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known besides the catalog."""
        assume = {n: (v, "the configuration") for n, v in self._merged("assume").items()}
        assume |= {name: (version, "--assume") for name, version in self._options.assume.items()}
        return Knowledge(
            rows=tuple((key, rows) for key in CATALOG_KEYS if (rows := self._rows(key))),
            assume=tuple(sorted(assume.items())),
            modes=tuple(sorted(self._merged("modes").items())),
        )

    def _rows(self, key: str) -> tuple[Mapping[str, Any], ...]:
        # The nearest comes last, so that it takes the place of what others say of a name.
        return tuple(row for layer in reversed(self.layers) for row in layer.values.get(key, ()))

    def _merged(self, key: str) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for layer in reversed(self.layers):
            merged |= layer.values.get(key, {})
        return merged

    def _first(self, key: str) -> Any:
        return next((layer.values[key] for layer in self.layers if key in layer.values), None)

    def shown(self) -> dict[str, Any]:
        """The settings as a configuration file would say them."""
        return {
            "select": sorted(self.codes),
            "per-file-ignores": {
                os.path.join(files.folder, *files.patterns): sorted(codes) for files, codes in self._per_file
            },
            "exclude": [os.path.join(g.folder, pattern) for g in self._excluded for pattern in g.patterns],
            "force-exclude": self.force_exclude,
            "severity": dict(sorted(self.severities.items())),
            "assume": {name: version for name, (version, _) in self.knowledge.assume},
            "modes": dict(self.knowledge.modes),
            **{key: [dict(row) for row in self._rows(key)] for key in CATALOG_KEYS},
        }


class Configuration:
    """The settings of every folder of a run."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._of: dict[str, Settings] = {}
        self._codes: dict[Path, frozenset[str]] = {}
        self._only: Settings | None = None
        if options.isolated:
            self._only = Settings((), options)
        elif options.config is not None:
            from mcplint.settings.read import settings_of

            self._only = Settings(settings_of(Path(options.config)), options)
        self._none = Settings((), options)

    def of(self, path: Path | str) -> Settings:
        """What holds for a file.

        Raises:
            SettingsError: its configuration makes no sense.
        """
        return self._only or self._of_folder(os.path.dirname(os.path.abspath(path)))

    def of_folder(self, folder: Path | str) -> Settings:
        """What holds for the files of a folder.

        Raises:
            SettingsError: its configuration makes no sense.
        """
        return self._only or self._of_folder(os.path.abspath(folder))

    def _of_folder(self, folder: str) -> Settings:
        known = self._of.get(folder)
        if known is None:
            known = self._of[folder] = self._read(folder)
        return known

    def _read(self, folder: str) -> Settings:
        # What checks settings is imported only where there is a file that may hold some.
        if any(os.path.exists(os.path.join(folder, name)) for name in NAMES):
            from mcplint.settings.read import settings_in

            layers = settings_in(Path(folder))
            if layers is not None:
                return Settings(layers, self._options)
        above = os.path.dirname(folder)
        return self._none if above == folder else self._of_folder(above)

    def of_path(self, path: Path) -> Settings:
        """What holds for a file or the files of a folder.

        Raises:
            SettingsError: its configuration makes no sense.
        """
        return self.of_folder(path) if os.path.isdir(path) else self.of(path)

    def forces_out(self, path: Path) -> bool:
        """Whether a path is left out although it was named."""
        settings = self.of(path)
        return settings.force_exclude and settings.excludes(os.path.abspath(path), os.path.isdir(path))

    def codes(self) -> frozenset[str]:
        """Every rule that is reported somewhere, as far as settings were asked for."""
        seen = {id(s): s for s in (self._only, *self._of.values()) if s is not None}
        return (self._none.codes if not seen else frozenset()).union(*(s.codes for s in seen.values()))

    def codes_for(self, path: Path) -> frozenset[str]:
        """The rules to report in a file."""
        known = self._codes.get(path)
        if known is None:
            known = self._codes[path] = self.of(path).codes_for(path)
        return known

    def wants(self, code: str, path: Path) -> bool:
        """Whether a rule is to be reported in a file."""
        return code in self.codes_for(path)

    def weighed(self, finding: Finding) -> Finding:
        """A finding with the severity that the settings give it."""
        severity = self.of(finding.place.path).severities.get(finding.code, finding.severity)
        return finding if severity == finding.severity else replace(finding, severity=severity)


def _reach(selector: str) -> int:
    """How far a selector reaches: the shorter a prefix, the farther; a name as far as a code."""
    if selector.upper() == "ALL":
        return 0
    return len(selector) if selector.upper().startswith("MCP") else len("MCP101")
