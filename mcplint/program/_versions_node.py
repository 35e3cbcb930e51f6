"""Versions of npm packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mcplint.files.data import Table, read_json, read_text, table
from mcplint.program._locks_node import LOCKS
from mcplint.program._project import project_folders
from mcplint.program._ranges import clauses, lowest, padded, release_of
from mcplint.program._tree import ancestors
from mcplint.program.versions import PackageVersion

_WHOLE = 3
_FIELDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def node_versions(name: str, folder: str) -> Iterator[PackageVersion]:
    """What node_modules, lock files and package.json say, most certain first."""
    for current in ancestors(folder):
        found = _installed(name, current)
        if found is not None:
            yield found
    project = project_folders(folder)
    wanted = _wanted(name, project)
    for current in project:
        yield from _locked(name, current, folder, wanted)
    if wanted is not None:
        found = _declared(name, *wanted, project)
        if found is not None:
            yield found


def declares_node(name: str, folder: str) -> bool:
    """Whether a package.json of the project asks for a package."""
    return _wanted(name, project_folders(folder)) is not None


def _installed(name: str, folder: str) -> PackageVersion | None:
    file = os.path.join(folder, "node_modules", *name.split("/"), "package.json")
    version = (read_json(file) or {}).get("version")
    if not isinstance(version, str):
        return None
    where = Path(file)
    return PackageVersion(name, version, "installed in node_modules", True, where, folder=where.parent)


def _locked(name: str, folder: str, start: str, wanted: tuple[str, str] | None) -> Iterator[PackageVersion]:
    relative = os.path.relpath(start, folder).replace(os.sep, "/")
    asked = None if wanted is None else wanted[0]
    for lock, read in LOCKS.items():
        file = os.path.join(folder, lock)
        if not os.path.isfile(file):
            continue
        text = read_text(file)
        version = None if text is None else read(text, name, relative, asked)
        if version is not None:
            yield PackageVersion(name, version, f"locked in {lock}", True, Path(file))


def _wanted(name: str, project: list[str]) -> tuple[str, str] | None:
    """The range that the nearest package.json asks for, and the path of that file."""
    for folder in project:
        file = os.path.join(folder, "package.json")
        manifest = read_json(file)
        if manifest is None:
            continue
        for field in _FIELDS:
            value = table(manifest, field).get(name)
            if isinstance(value, str):
                return value, file
    return None


def _declared(name: str, wanted: str, file: str, project: list[str]) -> PackageVersion | None:
    place = "package.json"
    spec = wanted
    if spec.startswith("catalog:"):
        spec = _from_catalog(name, spec.partition(":")[2].strip(), project) or ""
        place = "pnpm-workspace.yaml"
    if spec.startswith("npm:"):
        spec = spec.rpartition("@")[2]
    if "/" in spec or ":" in spec:
        return None
    floor = lowest(spec, _WHOLE)
    if floor is None:
        return None
    version, exact = padded(floor[0]), floor[1]
    how = f"pinned in {place}" if exact else f"the lowest that `{spec}` in {place} allows"
    return PackageVersion(name, version, how, exact, Path(file), _whole_numbers(spec))


def _whole_numbers(spec: str) -> str:
    """A range in which a version of fewer than three numbers is spelt as the range that it is."""
    return "||".join(
        " ".join(operator + _spelt_out(operator, bound) for operator, bound in clauses(alternative))
        for alternative in spec.split("||")
    )


def _spelt_out(operator: str, bound: str) -> str:
    numbers, wild = release_of(bound)
    partial = operator in ("", "=") and not wild and 0 < len(numbers) < _WHOLE
    return f"{bound}.x" if partial else bound


def _from_catalog(name: str, catalog: str, project: list[str]) -> str | None:
    """The range of a package in a catalog of pnpm-workspace.yaml or of a root package.json."""
    for folder in project:
        text = read_text(os.path.join(folder, "pnpm-workspace.yaml"))
        if text is not None and (found := _yaml_catalog(text, name, catalog)) is not None:
            return found
        root = read_json(os.path.join(folder, "package.json"))
        for holder in (table(root, "workspaces"), root or {}):
            value = _catalog_table(holder, catalog).get(name)
            if isinstance(value, str):
                return value
    return None


def _catalog_table(holder: Table, catalog: str) -> Table:
    return table(holder, "catalogs", catalog) if catalog else table(holder, "catalog")


def _yaml_catalog(text: str, name: str, catalog: str) -> str | None:
    section = current = ""
    for line in text.splitlines():
        key, colon, value = line.strip().partition(": ")
        key = key.rstrip(":").strip("'\"")
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            section, current = key, "" if key == "catalog" else current
        elif not colon and section == "catalogs":
            current = key
        elif colon and key == name and section in ("catalog", "catalogs") and current == catalog:
            return value.partition(" #")[0].strip().strip("'\"")
    return None
