"""``mcplint rule``: list the rules, or explain one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from mcplint import rules
from mcplint.cli.check import unknown_rule
from mcplint.cli.console import Console
from mcplint.cli.options import Parser, add_look, one_of
from mcplint.report.look import SEVERITY_STYLES, Look
from mcplint.rules import RulePage


def run(arguments: Sequence[str], console: Console) -> int:
    """Print the list, or one page, for people or as JSON."""
    values = _parser().read(arguments)
    console = console.configured(values.color, values.quiet)
    as_json = values.output_format == "json"
    if values.rule is None:
        pages = rules.all_pages()
        listing = _json([_object(page) for page in pages]) if as_json else None
        console.produce(lambda out, look: _write(out, listing or _list(pages, look)))
        return 0
    try:
        page = rules.find(values.rule)
    except rules.UnknownSelectorError as error:
        raise unknown_rule(error) from error
    whole = _json(_object(page)) if as_json else None
    console.produce(lambda out, look: _write(out, whole or _page(page, look)))
    return 0


def _parser() -> Parser:
    parser = Parser("mcplint rule", "[CODE|NAME]", "Lists the rules, or explains one.")
    parser.add_argument("rule", nargs="?", metavar="CODE|NAME", help="such as MCP101")
    parser.option(
        "--output-format",
        metavar="FORMAT",
        default="text",
        type=lambda word: one_of("output format", word, ("text", "json")),
        help="text or json (default: text)",
    )
    add_look(parser)
    return parser


def _write(out: TextIO, text: str) -> None:
    out.write(f"{text}\n")


def _json(value: object) -> str:
    import json

    return json.dumps(value, indent=2)


def _object(page: RulePage) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(page), "languages": list(page.languages), "sections": _sections(page)}


def _sections(page: RulePage) -> dict[str, str]:
    return {section.heading: section.text for section in page.sections}


def _list(pages: Sequence[RulePage], look: Look) -> str:
    width = max((len(page.name) for page in pages), default=0)
    return "\n".join(
        f"{look.paint(page.code, 'bold')}  {page.name:<{width}}  "
        f"{look.paint(f'{page.severity:<7}', SEVERITY_STYLES[page.severity])}  "
        f"{page.summary}{'' if page.default else ' (off by default)'}"
        for page in pages
    )


def _page(page: RulePage, look: Look) -> str:
    from mcplint.cli.markdown import render

    facts = (
        ("severity", page.severity),
        ("confidence", page.confidence),
        ("languages", ", ".join(page.languages)),
        ("default", "on" if page.default else "off"),
        ("fix", page.fix),
        ("status", f"{page.status}, since {page.since}"),
    )
    lines = [
        f"{look.paint(page.code, SEVERITY_STYLES[page.severity], 'bold')} "
        f"{look.paint(page.name, 'bold')}: {page.summary}",
        "",
        *(f"  {look.paint(f'{label:<10}', 'dim')} {value}" for label, value in facts),
    ]
    for section in page.sections:
        lines += ["", look.paint(section.heading, "bold"), "", render(section.text, look)]
    return "\n".join(lines)
