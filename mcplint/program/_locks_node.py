"""Reads the lock files of npm, Yarn, pnpm and Bun as text, without a YAML parser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from mcplint.files.data import parse_jsonc, table
from mcplint.program._ranges import compare, matches, version_key

Reader = Callable[[str, str, str, "str | None"], "str | None"]
"""(text, package, folder relative to the lock file, asked range) to a version."""


def npm_lock(text: str, name: str, relative: str, asked: str | None) -> str | None:
    """The version in a package-lock.json of any lockfile version."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    packages = table(data, "packages")
    for folder in _upwards(relative):
        prefix = f"{folder}/" if folder else ""
        version = table(packages, f"{prefix}node_modules/{name}").get("version")
        if isinstance(version, str):
            return version
    version = table(data, "dependencies", name).get("version")
    return version if isinstance(version, str) and version_key(version) else None


def yarn_lock(text: str, name: str, relative: str, asked: str | None) -> str | None:
    """The version in a yarn.lock of Yarn 1 or later."""
    found: list[str] = []
    for key, block in _yarn_blocks(text):
        ranges = [
            descriptor.strip().strip('"').removeprefix(f"{name}@").removeprefix("npm:")
            for descriptor in key.split(",")
            if descriptor.strip().strip('"').startswith(f"{name}@")
        ]
        if not ranges:
            continue
        match = re.search(r'^\s+version:?\s+"?([^"\s]+)"?', block, re.MULTILINE)
        if match is None or version_key(match.group(1)) is None:
            continue
        if asked is not None and asked.removeprefix("npm:") in ranges:
            return match.group(1)
        found.append(match.group(1))
    return _fitting(found, asked)


def _yarn_blocks(text: str) -> Iterator[tuple[str, str]]:
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if lines and lines[0].endswith(":") and not lines[0].startswith(" "):
            yield lines[0][:-1], "\n".join(lines[1:])


def pnpm_lock(text: str, name: str, relative: str, asked: str | None) -> str | None:
    """The version in a pnpm-lock.yaml: that of the importer, else the one package of the name."""
    own = _pnpm_importer(text, name, relative)
    if own is not None:
        return own
    pattern = re.compile(rf"^  ['\"]?/?{re.escape(name)}[@/](\d[^\s:'\"(/_]*)", re.MULTILINE)
    return _fitting([match.group(1) for match in pattern.finditer(text)], asked)


def _pnpm_importer(text: str, name: str, relative: str) -> str | None:
    """The version that one importer gets, of lockfile versions 5 to 9."""
    folders = dict.fromkeys((*_upwards(relative), "."))
    path: list[tuple[int, str]] = []
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        while path and path[-1][0] >= indent:
            path.pop()
        key, _, value = bare.partition(":")
        keys = [*(part for _, part in path), key.strip().strip("'\"")]
        if not value.strip():
            path.append((indent, keys[-1]))
        if keys[0] in ("packages", "snapshots"):
            return None
        version = _pnpm_version(keys, value.strip(), name, folders)
        if version is not None:
            return version
    return None


def _pnpm_version(keys: list[str], value: str, name: str, folders: dict[str, None]) -> str | None:
    if keys[0] == "importers":
        if len(keys) < 2 or keys[1] not in folders:
            return None
        keys = keys[2:]
    if len(keys) < 2 or not keys[0].lower().endswith("dependencies") or keys[1] != name:
        return None
    if len(keys) == 2 or keys[2:] == ["version"]:
        match = re.match(r"['\"]?(\d[^\s'\"(_]*)", value)
        return match.group(1) if match else None
    return None


def bun_lock(text: str, name: str, relative: str, asked: str | None) -> str | None:
    """The version in a bun.lock."""
    packages = table(parse_jsonc(text), "packages")
    entry = packages.get(name)
    if isinstance(entry, list) and entry and isinstance(entry[0], str):
        version = entry[0].rpartition("@")[2]
        return version if version_key(version) else None
    return None


def _upwards(relative: str) -> Iterator[str]:
    """A relative folder and those that hold it: ``a/b``, ``a``, and ``""``."""
    parts = [] if relative in (".", "") else relative.split("/")
    for length in range(len(parts), -1, -1):
        yield "/".join(parts[:length])


def _fitting(versions: list[str], asked: str | None) -> str | None:
    """The highest version, of those in the asked range when there are any."""
    fitting = [version for version in versions if asked is not None and matches(version, asked)]
    best: str | None = None
    for version in fitting or versions:
        if best is None or compare(version, best) > 0:
            best = version
    return best


LOCKS: dict[str, Reader] = {
    "package-lock.json": npm_lock,
    "npm-shrinkwrap.json": npm_lock,
    "yarn.lock": yarn_lock,
    "pnpm-lock.yaml": pnpm_lock,
    "bun.lock": bun_lock,
}
