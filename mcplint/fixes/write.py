"""Writing changed files back: whole or not at all, and as they were but for the change."""

from __future__ import annotations

import contextlib
import os
import tempfile

from mcplint.files.data import read_bytes
from mcplint.files.source import Source, UndecodableError
from mcplint.files.walk import MAX_NAMED_BYTES


class NotWrittenError(Exception):
    """A file was left as it is, and why."""


def encoded(source: Source) -> bytes:
    """The bytes of a file with this text, in its own encoding and with its byte order mark.

    Raises:
        NotWrittenError: the encoding has no bytes for some character.
    """
    try:
        return source.bom + source.text.encode(source.encoding)
    except (UnicodeError, LookupError) as error:
        raise NotWrittenError(f"it cannot be written as {source.encoding}: {error}") from error


def write(before: Source, after: Source) -> None:
    """Put ``after`` in the place of ``before``, if that is still what the file holds.

    The file that a link leads to is replaced in one step, with its mode kept: whoever reads it sees
    the old text or the new one, and a full disk leaves the old one.

    Raises:
        NotWrittenError: the file was left as it is.
    """
    path = os.path.realpath(before.path)
    data = encoded(after)
    _check_unchanged(path, before)
    try:
        if not os.access(path, os.W_OK):
            raise NotWrittenError("it is read-only")
        _replace(path, data)
    except OSError as error:
        raise NotWrittenError((error.strerror or type(error).__name__).lower()) from error


def _check_unchanged(path: str, before: Source) -> None:
    try:
        now = read_bytes(path, MAX_NAMED_BYTES)
        same = Source.from_bytes(before.path, now) == before
    except (OSError, UndecodableError):
        same = False
    if not same:
        raise NotWrittenError("it has changed since it was read")
    if encoded(before) != now:
        raise NotWrittenError(f"its encoding, {before.encoding}, has several ways to write its text")


def _replace(path: str, data: bytes) -> None:
    folder, name = os.path.split(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _dress(temporary, path)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _dress(temporary: str, path: str) -> None:
    """Give a new file the mode of the old one, and its owner where that is allowed."""
    known = os.stat(path)
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, known.st_uid, known.st_gid)
    os.chmod(temporary, known.st_mode & 0o7777)
