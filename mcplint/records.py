"""Records: what frozen dataclasses are to a type checker, at a tenth of their price at import.

``dataclass(frozen=True, slots=True)`` compiles up to eight methods for each class, about 0.3 ms
a class, which is a third of a short run; and a frozen one is slow to construct. A record has its
fields as slots, and its ``__init__`` is compiled when the first one is made. That nothing is
changed after it was made is the type checker's business: at run time nothing stops it.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[Any], Any]:
        """What only a type checker reads."""
        return lambda function: function


_T = TypeVar("_T")
_NOT_COPIED = ("__dict__", "__weakref__")


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[_T]) -> type[_T]:
    """A record that compares and hashes by identity."""
    return _with_slots(cls, {})


@dataclass_transform(frozen_default=True, eq_default=True)
def record(cls: type[_T]) -> type[_T]:
    """A record that compares and hashes by the values of its fields."""
    values = _values(_fields(cls))

    def equal(self: object, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return _with_slots(cls, {"__eq__": equal, "__hash__": lambda self: hash(values(self))})


def replace(record: _T, **changes: Any) -> _T:
    """A copy of a record with other values in some fields."""
    kind: Any = type(record)
    return kind(**{name: getattr(record, name) for name in kind.__match_args__} | changes)  # type: ignore[no-any-return]


def _fields(cls: type) -> tuple[str, ...]:
    return (*getattr(cls.__base__, "__match_args__", ()), *cls.__annotations__)


def _values(fields: tuple[str, ...]) -> Callable[[object], object]:
    return attrgetter(*fields) if fields else lambda record: ()


def _with_slots(cls: type[_T], methods: dict[str, object]) -> type[_T]:
    """The class once more, as slots cannot be added to one that is there."""
    own = tuple(cls.__annotations__)
    defaults = {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    namespace = {k: v for k, v in cls.__dict__.items() if k not in defaults and k not in _NOT_COPIED}
    namespace |= {
        "__slots__": own,
        "__match_args__": _fields(cls),
        "__defaults__": {**getattr(cls.__base__, "__defaults__", {}), **defaults},
        "__init__": _first_init,
        "__repr__": _repr,
        **methods,
    }
    made: Any = type(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made  # type: ignore[no-any-return]


def _first_init(self: Any, *values: Any, **named: Any) -> None:
    """Stand in for ``__init__`` until the first object of a class is made."""
    cls = type(self)
    cls.__init__ = _compiled_init(cls)
    self.__init__(*values, **named)


def _compiled_init(cls: Any) -> Callable[..., None]:
    defaults: dict[str, object] = cls.__defaults__
    fields: tuple[str, ...] = cls.__match_args__
    parameters = [f"{name}=defaults[{name!r}]" if name in defaults else name for name in fields]
    body = "; ".join(f"self.{name} = {name}" for name in fields) or "pass"
    scope: dict[str, Any] = {"defaults": defaults}
    exec(f"def __init__({', '.join(['self', *parameters])}):\n    {body}", scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _repr(self: Any) -> str:
    cls = type(self)
    shown = (f"{name}={getattr(self, name)!r}" for name in cls.__match_args__)
    return f"{cls.__qualname__}({', '.join(shown)})"
