"""The entry points that a package.json declares."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from mcplint.files.data import Table, table
from mcplint.files.names import suffix_of
from mcplint.files.package import Target, inside, targets
from mcplint.program._sources import SUFFIXES, SourceMap, is_code
from mcplint.program._tree import Tree
from mcplint.program.manifests import DeclaredEntry, Kind

_MAX_COMMAND = 4000
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&"})
_RUNNERS = frozenset(
    {"node", "nodejs", "tsx", "ts-node", "ts-node-esm", "ts-node-dev", "tsnd"}
    | {"bun", "deno", "nodemon", "vite-node", "esno", "jiti", "babel-node"}
)
_PREFIXES = frozenset({"npx", "bunx", "pnpx", "pnpm", "yarn", "exec", "dlx", "cross-env", "env"})
_SUBCOMMANDS = frozenset({"run", "watch"})
_WITH_VALUE = frozenset(
    {"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-C"}
    | {"--conditions", "-P", "--project", "--tsconfig", "-c", "--config", "--exec", "-x"}
    | {"-w", "--watch-path", "--ext", "--import-map", "-O", "--compiler-options"}
)
_INLINE = frozenset({"-e", "--eval", "-p", "--print"})
_NOT_RUN = (
    *("test", "build", "lint", "format", "typecheck", "clean"),
    *("prepare", "install", "publish", "publishOnly", "pack", "version"),
)


def node_entries(tree: Tree, folder: str) -> Iterator[DeclaredEntry]:
    """The entry points of the package.json in a folder."""
    file = os.path.join(folder, "package.json")
    manifest = tree.json(file)
    if manifest is None:
        return
    package = _Package(tree, folder, file)
    found = list(targets(manifest))
    has_main = any(target.name == "main" and target.kind == "main" for target in found)
    for target in (*found, *_bin_folder(tree, folder, manifest)):
        if has_main and (target.kind, target.name) == ("main", "module"):
            continue
        path = package.locate(target.path, any_name=target.kind == "bin")
        if path is not None:
            yield package.entry(path, target.kind, target.name)
    if not any(target.kind != "bin" for target in found):
        path = package.locate("index.js")
        if path is not None:
            yield package.entry(path, "main", "main")
    yield from _scripts(package, manifest)


class _Package:
    """Finds the files of one package."""

    def __init__(self, tree: Tree, folder: str, manifest: str) -> None:
        self._tree = tree
        self._folder = folder
        self._manifest = manifest
        self._sources = SourceMap(tree)

    def entry(self, path: str, kind: Kind, name: str) -> DeclaredEntry:
        """An entry point that this package.json declares."""
        return DeclaredEntry(Path(path), None, kind, name, Path(self._manifest))

    def locate(self, relative: str, any_name: bool = False) -> str | None:
        """The code that a declared path means: its source, else the file itself."""
        path = os.path.normpath(os.path.join(self._folder, relative))
        if self._tree.is_folder(path):
            path = os.path.join(path, "index.js")
        source = self._sources.source_of(path, self._folder)
        if source is not None:
            return source
        for candidate in (path, *(path + suffix for suffix in SUFFIXES)):
            name = os.path.basename(candidate)
            if self._tree.is_file(candidate):
                return candidate if is_code(name) or (any_name and not suffix_of(name)) else None
        return None


def _bin_folder(tree: Tree, folder: str, manifest: Table) -> Iterator[Target]:
    path = inside(table(manifest, "directories").get("bin"))
    if path is None or "bin" in manifest:
        return
    for name in tree.files(os.path.join(folder, *path.split("/"))):
        yield Target("bin", os.path.splitext(name)[0], f"{path}/{name}")


def _scripts(package: _Package, manifest: Table) -> Iterator[DeclaredEntry]:
    for name, command in table(manifest, "scripts").items():
        if not isinstance(command, str) or _is_chore(name) or len(command) > _MAX_COMMAND:
            continue
        for relative in _run_files(command):
            path = package.locate(relative)
            if path is not None:
                yield package.entry(path, "script", name)


def _is_chore(name: str) -> bool:
    return name.startswith(_NOT_RUN) or name.removeprefix("pre").removeprefix("post").startswith(_NOT_RUN)


def _run_files(command: str) -> Iterator[str]:
    """The local files that a shell command runs, as written."""
    words: list[str] = []
    for word in (*_words(command), ";"):
        if word in _SEPARATORS:
            file = _run_file(words)
            if file is not None:
                yield file
            words = []
        else:
            words.append(word)


def _words(command: str) -> list[str]:
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|")
        lexer.whitespace_split = True
        lexer.commenters = ""
        return list(lexer)
    except ValueError:
        return command.split()


def _run_file(words: list[str]) -> str | None:
    rest = iter(words)
    for word in rest:
        if word in _RUNNERS:
            break
        if word not in _PREFIXES and "=" not in word and not word.startswith("-"):
            return None
    else:
        return None
    return _first_file(list(rest))


def _first_file(arguments: list[str]) -> str | None:
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word in _INLINE:
            return None
        if word in _WITH_VALUE:
            index += 1
        elif not word.startswith("-") and word not in _SUBCOMMANDS and word not in _RUNNERS:
            return _local(word)
        index += 1
    return None


def _local(word: str) -> str | None:
    path = word.replace("\\", "/")
    if path.startswith(("/", "~", "$")) or "://" in path or "\0" in path or path[1:2] == ":":
        return None
    return path
