"""Finds the source that a build made a file from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from mcplint.files.names import is_build_folder, is_declaration, suffix_of
from mcplint.program._tree import Tree, is_within
from mcplint.program._tsconfig import TsConfig, load_tsconfig
from mcplint.syntax import JAVASCRIPT_SUFFIXES, TYPESCRIPT_SUFFIXES

SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx")
"""The order in which a module without a suffix is looked for."""

_TYPED = {
    ".js": (".ts", ".tsx", ".mts", ".cts"),
    ".jsx": (".tsx", ".ts"),
    ".mjs": (".mts", ".ts"),
    ".cjs": (".cts", ".ts"),
    "": (".ts", ".tsx", ".mts", ".cts"),
}
_PLAIN = (".js", ".mjs", ".cjs", ".jsx")
_SOURCE_FOLDERS = ("src", "source", "lib", "app", "server")
_OUTPUT_FOLDERS = frozenset(
    {"lib", "esm", "cjs", "commonjs", "es", "es6", "module", "umd", "node", "bundle", "bundles"}
)
_CODE = JAVASCRIPT_SUFFIXES | TYPESCRIPT_SUFFIXES
_BUNDLE = re.compile(r"\.(?:min|bundle)$")


class SourceMap:
    """Maps build output back to source, package by package."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._configs: dict[str, tuple[TsConfig, ...]] = {}

    def source_of(self, target: str, package: str) -> str | None:
        """The source of a built file, or ``None`` when none is found.

        Args:
            target: absolute path of the file, there or not, with or without a suffix.
            package: absolute path of the folder of its package.json.
        """
        if not is_within(target, package):
            return None
        exists = self._tree.is_file(target)
        built = self._is_built(target, package)
        if exists and not built:
            return None
        stem, suffix = _split(target)
        if not suffix and is_build_folder(os.path.basename(stem)):
            stem = os.path.join(stem, "index")
        for place in (*self._own_place(stem, exists), *self._places(stem, package)):
            found = self._file_at(place, suffix, target, package, typed_only=False)
            if found is not None:
                return found
        return self._beside(stem, suffix, target, package, typed_only=exists)

    @staticmethod
    def _own_place(stem: str, exists: bool) -> tuple[str, ...]:
        return () if exists else (stem,)

    def _beside(self, stem: str, suffix: str, target: str, package: str, typed_only: bool) -> str | None:
        # A plain root index.js may well be a shim that loads dist/index.js, so that next to
        # an existing build only a typed file counts as its source.
        rest = _parts(stem, package)[1:]
        for parts in _shortened(rest):
            place = os.path.join(package, *parts)
            found = self._file_at(place, suffix, target, package, typed_only)
            if found is not None:
                return found
        return None

    def _places(self, stem: str, package: str) -> Iterator[str]:
        """Where the source may be, without suffix, most telling first."""
        for config in self._package_configs(package):
            yield from _by_config(stem, config)
        parts = _parts(stem, package)
        for rest in _shortened(parts[1:] if len(parts) > 1 else parts):
            for folder in _SOURCE_FOLDERS:
                yield os.path.join(package, folder, *rest)

    def _file_at(self, place: str, suffix: str, target: str, package: str, typed_only: bool) -> str | None:
        typed = _TYPED.get(suffix, _TYPED[""])
        suffixes = typed if typed_only else (*typed, suffix, *_PLAIN)
        for stem in (place, os.path.join(place, "index")):
            for candidate in (stem + ending for ending in suffixes if ending):
                if candidate == target or not self._tree.is_file(candidate):
                    continue
                if is_within(candidate, package) and not self._is_built(candidate, package):
                    return candidate
        return None

    def _is_built(self, path: str, package: str) -> bool:
        if any(map(is_build_folder, _parts(os.path.dirname(path), package))):
            return True
        return any(
            config.out_dir not in (None, package, config.root_dir) and is_within(path, config.out_dir or "")
            for config in self._package_configs(package)
        )

    def _package_configs(self, package: str) -> tuple[TsConfig, ...]:
        configs = self._configs.get(package)
        if configs is None:
            names = [
                name
                for name in self._tree.files(package)
                if name.startswith("tsconfig") and name.endswith(".json")
            ]
            names.sort(key=lambda name: (name != "tsconfig.json", name))
            loaded = (load_tsconfig(self._tree, os.path.join(package, name)) for name in names)
            configs = tuple(config for config in loaded if config is not None)
            self._configs[package] = configs
        return configs


def is_code(name: str) -> bool:
    """Whether a file name is that of JavaScript or TypeScript with code in it."""
    return suffix_of(name) in _CODE and not is_declaration(name)


def _by_config(stem: str, config: TsConfig) -> Iterator[str]:
    out_dir = config.out_dir
    if out_dir is None or not is_within(stem, out_dir) or stem == out_dir:
        return
    rest = os.path.relpath(stem, out_dir)
    home = os.path.dirname(config.file)
    if config.root_dir is not None:
        yield os.path.join(config.root_dir, rest)
    else:
        yield os.path.join(home, "src", rest)
        if home != out_dir:
            yield os.path.join(home, rest)


def _split(target: str) -> tuple[str, str]:
    stem, suffix = os.path.splitext(target)
    if suffix not in _CODE:
        return target, ""
    return _BUNDLE.sub("", stem), suffix


def _parts(path: str, package: str) -> list[str]:
    relative = os.path.relpath(path, package)
    return [] if relative == os.curdir else relative.split(os.sep)


def _shortened(rest: list[str]) -> Iterator[list[str]]:
    """The path below the build folder, then without a folder that names its format."""
    yield rest
    while len(rest) > 1 and (rest[0] in _OUTPUT_FOLDERS or rest[0] == "src"):
        rest = rest[1:]
        yield rest
