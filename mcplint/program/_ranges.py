"""Versions and version ranges, as npm and Python write them."""

from __future__ import annotations

import re
from typing import Literal

_VERSION = re.compile(r"[vV=\s]*(?:\d+!)?(\d+(?:\.\d+)*)(.*)", re.DOTALL)
_TAIL = re.compile(r"\d+|[a-z]+")
_CLAUSE = re.compile(r"(===|==|>=|<=|!=|~=|\^|~>|~|>|<|=)?\s*([^\s,|<>=!~^]+)")
_RANKS = {"dev": 0, "a": 2, "alpha": 2, "b": 3, "beta": 3, "c": 4, "rc": 4, "pre": 4}
_OTHER_PRE = 1
_RELEASE = 5
_POST = 6
_WILD = frozenset({"x", "X", "*"})
_MAX_DIGITS = 18

Key = tuple[tuple[int, ...], tuple[tuple[int, int, str], ...]]
"""Orders versions: the release numbers, then what follows them."""


def version_key(version: str) -> Key | None:
    """What orders a version; ``None`` when the text is no version.

    Pre-releases (``1.0.0-beta.1``, ``1.0rc1``, ``1.0.dev3``) come before their
    release, post-releases after it; build metadata counts for nothing.
    """
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        return None
    numbers = [int(part[:_MAX_DIGITS]) for part in match.group(1).split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), _tail_key(match.group(2).partition("+")[0].lower())


def _tail_key(tail: str) -> tuple[tuple[int, int, str], ...]:
    parts = _TAIL.findall(tail)
    if not parts:
        return ((_RELEASE, 0, ""),)
    if parts[0] in ("post", "rev", "r"):
        return ((_POST, 0, ""), *map(_part_key, parts[1:]))
    return (*map(_part_key, parts), (-1, 0, ""))


def _part_key(part: str) -> tuple[int, int, str]:
    if part.isdigit():
        return (0, int(part[:_MAX_DIGITS]), "")
    rank = _RANKS.get(part, _OTHER_PRE)
    return (rank, 0, part if rank == _OTHER_PRE else "")


def compare(left: str, right: str) -> Literal[-1, 0, 1]:
    """Whether a version is below (-1), the same as (0) or above (1) another.

    What is no version is below every version.
    """
    a, b = version_key(left), version_key(right)
    if a == b:
        return 0
    if a is None or (b is not None and a < b):
        return -1
    return 1


def matches(version: str, spec: str) -> bool:
    """Whether a version lies in a range such as ``>=1.6.0,<1.8.0``, ``^1.2`` or ``*``.

    Clauses separated by commas or spaces must all hold, alternatives are separated by
    ``||``. Comparison is by plain order, so ``2.0.0-beta.1`` is in ``<2.0.0`` and not in
    ``>=2.0.0``. What is no version is only in ``*``.
    """
    return any(_all_hold(version, alternative) for alternative in spec.split("||"))


def _all_hold(version: str, alternative: str) -> bool:
    alternative = alternative.strip()
    if alternative in ("", "*"):
        return True
    if version_key(version) is None:
        return False
    return all(_holds(version, operator, bound) for operator, bound in clauses(alternative))


def overlap(one: str, other: str) -> bool:
    """Whether some version may lie in both of two ranges."""
    return any(matches(v, one) and matches(v, other) for v in _telling(one, other))


def within(inner: str, outer: str) -> bool:
    """Whether every version in one range lies in another."""
    inside = [v for v in _telling(inner, outer) if matches(v, inner)]
    return bool(inside) and all(matches(v, outer) for v in inside)


def _telling(*specs: str) -> list[str]:
    """Versions at which ranges can begin or end: their bounds, and what is next to these."""
    found = ["0", "999999"]
    for spec in specs:
        for alternative in spec.split("||"):
            for _, bound in clauses(alternative):
                numbers = [*release_of(bound)[0], 0, 0, 0][:3]
                found.append(floor_of(bound))
                found.append(".".join(map(str, (*numbers[:2], numbers[2] + 1))))
    return found


def clauses(alternative: str) -> list[tuple[str, str]]:
    """The operators with their bounds in one alternative; ``1 - 2`` is two clauses."""
    hyphen = re.fullmatch(r"\s*([^\s<>=~^]+)\s+-\s+([^\s<>=~^]+)\s*", alternative)
    if hyphen is not None:
        return [(">=", hyphen.group(1)), ("<=", hyphen.group(2))]
    return [(match.group(1) or "", match.group(2)) for match in _CLAUSE.finditer(alternative)]


def _holds(version: str, operator: str, bound: str) -> bool:
    numbers, wild = release_of(bound)
    if operator in ("^", "~", "~>", "~=") or (wild and operator in ("", "=", "==")):
        if not numbers:
            return wild
        low, high = floor_of(bound), ".".join(map(str, _ceiling(operator, numbers)))
        return compare(version, low) >= 0 and compare(version, high + ".dev0") < 0
    if wild and operator == "!=":
        return not _holds(version, "==", bound)
    order = compare(version, floor_of(bound))
    return {
        ">=": order >= 0,
        ">": order > 0,
        "<=": order <= 0,
        "<": order < 0,
        "!=": order != 0,
    }.get(operator, order == 0)


def _ceiling(operator: str, numbers: list[int]) -> list[int]:
    """The first release above a compatible range."""
    if operator == "^":
        fixed = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    elif operator in ("~", "~>"):
        fixed = min(1, len(numbers) - 1)
    elif operator == "~=":
        fixed = max(0, len(numbers) - 2)
    else:
        fixed = len(numbers) - 1
    return [*numbers[:fixed], numbers[fixed] + 1]


def release_of(bound: str) -> tuple[list[int], bool]:
    """The release numbers of a bound and whether it has a wildcard: ``1.x`` is ``[1], True``."""
    numbers: list[int] = []
    for part in re.split(r"[.\-+]", bound.lstrip("v=")):
        if part in _WILD:
            return numbers, True
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        numbers.append(int(digits.group()[:_MAX_DIGITS]))
        if digits.end() != len(part):
            break
    return numbers, False


def floor_of(bound: str) -> str:
    """The lowest version that a bound names: ``1.x`` is ``1``; wildcards are dropped."""
    numbers, wild = release_of(bound)
    return ".".join(map(str, numbers)) if wild else bound.lstrip("v=")


def lowest(spec: str, whole: int = 1) -> tuple[str, bool] | None:
    """The lowest version that a range allows and whether the range pins exactly it.

    ``None`` when the range has no lower end or is none (``latest``, a URL). A version of fewer than
    ``whole`` numbers is a range: npm takes ``2`` for ``2.x``.
    """
    floors: list[tuple[str, bool]] = []
    for alternative in spec.split("||"):
        floor = _lowest_of(alternative.strip(), whole)
        if floor is None:
            return None
        floors.append(floor)
    best = floors[0]
    for floor in floors[1:]:
        if compare(floor[0], best[0]) < 0:
            best = floor
    return best[0], best[1] and len(floors) == 1


def _lowest_of(alternative: str, whole: int) -> tuple[str, bool] | None:
    floor: str | None = None
    exact = False
    for operator, bound in clauses(alternative):
        version = floor_of(bound)
        if operator in ("<", "<=", "!=") or version_key(version) is None:
            continue
        if floor is None or compare(version, floor) > 0:
            floor = version
            numbers, wild = release_of(bound)
            exact = operator in ("", "=", "==", "===") and not wild and len(numbers) >= whole
    return None if floor is None else (floor, exact)


def padded(version: str) -> str:
    """A version with at least three release numbers: ``1.2`` becomes ``1.2.0``."""
    if not re.fullmatch(r"\d+(\.\d+)?", version):
        return version
    return version + ".0" * (2 - version.count("."))
