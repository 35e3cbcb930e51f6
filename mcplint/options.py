"""What a run is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
