"""How a report looks: colours and width. The caller decides; a writer obeys."""

from __future__ import annotations

from dataclasses import dataclass

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}

VERDICT_STYLES = {"exits": "green", "survives": "red", "unknown": "yellow"}
SEVERITY_STYLES = {"error": "red", "warning": "yellow", "info": "blue"}


@dataclass(frozen=True, slots=True)
class Look:
    """How to write for one stream.

    Attributes:
        colour: whether escape sequences may be written.
        width: how many cells a line of a code frame may take.
    """

    colour: bool = False
    width: int = 120

    def paint(self, text: str, *styles: str) -> str:
        """``text`` in these styles, or as it is where there is no colour."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"
