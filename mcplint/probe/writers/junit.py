"""One test case for each ending, for a build server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO
from xml.sax.saxutils import quoteattr

from mcplint.probe.predicted import Prediction
from mcplint.probe.result import Probed
from mcplint.probe.words import Row, rows
from mcplint.report.cells import printable
from mcplint.report.look import Look


def write(probed: Sequence[Probed], predictions: Sequence[Prediction], out: TextIO, look: Look) -> None:
    """Write one test suite for each server."""
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="mcplint probe">\n')
    for one, table in zip(probed, rows(probed, predictions), strict=True):
        title = quoteattr(printable(one.subject.title))
        failed = sum(row.bad for row in table)
        skipped = sum(row.server == "not measured" for row in table)
        out.write(
            f'  <testsuite name={title} tests="{len(table)}" failures="{failed}" skipped="{skipped}">\n'
        )
        for row in table:
            _write_case(row, title, out)
        out.write("  </testsuite>\n")
    out.write("</testsuites>\n")


def _write_case(row: Row, title: str, out: TextIO) -> None:
    said = quoteattr(printable("; ".join((" ".join(filter(None, row.cells[2:6])), *row.notes))))
    out.write(f"    <testcase classname={title} name={quoteattr(row.ending)}")
    if row.bad:
        out.write(f">\n      <failure message={said}/>\n    </testcase>\n")
    elif row.server == "not measured":
        out.write(f">\n      <skipped message={said}/>\n    </testcase>\n")
    else:
        out.write("/>\n")
