"""A small reader for setup.cfg and entry_points.txt."""

from __future__ import annotations


def parse_ini(text: str) -> dict[str, dict[str, str]]:
    """The sections with their keys; a value that goes on in indented lines keeps its line breaks.

    Keys are stripped but keep their case. Lines that mean nothing are passed over.
    """
    sections: dict[str, dict[str, str]] = {}
    section: dict[str, str] = sections.setdefault("", {})
    key: str | None = None
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "[" and stripped[-1] == "]" and line[0] == "[":
            section = sections.setdefault(stripped[1:-1].strip(), {})
            key = None
        elif line[0] in " \t" and key is not None:
            section[key] += "\n" + stripped
        elif (at := _delimiter(line)) is not None:
            key = line[:at].strip()
            section[key] = line[at + 1 :].strip()
    return sections


def _delimiter(line: str) -> int | None:
    equals = line.find("=")
    if equals >= 0:
        return equals
    colon = line.find(":")
    return colon if colon >= 0 else None
