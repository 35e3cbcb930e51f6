"""What the value of a key may be: a small language of types that checks, describes and explains itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcplint.hints import close_matches

Path = tuple[str | int, ...]
"""The way to a value: keys and positions."""

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value, where, and what could be meant."""

    path: Path
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A type.

    Attributes:
        name: how a message and the reference call it.
        faults: what is wrong with a value that was read at a path.
        schema: the same as JSON schema.
    """

    name: str
    faults: Callable[[Any, Path], Iterator[Fault]]
    schema: Schema


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table.

    Attributes:
        name: the key.
        kind: what its value may be.
        doc: what it means, in Markdown.
        default: its default, as the reference shows it.
        example: TOML below ``[tool.mcplint]`` that uses it.
    """

    name: str
    kind: Kind
    doc: str
    default: str = ""
    example: str = ""
    required: bool = False


def _plain(name: str, types: tuple[type, ...], schema: Schema) -> Kind:
    def faults(value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            yield wrong(name, value, path)

    return Kind(name, faults, schema)


def wrong(name: str, value: Any, path: Path) -> Fault:
    """A value of another type."""
    return Fault(path, f"`{dotted(path)}` must be {name}, not {_described(value)}")


def dotted(path: Path) -> str:
    """A way as people write it: ``holders[0].names``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _described(value: Any) -> str:
    kinds = ((bool, "a boolean"), (str, "a string"), (int, "a number"), (float, "a number"))
    more = ((list, "a list"), (dict, "a table"))
    return next((name for kind, name in (*kinds, *more) if isinstance(value, kind)), type(value).__name__)


TEXT = _plain("a string", (str,), {"type": "string"})
BOOLEAN = _plain("true or false", (bool,), {"type": "boolean"})
NUMBER = _plain("a number", (int, float), {"type": "number"})
SCALAR = _plain(
    "a string, a number or a boolean", (str, int, bool), {"type": ["string", "integer", "boolean"]}
)
PLACE = _plain("a position or the name of an argument", (str, int), {"type": ["string", "integer"]})


def choice(*words: str) -> Kind:
    """One of some words."""
    name = f"one of {', '.join(f'`{word}`' for word in words)}"

    def faults(value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield wrong(name, value, path)
        elif value not in words:
            yield Fault(path, f"`{dotted(path)}` must be {name}, not `{value}`", _meant(value, words))

    return Kind(name, faults, {"enum": list(words)})


def either(one: Kind, other: Kind) -> Kind:
    """A value of one of two types."""
    name = f"{one.name} or {other.name}"

    def faults(value: Any, path: Path) -> Iterator[Fault]:
        found = [list(kind.faults(value, path)) for kind in (one, other)]
        if all(found):
            # The type that the value nearly has says what is wrong with it.
            near = next((f for f in found if f[0].hint or f[0].path != path), None)
            yield from near or [wrong(name, value, path)]

    return Kind(name, faults, {"anyOf": [one.schema, other.schema]})


def many(item: Kind, name: str) -> Kind:
    """A list."""

    def faults(value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield wrong(name, value, path)
            return
        for index, element in enumerate(value):
            yield from item.faults(element, (*path, index))

    return Kind(name, faults, {"type": "array", "items": item.schema})


def mapping(value_kind: Kind, name: str, check_key: Kind | None = None) -> Kind:
    """A table whose keys the user chooses."""

    def faults(value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield wrong(name, value, path)
            return
        for key, element in value.items():
            if check_key is not None:
                yield from check_key.faults(key, (*path, key))
            yield from value_kind.faults(element, (*path, key))

    return Kind(name, faults, {"type": "object", "additionalProperties": value_kind.schema})


def table(keys: tuple[Key, ...], name: str = "a table") -> Kind:
    """A table with these keys and no others."""
    known = {key.name: key for key in keys}

    def faults(value: Any, path: Path) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield wrong(name, value, path)
            return
        for word, element in value.items():
            if word in known:
                yield from known[word].kind.faults(element, (*path, word))
            else:
                yield Fault((*path, word), f"unknown key `{dotted((*path, word))}`", _meant(word, known))
        for key in keys:
            if key.required and key.name not in value:
                yield Fault(path, f"`{dotted(path)}` lacks the key `{key.name}`")

    return Kind(name, faults, schema_of(keys))


def schema_of(keys: tuple[Key, ...]) -> Schema:
    """The JSON schema of a table with these keys."""
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key.name: {"description": key.doc.replace("\n", " "), **key.kind.schema} for key in keys
        },
    }
    required = [key.name for key in keys if key.required]
    return schema | ({"required": required} if required else {})


def _meant(word: str, words: Mapping[str, Any] | tuple[str, ...]) -> str | None:
    matches = close_matches(str(word), words, 1)
    return f"did you mean `{matches[0]}`?" if matches else None
