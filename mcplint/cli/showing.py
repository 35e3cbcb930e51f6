"""``mcplint check --show-settings``: what holds for a path."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcplint.cli.console import Console
from mcplint.cli.judge import known_paths
from mcplint.report.words import shown

if TYPE_CHECKING:
    from mcplint.api import Options


def run(values: Namespace, options: Options, console: Console) -> int:
    """Print the settings of the first path as TOML, below the files that they come from."""
    from mcplint.files.walk import check
    from mcplint.settings.settings import Configuration

    path = Path(values.stdin_filename or (values.paths or ["."])[0])
    with known_paths():
        if values.stdin_filename is None:
            check([path])
        settings = Configuration(options).of_path(path)
        table = settings.shown()
    lines = [f"# settings for {shown(path)}"]
    lines += [f"# from {shown(layer.path)}" for layer in settings.layers] or ["# from no file"]
    lines += _toml(table)
    console.produce(lambda out, look: out.writelines(f"{line}\n" for line in lines))
    return 0


def _toml(table: dict[str, Any]) -> Iterator[str]:
    """Plain values first, then tables, then lists of tables."""
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    rows = {key: v for key, v in table.items() if isinstance(v, list) and v and isinstance(v[0], dict)}
    for key, value in table.items():
        if key not in tables and key not in rows:
            yield f"{key} = {_value(value)}"
    for key, value in tables.items():
        yield from ("", f"[{key}]", *(f"{_key(name)} = {_value(entry)}" for name, entry in value.items()))
    for key, value in rows.items():
        for row in value:
            yield from ("", f"[[{key}]]", *(f"{_key(name)} = {_value(entry)}" for name, entry in row.items()))


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
