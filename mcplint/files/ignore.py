"""The rules of .gitignore files."""

from __future__ import annotations

import fnmatch
import os
import re
from dataclasses import dataclass
from functools import lru_cache

from mcplint.files.data import read_text

_MAX_RULE = 1000
_GLOB = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class _Rule:
    segments: tuple[str, ...]
    anchored: bool
    folders_only: bool
    ignores: bool

    def matches(self, name: str, parts: tuple[str, ...], is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        if not self.anchored:
            return _segment_matches(self.segments[0], name)
        return _path_matches(self.segments, parts)


class IgnoreFile:
    """The rules of one .gitignore, for the entries below the folder that holds it."""

    def __init__(self, folder: str, text: str) -> None:
        self.prefix = folder.rstrip(os.sep) + os.sep
        rules = [rule for line in text.splitlines() if (rule := _parse(line)) is not None]
        # The last rule that matches decides.
        self._rules = tuple(reversed(rules))
        self._anchored = tuple(rule for rule in self._rules if rule.anchored)
        floating = [rule.segments[0] for rule in rules if not rule.anchored]
        self._names = frozenset(name for name in floating if not _GLOB.search(name))
        globs = [name for name in floating if _GLOB.search(name)]
        self._globs = re.compile("|".join(map(_translated, globs))) if globs else None

    def verdict(self, path: str, name: str, is_folder: bool) -> bool | None:
        """Whether the entry is ignored (True), kept on purpose (False) or not named (None).

        Args:
            path: absolute path of an entry below the folder.
            name: its last part.
            is_folder: whether it is a folder.
        """
        rules = self._rules if self._may_name(name) else self._anchored
        if not rules:
            return None
        parts = tuple(path[len(self.prefix) :].split(os.sep))
        for rule in rules:
            if rule.matches(name, parts, is_folder):
                return rule.ignores
        return None

    def _may_name(self, name: str) -> bool:
        # Most entries match no rule at all, and one expression tells that at once.
        return name in self._names or (self._globs is not None and self._globs.match(name) is not None)


def read_ignore_file(folder: str) -> IgnoreFile | None:
    """The rules of the .gitignore in a folder, or ``None`` when it has none to read."""
    text = read_text(os.path.join(folder, ".gitignore"))
    return IgnoreFile(folder, text) if text and text.strip() else None


def ignored(chain: tuple[IgnoreFile, ...], path: str, name: str, is_folder: bool) -> bool:
    """Whether the innermost rule of a chain (outermost file first) ignores the entry."""
    for file in reversed(chain):
        verdict = file.verdict(path, name, is_folder)
        if verdict is not None:
            return verdict
    return False


def ignored_from(chain: tuple[IgnoreFile, ...], top: str, path: str) -> bool:
    """Whether a folder, or a folder between it and ``top`` that holds it, is ignored."""
    current = top
    for part in os.path.relpath(path, top).split(os.sep):
        if part == os.curdir:
            return False
        current = os.path.join(current, part)
        holders = tuple(file for file in chain if current.startswith(file.prefix))
        if ignored(holders, current, part, True):
            return True
    return False


def _parse(line: str) -> _Rule | None:
    line = _without_trailing_spaces(line)
    if not line or line.startswith("#") or len(line) > _MAX_RULE:
        return None
    ignores = not line.startswith("!")
    line = line if ignores else line[1:]
    folders_only = line.endswith("/") and not line.endswith("\\/")
    body = line.rstrip("/") if folders_only else line
    anchored = "/" in body
    segments = _collapsed([part for part in body.split("/") if part])
    if not segments or any(_unfinished(part) for part in segments):
        return None
    if segments[0] == "**" and len(segments) == 2 and segments[1] != "**":
        segments, anchored = segments[1:], False
    return _Rule(tuple(segments), anchored, folders_only, ignores)


def _without_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    if stripped.endswith("\\") and stripped != line:
        return stripped + " "
    return stripped


def _collapsed(segments: list[str]) -> list[str]:
    return [
        part
        for index, part in enumerate(segments)
        if part != "**" or index == 0 or segments[index - 1] != "**"
    ]


def _unfinished(segment: str) -> bool:
    backslashes = len(segment) - len(segment.rstrip("\\"))
    return backslashes % 2 == 1


def _path_matches(segments: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether the segments match the whole path; ``**`` stands for any number of parts.

    Goes back to the last ``**`` only, which is enough and keeps hostile rules cheap.
    """
    segment = part = 0
    star = retry = -1
    while part < len(parts):
        if segment < len(segments) and segments[segment] == "**":
            star, retry = segment, part
            segment += 1
        elif segment < len(segments) and _segment_matches(segments[segment], parts[part]):
            segment += 1
            part += 1
        elif star >= 0:
            retry += 1
            segment, part = star + 1, retry
        else:
            return False
    return segment == len(segments)


def _segment_matches(segment: str, name: str) -> bool:
    pattern = _compiled(segment)
    return segment == name if pattern is None else pattern.match(name) is not None


@lru_cache(maxsize=4096)
def _compiled(segment: str) -> re.Pattern[str] | None:
    return re.compile(_translated(segment)) if _GLOB.search(segment) else None


def _translated(segment: str) -> str:
    # fnmatch's translation cannot backtrack exponentially, whatever the rule says.
    return fnmatch.translate(_as_fnmatch(segment))


def _as_fnmatch(segment: str) -> str:
    """Rewrite what Git spells differently: an escape as ``[x]`` and ``[^a]`` as ``[!a]``."""
    out: list[str] = []
    index = 0
    while index < len(segment):
        char = segment[index]
        if char == "\\" and index + 1 < len(segment):
            index += 1
            escaped = segment[index]
            out.append(f"[{escaped}]" if escaped in "*?[" else escaped)
        elif char == "[" and segment[index + 1 : index + 2] == "^":
            out.append("[!")
            index += 1
        else:
            out.append(char)
        index += 1
    return "".join(out)
