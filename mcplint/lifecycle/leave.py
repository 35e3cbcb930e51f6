"""Ways to leave a statement, and how those of two pieces of code go together."""

from __future__ import annotations

from enum import Flag, auto

from mcplint.lifecycle.outcomes import Way


class Leave(Flag):
    """Ways to leave a statement. The ``_A`` ones: an end of the process is already on its way."""

    NONE = 0
    FALLS = auto()
    RETURNS = auto()
    BREAKS = auto()
    CONTINUES = auto()
    THROWS = auto()
    FALLS_A = auto()
    RETURNS_A = auto()
    BREAKS_A = auto()
    CONTINUES_A = auto()
    THROWS_A = auto()
    ENDS = auto()
    WAITS = auto()
    HANGS = auto()
    UNWINDS = auto()
    LOOPS = auto()
    PAUSES = auto()
    REJECTS = auto()
    """A promise that nobody awaits is rejected, and nobody catches that."""
    HOPES = auto()
    """An end is on its way that comes only if something calls back."""
    UNKNOWN = auto()


F = Leave
_PLAIN_TO_ARMED = (
    (F.FALLS | F.HANGS | F.UNKNOWN | F.UNWINDS, F.FALLS_A),
    (F.RETURNS, F.RETURNS_A),
    (F.BREAKS, F.BREAKS_A),
    (F.CONTINUES, F.CONTINUES_A),
    (F.THROWS, F.THROWS_A),
)
_ARMABLE = (
    F.HOPES
    | F.FALLS
    | F.RETURNS
    | F.BREAKS
    | F.CONTINUES
    | F.THROWS
    | F.HANGS
    | F.WAITS
    | F.UNKNOWN
    | F.UNWINDS
)
_NOT_YET = F.FALLS | F.RETURNS | F.BREAKS | F.CONTINUES | F.THROWS | F.HOPES
IN_LOOP = F.BREAKS | F.BREAKS_A | F.CONTINUES | F.CONTINUES_A


def armed(ways: Leave) -> Leave:
    """The same ways, once an end of the process is on its way."""
    result = ways & ~_ARMABLE
    for plain, later in _PLAIN_TO_ARMED:
        if plain & ways:
            result |= later
    return result


def then(first: Leave, second: Leave) -> Leave:
    """The ways of two pieces of code in sequence."""
    result = first & ~(F.FALLS | F.FALLS_A)
    if F.HOPES in first and second & (F.ENDS | F.FALLS_A | F.RETURNS_A) and not second & _NOT_YET:
        result &= ~F.HOPES
    if F.FALLS in first:
        result |= second
    if F.FALLS_A in first:
        result |= armed(second)
    return result


def if_any(present: Leave, ways: Leave) -> Leave:
    """``ways`` if any way is present, else none."""
    return ways if present else F.NONE


def broken_out(ways: Leave) -> Leave:
    """The ways out of a construct that a ``break`` inside it leaves."""
    result = ways & ~(F.BREAKS | F.BREAKS_A)
    return result | if_any(ways & F.BREAKS, F.FALLS) | if_any(ways & F.BREAKS_A, F.FALLS_A)


def finally_(ways: Leave, final: Leave) -> Leave:
    """A ``finally`` block is appended to every way out."""
    stays = F.ENDS | F.HANGS | F.WAITS | F.LOOPS | F.PAUSES | F.HOPES | F.REJECTS
    if not final & (F.FALLS | F.FALLS_A):
        return final | (ways & stays)
    leaving = ways & ~(stays | F.UNKNOWN)
    result = ways & (stays | F.UNKNOWN)
    if F.FALLS in final:
        result |= leaving
    if F.FALLS_A in final:
        result |= armed(leaving)
    return result | (final & ~(F.FALLS | F.FALLS_A))


def as_call(ways: Leave) -> Leave:
    """A function's ways as those of the call: returning is falling through."""
    result = ways & ~(IN_LOOP | F.RETURNS | F.RETURNS_A)
    result |= if_any(ways & (F.RETURNS | F.BREAKS | F.CONTINUES), F.FALLS)
    return result | if_any(ways & (F.RETURNS_A | F.BREAKS_A | F.CONTINUES_A), F.FALLS_A)


def detached(ways: Leave, swallows: bool = False) -> Leave:
    """The ways of an async call that nobody awaits: it goes on by itself.

    If every way ends the process, the end is on its way as soon as the call is made. A rejection
    that nobody catches ends the process too, unless ``swallows`` says that a crash handler takes it.
    """
    if F.THROWS in ways:
        return detached(ways & ~F.THROWS) | (F.FALLS if swallows else F.REJECTS)
    if ways & (F.ENDS | F.FALLS_A) and not ways & (F.FALLS | F.THROWS | F.UNWINDS | F.UNKNOWN | F.HANGS):
        return F.FALLS_A | (ways & (F.WAITS | F.PAUSES | F.HOPES)) if F.PAUSES in ways else F.ENDS
    result = ways & ~F.HANGS
    if F.FALLS in ways:
        result &= ~(F.WAITS | F.PAUSES | F.LOOPS)
    return result | F.FALLS if F.HANGS in ways else result


def outward(ways: Leave) -> Way:
    """What others see of a function's ways."""
    table = (
        (F.ENDS, Way.ENDS),
        (F.FALLS | F.RETURNS, Way.FALLS),
        (F.FALLS_A | F.RETURNS_A | F.THROWS_A, Way.LATER),
        (F.THROWS | F.REJECTS, Way.THROWS),
        (F.WAITS | F.HOPES, Way.WAITS),
        (F.HANGS, Way.HANGS),
        (F.UNWINDS, Way.UNWINDS),
        (F.LOOPS, Way.LOOPS),
        (F.PAUSES, Way.PAUSES),
        (F.UNKNOWN, Way.UNKNOWN),
    )
    result = Way.NONE
    for leave, way in table:
        if ways & leave:
            result |= way
    return result
