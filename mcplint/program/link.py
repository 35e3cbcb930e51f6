"""Modules and the imports between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from mcplint.files.source import Source, UndecodableError
from mcplint.program.resolve_node import NodeResolver, external_name
from mcplint.program.resolve_python import PythonResolver
from mcplint.program.scope import Binder, ClassInfo, Scope
from mcplint.syntax import PYTHON_SUFFIXES, SUFFIXES, ir, lower


class Reader(Protocol):
    """Reads a source file; raises OSError or UndecodableError."""

    def __call__(self, path: Path) -> Source:
        """The source in ``path``."""


@dataclass(eq=False)
class LinkedModule:
    """One module of a program: its IR, its names, and where its imports lead."""

    code: ir.Module
    linker: Linker
    binder: Binder = field(init=False)
    scope: Scope = field(init=False)
    rests: dict[ir.Node, ir.Function] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.binder = Binder(self)
        self.scope = self.binder.bind_module(self.code.body)

    @property
    def path(self) -> Path:
        """The module's file."""
        return self.code.source.path

    @property
    def is_python(self) -> bool:
        """Whether Python's rules of names and imports apply."""
        return self.code.language == "python"

    def scope_of(self, function: ir.Function) -> Scope:
        """The scope inside ``function``, which must be of this module."""
        return self.binder.scopes[function]

    def adopt(self, function: ir.Function, node: ir.Node, scope: Scope) -> None:
        """Take in a function that the file does not have: the code behind ``node``, in its scope."""
        self.rests[node] = function
        self.binder.scopes[function] = scope

    def class_info(self, cls: ir.Class) -> ClassInfo:
        """The members of a class of this module."""
        return self.binder.classes[cls]

    def name_of(self, function: ir.Function) -> str | None:
        """A function's own name, or that of the variable, field or key that holds it."""
        return self.binder.names.get(function)

    @cached_property
    def by_export(self) -> dict[str, list[tuple[ir.Expr | str, Scope, str | None]]]:
        """What each exported name stands for: an expression or a local name, or a re-export."""
        table: dict[str, list[tuple[ir.Expr | str, Scope, str | None]]] = {}
        for node, scope in self.binder.exports:
            if isinstance(node, ir.ExportValue):
                table.setdefault(node.name, []).append((node.value, scope, None))
            else:
                for local, exported in node.names:
                    table.setdefault(exported, []).append((local, scope, node.module))
        return table

    def imported(self, module: str, level: int = 0) -> LinkedModule | str:
        """The module that an import here means, or the external name of one outside."""
        return self.linker.imported(self, module, level)

    def submodule(self, name: str) -> LinkedModule | None:
        """For a Python package's ``__init__``: its submodule ``name``, if it is a file."""
        if self.is_python and self.path.stem == "__init__":
            found = self.imported(name, 1)
            return found if isinstance(found, LinkedModule) else None
        return None


class Linker:
    """Loads modules once and resolves the imports between them."""

    def __init__(
        self,
        read: Reader,
        python_roots: tuple[Path, ...] = (),
        on_problem: Callable[[Path, str, int | None], None] = lambda path, reason, line: None,
    ) -> None:
        self._read = read
        self._node = NodeResolver()
        self._python = PythonResolver(python_roots)
        self._on_problem = on_problem
        self._modules: dict[Path, LinkedModule | None] = {}
        self._closures: dict[LinkedModule, frozenset[LinkedModule]] = {}
        self._imports: dict[tuple[Path, str, int], LinkedModule | str] = {}

    def load(self, path: Path) -> LinkedModule | None:
        """The module in ``path``, or None if it cannot be read (which is reported once)."""
        key = Path(path)
        if key not in self._modules:
            self._modules[key] = self._load(key)
        return self._modules[key]

    @property
    def count(self) -> int:
        """How many files have been asked for so far."""
        return len(self._modules)

    def loaded(self) -> Iterator[LinkedModule]:
        """Every module loaded so far."""
        return (m for m in self._modules.values() if m is not None)

    def closure(self, module: LinkedModule) -> frozenset[LinkedModule]:
        """A module with everything that it imports, directly or not, loaded."""
        if module not in self._closures:
            seen: set[LinkedModule] = set()
            todo = [module]
            while todo:
                current = todo.pop()
                if current in seen:
                    continue
                seen.add(current)
                for name, level in current.binder.requests:
                    target = self.imported(current, name, level)
                    if isinstance(target, LinkedModule):
                        todo.append(target)
            self._closures[module] = frozenset(seen)
        return self._closures[module]

    def _load(self, path: Path) -> LinkedModule | None:
        try:
            source = self._read(path)
        except (OSError, UndecodableError) as error:
            self._on_problem(path, f"cannot be read: {_reason(error)}", None)
            return None
        module = lower(source)
        for problem in module.problems[:1]:
            line = source.position(problem.offset).line
            self._on_problem(path, problem.message, line)
        return LinkedModule(module, self)

    def imported(self, importer: LinkedModule, module: str, level: int) -> LinkedModule | str:
        """The module that ``importer`` means by ``module``, or its external name."""
        key = (importer.path, module, level)
        if key not in self._imports:
            self._imports[key] = self._imported(importer, module, level)
        return self._imports[key]

    def _imported(self, importer: LinkedModule, module: str, level: int) -> LinkedModule | str:
        if importer.is_python:
            target = self._python.resolve(module, level, importer.path)
            name = module
            known = target is not None and target.suffix in PYTHON_SUFFIXES
        else:
            target = self._node.resolve(module, importer.path)
            name = external_name(module)
            known = target is not None and (target.suffix in SUFFIXES or not target.suffix)
        if target is not None and known and (loaded := self.load(target)) is not None:
            return loaded
        return name


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)
