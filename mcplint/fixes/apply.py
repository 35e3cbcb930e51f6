"""Putting edits into texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from mcplint.files.source import Source
from mcplint.fixes.edit import Edit, Fix

_T = TypeVar("_T")


def without_overlaps(fixes: Iterable[tuple[_T, Fix]]) -> list[tuple[_T, Fix]]:
    """The fixes that go together, in order; one that touches what an earlier one edits must wait."""
    taken: dict[str, list[Edit]] = defaultdict(list)
    chosen = []
    for owner, fix in fixes:
        if fix.edits and not any(_touch(edit, other) for edit in fix.edits for other in taken[_file(edit)]):
            chosen.append((owner, fix))
            for edit in fix.edits:
                taken[_file(edit)].append(edit)
    return chosen


def apply(fixes: Iterable[Fix]) -> list[tuple[Source, Source]]:
    """Each file that fixes edit, before and after."""
    by_file: dict[str, list[Edit]] = defaultdict(list)
    for fix in fixes:
        for edit in fix.edits:
            by_file[_file(edit)].append(edit)
    return [(edits[0].place.source, _edited(edits[0].place.source, edits)) for edits in by_file.values()]


def clash(edits: Sequence[Edit]) -> bool:
    """Whether edits of one fix are in each other's way; several insertions at one byte are not."""
    for number, one in enumerate(edits):
        for other in edits[number + 1 :]:
            if _file(one) == _file(other) and _touch(one, other):
                empty = one.place.start == one.place.end or other.place.start == other.place.end
                if one.place.start != other.place.start or not empty:
                    return True
    return False


def _file(edit: Edit) -> str:
    return str(edit.place.path)


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two edits cannot be told apart from one edit: they overlap or begin at the same byte."""
    if one.place.start == other.place.start:
        return True
    first, second = (one, other) if one.place.start < other.place.start else (other, one)
    return second.place.start < first.place.end


def _edited(source: Source, edits: Sequence[Edit]) -> Source:
    """A file with edits in it. Those of one fix at the same byte are put there in their order."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.place.start, e.place.end)):
        if edit.place.start < at:
            raise ValueError(f"edits overlap in {source.path}")
        parts += [source.utf8[at : edit.place.start], edit.text.encode("utf-8", "surrogatepass")]
        at = edit.place.end
    parts.append(source.utf8[at:])
    return replace(source, text=b"".join(parts).decode("utf-8", "surrogatepass"))
