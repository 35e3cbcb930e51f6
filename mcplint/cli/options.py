"""Reading arguments: argparse with messages that help."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from mcplint.cli.console import UsageError
from mcplint.hints import did_you_mean


class Parser(ArgumentParser):
    """A parser for one command. It raises instead of exiting and knows its own options."""

    def __init__(self, prog: str, operands: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            # With a usage line and a width argparse does not import shutil to ask the terminal.
            usage=f"{prog} [OPTIONS] {operands}",
            description=description,
            epilog=epilog,
            formatter_class=_help_formatter,
            allow_abbrev=False,
        )
        self._options: list[str] = ["--help"]

    def option(self, *names: str, **settings: Any) -> None:
        """Add an option."""
        self._options += self.add_argument(*names, **settings).option_strings

    def read(self, arguments: Sequence[str]) -> Namespace:
        """The values of the options.

        Raises:
            UsageError: the arguments make no sense.
        """
        # What follows "--" is taken out first: argparse loses the mark when options and paths mix.
        end = arguments.index("--") if "--" in arguments else len(arguments)
        values, unknown = self.parse_known_intermixed_args(arguments[:end])
        if end < len(arguments) and hasattr(values, "paths"):
            values.paths += arguments[end + 1 :]
        if unknown:
            name = unknown[0].partition("=")[0]
            kind = "option" if name.startswith("-") else "argument"
            raise UsageError(
                f"unknown {kind}: {name}",
                did_you_mean(name, self._options) or f"`{self.prog} --help` lists the options",
            )
        return values

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        raise UsageError(message.removeprefix("argument "), f"see `{self.prog} --help`")


def _help_formatter(prog: str) -> RawDescriptionHelpFormatter:
    return RawDescriptionHelpFormatter(prog, max_help_position=26, width=88)


def one_of(kind: str, word: str, allowed: Iterable[str]) -> str:
    """``word`` if it is allowed.

    Raises:
        UsageError: it is not.
    """
    choices = tuple(allowed)
    if word not in choices:
        listed = f"choose from {', '.join(choices)}"
        raise UsageError(f"unknown {kind}: {word}", did_you_mean(word, choices) or listed)
    return word


def comma_list(text: str) -> list[str]:
    """The words between commas.

    Raises:
        UsageError: there is none.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError("an empty list of rules", "`mcplint rule` lists the rules")
    return words


def add_look(parser: Parser) -> None:
    """Add the options that every command has."""
    parser.option(
        "--color",
        metavar="WHEN",
        default="auto",
        type=lambda word: one_of("colour choice", word, ("auto", "always", "never")),
        help="auto, always or never (default: auto; NO_COLOR and FORCE_COLOR are honoured)",
    )
    parser.option("-q", "--quiet", action="store_true", help="print results only: no warnings, no summary")


def add_paths(parser: Parser) -> None:
    """Add what is judged: paths, and the SDK version where nothing says it."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)"
    )
    parser.option(
        "--assume",
        metavar="NAME=VERSION",
        action="append",
        default=[],
        type=assumption,
        help="version of an SDK where nothing in the project says it; may be repeated",
    )


def add_selection(parser: Parser) -> None:
    """Add what is reported, and where settings come from."""
    for name, what in (
        ("--select", "rules to report instead of the default ones"),
        ("--extend-select", "rules to report besides"),
        ("--ignore", "rules to leave out, whatever selects them"),
    ):
        parser.option(
            name,
            metavar="RULES",
            action="extend",
            type=comma_list,
            help=f"{what}: codes, prefixes such as MCP1, names or ALL, with commas; may be repeated",
        )
    parser.option(
        "--per-file-ignores",
        metavar="PATTERN:RULES",
        action="append",
        default=[],
        type=_ignored_there,
        help="rules to leave out in the files that a pattern matches; may be repeated",
    )
    parser.option("--exclude", metavar="PATTERNS", action="extend", type=_patterns, help="files to leave out")
    parser.option(
        "--extend-exclude", metavar="PATTERNS", action="extend", type=_patterns, help="more of them"
    )
    parser.option(
        "--force-exclude", action="store_true", help="leave them out even if they are named as a PATH"
    )
    parser.option("--config", metavar="FILE", help="the configuration file, in place of the nearest ones")
    parser.option("--isolated", action="store_true", help="read no configuration file")
    parser.option(
        "--whole-project",
        action="store_true",
        help="judge the projects that the paths belong to; report what touches the paths",
    )
    parser.option(
        "--stdin-filename", metavar="PATH", help="the file that the text on stdin stands for, with - as PATH"
    )
    parser.option("--show-settings", action="store_true", help="print what holds for the path, and stop")


def _ignored_there(text: str) -> tuple[str, tuple[str, ...]]:
    pattern, _, selectors = text.rpartition(":")
    words = tuple(word.strip() for word in selectors.split(",") if word.strip())
    if not (pattern and words):
        raise UsageError(
            f"--per-file-ignores takes PATTERN:RULES, not: {text}",
            "for example --per-file-ignores 'ex/**:MCP1'",
        )
    return pattern, words


def _patterns(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def assumption(text: str) -> tuple[str, str]:
    """``NAME=VERSION`` in two parts.

    Raises:
        UsageError: it is not of that form.
    """
    name, equals, version = (part.strip() for part in text.rpartition("="))
    if not (name and equals and version[:1].isdigit()):
        raise UsageError(
            f"--assume takes NAME=VERSION, not: {text}",
            "for example --assume @modelcontextprotocol/sdk=1.30.0",
        )
    return name, version
