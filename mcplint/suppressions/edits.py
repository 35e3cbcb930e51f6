"""Edits of comments: a name taken out of one, and a new one for findings that are meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcplint.files.place import Place
from mcplint.fixes.edit import Edit, Fix
from mcplint.suppressions.directives import Directive, Named, directives
from mcplint.syntax import PYTHON_SUFFIXES

if TYPE_CHECKING:
    from mcplint.checks.finding import Finding
    from mcplint.files.source import Source

_BLANK = b" \t"


def without(directive: Directive, rule: Named) -> Fix:
    """Take one rule out of a comment, and the comment with the last one."""
    place = _name(directive, rule) if len(directive.rules) > 1 else None
    edit = Edit(place, "") if place is not None else _whole(directive)
    return Fix(f"remove `{rule.word}` from the comment", "safe", (edit,))


def _name(directive: Directive, rule: Named) -> Place:
    """A name with the comma that belongs to it."""
    at = directive.rules.index(rule)
    if at + 1 < len(directive.rules):
        return Place(rule.place.source, rule.place.start, directive.rules[at + 1].place.start)
    return Place(rule.place.source, directive.rules[at - 1].place.end, rule.place.end)


def _whole(directive: Directive) -> Edit:
    """Take away what asks for silence, with its comment if nothing else is in it."""
    place, comment = directive.place, directive.comment
    data, source = place.source.utf8, place.source
    rest = data[place.end : comment.end]
    first = place.start == comment.start
    if first and rest.strip() in (b"", b"*/"):
        return Edit(_with_its_line(source, comment.start, comment.end), "")
    start, end = place.start, place.end
    following = rest.lstrip()
    if first and following.startswith((b"#", b"//")):
        return Edit(Place(source, start, end + len(rest) - len(following)), "")
    if first:
        opener = data[start : start + (1 if data[start : start + 1] == b"#" else 2)].decode()
        return Edit(Place(source, start, end), opener)
    while data[start - 1 : start] in (b" ", b"\t"):
        start -= 1
    return Edit(Place(source, start, end), "")


def _with_its_line(source: Source, start: int, end: int) -> Place:
    """A comment with the blanks before it, and with its whole lines where nothing else is on them."""
    data = source.utf8
    begin = source.line_starts[source.position(start).line - 1]
    alone = not data[begin:start].strip()
    line = source.position(end).line
    stop = source.line_starts[line] if line < len(source.line_starts) else len(data)
    if alone and not data[end:stop].strip():
        return Place(source, begin, stop)
    if not alone and not data[end : end + 1].strip():
        start = begin + len(data[begin:start].rstrip(_BLANK))
    return Place(source, start, end)


def additions(findings: Iterable[Finding], reason: str) -> list[tuple[Finding, Fix]]:
    """A comment on the line of each finding; several of one line share it, with its first finding."""
    lines: dict[tuple[str, int], list[Finding]] = defaultdict(list)
    for finding in findings:
        lines[str(finding.place.path), finding.place.begin.line].append(finding)
    return [(found[0], _addition(found, reason)) for found in lines.values()]


def _addition(findings: list[Finding], reason: str) -> Fix:
    source, line = findings[0].place.source, findings[0].place.begin.line
    codes = ", ".join(dict.fromkeys(finding.code for finding in findings))
    for directive in directives(source):
        if _is_on(directive, line):
            last = directive.rules[-1].place.end
            return Fix(f"name {codes}", "safe", (Edit(Place(source, last, last), f", {codes}"),))
    text = source.line(line).encode("utf-8", "surrogatepass")
    end = source.line_starts[line - 1] + len(text.rstrip(_BLANK))
    opener = "  #" if source.path.suffix in PYTHON_SUFFIXES else " //"
    comment = f"{opener} mcplint: ignore[{codes}]{f' {reason}' if reason else ''}"
    return Fix(f"silence {codes}", "safe", (Edit(Place(source, end, end), comment),))


def _is_on(directive: Directive, line: int) -> bool:
    """Whether a comment of ours behind the code of a line names rules already."""
    own = bool(directive.rules) and not directive.noqa and directive.lines is not None
    return own and directive.place.begin.line == line and directive.covers(line)
