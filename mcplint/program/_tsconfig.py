"""The parts of a tsconfig.json that decide where a module is."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from mcplint.files.data import strings, table
from mcplint.program._tree import Tree

_MAX_LEVELS = 20


@dataclass(frozen=True, slots=True)
class TsConfig:
    """One tsconfig.json with what it extends; paths are absolute.

    Attributes:
        paths: import patterns with their target patterns.
        references: other tsconfig files that this one is split into.
    """

    file: str
    out_dir: str | None = None
    root_dir: str | None = None
    base_url: str | None = None
    paths: dict[str, tuple[str, ...]] = field(default_factory=dict)
    references: tuple[str, ...] = ()


def load_tsconfig(tree: Tree, file: str) -> TsConfig | None:
    """Read a tsconfig.json and the files that it extends; ``None`` when there is none."""
    if tree.jsonc(file) is None:
        return None
    options = _options(tree, file, os.path.dirname(file), set())
    references = tuple(
        _referenced(tree, os.path.dirname(file), reference)
        for reference in _dicts((tree.jsonc(file) or {}).get("references"))
    )
    return TsConfig(
        file,
        options.get("outDir"),
        options.get("rootDir"),
        options.get("baseUrl"),
        options.get("paths", {}),
        tuple(reference for reference in references if reference is not None),
    )


def _options(tree: Tree, file: str, leaf: str, seen: set[str]) -> dict[str, Any]:
    """The options of a file on top of those that it extends, made absolute."""
    data = tree.jsonc(file)
    if data is None or file in seen or len(seen) > _MAX_LEVELS:
        return {}
    seen.add(file)
    folder = os.path.dirname(file)
    options: dict[str, Any] = {}
    for parent in strings(data.get("extends")):
        path = _extended(tree, folder, parent)
        if path is not None:
            options.update(_options(tree, path, leaf, seen))
    own = table(data, "compilerOptions")
    for key in ("outDir", "rootDir", "baseUrl"):
        if isinstance(value := own.get(key), str):
            options[key] = _absolute(folder, leaf, value)
    if isinstance(own.get("paths"), dict):
        base = options.get("baseUrl", folder)
        options["paths"] = {
            pattern: tuple(_absolute(base, leaf, target) for target in strings(targets))
            for pattern, targets in own["paths"].items()
        }
    return options


def _absolute(folder: str, leaf: str, value: str) -> str:
    value = value.replace("${configDir}", leaf)
    return os.path.normpath(os.path.join(folder, value))


def _extended(tree: Tree, folder: str, parent: str) -> str | None:
    if not parent.startswith(".") and not os.path.isabs(parent):
        return None
    path = os.path.normpath(os.path.join(folder, parent))
    for candidate in (path, path + ".json", os.path.join(path, "tsconfig.json")):
        if tree.is_file(candidate):
            return candidate
    return None


def _referenced(tree: Tree, folder: str, reference: dict[str, Any]) -> str | None:
    path = reference.get("path")
    if not isinstance(path, str):
        return None
    return _extended(tree, folder, path if path.startswith(".") else "./" + path)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
