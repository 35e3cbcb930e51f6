"""The line breaks of a file."""

from __future__ import annotations

from mcplint.files.source import Source


def newline_of(source: Source) -> str:
    """The line break that most lines of a file have."""
    pairs = source.text.count("\r\n")
    counts = {
        "\n": source.text.count("\n") - pairs,
        "\r\n": pairs,
        "\r": source.text.count("\r") - pairs,
    }
    return max(counts, key=lambda newline: counts[newline])


def with_newlines_of(source: Source, text: str) -> str:
    """A text to put into a file, whatever line breaks it was written with."""
    return text.replace("\r\n", "\n").replace("\n", newline_of(source))
