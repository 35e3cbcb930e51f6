"""A table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from mcplint.probe.predicted import Prediction
from mcplint.probe.result import Probed
from mcplint.probe.words import HEADS, Row, rows, used_columns
from mcplint.report.cells import printable, width_of
from mcplint.report.look import Look


def write(probed: Sequence[Probed], predictions: Sequence[Prediction], out: TextIO, look: Look) -> None:
    """Write each server as a table, with notes below."""
    for number, (one, table) in enumerate(zip(probed, rows(probed, predictions), strict=True)):
        if number:
            out.write("\n")
        out.write(f"{look.paint(printable(one.subject.title), 'bold')}\n")
        _write_table(table, out, look)
        for row in table:
            for note in row.notes:
                out.write(f"  {look.paint(row.letter, 'bold')} {printable(note)}\n")


def _write_table(table: Sequence[Row], out: TextIO, look: Look) -> None:
    shown = [HEADS, *(tuple(map(printable, row.cells)) for row in table)]
    used = used_columns(table)
    widths = [max(width_of(row[column]) for row in shown) for column in used]
    for line, cells in enumerate(shown):
        padded = [
            cells[column] + " " * (width - width_of(cells[column]))
            for column, width in zip(used, widths, strict=True)
        ]
        styles = ("dim",) if line == 0 else ()
        text = "  ".join(
            look.paint(cell, *(styles or _style(table[line - 1], column)))
            for column, cell in zip(used, padded, strict=True)
        )
        out.write(f"  {text.rstrip()}\n")


def _style(row: Row, column: int) -> tuple[str, ...]:
    if HEADS[column] == "server":
        return ("red", "bold") if row.bad else ("green",) if row.server == "gone" else ("yellow",)
    if HEADS[column] == "predicted" and "WRONG" in row.predicted:
        return ("red",)
    return ()
