"""How far up the files of a project go."""

from __future__ import annotations

import os

from mcplint.program._tree import ancestors

_MARKS = ("package.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")


def project_folders(folder: str) -> list[str]:
    """A folder and those above it that belong to its project, innermost first.

    The project ends at the git root; without one, at the outermost folder that has
    a manifest, and at the folder itself when none has.
    """
    above = ancestors(folder)
    for index, path in enumerate(above):
        if os.path.lexists(os.path.join(path, ".git")):
            return above[: index + 1]
    last = 0
    for index, path in enumerate(above):
        if any(os.path.exists(os.path.join(path, mark)) for mark in _MARKS) or _is_wheel(path):
            last = index
    return above[: last + 1]


def _is_wheel(path: str) -> bool:
    try:
        with os.scandir(path) as entries:
            return any(entry.name.endswith(".dist-info") for entry in entries)
    except OSError:
        return False
