"""``mcplint map``: show the life of each server."""

from __future__ import annotations

from collections.abc import Sequence

from mcplint.cli.console import Console
from mcplint.cli.judge import conclude, judge
from mcplint.cli.options import Parser, add_look, add_paths


def run(arguments: Sequence[str], console: Console) -> int:
    """Show each server; findings do not change the exit code."""
    from mcplint.api import Options
    from mcplint.cli import CLEAN
    from mcplint.report.map import write

    parser = Parser("mcplint map", "[PATH ...]", "Shows what holds each server and what ends it.")
    add_paths(parser)
    add_look(parser)
    values = parser.read(arguments)
    console = console.configured(values.color, values.quiet)
    report = judge(values.paths, Options(assume=dict(values.assume)), console)
    console.produce(lambda out, look: write(report, out, look))
    conclude(report, console)
    return CLEAN
