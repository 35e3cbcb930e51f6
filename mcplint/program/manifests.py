"""The entry points that the manifests of a folder declare."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mcplint.program._tree import Tree, ancestors

Kind = Literal["bin", "main", "exports", "script", "console_script", "main_module"]
"""How an entry point is declared."""


@dataclass(frozen=True, slots=True)
class DeclaredEntry:
    """A way into a program that a manifest declares.

    Attributes:
        path: absolute path of the file that runs; it exists.
        function: what is called in it (``main``, ``mcp.run``); ``None`` runs the file itself.
        kind: how it is declared.
        name: the command, script, export or module.
        manifest: absolute path of the file that declares it.
    """

    path: Path
    function: str | None
    kind: Kind
    name: str
    manifest: Path


def declared_entries(directory: Path) -> tuple[DeclaredEntry, ...]:
    """The entry points that the manifests in exactly this folder declare.

    Reads package.json, pyproject.toml, setup.cfg and the entry_points.txt of an
    unpacked wheel. What points into build output is given as its source where
    the source is there. What cannot be read declares nothing.
    """
    tree = Tree()
    folder = os.path.abspath(directory)
    names = tree.names(folder)
    entries: list[DeclaredEntry] = []
    if "package.json" in names:
        from mcplint.program._manifests_node import node_entries

        entries.extend(node_entries(tree, folder))
    if _may_hold_python(names):
        from mcplint.program._manifests_python import python_entries

        entries.extend(python_entries(tree, folder))
    return tuple(dict.fromkeys(entries))


def nearest(directory: Path, name: str, stop: Path | None) -> Path | None:
    """The nearest file of a name in a folder or one above it.

    Args:
        directory: where to begin.
        name: the file's name.
        stop: the last folder to look in; ``None`` looks up to the root.
    """
    last = None if stop is None else os.path.abspath(stop)
    for folder in ancestors(os.path.abspath(directory)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return Path(path)
        if folder == last:
            break
    return None


def _may_hold_python(names: dict[str, int]) -> bool:
    if not {"pyproject.toml", "setup.cfg", "setup.py"}.isdisjoint(names):
        return True
    return any(name.endswith(".dist-info") for name in names)
