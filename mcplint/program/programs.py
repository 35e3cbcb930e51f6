"""Which programs there are: the entries that lead to a stdio transport.

An entry is declared by a manifest, or is the file that makes the transport, or a file that
imports that one; a transport in a function that nobody calls is started from that function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcplint.program.calls import last_name
from mcplint.program.catalog import Catalog, lookup
from mcplint.program.evaluate import Evaluator
from mcplint.program.execution import Execution
from mcplint.program.handed import called_names, handed_names
from mcplint.program.library import is_offered
from mcplint.program.manifests import DeclaredEntry, declared_entries
from mcplint.program.protocol import Protocol
from mcplint.program.scope import Bound, BoundClass, BoundImport, Scope
from mcplint.program.steps import Scanner
from mcplint.program.values import FunctionValue, Instance
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule, Linker

_RANK = {"bin": 0, "console_script": 0, "main_module": 1, "script": 2, "main": 3, "exports": 4}
_STARTS = ("bin", "script")
_MANIFESTS = ("package.json", "pyproject.toml", "setup.cfg")
_MAX_IMPORTERS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """An entry with all that it reaches; ``functions`` are called once its module has run."""

    entry: LinkedModule
    execution: Execution
    functions: tuple[FunctionValue, ...] = ()


class ProgramFinder:
    """Finds the programs among candidate files of one language."""

    def __init__(
        self,
        linker: Linker,
        evaluator: Evaluator,
        catalog: Catalog,
        importers: Callable[[Path], Iterable[Path]],
    ) -> None:
        self._linker = linker
        self._evaluator = evaluator
        self._catalog = catalog
        self._importers = importers
        self._found: list[Program] = []
        self._covered: set[ir.Call] = set()
        self._attempts: set[object] = set()
        self._modules: set[LinkedModule] = set()
        self._serving: set[LinkedModule] = set()
        self._named: set[Path] = set()
        self._starters: list[DeclaredEntry] = []
        self._tails = {name.rpartition(".")[2] for name in catalog.transports}
        self._protocol = Protocol(
            word for entries in catalog.loops.values() for entry in entries for word in entry.answers
        )

    def find(self, candidates: Iterable[Path], top: Iterable[Path]) -> list[Program]:
        """The programs that the candidates belong to; ``top`` bounds the search for manifests."""
        self._named = {path for path in top if path.is_file()}
        loaded = [m for m in (self._linker.load(path) for path in candidates) if m is not None]
        modules = [m for m in loaded if any(n in m.code.source.text for n in self._catalog.needles)]
        for declared in self._declared(modules, tuple(top)):
            module = self._linker.load(declared.path)
            if module is not None and self._leads_to_news(module, modules):
                self._try(
                    module,
                    self._start_function(module, declared.function),
                    call=_start_call(module, declared.function),
                )
        for module in modules:
            if self._has_news(module):
                self._try(module)
        for module in modules:
            if module not in self._modules or self._has_news(module):
                self._try_importers(module)
        for module in modules:
            if self._has_news(module):
                self._try_functions(module)
        served = {module for program in self._found for module in self._linker.closure(program.entry)}
        self._find_loops([m for m in loaded if m not in served and self._protocol.hears(m)], top)
        return self._found

    def _find_loops(self, modules: list[LinkedModule], top: Iterable[Path]) -> None:
        """The programs that speak the protocol themselves, among the modules that answer requests."""
        for declared in self._declared(modules, tuple(top)):
            module = self._linker.load(declared.path)
            if module is not None and self._leads_to_news(module, modules):
                self._try(module, self._start_function(module, declared.function), loops=True)
        for module in modules:
            if module not in self._modules:
                self._try(module, loops=True)
        for module in modules:
            if module not in self._modules:
                self._try_importers(module, loops=True)

    # ------------------------------------------------------------------ declared entries

    def _declared(self, modules: list[LinkedModule], top: tuple[Path, ...]) -> list[DeclaredEntry]:
        folders: dict[Path, None] = {}
        for module in modules:
            for folder in _package_folders(module.path, top):
                folders.setdefault(folder)
        entries = [e for folder in folders for e in declared_entries(folder)]
        self._starters = [e for e in entries if e.kind in _STARTS]
        return sorted(entries, key=lambda e: _RANK[e.kind])

    def _start_function(self, module: LinkedModule, dotted: str | None) -> frozenset[FunctionValue]:
        if dotted is None:
            return frozenset()
        head, *rest = dotted.split(".")
        values = self._evaluator.exported(module, head)
        for name in rest:
            values = self._evaluator.members(values, name)
        calls = {v for v in values if isinstance(v, FunctionValue)}
        for value in values:
            if isinstance(value, Instance):
                called = self._evaluator.members({value}, "__call__")
                calls |= {v for v in called if isinstance(v, FunctionValue)}
        return frozenset(calls)

    def _leads_to_news(self, module: LinkedModule, candidates: list[LinkedModule]) -> bool:
        """Whether an entry imports, directly or not, a candidate that no program has yet."""
        closure = self._linker.closure(module)
        return any(c in closure and c not in self._modules for c in candidates)

    # ------------------------------------------------------------------ trying an entry

    def _try(
        self,
        module: LinkedModule,
        functions: Iterable[FunctionValue] = (),
        call: ir.Call | None = None,
        loops: bool = False,
    ) -> bool:
        """Run an entry; keep it if it reaches a transport that no program had yet.

        With ``loops``: if it reads stdin itself, answers the requests, and has no other transport.
        """
        started = tuple(functions)
        attempt = (module, started, call, loops)
        if attempt in self._attempts:
            return False
        self._attempts.add(attempt)
        closure = self._linker.closure(module)
        if loops and not (self._serving.isdisjoint(closure) and self._protocol.hears_all(closure)):
            return False
        scanner = Scanner(self._evaluator, self._catalog, module)
        execution = Execution(self._evaluator, self._catalog, scanner, self._linker)
        execution.enter_module(module)
        for function in started:
            execution.enter_function(function)
        if call is not None and not started:
            execution.enter_call(call, module.scope)
        calls = [
            (item.step.node, item.scope)
            for item in execution.run().reached()
            if isinstance(item.step.node, ir.Call) and not item.context.on_call
        ]
        reached = {call for call, scope in calls if self._makes_transport(call, scope)}
        if loops:
            answers = not reached and self._protocol.answered(set(execution.modules.values()))
            reached = {call for call, scope in calls if answers and self._reads(call, scope)}
        if not reached - self._covered:
            return False
        self._covered |= reached
        self._serving.update(scope.module for call, scope in calls if call in reached)
        self._modules.update(m for m in execution.modules.values())
        self._found.append(Program(module, execution, started))
        return True

    def _makes_transport(self, call: ir.Call, scope: Scope) -> bool:
        targets = self._evaluator.values(call.callee, scope)
        names = (
            *called_names(targets, self._evaluator),
            *handed_names(call, targets, scope, self._evaluator, self._catalog),
        )
        return any(lookup(self._catalog.transports, n) for n in names)

    def _reads(self, call: ir.Call, scope: Scope) -> bool:
        """Whether a call reads stdin as a server without an SDK does."""
        names = self._evaluator.outside_names(call.callee, scope)
        return any(lookup(self._catalog.loops, n) for n in names)

    def _transport_calls(self, module: LinkedModule) -> Iterator[tuple[ir.Call, Scope]]:
        for call, scope in module.binder.calls:
            if self._may_make_transport(call, scope) and self._makes_transport(call, scope):
                yield call, scope

    def _may_make_transport(self, call: ir.Call, scope: Scope) -> bool:
        """A cheap look at a call's last name, to evaluate few of them."""
        if call.is_new or last_name(call.callee) in self._tails:
            return True
        if any(last_name(argument) in self._tails for argument in call.args):
            return True
        if not isinstance(call.callee, ir.Name):
            return False
        bindings = scope.find(call.callee.id) or ()
        return any(isinstance(b, (BoundImport, BoundClass)) for b in bindings)

    def _has_news(self, module: LinkedModule) -> bool:
        return any(call not in self._covered for call, _ in self._transport_calls(module))

    # ------------------------------------------------------------------ undeclared entries

    def _try_importers(self, module: LinkedModule, loops: bool = False) -> None:
        seen = {module.path}
        level = [module.path]
        for _ in range(3):
            level = [p for path in level for p in self._importers(path) if p not in seen][:_MAX_IMPORTERS]
            seen.update(level)
            for importer in filter(None, map(self._linker.load, level)):
                for entry in self._entries_with(importer):
                    self._try(entry, loops=loops)
                self._try(importer, loops=loops)

    def _entries_with(self, module: LinkedModule) -> Iterator[LinkedModule]:
        """The entries of a module's own package that import it."""
        folder = next(_package_folders(module.path, (module.path,)), None)
        for declared in () if folder is None else declared_entries(folder):
            entry = self._linker.load(declared.path)
            if entry is not None and entry is not module and module in self._linker.closure(entry):
                yield entry

    def _try_functions(self, module: LinkedModule) -> None:
        """Start at the outermost function that leads to a transport which nothing else reaches."""
        for call, scope in list(self._transport_calls(module)):
            if call not in self._covered:
                home, functions = self._outermost(module, scope)
                if not self._is_library(home, functions):
                    self._try(home, functions)

    def _is_library(self, module: LinkedModule, functions: Iterable[FunctionValue]) -> bool:
        """Whether functions are exported for others to start, and nothing here may start them.

        A command or a script may, in ways that cannot be followed.
        """
        if module.is_python or module.path in self._named:
            return False
        if any(_holds(e.manifest.parent, module.path) for e in self._starters):
            return False
        return any(is_offered(f.function, module) for f in functions)

    def _outermost(
        self, module: LinkedModule, scope: Scope
    ) -> tuple[LinkedModule, tuple[FunctionValue, ...]]:
        seen: set[ir.Function] = set()
        while True:
            function = scope.function
            if function is None or function in seen:
                return module, ()
            seen.add(function)
            home = scope.parent
            assert home is not None
            callers = [s for _, s in self._evaluator.callers(function, scope.module)]
            outer = next((s for s in callers if s.function is not None), None)
            if outer is None:
                return scope.module, (FunctionValue(function, home),)
            scope = outer


def _holds(folder: Path, path: Path) -> bool:
    return folder in path.parents


def _start_call(module: LinkedModule, dotted: str | None) -> ir.Call | None:
    """The call ``a.b()`` of a console script ``module:a.b``, where ``a`` is defined."""
    if dotted is None or "." not in dotted:
        return None
    head, *rest = dotted.split(".")
    bound = next((b for b in module.scope.bindings.get(head, ()) if isinstance(b, Bound)), None)
    if bound is None:
        return None
    start, end = bound.value.start, bound.value.end
    callee: ir.Expr = ir.Name(start, end, head)
    for name in rest:
        callee = ir.Member(start, end, callee, name)
    return ir.Call(start, end, callee, ())


def _package_folders(path: Path, top: tuple[Path, ...]) -> Iterator[Path]:
    """The folders at or above a file that hold a manifest, up to the paths that were given.

    A single manifest above those paths counts too: the project that they are a part of.
    """
    above = False
    for folder in path.parents:
        try:
            names = {p.name for p in folder.iterdir()}
        except OSError:
            continue
        if any(n in names for n in _MANIFESTS) or any(n.endswith(".dist-info") for n in names):
            yield folder
            if above:
                return
        elif (path.parent == folder or above is False) and "__main__.py" in names:
            yield folder.parent if "__init__.py" in names else folder
        if any(folder == t or folder in t.parents for t in top):
            above = True
        if ".git" in names:
            return
