"""What the comments of a file ask to be silent about.

``mcplint: ignore[MCP101] reason`` behind code or above it, ``ignore-next-line[…]`` and
``file-ignore[…]`` in every language; ``noqa`` in Python, as flake8 reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcplint.files.place import Place
from mcplint.hints import close_matches, did_you_mean
from mcplint.records import record
from mcplint.rules import codes, find
from mcplint.syntax import PYTHON_SUFFIXES
from mcplint.syntax.comments import Comment, comments

if TYPE_CHECKING:
    from mcplint.files.source import Source

_WORD = re.compile(rb"mcplint:")
_PYTHON_WORD = re.compile(rb"mcplint:|[nN][oO][qQ][aA]")
_OWN = re.compile(
    rb"(?:#|//|/\*+)\s*mcplint:\s*(?P<verb>[\w-]+)\s*"
    rb"(?P<list>\[(?P<rules>[^\]\n]*)\])?(?P<reason>(?:(?!\s+(?:#|//)\s|\s*\*/)[^\n])*)"
)
_NOQA = re.compile(rb"#\s*noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
_FLAKE8 = re.compile(
    rb"\s*#\s*flake8[:=]\s*noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE
)
_VERBS = ("ignore", "ignore-next-line", "file-ignore")
_MISTAKES = frozenset({"disable", "disable-next-line", "ignore-file", "noqa", "off", "skip"})


@record
class Named:
    """One rule that a comment names.

    Attributes:
        word: as it is written.
        place: where.
        codes: the codes that it stands for; none if there is no such rule.
    """

    word: str
    place: Place
    codes: frozenset[str]


@record
class Directive:
    """One comment that asks for silence.

    Attributes:
        place: the whole of it, which may be a part of a comment.
        comment: the comment that it is in.
        noqa: whether it is flake8's.
        rules: what it names; empty where it means every rule.
        lines: the first and the last line that it is about, or None for the whole file.
        reason: what it says for itself.
        fault: what is wrong with it, if anything, as a message.
    """

    place: Place
    comment: Place
    noqa: bool
    rules: tuple[Named, ...]
    lines: tuple[int, int] | None
    reason: str = ""
    fault: str | None = None

    def covers(self, line: int) -> bool:
        """Whether it is about a line of its file."""
        return self.fault is None and (self.lines is None or self.lines[0] <= line <= self.lines[1])

    def naming(self, code: str) -> Named | None:
        """The name in it by which it silences ``code``."""
        return next((rule for rule in self.rules if code in rule.codes), None)


def directives(source: Source) -> list[Directive]:
    """What the comments of a file ask for, in order."""
    python = source.path.suffix in PYTHON_SUFFIXES
    word = _PYTHON_WORD if python else _WORD
    return [d for comment in comments(source, word) for d in _of_comment(source, comment, python)]


def _of_comment(source: Source, comment: Comment, python: bool) -> Iterator[Directive]:
    text = source.utf8[comment.start : comment.end]
    own = _OWN.search(text)
    if own is not None:
        yield from _own(source, comment, own)
    if not python:
        return
    whole = _FLAKE8.match(text) if comment.alone else None
    noqa = whole or _NOQA.search(text)
    if noqa is not None:
        length = len(noqa.group().rstrip(b" \t,"))
        place = Place(source, comment.start + noqa.start(), comment.start + noqa.start() + length)
        lines = None if whole else comment.lines
        yield Directive(place, _place(source, comment), True, _flake8_codes(source, comment, noqa), lines)


def _place(source: Source, comment: Comment) -> Place:
    return Place(source, comment.start, comment.end)


def _own(source: Source, comment: Comment, match: re.Match[bytes]) -> Iterator[Directive]:
    verb = match["verb"].decode()
    place = Place(source, comment.start + match.start(), comment.start + match.end())
    whole = _place(source, comment)
    if verb not in _VERBS:
        if verb in _MISTAKES or close_matches(verb, _VERBS, 1):
            hint = did_you_mean(verb, _VERBS) or f"there are {', '.join(f'`{v}`' for v in _VERBS)}"
            yield Directive(place, whole, False, (), None, fault=f"`mcplint: {verb}` means nothing: {hint}")
        return
    rules = tuple(_named(source, comment, match)) if match["list"] is not None else ()
    if not rules:
        fault = f"`mcplint: {verb}` names no rule: `{verb}[MCP101]`"
        yield Directive(place, whole, False, (), None, fault=fault)
        return
    lines: tuple[int, int] | None = comment.below if comment.alone else comment.lines
    if verb == "file-ignore":
        lines = None
    elif verb == "ignore-next-line":
        line = source.position(comment.end).line + 1
        lines = comment.below if comment.alone else (line, line)
    reason = match["reason"].decode("utf-8", "replace").strip(" \t\r:,-")
    yield Directive(place, whole, False, rules, lines, reason)


def _named(source: Source, comment: Comment, match: re.Match[bytes]) -> Iterator[Named]:
    begin = comment.start + match.start("rules")
    for word in re.finditer(rb"[^\s,][^,]*[^\s,]|[^\s,]", match["rules"]):
        text = word.group().decode("utf-8", "replace")
        yield Named(text, Place(source, begin + word.start(), begin + word.end()), _codes(text))


def _codes(word: str) -> frozenset[str]:
    try:
        return frozenset((find(word).code,))
    except LookupError:
        return frozenset()


def _flake8_codes(source: Source, comment: Comment, match: re.Match[bytes]) -> tuple[Named, ...]:
    """The codes behind ``noqa``: each stands for all that begin with it."""
    if match["codes"] is None:
        return ()
    begin = comment.start + match.start("codes")
    known = codes()
    return tuple(
        Named(
            word.group().decode(),
            Place(source, begin + word.start(), begin + word.end()),
            frozenset(code for code in known if code.startswith(word.group().decode().upper())),
        )
        for word in re.finditer(rb"[^\s,]+", match["codes"])
    )
