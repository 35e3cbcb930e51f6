"""The Python API: lint paths or text and get typed results."""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcplint.options import Options

if TYPE_CHECKING:
    from mcplint.report.result import Report

__all__ = ["Options", "lint", "lint_source"]


def lint(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    """Judge every stdio server in ``paths`` and report what is wrong with it.

    Args:
        paths: files and folders.
        config: what to look for; configuration files are read besides, unless it is isolated.

    Raises:
        PathNotFoundError: a path does not exist.
        SettingsError: a configuration file makes no sense.
        UnknownSelectorError: ``config`` names a rule that is not there.
    """
    from mcplint.engine import run

    return run([Path(p) for p in paths], config or Options())


def lint_source(text: str | bytes, filename: Path | str, config: Options | None = None) -> Report:
    """Judge the servers that a file belongs to as if it held ``text``, and report what touches it.

    The rest of the project is read from disk; the file itself need not be there.

    Args:
        text: the text, or the bytes that the file would hold.
        filename: the file that the text stands for: its suffix says the language.
        config: what to look for.

    Raises:
        SettingsError: a configuration file makes no sense.
        UnknownSelectorError: ``config`` names a rule that is not there.
    """
    from mcplint.engine import run

    path = Path(filename)
    # With its mark, a coding line in the text says nothing about it.
    data = text if isinstance(text, bytes) else codecs.BOM_UTF8 + text.encode("utf-8", "surrogatepass")
    options = replace(config or Options(), whole_project=True)
    return run([path], options, {os.path.realpath(path): data})
