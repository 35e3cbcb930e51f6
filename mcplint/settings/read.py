"""Finds configuration files and reads them; what makes no sense in one is an error with its place."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mcplint.files.data import MAX_MANIFEST_BYTES, read_bytes
from mcplint.records import record
from mcplint.settings.keys import SETTINGS
from mcplint.settings.kinds import Fault
from mcplint.settings.kinds import Path as Way
from mcplint.settings.places import json_line, toml_line
from mcplint.settings.settings import NAMES, SettingsError

_INSIDE: Mapping[str, Way] = {"pyproject.toml": ("tool", "mcplint"), "package.json": ("mcplint",)}
_MAX_EXTENDS = 10


@record
class Layer:
    """What one file says.

    Attributes:
        path: the file.
        values: its keys and values, which were checked.
    """

    path: Path
    values: Mapping[str, Any]


def settings_in(folder: Path) -> tuple[Layer, ...] | None:
    """The settings that a folder holds, the file itself first and then those that it extends.

    Raises:
        SettingsError: they make no sense.
    """
    for name in NAMES:
        layer = _layer(folder / name, named=False)
        if layer is not None:
            return _with_extended(layer)
    return None


def settings_of(path: Path) -> tuple[Layer, ...]:
    """The settings in a file that the user named.

    Raises:
        SettingsError: they make no sense, or there are none.
    """
    return _with_extended(_required(path))


def _with_extended(layer: Layer) -> tuple[Layer, ...]:
    layers = [layer]
    while (extended := layers[-1].values.get("extend")) is not None:
        last = layers[-1].path
        target = last.parent / extended
        line = _line(last, ("extend",))
        if any(target.resolve() == other.path.resolve() for other in layers) or len(layers) > _MAX_EXTENDS:
            raise SettingsError(last, line, f"`extend` goes round in a circle: {extended}")
        if not target.is_file():
            raise SettingsError(last, line, f"the file in `extend` does not exist: {extended}")
        layers.append(_required(target))
    return tuple(layers)


def _required(path: Path) -> Layer:
    layer = _layer(path, named=True)
    assert layer is not None
    return layer


def _layer(path: Path, named: bool) -> Layer | None:
    """What a file says, or None where it is not there or is not about mcplint."""
    inside = _INSIDE.get(path.name, ())
    try:
        data = read_bytes(path, MAX_MANIFEST_BYTES)
    except OSError as error:
        if named:
            raise SettingsError(path, None, f"cannot be read: {(error.strerror or '').lower()}") from error
        return None
    # Most manifests do not speak of mcplint, and need not be parsed to see that.
    if inside and b"mcplint" not in data and not named:
        return None
    try:
        text = data.decode("utf-8-sig")
        content = _parsed(path, text)
    except (ValueError, RecursionError) as error:
        # A manifest that is broken is its owner's business until it is to tell us something.
        if inside and not named:
            return None
        raise SettingsError(path, None, f"cannot be parsed: {error}") from error
    value: Any = content
    for part in inside:
        value = value.get(part) if isinstance(value, dict) else None
    if value is None:
        if not named:
            return None
        raise SettingsError(path, None, f"holds no settings: `{'.'.join(map(str, inside))}` is missing")
    _check(path, text, value, inside)
    return Layer(path, value)


def _check(path: Path, text: str, value: Any, inside: Way) -> None:
    faults: Iterable[Fault] = SETTINGS.faults(value, ())
    for fault in faults:
        message = fault.message if fault.path else f"`{'.'.join(map(str, inside))}` must be a table"
        raise SettingsError(path, _line_in(path, text, (*inside, *fault.path)), message, fault.hint)


def _parsed(path: Path, text: str) -> Any:
    if path.suffix == ".json":
        return json.loads(text)
    parser = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    return parser.loads(text.replace("\r\n", "\n"))


def _line(path: Path, way: Way) -> int | None:
    text = path.read_text("utf-8", "replace")
    return _line_in(path, text, (*_INSIDE.get(path.name, ()), *way))


def _line_in(path: Path, text: str, way: Way) -> int | None:
    return json_line(text, way) if path.suffix == ".json" else toml_line(text, way)
