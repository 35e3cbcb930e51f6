"""The output formats by name. A writer is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TextIO, cast

if TYPE_CHECKING:
    from mcplint.report.look import Look
    from mcplint.report.result import Report

_MODULES = {
    "text": "mcplint.report.text",
    "concise": "mcplint.report.concise",
    "json": "mcplint.report.json",
}


class Writer(Protocol):
    """Writes a whole report."""

    def __call__(self, report: Report, out: TextIO, look: Look) -> None:
        """Write ``report`` to ``out``."""


def formats() -> tuple[str, ...]:
    """The names of the formats."""
    return tuple(_MODULES)


def writer(name: str) -> Writer:
    """The writer of a format.

    Raises:
        KeyError: there is no such format.
    """
    return cast(Writer, import_module(_MODULES[name]).write)
