"""``mcplint version``."""

from __future__ import annotations

from collections.abc import Sequence

from mcplint import __version__
from mcplint.cli.console import Console, UsageError


def run(arguments: Sequence[str], console: Console) -> int:
    """Print the version."""
    if arguments:
        raise UsageError(f"unexpected argument: {arguments[0]}")
    console.produce(lambda out, look: print(f"mcplint {__version__}", file=out))
    return 0
