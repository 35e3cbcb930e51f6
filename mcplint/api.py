"""The Python API: lint paths and get typed results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcplint.report.result import Report


@dataclass(frozen=True, slots=True)
class Options:
    """What to look for.

    Attributes:
        select: codes or prefixes to report instead of the default set; None for the default.
        extend_select: codes or prefixes to add.
        ignore: codes or prefixes to leave out.
        assume: SDK versions to assume where nothing in the project says them.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    assume: Mapping[str, str] = field(default_factory=dict)


def lint(paths: Sequence[Path | str], options: Options | None = None) -> Report:
    """Judge every stdio server in ``paths`` and report what is wrong with it.

    Raises:
        PathNotFoundError: a path does not exist.
    """
    from mcplint.engine import run

    return run([Path(p) for p in paths], options or Options())
