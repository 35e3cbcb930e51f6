"""What a package.json declares as ways into the package."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from mcplint.files.data import Table, table

_PREFERRED = ("import", "node", "module-sync", "require", "default")
_IGNORED = frozenset({"types", "typings", "browser", "deno", "worker", "react-native", "style"})
_MAX_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Target:
    """A file that a package.json names.

    Attributes:
        kind: which field names it.
        name: the command, ``main``, or the export's subpath.
        path: normalised path with forward slashes, relative to the package and inside it.
    """

    kind: Literal["bin", "main", "exports"]
    name: str
    path: str


def targets(manifest: Table) -> Iterator[Target]:
    """The files that bin, main, module and exports name, in that order."""
    yield from _bins(manifest)
    for field in ("main", "module"):
        if path := inside(manifest.get(field)):
            yield Target("main", field, path)
    for name, value in export_map(manifest).items():
        if "*" in name:
            continue
        for raw in conditional(value):
            if path := inside(raw):
                yield Target("exports", name, path)
                break


def _bins(manifest: Table) -> Iterator[Target]:
    declared = manifest.get("bin")
    if isinstance(declared, str):
        declared = {str(manifest.get("name") or "").rpartition("/")[2]: declared}
    for name, value in table(declared).items():
        if path := inside(value):
            yield Target("bin", name, path)


def export_map(manifest: Table) -> dict[str, Any]:
    """The exports field as subpaths (``.``, ``./x``) with their conditional values."""
    declared = manifest.get("exports")
    if isinstance(declared, dict) and any(key.startswith(".") for key in declared):
        return {key: value for key, value in declared.items() if key.startswith(".")}
    return {} if declared is None else {".": declared}


def conditional(value: object, depth: int = 0) -> Iterator[str]:
    """The targets of a conditional value as Node would choose them, best first.

    Conditions of other platforms and of type declarations are left out.
    """
    if isinstance(value, str):
        yield value
    elif depth > _MAX_DEPTH:
        return
    elif isinstance(value, list):
        for item in value:
            yield from conditional(item, depth + 1)
    elif isinstance(value, dict):
        known = [key for key in _PREFERRED if key in value]
        others = [key for key in value if key not in _PREFERRED and not _is_ignored(key)]
        for key in (*known, *others):
            yield from conditional(value[key], depth + 1)


def _is_ignored(condition: str) -> bool:
    return condition in _IGNORED or condition.startswith("types@")


def inside(value: object) -> str | None:
    """A declared path, normalised, when it stays inside the package."""
    if not isinstance(value, str) or "\0" in value:
        return None
    path = posixpath.normpath(value.replace("\\", "/"))
    if path.startswith(("/", "../")) or path in ("..", ".", "") or path[1:2] == ":":
        return None
    return path
