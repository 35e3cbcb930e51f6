"""The packages of an npm, Yarn, Bun, pnpm or Lerna workspace."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator

from mcplint.files.data import read_text, strings, table
from mcplint.files.names import SKIPPED_FOLDERS
from mcplint.program._tree import Tree, ancestors

_MAX_DEPTH = 8
_MAX_PACKAGES = 5000
_ITEM = re.compile(r"^\s*-\s*(?:\"([^\"]*)\"|'([^']*)'|([^#\s]+))")


class Workspaces:
    """Finds the folder of a package by its name from any place in a workspace."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._roots: dict[str, str | None] = {}
        self._packages: dict[str, dict[str, str]] = {}

    def folder_of(self, package: str, start: str) -> str | None:
        """The folder of a workspace package, seen from a folder in the workspace."""
        root = self.root_of(start)
        if root is None:
            return None
        packages = self._packages.get(root)
        if packages is None:
            packages = self._packages[root] = dict(self._read(root))
        return packages.get(package)

    def root_of(self, start: str) -> str | None:
        """The nearest folder at or above ``start`` that declares a workspace."""
        if start not in self._roots:
            found = (folder for folder in ancestors(start) if self._patterns(folder))
            self._roots[start] = next(found, None)
        return self._roots[start]

    def _patterns(self, folder: str) -> tuple[str, ...]:
        names = self._tree.names(folder)
        if "pnpm-workspace.yaml" in names:
            text = read_text(os.path.join(folder, "pnpm-workspace.yaml"))
            if found := tuple(pnpm_packages(text or "")):
                return found
        if "package.json" in names:
            manifest = self._tree.json(os.path.join(folder, "package.json"))
            declared = (manifest or {}).get("workspaces")
            if isinstance(declared, dict):
                declared = table(declared).get("packages")
            if found := strings(declared):
                return found
        if "lerna.json" in names:
            return strings((self._tree.json(os.path.join(folder, "lerna.json")) or {}).get("packages"))
        return ()

    def _read(self, root: str) -> Iterator[tuple[str, str]]:
        patterns = self._patterns(root)
        excluded = {
            folder
            for pattern in patterns
            if pattern.startswith("!")
            for folder in self._expand(root, pattern[1:])
        }
        seen: dict[str, None] = {root: None}
        for pattern in patterns:
            if not pattern.startswith("!"):
                seen.update(dict.fromkeys(self._expand(root, pattern)))
        for folder in seen:
            manifest = self._tree.json(os.path.join(folder, "package.json"))
            name = (manifest or {}).get("name")
            if isinstance(name, str) and folder not in excluded:
                yield name, folder

    def _expand(self, root: str, pattern: str) -> list[str]:
        """The package folders that a glob means."""
        segments = [part for part in pattern.split("/") if part not in ("", ".")]
        if ".." in segments:
            return []
        folders = [root]
        for segment in segments:
            if segment == "**":
                folders = [inner for folder in folders for inner in self._below(folder, 0)]
            elif any(char in segment for char in "*?["):
                folders = [
                    os.path.join(folder, name)
                    for folder in folders
                    for name in self._tree.folders(folder)
                    if name not in SKIPPED_FOLDERS and fnmatch.fnmatchcase(name, segment)
                ]
            else:
                folders = [os.path.join(folder, segment) for folder in folders]
            folders = list(dict.fromkeys(folders))[:_MAX_PACKAGES]
        return [folder for folder in folders if "package.json" in self._tree.names(folder)]

    def _below(self, folder: str, depth: int) -> Iterator[str]:
        yield folder
        if depth >= _MAX_DEPTH:
            return
        for name in self._tree.folders(folder):
            if name not in SKIPPED_FOLDERS and not name.startswith("."):
                yield from self._below(os.path.join(folder, name), depth + 1)


def pnpm_packages(text: str) -> Iterator[str]:
    """The globs below ``packages:`` in a pnpm-workspace.yaml."""
    inside = False
    for line in text.splitlines():
        if line.startswith("packages:"):
            inside = True
            yield from _inline(line.partition(":")[2])
        elif inside and (match := _ITEM.match(line)):
            yield next(group for group in match.groups() if group is not None)
        elif line[:1] not in ("", " ", "\t", "#", "-"):
            inside = False


def _inline(text: str) -> Iterator[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        for item in text[1:-1].split(","):
            if bare := item.strip().strip("'\""):
                yield bare
