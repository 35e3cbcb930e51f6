"""A stretch of a source file that a finding can point at."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mcplint.files.source import Position, Source


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes ``start`` to ``end`` (exclusive) of ``source.utf8``."""

    source: Source
    start: int
    end: int

    @property
    def path(self) -> Path:
        """The file, as it was found."""
        return self.source.path

    @property
    def begin(self) -> Position:
        """Where it begins."""
        return self.source.position(self.start)

    @property
    def finish(self) -> Position:
        """Where it ends, exclusive."""
        return self.source.position(self.end)

    def seen_from(self, other: Place) -> str:
        """How a sentence at ``other`` names this place: ``line 3`` or ``src/cache.ts:3``."""
        line = self.begin.line
        return f"line {line}" if self.path == other.path else f"{shown(self.path)}:{line}"


def shown(path: Path) -> str:
    """A path as people write it: relative to the current folder if below it, with slashes."""
    relative = os.path.relpath(path)
    return Path(path if relative.startswith("..") else relative).as_posix()
