"""Remembers folder listings and manifests, so that a second question costs no system call."""

from __future__ import annotations

import os

from mcplint.files.data import Table, read_json, read_jsonc

_FILE, _FOLDER, _OTHER = 1, 2, 0


class Tree:
    """A view of the file system that is read once and then remembered.

    Paths are absolute, normalised strings. What cannot be read does not exist.
    """

    def __init__(self) -> None:
        self._listings: dict[str, dict[str, int]] = {}
        self._json: dict[str, Table | None] = {}
        self._jsonc: dict[str, Table | None] = {}

    def names(self, folder: str) -> dict[str, int]:
        """The entries of a folder with their kind; empty when it cannot be read."""
        listing = self._listings.get(folder)
        if listing is None:
            listing = self._listings[folder] = _listed(folder)
        return listing

    def is_file(self, path: str) -> bool:
        """Whether a regular file, or a link to one, is at the path."""
        return self._kind(path) == _FILE

    def is_folder(self, path: str) -> bool:
        """Whether a folder, or a link to one, is at the path."""
        return self._kind(path) == _FOLDER or os.path.dirname(path) == path

    def folders(self, folder: str) -> list[str]:
        """The names of the folders in a folder, sorted."""
        return sorted(name for name, kind in self.names(folder).items() if kind == _FOLDER)

    def files(self, folder: str) -> list[str]:
        """The names of the files in a folder, sorted."""
        return sorted(name for name, kind in self.names(folder).items() if kind == _FILE)

    def json(self, path: str) -> Table | None:
        """The object in a JSON file, or ``None``."""
        if path not in self._json:
            self._json[path] = read_json(path) if self.is_file(path) else None
        return self._json[path]

    def jsonc(self, path: str) -> Table | None:
        """The object in a JSON file with comments, or ``None``."""
        if path not in self._jsonc:
            self._jsonc[path] = read_jsonc(path) if self.is_file(path) else None
        return self._jsonc[path]

    def nearest(self, folder: str, name: str) -> str | None:
        """The path of the nearest file of a name in a folder or one above it."""
        for current in ancestors(folder):
            path = os.path.join(current, name)
            if self.is_file(path):
                return path
        return None

    def _kind(self, path: str) -> int | None:
        folder, name = os.path.split(path)
        listing = self._listings.get(folder)
        if listing is None:
            listing = self.names(folder)
        return listing.get(name)


def ancestors(folder: str) -> list[str]:
    """A folder and all that hold it, innermost first."""
    found = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _listed(folder: str) -> dict[str, int]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: _kind_of(entry) for entry in entries}
    except (OSError, ValueError):
        return {}


def _kind_of(entry: os.DirEntry[str]) -> int:
    try:
        if entry.is_dir():
            return _FOLDER
        return _FILE if entry.is_file() else _OTHER
    except OSError:
        return _OTHER
