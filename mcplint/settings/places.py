"""On which line of a TOML or JSON file a value stands, for messages."""

from __future__ import annotations

import re
from collections import Counter

from mcplint.settings.kinds import Path

_PART = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_ENTRY = re.compile(rf"\s*({_DOTTED})\s*=")


def toml_line(text: str, path: Path) -> int | None:
    """The line of the key that comes nearest to the end of ``path``."""
    best: tuple[int, int] | None = None
    header: Path = ()
    counts: Counter[Path] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if heading := _HEADER.match(line):
            header = _parts(heading[2])
            if heading[1] == "[[":
                counts[header] += 1
                header = (*header, counts[header] - 1)
            here = header
        elif entry := _ENTRY.match(line):
            here = (*header, *_parts(entry[1]))
        else:
            continue
        if path[: len(here)] == here and (best is None or len(here) > best[0]):
            best = (len(here), number)
    return best[1] if best else None


def json_line(text: str, path: Path) -> int | None:
    """The line of the last key of ``path`` that can be found, each behind the one before."""
    at = found = 0
    for part in path:
        if isinstance(part, str):
            match = re.compile(rf'"{re.escape(part)}"\s*:').search(text, at)
            if match is None:
                break
            found, at = match.start(), match.end()
    return text.count("\n", 0, found) + 1 if at else None


def _parts(text: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(_PART, text))
