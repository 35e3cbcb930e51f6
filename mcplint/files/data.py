"""Reads manifests (JSON, JSON with comments, TOML) that nobody vouches for.

Nothing here raises on what a file holds: a file that is missing, unreadable,
larger than ``MAX_MANIFEST_BYTES``, undecodable or malformed reads as ``None``.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

MAX_MANIFEST_BYTES = 4 * 1024 * 1024
"""The largest manifest or lock file that is read, in bytes."""

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*"?)|//[^\n]*|/\*(?:.*?\*/|.*)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*"?)|,(?=\s*[}\]])')

Table = Mapping[str, Any]
"""A JSON object or TOML table."""


def read_bytes(path: str | Path, limit: int) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes.

    Raises:
        OSError: the file cannot be read, is no regular file, or is larger.
    """
    # O_NONBLOCK: opening a named pipe must not wait for a writer.
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        data = _read_up_to(descriptor, status.st_size, limit)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit // (1024 * 1024)} MiB", str(path))
    return data


def _read_up_to(descriptor: int, size: int, limit: int) -> bytes:
    data = os.read(descriptor, min(size, limit) + 1)
    if len(data) == size:
        return data
    # A short read, or a file that grew since it was measured.
    chunks = [data]
    total = len(data)
    while data and total <= limit:
        data = os.read(descriptor, min(1 << 20, limit + 1 - total))
        chunks.append(data)
        total += len(data)
    return b"".join(chunks)


def read_text(path: str | Path) -> str | None:
    """The text of a manifest (UTF-8 or UTF-16 with a byte order mark), or ``None``."""
    try:
        data = read_bytes(path, MAX_MANIFEST_BYTES)
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except (OSError, ValueError):
        return None


def read_json(path: str | Path) -> Table | None:
    """The object in a JSON file, or ``None``."""
    text = read_text(path)
    return None if text is None else _loads(text)


def read_jsonc(path: str | Path) -> Table | None:
    """The object in a JSON file that may hold comments and trailing commas, or ``None``."""
    text = read_text(path)
    return None if text is None else parse_jsonc(text)


def parse_jsonc(text: str) -> Table | None:
    """The object in JSON text with comments and trailing commas, or ``None``."""
    plain = _loads(text)
    if plain is not None:
        return plain
    bare = _COMMENT.sub(lambda match: match.group(1) or " ", text)
    return _loads(_TRAILING_COMMA.sub(lambda match: match.group(1) or "", bare))


def _loads(text: str) -> Table | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_toml(path: str | Path) -> Table | None:
    """The top-level table of a TOML file, or ``None``."""
    text = read_text(path)
    return None if text is None else parse_toml(text)


def parse_toml(text: str) -> Table | None:
    """The top-level table of TOML text, or ``None``."""
    parser = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        return dict(parser.loads(text.replace("\r\n", "\n")))
    except (ValueError, RecursionError, TypeError):
        return None


def table(value: object, *keys: str) -> Table:
    """The table found in ``value`` under a chain of keys; empty when there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: object) -> tuple[str, ...]:
    """The strings of a list, a string as a list of one, and nothing of anything else."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str))
    return ()
