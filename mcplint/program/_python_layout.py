"""Where a Python project keeps its packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from mcplint.files.data import Table, strings, table
from mcplint.program._tree import Tree, is_within

_NO_PACKAGE = frozenset({"node_modules", "site-packages", "venv", "env", "dist", "build", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of a project that hold its packages.

    Attributes:
        folder: absolute path of the project.
        bases: folders from which modules are imported, most telling first.
        renamed: packages whose folder has another name or place.
    """

    folder: str
    bases: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()

    def module_file(self, tree: Tree, module: str) -> str | None:
        """The file of a dotted module, or ``None``."""
        parts = module.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        for package, place in self.renamed:
            prefix = package.split(".")
            if parts[: len(prefix)] == prefix:
                found = module_at(tree, os.path.join(place, *parts[len(prefix) :]))
                if found is not None:
                    return found
        for base in self.bases:
            found = module_at(tree, os.path.join(base, *parts))
            if found is not None:
                return found
        return None

    def top_packages(self, tree: Tree) -> Iterator[tuple[str, str]]:
        """The name and folder of each package directly below a base, and one namespace below."""
        for name, place in self.renamed:
            if tree.is_file(os.path.join(place, "__init__.py")):
                yield name, place
        for base in self.bases:
            for name in tree.folders(base):
                if not name.isidentifier() or name in _NO_PACKAGE:
                    continue
                path = os.path.join(base, name)
                if path in self.bases:
                    continue
                yield name, path
                if "__init__.py" not in tree.names(path):
                    for inner in tree.folders(path):
                        if inner.isidentifier() and inner not in _NO_PACKAGE:
                            yield f"{name}.{inner}", os.path.join(path, inner)


def module_at(tree: Tree, place: str) -> str | None:
    """The file of the module whose path without suffix is ``place``."""
    package = os.path.join(place, "__init__.py")
    if tree.is_folder(place) and tree.is_file(package):
        return package
    for suffix in (".py", ".pyw"):
        if tree.is_file(place + suffix):
            return place + suffix
    return None


def layout_of(folder: str, pyproject: Table | None, setup: dict[str, dict[str, str]]) -> Layout:
    """The layout that a project's manifests describe; the usual one where they say nothing."""
    bases: list[str] = []
    renamed: list[tuple[str, str]] = []
    tools = table(pyproject, "tool")
    _setuptools(tools, bases, renamed)
    _setup_cfg(setup, bases, renamed)
    _hatch(tools, bases, renamed)
    _poetry(tools, bases)
    module_root = table(tools, "uv", "build-backend").get("module-root")
    bases.extend(strings(module_root))
    places = (_inside(folder, base) for base in (*bases, "src", ""))
    return Layout(
        folder,
        tuple(dict.fromkeys(place for place in places if place is not None)),
        tuple((name, place) for name, raw in renamed if (place := _inside(folder, raw)) is not None),
    )


def _inside(folder: str, relative: str) -> str | None:
    path = os.path.normpath(os.path.join(folder, relative))
    return path if "\0" not in path and is_within(path, folder) else None


def _setuptools(tools: Table, bases: list[str], renamed: list[tuple[str, str]]) -> None:
    setuptools = table(tools, "setuptools")
    _package_dir(table(setuptools, "package-dir"), bases, renamed)
    bases.extend(strings(table(setuptools, "packages", "find").get("where")))


def _setup_cfg(setup: dict[str, dict[str, str]], bases: list[str], renamed: list[tuple[str, str]]) -> None:
    lines = setup.get("options", {}).get("package_dir", "").splitlines()
    pairs = {
        name.strip(): place.strip()
        for name, equals, place in (line.partition("=") for line in lines)
        if equals
    }
    _package_dir(pairs, bases, renamed)
    bases.extend(setup.get("options.packages.find", {}).get("where", "").split())


def _package_dir(pairs: Table, bases: list[str], renamed: list[tuple[str, str]]) -> None:
    for name, place in pairs.items():
        if not isinstance(place, str):
            continue
        if name:
            renamed.append((name, place))
        else:
            bases.append(place)


def _hatch(tools: Table, bases: list[str], renamed: list[tuple[str, str]]) -> None:
    build = table(tools, "hatch", "build")
    for config in (table(build, "targets", "wheel"), build):
        for package in strings(config.get("packages")):
            bases.append(os.path.dirname(package.rstrip("/")))
        sources = config.get("sources")
        bases.extend(strings(sources))
        for place, name in table(sources).items():
            if name == "":
                bases.append(place)
            elif isinstance(name, str):
                renamed.append((name.strip("/").replace("/", "."), place))


def _poetry(tools: Table, bases: list[str]) -> None:
    packages = table(tools, "poetry").get("packages")
    for package in packages if isinstance(packages, list) else []:
        bases.extend(strings(table(package).get("from")))
