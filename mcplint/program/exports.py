"""What names that are imported stand for: what other modules export, by any spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.program.scope import BoundImport
from mcplint.program.values import (
    NOTHING_KNOWN,
    External,
    ModuleValue,
    Value,
    Values,
)

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.link import LinkedModule


class Exports:
    """Answers for names that come from another module, of the program or outside."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator

    def imported(self, binding: BoundImport, module: LinkedModule) -> Values:
        """What an imported name stands for in ``module``."""
        target = module.imported(binding.module, binding.level)
        if binding.imported is None:
            return self.namespace(target)
        if isinstance(target, str):
            if binding.imported == "default":
                return frozenset({External(target)})
            name = f"{target}.{binding.imported}" if target else binding.imported
            return frozenset({External(self._ev.catalog.globals.get(name, name))})
        found = self.exported(target, binding.imported)
        if not found and (child := target.submodule(binding.imported)) is not None:
            return frozenset({ModuleValue(child)})
        return found or NOTHING_KNOWN

    def namespace(self, target: LinkedModule | str) -> Values:
        """What a module is as a whole."""
        if isinstance(target, str):
            return frozenset({External(target)})
        result: set[Value] = {ModuleValue(target)}
        for value, scope, _ in target.by_export.get("=", ()):
            if not isinstance(value, str):
                result |= self._ev.values(value, scope)
        return frozenset(result)

    def exported(self, module: LinkedModule, name: str) -> Values:
        """What a module exports under ``name``; empty if it exports no such name."""
        with self._ev.once("export", module, name) as first:
            return self._exported(module, name) if first else frozenset()

    def _exported(self, module: LinkedModule, name: str) -> Values:
        if module.is_python:
            found = self.python_global(module, name)
        else:
            found = self._entries(module, name)
            whole = [] if found else module.by_export.get("=", [])
            for value, scope, _ in whole:
                if isinstance(value, str):
                    continue
                values = self._ev.values(value, scope)
                found |= values if name == "default" else self._ev.members(values, name)
        if found:
            return found
        for _, scope, source in module.by_export.get("*", ()):
            if source is not None:
                target = scope.module.imported(source)
                if isinstance(target, str):
                    found |= frozenset({External(f"{target}.{name}")})
                else:
                    found |= self.exported(target, name)
        return found

    def _entries(self, module: LinkedModule, name: str) -> Values:
        result: set[Value] = set()
        for value, scope, source in module.by_export.get(name, ()):
            if source is not None:
                target = scope.module.imported(source)
                local = str(value)
                if local == "*":
                    result |= self.namespace(target)
                elif isinstance(target, str):
                    result.add(External(target if local == "default" else f"{target}.{local}"))
                else:
                    result |= self.exported(target, local)
            elif isinstance(value, str):
                result |= self._ev.name(value, scope)
            else:
                result |= self._ev.values(value, scope)
        return frozenset(result)

    def python_global(self, module: LinkedModule, name: str) -> Values:
        """What a name at the top of a Python module stands for, by a star import too."""
        bindings = module.scope.bindings.get(name)
        if bindings is not None:
            return self._ev.name(name, module.scope)
        result: set[Value] = set()
        for binding in module.scope.bindings.get("*", ()):
            if isinstance(binding, BoundImport):
                target = module.imported(binding.module, binding.level)
                if not isinstance(target, str):
                    result |= self.exported(target, name)
        return frozenset(result)
