"""mcplint: when the MCP client dies, does this server die too?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcplint.api import lint, lint_source
    from mcplint.checks.finding import Finding, Related
    from mcplint.files.place import Place
    from mcplint.files.source import Position
    from mcplint.files.walk import PathNotFoundError
    from mcplint.fixes.edit import Edit, Fix
    from mcplint.lifecycle.model import Server
    from mcplint.options import Options
    from mcplint.report.result import Report, Reported, Skipped, Suppressed
    from mcplint.rules import UnknownSelectorError
    from mcplint.settings.settings import SettingsError

__version__ = "0.1.0"

_HOMES = {
    "Edit": "mcplint.fixes.edit",
    "Finding": "mcplint.checks.finding",
    "Fix": "mcplint.fixes.edit",
    "Options": "mcplint.options",
    "PathNotFoundError": "mcplint.files.walk",
    "Place": "mcplint.files.place",
    "Position": "mcplint.files.source",
    "Related": "mcplint.checks.finding",
    "Report": "mcplint.report.result",
    "Reported": "mcplint.report.result",
    "Server": "mcplint.lifecycle.model",
    "SettingsError": "mcplint.settings.settings",
    "Skipped": "mcplint.report.result",
    "Suppressed": "mcplint.report.result",
    "UnknownSelectorError": "mcplint.rules",
    "lint": "mcplint.api",
    "lint_source": "mcplint.api",
}

__all__ = [
    "Edit",
    "Finding",
    "Fix",
    "Options",
    "PathNotFoundError",
    "Place",
    "Position",
    "Related",
    "Report",
    "Reported",
    "Server",
    "SettingsError",
    "Skipped",
    "Suppressed",
    "UnknownSelectorError",
    "__version__",
    "lint",
    "lint_source",
]


def __getattr__(name: str) -> Any:
    """What the API offers, imported when it is asked for: the version alone costs nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
