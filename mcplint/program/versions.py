"""Which version of a package a program uses, and how that is known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mcplint.program._ranges import compare, matches, overlap, within

__all__ = ["PackageVersion", "compare", "declares", "matches", "package_version"]


@dataclass(frozen=True, slots=True)
class PackageVersion:
    """A version of a package as far as the files tell.

    Attributes:
        name: the package's name as asked for.
        version: the version; of a range the lowest that it allows.
        how: how it is known, as a phrase: ``locked in package-lock.json``.
        exact: whether this very version runs, rather than some version of a range.
        source: the file that says so.
        allowed: the range that was asked for, where ``exact`` is false.
        folder: where the package is installed, if it is.
    """

    name: str
    version: str
    how: str
    exact: bool
    source: Path | None
    allowed: str = "*"
    folder: Path | None = None

    def may_be(self, versions: str) -> bool:
        """Whether a version in ``versions`` may be what runs."""
        return matches(self.version, versions) if self.exact else overlap(self.allowed, versions)

    def must_be(self, versions: str) -> bool:
        """Whether whatever runs is in ``versions``."""
        return matches(self.version, versions) if self.exact else within(self.allowed, versions)


def package_version(
    name: str, language: Literal["javascript", "typescript", "python"], start: Path
) -> PackageVersion | None:
    """The version of a package that a file would get.

    What is installed comes before what is locked, and that before what a
    manifest asks for.

    Args:
        name: the package's name in its registry.
        language: whose packages are meant.
        start: the file or folder of the program.

    Returns:
        ``None`` when nothing says a version.
    """
    return next(_candidates(name, language, start), None)


def declares(name: str, language: Literal["javascript", "typescript", "python"], start: Path) -> bool:
    """Whether a manifest at or above ``start`` asks for a package, with or without a version."""
    if language == "python":
        from mcplint.program._versions_python import declares_python

        return declares_python(name, _folder_of(start))
    from mcplint.program._versions_node import declares_node

    return declares_node(name, _folder_of(start))


def _candidates(name: str, language: str, start: Path) -> Iterator[PackageVersion]:
    if language == "python":
        from mcplint.program._versions_python import python_versions

        return python_versions(name, _folder_of(start))
    from mcplint.program._versions_node import node_versions

    return node_versions(name, _folder_of(start))


def _folder_of(start: Path) -> str:
    path = os.path.abspath(start)
    return path if os.path.isdir(path) else os.path.dirname(path)
