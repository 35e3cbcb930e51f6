"""Finds the source files to look at below the paths that the user gives."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal

from mcplint.files.data import read_json
from mcplint.files.ignore import IgnoreFile, ignored, ignored_from, read_ignore_file
from mcplint.files.names import (
    SKIPPED_FOLDERS,
    VIRTUALENV_MARKS,
    is_build_folder,
    is_declaration,
    is_minified,
    is_test_name,
    suffix_of,
)
from mcplint.files.package import targets
from mcplint.files.published import published_builds
from mcplint.syntax import PYTHON_SUFFIXES, SUFFIXES

_MIB = 1024 * 1024

MAX_BYTES = 4 * _MIB
"""The largest file that is read when it was not named on the command line, in bytes."""

MAX_NAMED_BYTES = 16 * _MIB
"""The largest file that is read at all, in bytes."""

_SNIFFED_BYTES = 64 * 1024
_MINIFIED_LINE = 500
_SMALLEST_BUNDLE = 4 * 1024
_SHEBANG = re.compile(rb"^#![^\n]*?\b(?:(python|uv\b)|(node|tsx|ts-node|bun|deno))")


class PathNotFoundError(Exception):
    """A path that the user gave does not exist.

    Attributes:
        path: the path as given.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"no such file or folder: {path}")
        self.path = path


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A source file to look at.

    Attributes:
        path: absolute path; symbolic links in it are kept.
        named: whether the user gave this very file.
    """

    path: Path
    named: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was not looked at.

    Attributes:
        path: absolute path.
        reason: why, in a few words.
        expected: whether leaving it out is the rule (a bundle) and not a trouble
            that deserves a warning (a file that cannot be read).
    """

    path: Path
    reason: str
    expected: bool = False


@dataclass(frozen=True, slots=True)
class Discovery:
    """What lies below the given paths.

    Attributes:
        files: source files, in the order of the given paths, then by name.
        skipped: what was left out with a reason; not what is ignored by rule,
            such as node_modules.
        roots: the given paths, absolute, without repeats.
        looked_at: source files considered, whether they were kept or skipped.
    """

    files: tuple[FoundFile, ...]
    skipped: tuple[Skipped, ...]
    roots: tuple[Path, ...]
    looked_at: int


Excluding = Callable[[str], Callable[[str, bool], bool]]
"""For a folder: what tells of an entry's path, and whether it is a folder, if it is to be left out."""


def discover(
    paths: Sequence[Path], excluding: Excluding | None = None, present: Collection[str] = ()
) -> Discovery:
    """Find the source files in files and folders.

    Args:
        paths: what the user gives.
        excluding: what else is to be left out.
        present: real paths of files that count as there even if they are not on disk.

    Raises:
        PathNotFoundError: one of the paths does not exist.
    """
    check(paths, present)
    roots = tuple(dict.fromkeys(os.path.abspath(path) for path in paths))
    walker = _Walker(excluding, present)
    for root in roots:
        if os.path.isdir(root):
            walker.folder(root)
        else:
            walker.named_file(root)
    files = tuple(FoundFile(Path(path), named) for path, named in walker.found.values())
    return Discovery(files, tuple(walker.skipped), tuple(map(Path, roots)), walker.looked_at)


def check(paths: Sequence[Path], present: Collection[str] = ()) -> None:
    """Make sure that paths are there.

    Raises:
        PathNotFoundError: one of them does not exist.
    """
    for path in paths:
        if not os.path.lexists(path) and os.path.realpath(path) not in present:
            raise PathNotFoundError(path)


def is_test(path: Path, root: Path) -> bool:
    """Whether a file below ``root`` is a test by its folders or its name."""
    try:
        parts = PurePath(os.path.abspath(path)).relative_to(os.path.abspath(root)).parts
    except ValueError:
        parts = (path.name,)
    name = parts[-1] if parts else path.name
    return is_test_name(parts[:-1], name)


def shebang_language(data: bytes) -> Literal["python", "javascript"] | None:
    """The language of a script by the ``#!`` line that its bytes begin with."""
    match = _SHEBANG.match(data[:256])
    if match is None:
        return None
    return "python" if match.group(1) else "javascript"


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder still to visit.

    Attributes:
        built: whether it lies in build output that is to be judged.
    """

    path: str
    chain: tuple[IgnoreFile, ...]
    built: bool


@dataclass(slots=True)
class _Walker:
    """Collects what the walk over all given paths finds.

    Attributes:
        found: real path of each file to its path as found and whether it was named.
        declared: files that a package.json names as ways into the package.
        builds: build folders of packages without source, which are to be judged.
    """

    excluding: Excluding | None = None
    present: Collection[str] = ()
    found: dict[str, tuple[str, bool]] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    looked_at: int = 0
    declared: set[str] = field(default_factory=set)
    builds: set[str] = field(default_factory=set)
    _links: list[tuple[str, bool]] = field(default_factory=list)

    def skip(self, path: str, reason: str, expected: bool = False) -> None:
        self.skipped.append(Skipped(Path(path), reason, expected))

    def named_file(self, path: str) -> None:
        """Add a file that the user gave."""
        self.looked_at += 1
        real = os.path.realpath(path)
        if real in self.present:
            self.found[real] = (self.found.get(real, (path, True))[0], True)
            return
        try:
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode):
                self.skip(path, "not a regular file")
            elif status.st_size > MAX_NAMED_BYTES:
                self.skip(path, "larger than 16 MiB")
            elif suffix_of(os.path.basename(path)) not in SUFFIXES and not _is_script(path):
                self.skip(path, "not a JavaScript, TypeScript or Python file")
            else:
                known = self.found.get(real)
                self.found[real] = (known[0] if known else path, True)
        except OSError as error:
            self.skip(path, _reason(error))

    def folder(self, root: str) -> None:
        """Add what lies below a folder that the user gave."""
        real_root = os.path.realpath(root)
        stack = [_Folder(root, _chain_above(root), _is_in_build(root))]
        while stack:
            folder = stack.pop()
            inner = _Visit(self, folder, root, real_root).run()
            stack.extend(reversed(inner))
        self._add_links()

    def _add_links(self) -> None:
        # Links come last, so that a file found at its own place keeps that place.
        for path, built in self._links:
            try:
                real = os.path.realpath(path, strict=True)
                size = os.stat(real).st_size
            except OSError as error:
                self.skip(path, _reason(error))
                continue
            if real not in self.found:
                self.file(path, real, size, built)
        self._links.clear()

    def link(self, path: str, built: bool) -> None:
        """Remember a symbolic link to a source file until the walk is done."""
        self._links.append((path, built))

    def file(self, path: str, real: str, size: int, built: bool) -> None:
        """Add a source file, unless its size or its content speaks against it."""
        self.looked_at += 1
        if real in self.found:
            return
        # What a package.json declares is the program, however it was made.
        declared = path in self.declared
        limit = MAX_NAMED_BYTES if declared else MAX_BYTES
        if size > limit:
            larger = f"larger than {limit // _MIB} MiB"
            self.skip(path, larger if size > MAX_NAMED_BYTES else f"{larger}: name the file to include it")
        elif not built and not declared and _is_bundle(path, size):
            self.skip(path, "minified bundle", expected=True)
        else:
            self.found[real] = (path, False)


class _Visit:
    """The visit of one folder."""

    def __init__(self, walker: _Walker, folder: _Folder, root: str, real_root: str) -> None:
        self._walker = walker
        self._folder = folder
        self._is_root = folder.path == root
        self._real = real_root + folder.path[len(root) :]
        self._chain = folder.chain
        self._excludes = None if walker.excluding is None else walker.excluding(folder.path)
        self._inner: list[_Folder] = []

    def run(self) -> list[_Folder]:
        """Add the folder's files and return the folders in it that are to be visited."""
        path = self._folder.path
        try:
            with os.scandir(path) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self._walker.skip(path, _reason(error))
            return []
        names = {entry.name for entry in entries}
        if not self._is_root and not VIRTUALENV_MARKS.isdisjoint(names):
            return []
        if ".gitignore" in names and (rules := read_ignore_file(path)) is not None:
            self._chain = (*self._chain, rules)
        if "package.json" in names:
            self._read_package()
        for entry in entries:
            try:
                self._entry(entry)
            except OSError as error:
                self._walker.skip(entry.path, _reason(error))
        return self._inner

    def _read_package(self) -> None:
        path = self._folder.path
        manifest = read_json(os.path.join(path, "package.json"))
        if manifest is None:
            return
        self._walker.builds.update(published_builds(path, manifest))
        self._walker.declared.update(
            os.path.join(path, *target.path.split("/")) for target in targets(manifest)
        )

    def _entry(self, entry: os.DirEntry[str]) -> None:
        if self._excludes is not None and self._excludes(entry.path, entry.is_dir(follow_symlinks=False)):
            return
        if entry.is_symlink():
            self._symlink(entry)
        elif entry.is_dir(follow_symlinks=False):
            self._subfolder(entry)
        elif self._is_wanted(entry) and entry.is_file(follow_symlinks=False):
            size = entry.stat(follow_symlinks=False).st_size
            real = self._real + os.sep + entry.name
            self._walker.file(entry.path, real, size, self._folder.built)

    def _subfolder(self, entry: os.DirEntry[str]) -> None:
        path, name = entry.path, entry.name
        if path in self._walker.builds:
            self._inner.append(_Folder(path, (), True))
            return
        if name in SKIPPED_FOLDERS or name.endswith((".dist-info", ".egg-info")):
            return
        if not self._folder.built and is_build_folder(name) and not _is_python_package(path):
            return
        if not ignored(self._chain, path, name, True):
            self._inner.append(_Folder(path, self._chain, self._folder.built))

    def _symlink(self, entry: os.DirEntry[str]) -> None:
        if entry.is_dir():
            if entry.name not in SKIPPED_FOLDERS and not is_build_folder(entry.name):
                loops = (self._real + os.sep).startswith(os.path.realpath(entry.path) + os.sep)
                reason = "symbolic link loop" if loops else "symbolic link to a folder"
                self._walker.skip(entry.path, reason, expected=True)
        elif self._is_wanted(entry):
            self._walker.link(entry.path, self._folder.built)

    def _is_wanted(self, entry: os.DirEntry[str]) -> bool:
        name = entry.name
        if suffix_of(name) not in SUFFIXES:
            return entry.path in self._walker.declared and _is_script(entry.path)
        if is_declaration(name):
            return False
        return not (self._chain and ignored(self._chain, entry.path, name, False))


def _chain_above(root: str) -> tuple[IgnoreFile, ...]:
    """The .gitignore files above a folder up to the git root, outermost first."""
    top = _git_root(root)
    if top is None or top == root:
        return ()
    chain: list[IgnoreFile] = []
    current = root
    while current != top:
        current = os.path.dirname(current)
        if (rules := read_ignore_file(current)) is not None:
            chain.append(rules)
    chain.reverse()
    # Naming a folder that is ignored asks for it: the rules that hide it do not count.
    return () if ignored_from(tuple(chain), top, root) else tuple(chain)


def _git_root(path: str) -> str | None:
    while not os.path.lexists(os.path.join(path, ".git")):
        parent = os.path.dirname(path)
        if parent == path:
            return None
        path = parent
    return path


def _is_in_build(root: str) -> bool:
    """Whether a given folder is build output, or lies in that of its package."""
    if is_build_folder(os.path.basename(root)):
        return True
    below_build = False
    path = root
    while not os.path.exists(os.path.join(path, "package.json")):
        below_build = below_build or is_build_folder(os.path.basename(path))
        parent = os.path.dirname(path)
        if parent == path:
            return False
        path = parent
    return below_build


def _is_python_package(path: str) -> bool:
    return os.path.exists(os.path.join(path, "__init__.py"))


def _is_script(path: str) -> bool:
    return shebang_language(_head(path, 256)) is not None


def _is_bundle(path: str, size: int) -> bool:
    name = os.path.basename(path)
    if suffix_of(name) in PYTHON_SUFFIXES:
        return False
    if is_minified(name):
        return True
    if size < _SMALLEST_BUNDLE:
        return False
    head = _head(path, _SNIFFED_BYTES)
    return len(head) > _MINIFIED_LINE * (head.count(b"\n") + 1)


def _head(path: str, length: int) -> bytes:
    """The first bytes of a file; none when it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(length) or b""
    except OSError:
        return b""


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
