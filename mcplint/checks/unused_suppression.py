"""MCP900: a comment that is to silence a finding and silences none."""

from __future__ import annotations

from mcplint.checks.finding import Finding
from mcplint.files.place import Place

CODE = "MCP900"
NAME = "unused-suppression"


def finding(place: Place, message: str) -> Finding:
    """What is reported of one comment, at the word in it that does nothing."""
    return Finding(
        code=CODE,
        name=NAME,
        message=message,
        why="a comment that silences nothing today hides the fault that comes tomorrow",
        severity="warning",
        confidence="high",
        when="start",
        place=place,
    )
