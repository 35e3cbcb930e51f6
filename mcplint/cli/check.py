"""``mcplint check``: judge servers and report what is wrong with them."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mcplint.cli.console import Console, UsageError
from mcplint.cli.judge import conclude, judge, judge_text
from mcplint.cli.options import Parser, add_look, add_paths, add_selection, one_of
from mcplint.report import registry

if TYPE_CHECKING:
    from mcplint.api import Options
    from mcplint.report.result import Report

FORMAT_VARIABLE = "MCPLINT_OUTPUT_FORMAT"

_EPILOG = """\
commands:
  mcplint [check] PATH…      report what is wrong (the default)
  mcplint map PATH…          show the life of each server
  mcplint probe -- COMMAND   start a server and measure what outlives its client
  mcplint rule [CODE|NAME]   list the rules, or explain one
  mcplint version            print the version

exit codes:
  0  clean, or no server found
  1  findings
  2  wrong usage, or mcplint itself failed
  3  no server found, with --error-on-no-server
"""


def run(arguments: Sequence[str], console: Console) -> int:
    """Judge the paths and write a report."""
    values = _parser().read(["--add-ignore=" if word == "--add-ignore" else word for word in arguments])
    console = console.configured(values.color, values.quiet)
    writer = registry.writer(_format(values))
    options = _options(values)
    if values.show_settings:
        from mcplint.cli import showing

        return showing.run(values, options, console)
    changes = values.fix or values.fix_only or values.diff or values.add_ignore is not None
    if changes and "-" in values.paths:
        raise UsageError("what comes from stdin is not changed", "name the file")
    if values.add_ignore is not None:
        from mcplint.cli import adding

        return adding.run(values, options, console)
    if values.fix or values.fix_only or values.diff:
        from mcplint.cli import fixing

        return fixing.run(values, options, writer, console)
    report = _judged(values, options, console)
    if values.unsafe_fixes:
        report = replace(report, fix_kinds=frozenset({"safe", "unsafe"}))
    console.produce(lambda out, look: writer(report, out, look))
    conclude(report, console)
    return exit_code(report, values)


def _judged(values: Namespace, options: Options, console: Console) -> Report:
    if values.paths == ["-"]:
        return judge_text(_text(values), values.stdin_filename, options, console)
    return judge(values.paths, options, console)


def _text(values: Namespace) -> bytes:
    import sys

    if values.stdin_filename is None:
        raise UsageError("- needs --stdin-filename", "it says the language, and which project it belongs to")
    return sys.stdin.buffer.read()


def _options(values: Namespace) -> Options:
    from pathlib import Path

    from mcplint.api import Options

    for _, selectors in values.per_file_ignores:
        _codes(selectors)
    return Options(
        select=_codes(values.select) if values.select is not None else None,
        extend_select=_codes(values.extend_select or ()),
        ignore=_codes(values.ignore or ()),
        assume=dict(values.assume),
        per_file_ignores=dict(values.per_file_ignores),
        exclude=tuple(values.exclude) if values.exclude is not None else None,
        extend_exclude=tuple(values.extend_exclude or ()),
        force_exclude=values.force_exclude,
        config=Path(values.config) if values.config is not None else None,
        isolated=values.isolated,
        whole_project=values.whole_project,
    )


def exit_code(report: Report, values: Namespace) -> int:
    """What a report means for whoever waits for mcplint."""
    from mcplint.cli import CLEAN, FINDINGS, NO_SERVER

    if report.findings:
        return CLEAN if values.exit_zero else FINDINGS
    return NO_SERVER if values.error_on_no_server and not report.servers else CLEAN


def _parser() -> Parser:
    parser = Parser(
        "mcplint check",
        "[PATH ...]",
        "Tells whether an MCP stdio server dies when its client dies.",
        _EPILOG,
    )
    add_paths(parser)
    parser.option(
        "--output-format",
        metavar="FORMAT",
        help=f"{', '.join(registry.formats())} (default: text, or ${FORMAT_VARIABLE})",
    )
    add_selection(parser)
    parser.option("--fix", action="store_true", help="repair what can be repaired, and report the rest")
    parser.option(
        "--unsafe-fixes", action="store_true", help="make fixes, too, that may change what is meant"
    )
    parser.option("--diff", action="store_true", help="show what --fix would change; exit with 1 if anything")
    parser.option("--fix-only", action="store_true", help="repair, and report nothing")
    parser.option(
        "--add-ignore", metavar="[=REASON]", help="write a comment that silences it for everything found"
    )
    parser.option("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    parser.option("--error-on-no-server", action="store_true", help="exit with 3 if there is no server")
    add_look(parser)
    return parser


def _format(values: Namespace) -> str:
    if values.output_format is not None:
        return one_of("output format", values.output_format, registry.formats())
    word = os.environ.get(FORMAT_VARIABLE) or "text"
    return one_of(f"output format in {FORMAT_VARIABLE}", word, registry.formats())


def _codes(selectors: Sequence[str]) -> tuple[str, ...]:
    """The codes that the user's words stand for; the rule pages are not asked when there are none."""
    if not selectors:
        return ()
    from mcplint import rules

    try:
        return tuple(sorted(rules.expand(selectors)))
    except rules.UnknownSelectorError as error:
        raise unknown_rule(error) from error


def unknown_rule(error: LookupError) -> UsageError:
    """What to tell a user who named a rule that does not exist."""
    matches: tuple[str, ...] = getattr(error, "matches", ())
    listed = "`mcplint rule` lists the rules"
    return UsageError(str(error), f"did you mean `{matches[0]}`? {listed}" if matches else listed)
