"""A table for an issue or a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from mcplint.probe.predicted import Prediction
from mcplint.probe.result import Probed
from mcplint.probe.words import HEADS, rows, used_columns
from mcplint.report.cells import printable
from mcplint.report.look import Look


def write(probed: Sequence[Probed], predictions: Sequence[Prediction], out: TextIO, look: Look) -> None:
    """Write each server as a table, with notes below."""
    for number, (one, table) in enumerate(zip(probed, rows(probed, predictions), strict=True)):
        columns = used_columns(table)
        out.write(f"{chr(10) if number else ''}**{_cell(one.subject.title)}**\n\n")
        out.write(_line([HEADS[at] for at in columns]))
        out.write(_line(["---"] * len(columns)))
        for row in table:
            cells = [_cell(row.cells[at]) for at in columns]
            out.write(_line([f"**{cell}**" if cell == "STILL ALIVE" else cell for cell in cells]))
        notes = [f"- {row.letter}: {_cell(note)}\n" for row in table for note in row.notes]
        if notes:
            out.write("\n" + "".join(notes))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(text: str) -> str:
    plain = printable(text)
    for special in "\\`*_{}[]<>|#":
        plain = plain.replace(special, f"\\{special}")
    return plain
