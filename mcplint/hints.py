"""Guesses at what a user meant."""

from __future__ import annotations

from collections.abc import Iterable


def close_matches(word: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """The ``candidates`` that look like ``word``, best first."""
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in candidates}
    return [by_lower[match] for match in get_close_matches(word.lower(), by_lower, limit, 0.6)]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """A question that offers the best match, or None when nothing looks like ``word``."""
    matches = close_matches(word, candidates, 1)
    return f"did you mean `{matches[0]}`?" if matches else None
