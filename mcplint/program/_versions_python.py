"""Versions of Python packages."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mcplint.files.data import read_text, read_toml, strings, table
from mcplint.program._ini import parse_ini
from mcplint.program._project import project_folders
from mcplint.program._ranges import lowest, version_key
from mcplint.program.versions import PackageVersion

_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9][\w.\-]*)\s*(?:\[[^\]]*\])?\s*\(?\s*((?:[<>=!~][^;#)]*)?)\)?\s*(?:[;#@].*)?"
)
_LOCK_BLOCK = re.compile(r"^\[\[package\]\]", re.MULTILINE)
_LOCK_NAME = re.compile(r'^name\s*=\s*"([^"]+)"', re.MULTILINE)
_LOCK_VERSION = re.compile(r'^version\s*=\s*"([^"]+)"', re.MULTILINE)
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
_VENVS = (".venv", "venv", "env")

Requirement = tuple[str, str, str]
"""The range that is asked for, the name of the file and its path."""


def python_versions(name: str, folder: str) -> Iterator[PackageVersion]:
    """What virtual environments, lock files and manifests say, most certain first."""
    wanted = normalised(name)
    project = project_folders(folder)
    for current in project:
        yield from _installed(name, wanted, current)
    for current in project:
        yield from _locked(name, wanted, current)
    for current in project:
        for spec, label, file in _requirements(wanted, current):
            found = _declared(name, spec, label, file)
            if found is not None:
                yield found


def declares_python(name: str, folder: str) -> bool:
    """Whether a manifest of the project asks for a package."""
    wanted = normalised(name)
    return any(True for current in project_folders(folder) for _ in _requirements(wanted, current))


def normalised(name: str) -> str:
    """A package name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def _installed(name: str, wanted: str, folder: str) -> Iterator[PackageVersion]:
    for venv in _VENVS:
        for site in _site_packages(os.path.join(folder, venv)):
            yield from _dist_info(name, wanted, site, f"installed in {venv}")
    yield from _dist_info(name, wanted, folder, "installed beside it")


def _site_packages(venv: str) -> Iterator[str]:
    if not os.path.isdir(venv):
        return
    lib = os.path.join(venv, "lib")
    for python in sorted(_names(lib), reverse=True):
        if python.startswith("python"):
            yield os.path.join(lib, python, "site-packages")
    yield os.path.join(venv, "Lib", "site-packages")


def _dist_info(name: str, wanted: str, site: str, how: str) -> Iterator[PackageVersion]:
    for entry in _names(site):
        if not entry.endswith(".dist-info"):
            continue
        package, _, version = entry.removesuffix(".dist-info").partition("-")
        if normalised(package) == wanted and version_key(version) is not None:
            yield PackageVersion(name, version, how, True, Path(site, entry))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _locked(name: str, wanted: str, folder: str) -> Iterator[PackageVersion]:
    for lock in _LOCKS:
        file = os.path.join(folder, lock)
        text = read_text(file) if os.path.isfile(file) else None
        version = None if text is None else _toml_lock(text.replace("\r\n", "\n"), wanted)
        if version is not None:
            yield PackageVersion(name, version, f"locked in {lock}", True, Path(file))
    file = os.path.join(folder, "Pipfile.lock")
    version = _pipfile_lock(read_text(file), wanted) if os.path.isfile(file) else None
    if version is not None:
        yield PackageVersion(name, version, "locked in Pipfile.lock", True, Path(file))


def _toml_lock(text: str, wanted: str) -> str | None:
    # Scanned as text: parsing a large lock file as TOML takes longer than the whole lint.
    for block in _LOCK_BLOCK.split(text)[1:]:
        name, version = _LOCK_NAME.search(block), _LOCK_VERSION.search(block)
        if name and version and normalised(name.group(1)) == wanted:
            return version.group(1)
    return None


def _pipfile_lock(text: str | None, wanted: str) -> str | None:
    try:
        data = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    for group in ("default", "develop"):
        for name, entry in table(data, group).items():
            version = table(entry).get("version")
            if normalised(name) == wanted and isinstance(version, str):
                return version.lstrip("=")
    return None


def _requirements(wanted: str, folder: str) -> Iterator[Requirement]:
    """The ranges that the manifests of one folder ask for."""
    names = _names(folder)
    for label in names:
        file = os.path.join(folder, label)
        if label.startswith("requirements") and label.endswith((".txt", ".in")):
            specs = _specs(wanted, (read_text(file) or "").splitlines())
        elif label == "pyproject.toml":
            specs = _pyproject_specs(wanted, file)
        elif label == "setup.cfg":
            specs = _setup_cfg_specs(wanted, file)
        elif label == "Pipfile":
            data = read_toml(file)
            specs = _table_specs(wanted, (table(data, "packages"), table(data, "dev-packages")))
        elif label.endswith(".dist-info"):
            file = os.path.join(file, "METADATA")
            label = "METADATA"
            specs = _metadata_specs(wanted, file)
        else:
            continue
        for spec in specs:
            yield spec, label, file


def _specs(wanted: str, requirements: object) -> Iterator[str]:
    for requirement in strings(requirements):
        match = _REQUIREMENT.fullmatch(requirement)
        if match is not None and normalised(match.group(1)) == wanted:
            yield match.group(2).strip()


def _pyproject_specs(wanted: str, file: str) -> Iterator[str]:
    data = read_toml(file)
    project = table(data, "project")
    yield from _specs(wanted, project.get("dependencies"))
    for group in table(project, "optional-dependencies").values():
        yield from _specs(wanted, group)
    for group in table(data, "dependency-groups").values():
        yield from _specs(wanted, group)
    yield from _specs(wanted, table(data, "tool", "uv").get("dev-dependencies"))
    poetry = table(data, "tool", "poetry")
    groups = [table(group, "dependencies") for group in table(poetry, "group").values()]
    tables = (table(poetry, "dependencies"), table(poetry, "dev-dependencies"), *groups)
    yield from _table_specs(wanted, tables)


def _table_specs(wanted: str, tables: tuple[object, ...]) -> Iterator[str]:
    """The ranges in Poetry's and Pipfile's form: name to range or table."""
    for dependencies in tables:
        for name, value in table(dependencies).items():
            if normalised(name) != wanted:
                continue
            spec = value.get("version") if isinstance(value, dict) else value
            yield spec if isinstance(spec, str) else ""


def _setup_cfg_specs(wanted: str, file: str) -> Iterator[str]:
    sections = parse_ini(read_text(file) or "")
    requires = [sections.get("options", {}).get("install_requires", "")]
    requires.extend(sections.get("options.extras_require", {}).values())
    for text in requires:
        yield from _specs(wanted, text.splitlines())


def _metadata_specs(wanted: str, file: str) -> Iterator[str]:
    for line in (read_text(file) or "").splitlines():
        if not line.strip():
            return
        key, _, value = line.partition(":")
        if key.lower() == "requires-dist":
            yield from _specs(wanted, [value])


def _declared(name: str, spec: str, label: str, file: str) -> PackageVersion | None:
    floor = lowest(spec)
    if floor is None:
        return None
    version, exact = floor
    how = f"pinned in {label}" if exact else f"the lowest that `{spec}` in {label} allows"
    return PackageVersion(name, version, how, exact, Path(file), spec)
