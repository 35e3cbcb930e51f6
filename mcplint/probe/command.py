"""How a server is started, when only its folder or file is named."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from mcplint.files.data import read_json, read_toml, strings, table
from mcplint.lifecycle.model import Server
from mcplint.probe.result import Subject
from mcplint.syntax import PYTHON_SUFFIXES, TYPESCRIPT_SUFFIXES

_PYTHON_CALL = "import sys; from {module} import {name}; sys.exit({call}())"


class NoCommandError(Exception):
    """It is not clear how to start a server; ``hint`` says what to do."""

    def __init__(
        self, message: str, hint: str = "name the command: `mcplint probe -- COMMAND ARGUMENTS`"
    ) -> None:
        super().__init__(message)
        self.hint = hint


def start_of(path: Path, servers: Sequence[Server]) -> Subject:
    """The command that starts the server of a project or file.

    Args:
        path: a file, or the folder of a package.json or pyproject.toml.
        servers: the servers that its source has.

    Raises:
        NoCommandError: it cannot be told, or there are several.
    """
    if path.is_file():
        return _file(path)
    commands = {subject.command: subject for subject in (*_node(path), *_python(path))}
    if not commands:
        commands = {s.command: s for s in (_file(server.entry) for server in servers)}
    if len(commands) == 1:
        return next(iter(commands.values()))
    if commands:
        listed = "; ".join(subject.title for subject in commands.values())
        raise NoCommandError(f"{path} has several commands: {listed}")
    raise NoCommandError(f"nothing in {path} says how its server is started")


def _file(path: Path) -> Subject:
    program = _python_of(path.parent) if path.suffix in PYTHON_SUFFIXES else _node_program()
    if path.suffix in TYPESCRIPT_SUFFIXES:
        raise NoCommandError(f"{path} must be built before it can be started")
    file = str(path.resolve())
    return Subject(f"{Path(program).name} {path}", (program, file), str(path.resolve().parent))


# ---------------------------------------------------------------------------- Node


def _node(folder: Path) -> Iterable[Subject]:
    manifest = read_json(folder / "package.json")
    if manifest is None:
        return
    declared = manifest.get("bin") or manifest.get("main")
    targets = tuple(declared.values()) if isinstance(declared, dict) else strings(declared)
    for target in dict.fromkeys(t for t in targets if isinstance(t, str)):
        file = folder / target
        if not file.is_file():
            raise NoCommandError(f"{file} is not there", "build the package first")
        yield Subject(f"node {file}", (_node_program(), str(file.resolve())), str(folder.resolve()))


def _node_program() -> str:
    return shutil.which("node") or "node"


# ---------------------------------------------------------------------------- Python


def _python(folder: Path) -> Iterable[Subject]:
    project = table(read_toml(folder / "pyproject.toml"), "project")
    for name, target in table(project, "scripts").items():
        module, colon, function = str(target).partition(":")
        if not colon:
            continue
        program = _python_of(folder)
        called = function.partition("[")[0].strip()
        code = _PYTHON_CALL.format(module=module.strip(), name=called.partition(".")[0], call=called)
        paths = os.pathsep.join(str(p.resolve()) for p in (folder / "src", folder) if p.is_dir())
        yield Subject(name, (program, "-c", code), str(folder.resolve()), (("PYTHONPATH", paths),))


def _python_of(folder: Path) -> str:
    """The interpreter of the project's own environment, or else the one that runs mcplint."""
    inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    for home in (folder.resolve(), *folder.resolve().parents):
        for name in (".venv", "venv"):
            program = home.joinpath(name, *inside)
            if program.is_file():
                return str(program)
    return sys.executable
