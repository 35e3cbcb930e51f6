"""Text on a terminal: how many cells it takes, and what must not reach it raw."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import category, combining, east_asian_width

_TAB = 4
_MARK = "\N{REPLACEMENT CHARACTER}"
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_VARIATION_SELECTORS = frozenset(chr(code) for code in range(0xFE00, 0xFE10))

Glyph = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Strip:
    """One line of source as shown, with the marked part counted in cells."""

    text: str
    indent: int
    length: int


def strip(line: str, begin: int, end: int, width: int) -> Strip:
    """Lay out ``line`` in at most ``width`` cells so that what is marked can be seen.

    ``begin`` and ``end`` are 0-based and count code points; ``end`` is exclusive. A long line
    is cut around ``begin``. Only what lies near is looked at: a line may have a million characters.
    """
    begin = min(max(begin, 0), len(line))
    end = min(max(end, begin), len(line))
    low, high = max(0, begin - width), min(len(line), begin + width)
    glyphs = _glyphs(line[low:high])
    starts = list(accumulate((cells for _, cells in glyphs), initial=0))
    mark, stop = starts[begin - low], starts[min(end, high) - low]
    first, last = 0, len(glyphs)
    if low or high < len(line) or starts[-1] > width:
        room = width - 2
        if mark + min(stop - mark, room // 2) > room:
            first = bisect_left(starts, min(mark - room // 3, starts[-1] - room))
        last = bisect_right(starts, starts[first] + room) - 1
    head = _ELLIPSIS if low or first else ""
    tail = _ELLIPSIS if high < len(line) or last < len(glyphs) else ""
    text = "".join(shown for shown, _ in glyphs[first:last])
    return Strip(
        text=f"{head}{text}{tail}",
        indent=mark - starts[first] + len(head),
        length=max(1, min(stop, starts[last]) - mark),
    )


def printable(text: str) -> str:
    """``text`` without what could move the cursor, break the line or reorder what is read."""
    if text.isprintable():
        return text
    return "".join(_glyph(char, 0)[0] if char != "\t" else " " for char in text)


def width_of(text: str) -> int:
    """How many cells printable ``text`` takes."""
    return len(text) if text.isascii() else sum(cells for _, cells in _glyphs(text))


def _glyphs(text: str) -> list[Glyph]:
    if text.isascii() and text.isprintable():
        return [(char, 1) for char in text]
    glyphs: list[Glyph] = []
    column = 0
    for char in text:
        glyph = _glyph(char, column)
        column += glyph[1]
        glyphs.append(glyph)
    return glyphs


def _glyph(char: str, column: int) -> Glyph:
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        cells = _TAB - column % _TAB
        return " " * cells, cells
    if char < " ":
        return chr(0x2400 + ord(char)), 1
    kind = category(char)
    if char in _BIDI or kind in ("Cc", "Cs", "Zl", "Zp"):
        return _MARK, 1
    # Without joiners and variation selectors every character of an emoji sequence stands alone,
    # which is the only way in which terminals agree on the width.
    if kind == "Cf" or char in _VARIATION_SELECTORS:
        return "", 0
    if kind in ("Mn", "Me") or combining(char) or "\u1160" <= char <= "\u11ff":
        return char, 0
    return char, 2 if east_asian_width(char) in ("W", "F") else 1
