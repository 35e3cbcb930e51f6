"""What a name can stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.syntax.ir import Array, Call, Function, Object

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule
    from mcplint.program.scope import ClassInfo, Scope


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of the program, with the scope that it closes over."""

    function: Function
    scope: Scope


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the program."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the program; ``site`` is the call that made it, if known."""

    info: ClassInfo
    site: Call | None = None


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the program, by the catalog's name for it.

    ``site`` is the call that made the object which the name starts from. ``?`` is a value
    that nobody knows.
    """

    name: str
    site: Call | None = None


@dataclass(frozen=True, slots=True)
class Const:
    """A constant."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object literal."""

    node: Object
    scope: Scope


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array literal."""

    node: Array
    scope: Scope


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module's namespace."""

    module: LinkedModule


Value = FunctionValue | ClassValue | Instance | External | Const | ObjectValue | ArrayValue | ModuleValue
Values = frozenset[Value]

UNKNOWN = External("?")
UNUSUAL = External("unusual.")
"""What something comes to only in a run that is not the usual one."""
NOTHING_KNOWN: Values = frozenset({UNKNOWN})


def site_of(value: Value) -> Call | None:
    """The call that made an object, or the object that a name starts from, if it is known."""
    return value.site if isinstance(value, (Instance, External)) else None
