"""What a run is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Options:
    """What to look for, in addition to what configuration files say.

    Attributes:
        select: codes, prefixes or names to report instead of the default set and of what a
            configuration file selects and ignores; None for those.
        extend_select: codes, prefixes or names to add.
        ignore: codes, prefixes or names to leave out, whatever selects them.
        assume: SDK versions to assume where nothing in the project says them.
        per_file_ignores: rules to leave out in the files that a pattern matches.
        exclude: patterns of files that are not looked at, in place of the configuration's.
        extend_exclude: the same, in addition to the configuration's.
        force_exclude: leave those out even if they are named.
        severity: other severities of rules.
        config: the configuration file that counts for every file, in place of the nearest one.
        isolated: read no configuration file.
        whole_project: judge the whole projects that the paths belong to, and report what touches
            the paths.
        languages: the languages to judge.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    assume: Mapping[str, str] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    severity: Mapping[str, Literal["error", "warning", "info"]] = field(default_factory=dict)
    config: Path | None = None
    isolated: bool = False
    whole_project: bool = False
    languages: tuple[Literal["javascript", "python"], ...] = ("javascript", "python")
