"""How control can leave a function."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto


class Way(Flag):
    """A set of ways in which control can leave a piece of code."""

    NONE = 0
    ENDS = auto()
    """The process is gone."""
    FALLS = auto()
    """Control goes on behind it, or returns from the function."""
    THROWS = auto()
    """An exception leaves it."""
    WAITS = auto()
    """It may wait for something without a deadline."""
    HANGS = auto()
    """It never comes back: an endless loop, an await of something that never settles."""
    UNWINDS = auto()
    """It asks the interpreter to stop, which happens only when everything returns (Python)."""
    LATER = auto()
    """It goes on, and something that it started will end the process."""
    LOOPS = auto()
    """It goes through a loop whose end could not be decided."""
    PAUSES = auto()
    """It lets other code run before it goes on, for however long."""
    UNKNOWN = auto()
    """Nothing can be said."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a handler does to its process.

    Attributes:
        ways: every way out.
    """

    ways: Way

    @property
    def ends(self) -> bool:
        """Every way out ends the process, at once or by something that it started.

        What could not be followed on the way there either ends the process or comes back to it.
        """
        good = Way.ENDS | Way.LATER | Way.WAITS | Way.LOOPS | Way.PAUSES | Way.UNKNOWN
        return bool(self.ways & (Way.ENDS | Way.LATER)) and not self.ways & ~good

    @property
    def may_end(self) -> bool:
        """Some way out ends the process, or could not be followed."""
        return bool(self.ways & (Way.ENDS | Way.LATER | Way.UNKNOWN))
