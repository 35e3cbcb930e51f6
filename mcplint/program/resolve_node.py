"""Finds the file that a JavaScript or TypeScript import means, as Node and TypeScript do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcplint.files.data import Table, table
from mcplint.files.names import is_declaration, suffix_of
from mcplint.files.package import conditional, export_map, inside
from mcplint.program._sources import SUFFIXES, SourceMap, is_code
from mcplint.program._specifiers import BUILTINS, external_name, split_package
from mcplint.program._tree import Tree, ancestors, is_within
from mcplint.program._tsconfig import TsConfig, load_tsconfig
from mcplint.program._workspaces import Workspaces

__all__ = ["NodeResolver", "external_name"]

_REPLACED = {
    ".js": (".ts", ".tsx", ".js", ".jsx"),
    ".jsx": (".tsx", ".jsx"),
    ".mjs": (".mts", ".mjs"),
    ".cjs": (".cts", ".cjs"),
}
_MAX_HOPS = 8


class NodeResolver:
    """Resolves import specifiers to files of the same project or workspace.

    Everything read is remembered for the life of the resolver, so a resolver
    sees one state of the file system.
    """

    def __init__(self) -> None:
        self._tree = Tree()
        self._sources = SourceMap(self._tree)
        self._workspaces = Workspaces(self._tree)
        self._resolved: dict[tuple[str, str], Path | None] = {}
        self._packages: dict[str, str | None] = {}
        self._tsconfigs: dict[str, tuple[TsConfig, ...]] = {}

    def resolve(self, specifier: str, importer: Path) -> Path | None:
        """The file that an import means.

        Args:
            specifier: the text in ``import … from "…"``, ``require("…")`` or ``import("…")``.
            importer: the file that imports.

        Returns:
            The absolute path of a file with code, its source rather than what a build made
            of it; ``None`` for an external package, a builtin, data, or what is not found.
        """
        folder = os.path.dirname(os.path.abspath(importer))
        key = (specifier, folder)
        if key not in self._resolved:
            found = None if "\0" in specifier else self._resolve(specifier, folder, 0)
            self._resolved[key] = None if found is None else Path(found)
        return self._resolved[key]

    def _resolve(self, specifier: str, folder: str, hops: int) -> str | None:
        if hops > _MAX_HOPS or not specifier:
            return None
        if specifier.startswith(("./", "../", "/")) or specifier in (".", ".."):
            return self._relative(specifier, folder)
        if specifier.startswith("#"):
            found = self._package_import(specifier, folder, hops)
            return found or self._mapped(specifier, folder)
        if specifier.startswith("node:") or specifier in BUILTINS or ":" in specifier:
            return None
        return self._mapped(specifier, folder) or self._package(specifier, folder)

    # ------------------------------------------------------------------ files

    def _relative(self, specifier: str, folder: str) -> str | None:
        path = os.path.normpath(os.path.join(folder, specifier.partition("?")[0]))
        only_folder = specifier.endswith(("/", "/.", "/..")) or specifier in (".", "..")
        found = self._folder(path) if only_folder else self._file_or_folder(path)
        return self._preferred(found, path, folder)

    def _preferred(self, found: str | None, path: str, folder: str) -> str | None:
        """The source of what was found or should be there, unless both ends are build output."""
        package = self._package_of(os.path.dirname(path))
        if package is None or (found is not None and self._same_build(folder, path, package)):
            return found
        return self._sources.source_of(found or path, package) or found

    def _same_build(self, folder: str, path: str, package: str) -> bool:
        if not is_within(folder, package):
            return False
        first = os.path.relpath(path, package).split(os.sep)[0]
        return is_within(folder, os.path.join(package, first))

    def _file_or_folder(self, path: str) -> str | None:
        return self._file(path) or self._folder(path)

    def _file(self, path: str) -> str | None:
        """The file of a module path by every extension rule."""
        stem, suffix = os.path.splitext(path)
        for replaced in _REPLACED.get(suffix, ()):
            if self._tree.is_file(stem + replaced):
                return stem + replaced
        if self._tree.is_file(path):
            name = os.path.basename(path)
            if is_code(name) or not suffix_of(name):
                return path
            if not is_declaration(name):
                return None
        for ending in SUFFIXES:
            if self._tree.is_file(path + ending):
                return path + ending
        return None

    def _folder(self, path: str) -> str | None:
        if not self._tree.is_folder(path):
            return None
        manifest = self._manifest(path)
        for field in ("main", "module"):
            if manifest is not None and (main := inside(manifest.get(field))):
                target = os.path.join(path, *main.split("/"))
                found = self._sources.source_of(target, path) or self._file(target)
                found = found or self._index(target)
                if found is not None:
                    return found
        return self._index(path)

    def _index(self, folder: str) -> str | None:
        return self._file(os.path.join(folder, "index"))

    # --------------------------------------------------------------- packages

    def _manifest(self, folder: str) -> Table | None:
        return self._tree.json(os.path.join(folder, "package.json"))

    def _package_of(self, folder: str) -> str | None:
        """The folder of the nearest package.json."""
        if folder not in self._packages:
            path = self._tree.nearest(folder, "package.json")
            self._packages[folder] = None if path is None else os.path.dirname(path)
        return self._packages[folder]

    def _package(self, specifier: str, folder: str) -> str | None:
        name, rest = split_package(specifier)
        own = self._named_package(name, folder) or self._workspaces.folder_of(name, folder)
        home = own or self._linked(name, folder)
        return None if home is None else self._export(home, rest)

    def _named_package(self, name: str, folder: str) -> str | None:
        package = self._package_of(folder)
        if package is None:
            return None
        manifest = self._manifest(package) or {}
        return package if manifest.get("name") == name and "exports" in manifest else None

    def _linked(self, name: str, folder: str) -> str | None:
        """The workspace folder that a link in node_modules leads to."""
        for current in ancestors(folder):
            modules = os.path.join(current, "node_modules")
            if "node_modules" not in self._tree.names(current):
                continue
            path = os.path.join(modules, *name.split("/"))
            if self._tree.is_folder(path):
                return self._link_target(path, current)
        return None

    def _link_target(self, path: str, base: str) -> str | None:
        if not os.path.islink(path):
            return None
        real = os.path.realpath(path)
        real_base = os.path.realpath(base)
        if "node_modules" in real.split(os.sep):
            return None
        # Keep the spelling of the importer's side when the project itself lies behind a link.
        if is_within(real, real_base):
            return os.path.normpath(base + real[len(real_base) :])
        return real

    def _export(self, package: str, rest: str) -> str | None:
        """The file that a package gives out for a subpath (``""`` for the package itself)."""
        manifest = self._manifest(package) or {}
        if "exports" in manifest:
            subpath = f"./{rest}" if rest else "."
            for raw in _match(export_map(manifest), subpath):
                found = self._in_package(package, raw)
                if found is not None:
                    return found
        if rest:
            return self._in_package(package, rest)
        return self._folder(package) or self._in_package(package, "src/index")

    def _in_package(self, package: str, raw: str) -> str | None:
        relative = inside(raw)
        if relative is None:
            return None
        path = os.path.join(package, *relative.split("/"))
        source = self._sources.source_of(path, package)
        if source is not None:
            return source
        return self._file_or_folder(path)

    def _package_import(self, specifier: str, folder: str, hops: int) -> str | None:
        package = self._package_of(folder)
        if package is None:
            return None
        for raw in _match(table(self._manifest(package), "imports"), specifier):
            if raw.startswith("."):
                found = self._in_package(package, raw)
            else:
                found = self._resolve(raw, package, hops + 1)
            if found is not None:
                return found
        return None

    # --------------------------------------------------------------- tsconfig

    def _mapped(self, specifier: str, folder: str) -> str | None:
        """What the paths and baseUrl of the nearest tsconfig.json make of a specifier."""
        for config in self._configs(folder):
            for path in _path_targets(config, specifier):
                found = self._file_or_folder(path)
                found = self._preferred(found, path, folder)
                if found is not None:
                    return found
        return None

    def _configs(self, folder: str) -> tuple[TsConfig, ...]:
        found = self._tsconfigs.get(folder)
        if found is None:
            found = self._tsconfigs[folder] = tuple(self._read_configs(folder))
        return found

    def _read_configs(self, folder: str) -> Iterator[TsConfig]:
        for current in ancestors(folder):
            names = self._tree.names(current)
            for name in ("tsconfig.json", "jsconfig.json"):
                if name not in names:
                    continue
                config = load_tsconfig(self._tree, os.path.join(current, name))
                if config is None:
                    return
                yield config
                for reference in config.references:
                    if (split := load_tsconfig(self._tree, reference)) is not None:
                        yield split
                return


def _match(mapping: Table, key: str) -> Iterator[str]:
    """The targets of a subpath in an exports or imports map, best first."""
    if key in mapping and "*" not in key:
        yield from conditional(mapping[key])
        return
    best: tuple[int, Any, str] | None = None
    for pattern, value in mapping.items():
        prefix, star, suffix = pattern.partition("*")
        if not star:
            # The deprecated folder form: "./lib/": "./src/".
            if pattern.endswith("/") and key.startswith(pattern):
                prefix, suffix = pattern, ""
            else:
                continue
        if len(key) < len(prefix) + len(suffix):
            continue
        fits = key.startswith(prefix) and key.endswith(suffix)
        if fits and (best is None or len(prefix) > best[0]):
            best = (len(prefix), value, key[len(prefix) : len(key) - len(suffix)])
    if best is not None:
        for raw in conditional(best[1]):
            yield raw.replace("*", best[2]) if "*" in raw else raw + best[2] * raw.endswith("/")


def _path_targets(config: TsConfig, specifier: str) -> Iterator[str]:
    if specifier in config.paths and "*" not in specifier:
        yield from config.paths[specifier]
    patterns = sorted(config.paths, key=lambda pattern: -len(pattern.partition("*")[0]))
    for pattern in patterns:
        prefix, star, suffix = pattern.partition("*")
        if not star or len(specifier) < len(prefix) + len(suffix):
            continue
        if specifier.startswith(prefix) and specifier.endswith(suffix):
            middle = specifier[len(prefix) : len(specifier) - len(suffix)]
            for target in config.paths[pattern]:
                yield os.path.normpath(target.replace("*", middle, 1))
            break
    if config.base_url is not None:
        yield os.path.normpath(os.path.join(config.base_url, specifier))
