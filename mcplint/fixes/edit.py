"""Text edits: what a fix is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcplint.files.place import Place

Applicability = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Put ``text`` in the place of ``place``; an empty place is an insertion."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together.

    Attributes:
        title: what they do, in one phrase.
        applicability: whether they are made without being asked for one by one.
        edits: in the order in which those at the same byte are put there.
        after: codes of rules whose fixes go first, as what they leave may be of use to this one.
    """

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]
    after: frozenset[str] = frozenset()

    def made(self) -> Fix:
        """The fix itself: it is an offer that has been made already."""
        return self
