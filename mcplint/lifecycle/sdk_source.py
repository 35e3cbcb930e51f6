"""What an installed SDK does when stdin ends, read in its own code.

A table of versions does not know a patched or a private build. The one file that holds the
transport is small, so that reading it costs little.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mcplint.files.source import Source
from mcplint.lifecycle.handlers import Registration, find_registrations, functions_of
from mcplint.lifecycle.model import STDIN_EVENTS
from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.evaluate import Evaluator
from mcplint.program.execution import Execution
from mcplint.program.link import Linker
from mcplint.program.scope import ClassInfo
from mcplint.program.steps import Scanner
from mcplint.program.values import FunctionValue
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog
    from mcplint.program.catalog_entries import SourceEntry, TransportEntry
    from mcplint.program.link import LinkedModule, Reader
    from mcplint.program.versions import PackageVersion

_BEST_FIRST = ("exits", "closes", "nothing")
_MAX_BYTES = 1 << 20


class SdkSource:
    """Reads transports where they are installed, each file once.

    Args:
        read: how a file is read.
        catalog: what names mean.
    """

    def __init__(self, read: Reader, catalog: Catalog) -> None:
        self._read = read
        self._catalog = catalog
        self._known: dict[tuple[Path, SourceEntry], str | None] = {}

    def at_eof(self, entry: TransportEntry, version: PackageVersion | None) -> tuple[str, Path] | None:
        """What the installed transport does when stdin ends, and the file that says so.

        Of an ES module and its CommonJS twin, that of the one which does anything; None where
        nothing is installed or its code cannot be followed.
        """
        if entry.source is None:
            return None
        said: dict[str, Path] = {}
        for file in _files(entry.source, version):
            key = (file, entry.source)
            if key not in self._known:
                self._known[key] = self._behaviour(file, entry.source)
            does = self._known[key]
            if does is not None:
                said.setdefault(does, file)
                if does != "nothing":
                    break
        return next(((does, said[does]) for does in _BEST_FIRST if does in said), None)

    def _only(self, file: Path) -> Reader:
        """Reads one file; the modules that it imports stay names."""

        def read(path: Path) -> Source:
            if path != file:
                raise FileNotFoundError(path)
            return self._read(path)

        return read

    def _behaviour(self, file: Path, source: SourceEntry) -> str | None:
        linker = Linker(self._only(file))
        module = linker.load(file)
        info = None if module is None else _class_named(module, source.cls)
        start = None if info is None else info.methods.get(source.start)
        if module is None or info is None or start is None:
            return None
        evaluator = Evaluator(linker, self._catalog)
        execution = Execution(evaluator, self._catalog, Scanner(evaluator, self._catalog, None), linker)
        execution.enter_function(FunctionValue(start, info.scope))
        reached = list(execution.run().reached())
        sure, perhaps = {"nothing"}, {"nothing"}
        for listener in find_registrations(reached, evaluator, self._catalog):
            if listener.event in STDIN_EVENTS:
                does = self._reaction(listener, execution, source)
                (perhaps if _is_decided(listener, start) else sure).add(does)
        best, hoped = (min(does, key=_BEST_FIRST.index) for does in (sure, perhaps))
        return best if _BEST_FIRST.index(best) <= _BEST_FIRST.index(hoped) else None

    def _reaction(self, listener: Registration, execution: Execution, source: SourceEntry) -> str:
        """What one listener of the transport does: ends the process, closes the transport, or neither."""
        beside = execution.beside()
        for function in functions_of(listener):
            beside.enter_function(function)
        calls = list(_calls(beside))
        names = [name for _, called in calls for name in called]
        if any(e.effect == "ends" for name in names for e in lookup(self._catalog.exits, name)):
            return "exits"
        return "closes" if any(last_name(call.callee) == source.closed for call, _ in calls) else "nothing"


def _is_decided(listener: Registration, start: ir.Function) -> bool:
    """Whether a listener stands inside a decision, and not only behind one that gives up."""
    return any(
        node.start <= listener.node.start and listener.node.end <= node.end
        for node in ir.walk(*start.body)
        if isinstance(node, (ir.If, ir.Conditional, ir.Logical, ir.Switch))
    )


def _calls(execution: Execution) -> Iterator[tuple[ir.Call, list[str]]]:
    for item in execution.run().reached():
        if isinstance(item.step.node, ir.Call):
            yield item.step.node, execution.evaluator.outside_names(item.step.node.callee, item.scope)


def _files(source: SourceEntry, version: PackageVersion | None) -> Iterator[Path]:
    """The files of the installed package that may hold the transport."""
    if version is None or version.folder is None:
        return
    for name in source.files:
        file = version.folder / name
        try:
            if file.stat().st_size <= _MAX_BYTES:
                yield file
        except OSError:
            continue


def _class_named(module: LinkedModule, name: str) -> ClassInfo | None:
    return next((info for info in module.binder.classes.values() if info.name == name), None)
