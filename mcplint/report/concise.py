"""One line a finding, for editors and grep."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from mcplint.report.cells import printable
from mcplint.report.look import SEVERITY_STYLES
from mcplint.report.words import shown

if TYPE_CHECKING:
    from mcplint.report.look import Look
    from mcplint.report.result import Report, Reported


def write(report: Report, out: TextIO, look: Look) -> None:
    """Write ``path:line:column: CODE [*] message`` for each finding."""
    for reported in report.findings:
        out.write(f"{headline(reported, report, look)}\n")


def headline(reported: Reported, report: Report, look: Look) -> str:
    """The line that stands for a finding; ``[*]`` says that a fix of the kinds asked for can be made."""
    finding = reported.finding
    at = finding.place.begin
    path = look.paint(printable(shown(finding.place.path)), "bold")
    code = look.paint(finding.code, SEVERITY_STYLES[finding.severity], "bold")
    fixable = f" {look.paint('[*]', 'cyan')}" if reported.applicability in report.fix_kinds else ""
    return f"{path}:{at.line}:{at.column}: {code}{fixable} {printable(finding.message)}"
