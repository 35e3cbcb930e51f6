"""One source file as text, with exact positions."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_LINE_BREAK = re.compile(rb"\r\n|\r|\n")
_CODING = re.compile(rb"[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
_CODEC_VARIANT = re.compile(r"(utf-8|latin-1|iso-8859-1|iso-latin-1)-")
_CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that do not begin a character."""
_NOT_FOR_SOURCE = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape"})
"""Codecs that no source is written in; some take quadratic time on hostile input."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class UndecodableError(Exception):
    """The bytes of a file are not text in the encoding that it declares."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file.

    Attributes:
        line: 1-based line number.
        column: 1-based column in Unicode code points; a tab counts as one.
        offset: 0-based byte offset in the UTF-8 form of the text.
    """

    line: int
    column: int
    offset: int


@dataclass(frozen=True)
class Source:
    """The text of one file.

    Offsets everywhere in mcplint are byte offsets into ``utf8``, the text
    without its byte order mark encoded as UTF-8, whatever the file's own
    encoding is.
    """

    path: Path
    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @classmethod
    def from_bytes(cls, path: Path, data: bytes) -> Source:
        """Decode ``data`` by its byte order mark or its PEP 263 cookie, else as UTF-8.

        Raises:
            UndecodableError: the bytes are not text in that encoding.
        """
        encoding, bom = _detect(path, data)
        try:
            if codecs.lookup(encoding).name.replace("-", "_") in _NOT_FOR_SOURCE:
                raise UndecodableError(f"unsupported encoding: {encoding}")
            text = data[len(bom) :].decode(encoding)
        except (UnicodeError, LookupError, ValueError) as error:
            raise UndecodableError(str(error)) from error
        return cls(path, text, encoding, bom)

    @cached_property
    def utf8(self) -> bytes:
        """The text encoded as UTF-8, without a byte order mark."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The byte offset at which each line begins."""
        return (0, *(match.end() for match in _LINE_BREAK.finditer(self.utf8)))

    def position(self, offset: int) -> Position:
        """The line and column of a byte offset.

        An offset past the end is the end; one inside a character is that character's.
        """
        offset = max(0, min(offset, len(self.utf8)))
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        # Counting lead bytes, not decoding: exact for lone surrogates too, and quick on long lines.
        column = len(self.utf8[start : offset + 1].translate(None, _CONTINUATION))
        if offset == len(self.utf8):
            column += 1
        return Position(line, column, offset)

    def line(self, number: int) -> str:
        """The text of a 1-based line without its line break, or ``""`` when there is none."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.utf8)
        return self.utf8[start:end].decode("utf-8", "replace").rstrip("\r\n")

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.utf8[start:end].decode("utf-8", "replace")


def _detect(path: Path, data: bytes) -> tuple[str, bytes]:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding, bom
    if path.suffix in {".py", ".pyi", ".pyw"}:
        return _cookie(data) or "utf-8", b""
    return "utf-8", b""


def _cookie(data: bytes) -> str | None:
    """The encoding declared in a comment on line 1, or on line 2 below a blank or comment."""
    match = _CODING.match(data)
    if match is None and (first := _BLANK.match(data)):
        match = _CODING.match(data, first.end())
    if match is None:
        return None
    name = match.group(1).decode("ascii")
    # Editors write variants such as `utf-8-unix`, which Python reads as the plain codec.
    variant = _CODEC_VARIANT.match(name.lower().replace("_", "-"))
    return variant.group(1) if variant else name
