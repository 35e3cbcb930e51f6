"""How a probe's result is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TextIO

from mcplint.probe.predicted import Prediction
from mcplint.probe.result import Probed
from mcplint.report.look import Look

Writer = Callable[[Sequence[Probed], Sequence[Prediction], TextIO, Look], None]

_MODULES = {"text": "text", "json": "as_json", "markdown": "markdown", "junit": "junit"}


def formats() -> tuple[str, ...]:
    """The names of all formats."""
    return tuple(_MODULES)


def writer(name: str) -> Writer:
    """The writer of a format."""
    found: Writer = import_module(f"mcplint.probe.writers.{_MODULES[name]}").write
    return found
