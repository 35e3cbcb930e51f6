"""The servers that a client's configuration starts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcplint.files.data import read_jsonc, read_toml, strings, table
from mcplint.probe.command import NoCommandError
from mcplint.probe.result import Subject

_TABLES = (("mcpServers",), ("servers",), ("mcp", "servers"), ("mcp_servers",), ("mcp",))
"""Where clients keep their servers."""
_VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}")


def subjects(path: Path, wanted: str | None) -> tuple[Subject, ...]:
    """What a configuration starts; servers that are reached by an address are left out.

    Args:
        path: such as ``.mcp.json`` or ``.codex/config.toml``.
        wanted: the name of the only server to start; None for all.

    Raises:
        NoCommandError: the file cannot be read, or has no such server.
    """
    config = read_toml(path) if path.suffix == ".toml" else read_jsonc(path)
    if config is None:
        raise NoCommandError(f"cannot read {path}", "it must be JSON, with comments or without, or TOML")
    found = {subject.title: subject for subject in _servers(config, path)}
    if wanted is not None:
        if wanted not in found:
            raise NoCommandError(f"no server `{wanted}` in {path}", f"it has: {', '.join(found) or 'none'}")
        return (found[wanted],)
    if not found:
        raise NoCommandError(
            f"no server in {path} that is started by a command", "see `mcplint probe --help`"
        )
    return tuple(found.values())


def _servers(config: Mapping[str, Any], path: Path) -> Iterator[Subject]:
    for keys in _TABLES:
        for name, entry in table(config, *keys).items():
            command = _command(entry) if isinstance(entry, dict) else ()
            if command:
                variables = table(entry, "env") or table(entry, "environment")
                env = tuple((key, _filled(str(value))) for key, value in variables.items())
                cwd = entry.get("cwd")
                folder = path.resolve().parent
                yield Subject(name, command, str(folder / cwd) if isinstance(cwd, str) else str(folder), env)


def _command(entry: Mapping[str, Any]) -> tuple[str, ...]:
    program, arguments = entry.get("command"), entry.get("args")
    words = strings(program) + strings(arguments if isinstance(arguments, list) else None)
    return tuple(map(_filled, words))


def _filled(text: str) -> str:
    """A value with the environment variables that it names, as clients fill them in."""
    return _VARIABLE.sub(lambda match: os.environ.get(match[1], match[2] or ""), text)
