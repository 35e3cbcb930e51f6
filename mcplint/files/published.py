"""Tells a published package, whose build output is all there is, from a source checkout."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from mcplint.files.data import Table
from mcplint.files.names import (
    SKIPPED_FOLDERS,
    is_build_folder,
    is_declaration,
    is_test_name,
    suffix_of,
)
from mcplint.files.package import targets
from mcplint.syntax import JAVASCRIPT_SUFFIXES, TYPESCRIPT_SUFFIXES

_MAX_ENTRIES = 20_000
_NO_SOURCE_FOLDERS = frozenset(
    {"scripts", "script", "examples", "example", "docs", "doc", "templates", "template"}
    | {"fixtures", "benchmarks", "bench", "patches", "types", "typings", "assets", "public"}
)
_ENTRY_STEMS = frozenset({"index", "main", "server", "cli", "app", "mcp", "start", "stdio", "bin"})
_CODE = JAVASCRIPT_SUFFIXES | TYPESCRIPT_SUFFIXES


def build_prefix(path: str) -> str | None:
    """The part of a relative path (forward slashes) up to its first build folder."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-1]):
        if is_build_folder(part):
            return "/".join(parts[: index + 1])
    return None


def published_builds(package: str, manifest: Table) -> frozenset[str]:
    """The build folders (absolute) that a package without source declares files in."""
    declared = [target.path for target in targets(manifest)]
    built = [path for path in declared if build_prefix(path) is not None]
    if not built or _has_source(package, frozenset(declared), frozenset(map(_stem, built))):
        return frozenset()
    prefixes = {prefix for path in built if (prefix := build_prefix(path)) is not None}
    return frozenset(os.path.join(package, *prefix.split("/")) for prefix in prefixes)


def _has_source(package: str, declared: frozenset[str], stems: frozenset[str]) -> bool:
    """Whether a file outside the build folders could be what one of the stems was built from.

    Packages also publish parts of their source (types, generated tables), so a file
    counts only by the name of a built file or one that entry points usually have.
    """
    for relative, name in _files_outside_builds(package):
        suffix = suffix_of(name)
        if _stem(name) in stems and relative not in declared and suffix in _CODE:
            return True
        if _stem(name) in _ENTRY_STEMS and relative.count("/") <= 2 and suffix in TYPESCRIPT_SUFFIXES:
            return True
    return False


def _files_outside_builds(package: str) -> Iterator[tuple[str, str]]:
    """Relative path and name of each file that could be source of this package."""
    left = _MAX_ENTRIES
    queue = deque([""])
    while queue and left > 0:
        relative = queue.popleft()
        try:
            with os.scandir(os.path.join(package, relative)) as listing:
                entries = list(listing)
        except OSError:
            continue
        left -= len(entries)
        if relative and any(entry.name == "package.json" for entry in entries):
            continue
        for entry in entries:
            path = f"{relative}/{entry.name}" if relative else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not _holds_no_source(entry.name):
                    queue.append(path)
            elif not is_declaration(entry.name) and not is_test_name((), entry.name):
                yield path, entry.name


def _holds_no_source(name: str) -> bool:
    return (
        name.startswith(".")
        or name in SKIPPED_FOLDERS
        or name in _NO_SOURCE_FOLDERS
        or is_build_folder(name)
        or is_test_name((name,), "")
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
