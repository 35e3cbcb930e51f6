"""Which project a file belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from mcplint.files.place import Place

_MANIFESTS = (
    *("package.json", "pyproject.toml", "setup.py", "setup.cfg", "mcplint.toml"),
    *("tsconfig.json", "tox.ini", ".flake8"),
)


def project_of(path: Path) -> Path:
    """The folder of a file's project: its Git work tree, else the nearest with a manifest, else its own."""
    absolute = Path(os.path.abspath(path))
    folders = (absolute, *absolute.parents) if absolute.is_dir() else absolute.parents
    for folder in folders:
        if os.path.lexists(folder / ".git"):
            return folder
    for folder in folders:
        if any(os.path.exists(folder / name) for name in _MANIFESTS):
            return folder
    return folders[0]


class _Related(Protocol):
    @property
    def place(self) -> Place: ...


class _Finding(Protocol):
    @property
    def place(self) -> Place: ...
    @property
    def related(self) -> Iterable[_Related]: ...


class Touched:
    """The files and folders that findings are asked for; None for all."""

    def __init__(self, paths: tuple[str, ...] | None) -> None:
        self._paths = paths

    def holds(self, path: Path) -> bool:
        """Whether a file is one of them, or lies in one."""
        if self._paths is None:
            return True
        real = os.path.realpath(path)
        return any(real == given or real.startswith(given.rstrip(os.sep) + os.sep) for given in self._paths)

    def by(self, finding: _Finding) -> bool:
        """Whether a finding has a place in one of them."""
        if self._paths is None:
            return True
        return any(self.holds(p.path) for p in (finding.place, *(r.place for r in finding.related)))
