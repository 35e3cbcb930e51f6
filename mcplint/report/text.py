"""Findings for people: the line, the code, the places that belong to it, and why it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mcplint.report.cells import printable, strip
from mcplint.report.concise import headline
from mcplint.report.look import SEVERITY_STYLES
from mcplint.report.words import count, spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcplint.checks.finding import Finding
    from mcplint.files.place import Place
    from mcplint.report.look import Look
    from mcplint.report.result import Report, Reported


def write(report: Report, out: TextIO, look: Look) -> None:
    """Write every finding with its code, and a closing line if there is any."""
    for reported in report.findings:
        for line in _block(reported, report, look):
            out.write(f"{line}\n")
        out.write("\n")
    if report.findings or report.fixed:
        out.write(f"{closing(report)}\n")
    for line in _fixable(report):
        out.write(f"{line}\n")


def closing(report: Report) -> str:
    """The last line, such as ``Found 2 errors and 1 warning in 3 servers``."""
    if report.fixed:
        total, fixed = len(report.findings) + len(report.fixed), len(report.fixed)
        return f"Found {count(total, 'error')} ({fixed} fixed, {len(report.findings)} remaining)."
    severities = [reported.finding.severity for reported in report.findings]
    nouns = (("error", "error"), ("warning", "warning"), ("info", "remark"))
    parts = [count(severities.count(kind), noun) for kind, noun in nouns if kind in severities]
    found = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    return f"Found {found} in {count(len(report.servers), 'server')}."


def _fixable(report: Report) -> Iterator[str]:
    """How many of the findings can be fixed, and how."""
    kinds = [reported.applicability for reported in report.findings]
    ready = sum(kind in report.fix_kinds for kind in kinds)
    hidden = sum(kind is not None for kind in kinds) - ready
    fixes = "fix" if hidden == 1 else "fixes"
    more = f"({hidden} hidden {fixes} can be enabled with the `--unsafe-fixes` option)" if hidden else ""
    if ready:
        yield f"[*] {ready} fixable with the `--fix` option{' ' * bool(more)}{more}."
    elif hidden:
        yield f"No fixes available {more}."


def _block(reported: Reported, report: Report, look: Look) -> Iterator[str]:
    finding = reported.finding
    places = (finding.place, *(related.place for related in finding.related))
    gutter = max(len(str(place.begin.line)) for place in places)
    style = SEVERITY_STYLES[finding.severity]
    yield headline(reported, report, look)
    yield from _frame(finding.place, gutter, style, look)
    for related in finding.related:
        arrow = look.paint(f"{' ' * gutter}-->", "blue")
        yield f"{arrow} {printable(spot(related.place))} {printable(related.label)}"
        yield from _frame(related.place, gutter, "blue", look)
    for label, text in _notes(finding):
        sign = look.paint(f"{' ' * gutter} =", "blue")
        yield f"{sign} {look.paint(label, 'bold')} {printable(text)}"


def _frame(place: Place, gutter: int, style: str, look: Look) -> Iterator[str]:
    begin, finish = place.begin, place.finish
    line = place.source.line(begin.line)
    end = finish.column - 1 if finish.line == begin.line else len(line)
    shape = strip(line, begin.column - 1, end, max(20, look.width - gutter - 3))
    margin = look.paint(f"{' ' * gutter} |", "blue")
    number = look.paint(f"{begin.line:>{gutter}} |", "blue")
    yield margin
    yield f"{number} {shape.text}".rstrip()
    yield f"{margin} {' ' * shape.indent}{look.paint('^' * shape.length, style, 'bold')}"
    yield margin


def _notes(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "why:", finding.why
    doubts = []
    if finding.when == "call":
        doubts.append("only after a tool call or a first connection")
    if finding.confidence != "high":
        doubts.append(f"{finding.confidence} confidence")
    if doubts:
        yield "note:", ", ".join(doubts)
    yield "help:", f"mcplint rule {finding.code}"
