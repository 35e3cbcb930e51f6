"""Every call and write of the loaded modules, by name: who may call this, who may write that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.program.scope import KEEPING, SOMETHING, ClassInfo, Scope
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule, Linker

Calls = list[tuple[ir.Call, Scope]]
ANY_NAME = "[]"
"""The name under which assignments to computed properties are listed."""
_FILLING = frozenset({"push", "unshift", "append", "appendleft", "add", "insert", "extend"})


class CallIndex:
    """An index that takes in modules as the linker loads them.

    Args:
        handing_on: the last names of calls that hand values on to a function given to them.
    """

    def __init__(self, linker: Linker, handing_on: frozenset[str]) -> None:
        self._linker = linker
        self._handing_on = handing_on
        self._count = -1
        self._modules: set[LinkedModule] = set()
        self._calls: dict[str, Calls] = defaultdict(list)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._defaults: set[str] = set()
        self._scopes: dict[ir.Call, Scope] = {}
        self._writes: dict[str, list[tuple[ir.Expr, ir.Expr, Scope]]] = defaultdict(list)
        self._reads: dict[str, list[tuple[ir.Member, Scope]]] = defaultdict(list)
        self._handed: dict[ir.Function, Calls] = defaultdict(list)
        self._fillings: list[tuple[ir.Expr, ir.Expr, Scope]] = []
        self._extending: dict[str, list[ClassInfo]] = defaultdict(list)

    def calls_of(self, name: str) -> Iterator[tuple[ir.Call, Scope]]:
        """The calls of anything that goes by ``name``, also under an import's or export's other name."""
        self._update()
        for alias in {name, *self._aliases.get(name, ())}:
            yield from self._calls.get(alias, ())

    def fillings(self) -> list[tuple[ir.Expr, ir.Expr, Scope]]:
        """What methods put into lists, as in ``hooks.push(f)``: list, element and scope."""
        self._update()
        return self._fillings

    def iterations(self, function: ir.Function) -> Calls:
        """Calls such as ``signals.forEach(f)`` that hand values on to the function ``f``."""
        self._update()
        return self._handed.get(function, [])

    def scope_of(self, call: ir.Call) -> Scope:
        """The scope in which a call of a loaded module stands."""
        self._update()
        return self._scopes[call]

    def extending(self, name: str) -> frozenset[ClassInfo]:
        """The classes of the loaded modules that extend something of that (last) name."""
        self._update()
        names = {name, *self._aliases.get(name, ())}
        return frozenset(info for n in names for info in self._extending.get(n, ()))

    def writes_to(self, name: str) -> list[tuple[ir.Expr, ir.Expr, Scope]]:
        """The assignments to a property ``name`` of anything: owner, value and scope."""
        self._update()
        return self._writes.get(name, [])

    def reads_of(self, name: str) -> list[tuple[ir.Member, Scope]]:
        """Where the loaded modules ask for a property ``name`` of anything."""
        self._update()
        return self._reads.get(name, [])

    def _update(self) -> None:
        if self._linker.count == self._count:
            return
        self._count = self._linker.count
        for module in list(self._linker.loaded()):
            if module not in self._modules:
                self._modules.add(module)
                self._add_code(module)
                self._add_names(module)
        for aliases in self._aliases.values():
            if "default" in aliases:
                aliases |= self._defaults

    def _add_code(self, module: LinkedModule) -> None:
        for info in module.binder.classes.values():
            for base in info.cls.bases:
                self._extending[last_name(base) or ""].append(info)
        for call, scope in module.binder.calls:
            self._scopes[call] = scope
            name = last_name(call.callee)
            if name is None:
                continue
            self._calls[name].append((call, scope))
            if name in _FILLING and isinstance(call.callee, ir.Member):
                self._fillings.extend((call.callee.object, item, scope) for item in call.args)
            if name in self._handing_on and call.args and isinstance(call.args[0], ir.Lambda):
                self._handed[call.args[0].function].append((call, scope))
        for member, scope in module.binder.reads:
            self._reads[member.name].append((member, scope))
        for write, scope in module.binder.writes:
            if isinstance(write.target, ir.Member):
                self._writes[write.target.name].append((write.target.object, written(write), scope))
            elif isinstance(write.target, ir.Index):
                key = write.target.key
                named = isinstance(key, ir.Literal) and isinstance(key.value, str)
                name = str(key.value) if named and isinstance(key, ir.Literal) else ANY_NAME
                self._writes[name].append((write.target.object, written(write), scope))

    def _add_names(self, module: LinkedModule) -> None:
        for function, known_as in module.binder.names.items():
            if function.name not in (None, known_as):  # an expression that goes by its own name inside
                self._aliases[known_as].add(str(function.name))
        for item in (name for node in module.binder.imports for name in node.names):
            if item.imported == "default":
                self._defaults.add(item.local)
            elif item.imported not in (None, item.local):
                self._aliases[str(item.imported)].add(item.local)
        for exported, entries in module.by_export.items():
            for local, _, _ in entries:
                name = local if isinstance(local, str) else last_name(local)
                if name is not None and name != exported:
                    self._aliases[name].add(exported)


def written(write: ir.Assign) -> ir.Expr:
    """What an assignment leaves behind; of ``+=`` and its like nothing is known."""
    return write.value if write.operator in KEEPING else SOMETHING


def last_name(expr: ir.Node) -> str | None:
    """The last name of a chain: ``c`` of ``a.b.c``."""
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Member):
        return expr.name
    return None


def argument(call: ir.Call, at: int | str) -> ir.Expr | None:
    """A positional or keyword argument of a call, if it is given plainly."""
    if isinstance(at, int):
        if at < len(call.args) and not any(isinstance(a, ir.Spread) for a in call.args[: at + 1]):
            return call.args[at]
        return None
    return next((k.value for k in call.keywords if k.name == at), None)
