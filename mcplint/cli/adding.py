"""``mcplint check --add-ignore``: silence what is found today."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from mcplint.cli.console import Console
from mcplint.cli.judge import known_paths, warn
from mcplint.report.cells import printable
from mcplint.report.words import count, spot

if TYPE_CHECKING:
    from mcplint.api import Options


def run(values: Namespace, options: Options, console: Console) -> int:
    """Add a comment for every finding; say where none can stand."""
    from mcplint.adding import add

    reason = " ".join(values.add_ignore.split())
    with known_paths():
        added = add(values.paths or ["."], options, reason)
    warn(added.skipped, console)
    for finding, why in added.left:
        where = printable(spot(finding.place))
        console.warning(f"{where}: no comment was added for {finding.code}: {printable(why)}")
    number = len(added.silenced)
    console.note(f"Silenced {count(number, 'finding')}." if number else "Nothing to silence.")
    return 1 if added.left else 0
