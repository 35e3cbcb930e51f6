"""How a report names files and counts things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcplint.files.place import shown

if TYPE_CHECKING:
    from mcplint.files.place import Place
    from mcplint.report.result import Report


__all__ = ["count", "shown", "spot", "summary"]


def count(number: int, noun: str) -> str:
    """``1 server``, ``2 servers``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def spot(place: Place) -> str:
    """``path:line:column``."""
    begin = place.begin
    return f"{shown(place.path)}:{begin.line}:{begin.column}"


def summary(report: Report) -> str:
    """What was looked at, such as ``3 servers in 214 files``."""
    files = count(report.files, "file")
    if not report.servers:
        return f"no MCP stdio server found in {files}"
    return f"{count(len(report.servers), 'server')} in {files}"
