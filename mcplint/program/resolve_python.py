"""Finds the file that a Python import means."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcplint.program._python_layout import module_at
from mcplint.program._tree import Tree, ancestors, is_within

_PROJECT_FILES = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", ".git"})
_INSTALLED = frozenset({"site-packages", "dist-packages"})


class PythonResolver:
    """Resolves Python modules to files of the same project, never to installed packages.

    Everything read is remembered for the life of the resolver.

    Args:
        roots: folders from which modules may be imported, besides those that the
            importer's own place suggests.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self._tree = Tree()
        self._roots = tuple(os.path.abspath(root) for root in roots)
        self._bases: dict[str, tuple[str, ...]] = {}
        self._resolved: dict[tuple[str, int, str], str | None] = {}

    def resolve(self, module: str, level: int, importer: Path) -> Path | None:
        """The file of a module: ``x.py`` or ``x/__init__.py``.

        Args:
            module: the dotted name; empty in ``from . import x``.
            level: the number of leading dots; 0 is an absolute import.
            importer: the file that imports.

        Returns:
            Its absolute path; ``None`` for the standard library, installed packages, what
            is not found, and namespace packages, which have no file (see ``folder``).
        """
        folder = os.path.dirname(os.path.abspath(importer))
        key = (module, level, folder)
        if key not in self._resolved:
            found = (module_at(self._tree, place) for place in self._places(*key))
            self._resolved[key] = next((path for path in found if path is not None), None)
        path = self._resolved[key]
        return None if path is None else Path(path)

    def folder(self, module: str, level: int, importer: Path) -> Path | None:
        """The folder of a package, with or without ``__init__.py``; ``None`` when not found."""
        start = os.path.dirname(os.path.abspath(importer))
        for place in self._places(module, level, start):
            if self.is_package_dir(Path(place)):
                return Path(place)
        return None

    def is_package_dir(self, directory: Path) -> bool:
        """Whether a folder can be imported as a package: a regular or a namespace package."""
        return self._is_package(os.path.abspath(directory), 2)

    def _is_package(self, path: str, levels: int) -> bool:
        if not os.path.basename(path).isidentifier():
            return False
        if any(name.endswith((".py", ".pyw")) for name in self._tree.files(path)):
            return True
        return levels > 0 and any(
            self._is_package(os.path.join(path, name), levels - 1) for name in self._tree.folders(path)
        )

    def _places(self, module: str, level: int, folder: str) -> Iterator[str]:
        """The paths without suffix at which a module may be."""
        parts = module.split(".") if module else []
        if not all(part.isidentifier() for part in parts):
            return
        if level > 0:
            base = folder
            for _ in range(level - 1):
                base = os.path.dirname(base)
            yield os.path.join(base, *parts)
        elif parts:
            for base in self._search(parts[0], folder):
                yield os.path.join(base, *parts)

    def _search(self, top: str, folder: str) -> Iterator[str]:
        """The folders that an absolute import may start from, in Python's order."""
        is_script_folder = "__init__.py" not in self._tree.names(folder)
        if top in sys.stdlib_module_names:
            # Only the folder of a script comes before the standard library.
            if is_script_folder:
                yield folder
            return
        for base in self._bases_of(folder):
            if not _is_installed(base) or os.path.join(base, top) in ancestors(folder):
                yield base

    def _bases_of(self, folder: str) -> tuple[str, ...]:
        found = self._bases.get(folder)
        if found is None:
            found = self._bases[folder] = tuple(dict.fromkeys(self._read_bases(folder)))
        return found

    def _read_bases(self, folder: str) -> Iterator[str]:
        above = ancestors(folder)
        parent = next((path for path in above if not self._tree.is_file(_init_of(path))), above[-1])
        yield parent
        top = self._project(folder)
        for path in above[above.index(parent) :]:
            if not is_within(path, top):
                break
            yield path
        for base in (top, *self._roots):
            yield os.path.join(base, "src")
            yield base
        # A script started from inside its package folder imports its neighbours by name.
        yield folder

    def _project(self, folder: str) -> str:
        """The nearest folder with a project file, else the root that holds the importer."""
        for path in ancestors(folder):
            names = self._tree.names(path)
            if not _PROJECT_FILES.isdisjoint(names):
                return path
            if any(name.endswith(".dist-info") for name in names):
                return path
        holding = [root for root in self._roots if is_within(folder, root)]
        return min(holding, key=len) if holding else folder


def _init_of(folder: str) -> str:
    return os.path.join(folder, "__init__.py")


def _is_installed(path: str) -> bool:
    return not _INSTALLED.isdisjoint(path.split(os.sep))
