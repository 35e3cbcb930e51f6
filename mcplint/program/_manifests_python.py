"""The entry points that pyproject.toml, setup.cfg and unpacked wheels declare."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mcplint.files.data import Table, read_text, read_toml, table
from mcplint.program._ini import parse_ini
from mcplint.program._python_layout import Layout, layout_of
from mcplint.program._tree import Tree
from mcplint.program.manifests import DeclaredEntry

_REFERENCE = re.compile(r"\s*([\w.]+)\s*(?::\s*([\w.]+)\s*)?(?:\[[^\]]*\]\s*)?")


def python_entries(tree: Tree, folder: str) -> Iterator[DeclaredEntry]:
    """The entry points of the Python manifests in a folder."""
    pyproject_file = os.path.join(folder, "pyproject.toml")
    pyproject = read_toml(pyproject_file) if tree.is_file(pyproject_file) else None
    setup_file = os.path.join(folder, "setup.cfg")
    setup = parse_ini(read_text(setup_file) or "") if tree.is_file(setup_file) else {}
    layout = layout_of(folder, pyproject, setup)
    if pyproject is not None:
        yield from _console(tree, layout, _pyproject_scripts(pyproject), pyproject_file)
    yield from _console(tree, layout, _setup_scripts(setup), setup_file)
    wheels = [name for name in tree.folders(folder) if name.endswith(".dist-info")]
    for name in wheels:
        file = os.path.join(folder, name, "entry_points.txt")
        sections = parse_ini(read_text(file) or "") if tree.is_file(file) else {}
        scripts = sections.get("console_scripts", {})
        yield from _console(tree, Layout(folder, (folder,)), list(scripts.items()), file)
    yield from _main_modules(tree, layout, _manifest_of(tree, folder, wheels))


def _pyproject_scripts(pyproject: Table) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for scripts in (
        table(pyproject, "project", "scripts"),
        table(pyproject, "project", "entry-points", "console_scripts"),
        table(pyproject, "tool", "poetry", "scripts"),
    ):
        for name, value in scripts.items():
            reference = value.get("reference") if isinstance(value, dict) else value
            if isinstance(reference, str):
                found.append((name, reference))
    return found


def _setup_scripts(setup: dict[str, dict[str, str]]) -> list[tuple[str, str]]:
    lines = setup.get("options.entry_points", {}).get("console_scripts", "").splitlines()
    pairs = (line.partition("=") for line in lines)
    return [(name.strip(), reference) for name, equals, reference in pairs if equals]


def _console(
    tree: Tree, layout: Layout, scripts: list[tuple[str, str]], manifest: str
) -> Iterator[DeclaredEntry]:
    for name, reference in scripts:
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            continue
        path = layout.module_file(tree, match.group(1))
        if path is not None:
            yield DeclaredEntry(Path(path), match.group(2), "console_script", name, Path(manifest))


def _main_modules(tree: Tree, layout: Layout, manifest: str) -> Iterator[DeclaredEntry]:
    own = os.path.join(layout.folder, "__main__.py")
    if tree.is_file(own):
        yield DeclaredEntry(Path(own), None, "main_module", ".", Path(manifest))
    for name, place in layout.top_packages(tree):
        path = os.path.join(place, "__main__.py")
        if tree.is_file(path):
            yield DeclaredEntry(Path(path), None, "main_module", name, Path(manifest))


def _manifest_of(tree: Tree, folder: str, wheels: list[str]) -> str:
    for name in ("pyproject.toml", "setup.cfg", "setup.py"):
        if tree.is_file(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return os.path.join(folder, wheels[0], "METADATA") if wheels else folder
