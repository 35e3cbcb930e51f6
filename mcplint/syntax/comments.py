"""The comments of a file that say a given word, as the language's own lexer sees them.

Only files that hold the word at all are looked at, so that this costs nothing where nobody uses it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.records import record
from mcplint.syntax import PYTHON_SUFFIXES

if TYPE_CHECKING:
    from mcplint.files.source import Source

_BLANK = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENCODING})


@record
class Comment:
    """One comment.

    Attributes:
        start: where it begins, as a byte offset.
        end: where it ends, exclusive.
        alone: whether nothing but it is on its lines.
        lines: the lines that it belongs to: those of the statement it stands in, first and last.
        below: the lines of what comes next, if it is alone.
    """

    start: int
    end: int
    alone: bool
    lines: tuple[int, int]
    below: tuple[int, int]


def comments(source: Source, word: re.Pattern[bytes]) -> Iterator[Comment]:
    """The comments of ``source`` in which ``word`` occurs, in order.

    A file that cannot be tokenised gives the comments before the fault.
    """
    if word.search(source.utf8) is None:
        return iter(())
    if source.path.suffix in PYTHON_SUFFIXES:
        return _python(source, word)
    return _javascript(source, word)


# ---------------------------------------------------------------------- Python


def _python(source: Source, word: re.Pattern[bytes]) -> Iterator[Comment]:
    found: list[tokenize.TokenInfo] = []
    statements: list[tuple[int, int]] = []
    first = 0
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            found.append(token)
        elif token.type == tokenize.NEWLINE:
            statements.append((first or token.start[0], token.start[0]))
            first = 0
        elif token.type not in _BLANK and not first:
            first = token.start[0]
    for token in found:
        (line, column), data = token.start, token.string.encode("utf-8", "surrogatepass")
        if word.search(data):
            before = source.line(line)[:column]
            start = source.line_starts[line - 1] + len(before.encode("utf-8", "surrogatepass"))
            inside = next((s for s in statements if s[0] <= line <= s[1]), None)
            after = (line + 1, line + 1) if inside else next((s for s in statements if s[0] > line), None)
            yield Comment(
                start, start + len(data), not before.strip(), inside or (line, line), after or (line, line)
            )


def _tokens(source: Source) -> Iterator[tokenize.TokenInfo]:
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline="\n").readline)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return


# ---------------------------------------------------------------------- JavaScript


def _javascript(source: Source, word: re.Pattern[bytes]) -> Iterator[Comment]:
    from mcplint.syntax.javascript import comment_at

    data = source.utf8
    end = -1
    for match in word.finditer(data):
        if match.start() < end:
            continue
        place = comment_at(source, match.start())
        if place is None:
            continue
        start, end = place
        first, last = source.position(start).line, source.position(end).line
        before = data[source.line_starts[first - 1] : start]
        after = data[end : source.line_starts[last] if last < len(source.line_starts) else len(data)]
        alone = not before.strip() and not after.strip()
        below = _next_code(source, last) if alone else last
        yield Comment(start, end, alone, (first, last), (below, below))


def _next_code(source: Source, line: int) -> int:
    """The first line below ``line`` that holds more than a comment, or ``line``."""
    from mcplint.syntax.javascript import comment_at

    number = line + 1
    while number <= len(source.line_starts):
        text = source.line(number).encode("utf-8", "surrogatepass")
        begin = source.line_starts[number - 1] + len(text) - len(text.lstrip())
        if text.strip():
            place = comment_at(source, begin)
            if place is None:
                return number
            number = source.position(place[1]).line
        number += 1
    return line
