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
    """Edits that belong together and what they do, in one phrase."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]

    def made(self) -> Fix:
        """The fix itself: it is an offer that has been made already."""
        return self
