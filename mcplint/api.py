"""The Python API: lint paths and get typed results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mcplint.options import Options

if TYPE_CHECKING:
    from mcplint.report.result import Report

__all__ = ["Options", "lint"]


def lint(paths: Sequence[Path | str], options: Options | None = None) -> Report:
    """Judge every stdio server in ``paths`` and report what is wrong with it.

    Raises:
        PathNotFoundError: a path does not exist.
    """
    from mcplint.engine import run

    return run([Path(p) for p in paths], options or Options())
