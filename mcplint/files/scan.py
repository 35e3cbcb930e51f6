"""A cheap look at the bytes of many files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from mcplint.files.data import read_bytes
from mcplint.files.source import Source
from mcplint.files.walk import MAX_NAMED_BYTES, FoundFile, Skipped

_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")

Read = Callable[[Path], bytes]
"""How the bytes of a file are got; raises OSError if they cannot be."""


def from_disk(path: Path) -> bytes:
    """What a file holds."""
    return read_bytes(path, MAX_NAMED_BYTES)


def reader(contents: Mapping[str, bytes]) -> Read:
    """Reads files, as if some held something else; those are named by their real paths."""
    if not contents:
        return from_disk

    def read(path: Path) -> bytes:
        known = contents.get(os.path.realpath(path))
        return from_disk(path) if known is None else known

    return read


def mentions(data: bytes, needles: re.Pattern[bytes]) -> bool:
    """Whether a file's bytes, in UTF-8 or UTF-16, hold one of the needles."""
    if data[:2] in _UTF16_BOMS:
        data = data.decode("utf-16", "ignore").encode("utf-8", "ignore")
    return needles.search(data) is not None


def read_source(path: Path, read: Read = from_disk) -> Source:
    """Read one file as text.

    Raises:
        OSError: the file cannot be read, is no regular file, or is larger than
            ``MAX_NAMED_BYTES``.
        UndecodableError: its bytes are not text in the encoding that it declares.
    """
    return Source.from_bytes(path, read(path))


def scan(
    files: Iterable[FoundFile],
    pattern: re.Pattern[bytes],
    skipped: list[Skipped] | None = None,
    read: Read = from_disk,
) -> Iterator[tuple[FoundFile, bytes]]:
    """The files whose bytes match, each with its bytes.

    Args:
        files: what ``discover`` found.
        pattern: what to look for.
        skipped: gets a record for each file that cannot be read.
        read: how their bytes are got.
    """
    for file in files:
        try:
            data = read(file.path)
        except OSError as error:
            if skipped is not None:
                reason = (error.strerror or type(error).__name__).lower()
                skipped.append(Skipped(file.path, reason))
            continue
        if mentions(data, pattern):
            yield file, data
