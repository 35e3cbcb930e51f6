"""Every key of the configuration: the one place from which it is checked, described and documented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcplint import rules
from mcplint.settings.kinds import (
    BOOLEAN,
    NUMBER,
    PLACE,
    SCALAR,
    TEXT,
    Fault,
    Key,
    Kind,
    Path,
    choice,
    dotted,
    either,
    many,
    mapping,
    table,
    wrong,
)

SEVERITIES = ("error", "warning", "info")


def _selector_faults(value: Any, path: Path) -> Iterator[Fault]:
    if not isinstance(value, str):
        yield wrong("the code, prefix or name of a rule", value, path)
        return
    try:
        rules.expand([value])
    except rules.UnknownSelectorError as error:
        hint = f"did you mean `{error.matches[0]}`?" if error.matches else "`mcplint rule` lists the rules"
        yield Fault(path, f"unknown rule `{value}` in `{dotted(path[:-1])}`", hint)


_SELECTOR = Kind("the code, prefix or name of a rule", _selector_faults, {"type": "string"})
_SELECTORS = many(_SELECTOR, "a list of rules")
_STRINGS = many(TEXT, "a list of strings")
_PATTERNS = many(TEXT, "a list of patterns")

_CONDITION = table(
    (
        Key("at", either(PLACE, many(PLACE, "a list of places")), "place of the argument", required=True),
        Key("key", TEXT, "a property of the object there"),
        Key("of", choice("receiver"), "look at the call that made the object"),
        Key("is", either(SCALAR, many(SCALAR, "a list")), "what is there"),
        Key("is_not", SCALAR, "what is not there"),
        Key("named", TEXT, "the name of what is there"),
        Key("given", BOOLEAN, "whether anything is there"),
    ),
    "a condition",
)
_CONDITIONS = many(_CONDITION, "a list of conditions")
_NAMES = Key(
    "names", _STRINGS, "the calls that this is about, written as the catalog writes them", required=True
)
_WHAT = Key("what", TEXT, "its name in messages; the first of `names` if absent")
_ONLY_IF = Key("only_if", _CONDITIONS, "conditions of which one must be true")
_UNLESS = Key("unless", _CONDITIONS, "conditions under which it does not count")

HOLDER = (
    _NAMES,
    _WHAT,
    Key(
        "holds",
        either(choice("forever", "peer", "child"), NUMBER),
        "`forever` (the default), a number of seconds, or `peer` or `child` for as long as those live",
    ),
    Key("begins", choice("created", "used"), "whether it holds at once or from its first use on"),
    Key("used_by", _STRINGS, "the methods that use it; any if absent"),
    _ONLY_IF,
    _UNLESS,
    Key("unref", _STRINGS, "methods that make it stop holding"),
    Key("ref", _STRINGS, "methods that make it hold again"),
    Key("releases", _STRINGS, "methods that end it"),
    Key("released_by", _STRINGS, "functions that end it when given it"),
)
EXIT = (
    _NAMES,
    Key(
        "effect",
        choice("ends", "unwinds", "maybe"),
        "`ends`: the process is gone (the default); `unwinds`: the interpreter is asked to stop (Python); "
        "`maybe`: that cannot be said",
    ),
    _ONLY_IF,
)
TRANSPORT = (
    _NAMES,
    _WHAT,
    Key(
        "serve",
        _STRINGS,
        "last names of the calls that are given it in order to serve; absent: making it serves",
    ),
    Key(
        "at_eof",
        choice("nothing", "closes", "exits", "returns"),
        "what it does when stdin ends (the default: `nothing`; for Python: `returns`)",
    ),
    Key("closed_by", _STRINGS, "methods that let go of stdin"),
    _ONLY_IF,
    _UNLESS,
)
LOGGER = (
    Key("names", _STRINGS, "loggers, or the calls that make them", required=True),
    _WHAT,
    Key("methods", _STRINGS, "the calls by which it writes, by their last name; absent: it writes itself"),
    Key("why", TEXT, "why it writes to stdout, as part of a sentence"),
    _ONLY_IF,
    _UNLESS,
)

_CATALOG = "[How names are written](../rules/catalog/README.md#names)."

KEYS = (
    Key(
        "extend",
        TEXT,
        "Another configuration file, relative to this one. What is said here goes before what is said "
        "there; `extend-select`, `extend-exclude`, tables and the lists of tables are added up.",
        "nothing",
        'extend = "../mcplint.toml"',
    ),
    Key(
        "select",
        _SELECTORS,
        "The rules to report in place of the default ones: codes, prefixes such as `MCP1`, names, or `ALL`.",
        "the default rules",
        'select = ["MCP1", "MCP201"]',
    ),
    Key("extend-select", _SELECTORS, "Rules to report besides.", "`[]`", 'extend-select = ["MCP901"]'),
    Key(
        "ignore",
        _SELECTORS,
        "Rules to leave out, whatever selects them.",
        "`[]`",
        'ignore = ["shutdown-can-hang"]',
    ),
    Key(
        "per-file-ignores",
        mapping(_SELECTORS, "a table of patterns and lists of rules"),
        "Rules to leave out in the files that a pattern matches. A finding belongs to the file that it "
        "points at.",
        "`{}`",
        '[per-file-ignores]\n"examples/**" = ["MCP1"]',
    ),
    Key(
        "exclude",
        _PATTERNS,
        "Files and folders that are not looked at, as patterns of a `.gitignore` in the folder of this file. "
        "What is ignored by Git, dependencies, build output and tests need not be listed. A path that is "
        "named on the command line is looked at all the same, unless `force-exclude` is set.",
        "`[]`",
        'exclude = ["vendor/", "*.generated.ts"]',
    ),
    Key(
        "extend-exclude",
        _PATTERNS,
        "The same, in addition to the `exclude` of a file that this one extends.",
        "`[]`",
        'extend-exclude = ["playground/"]',
    ),
    Key(
        "force-exclude",
        BOOLEAN,
        "Leave out what `exclude` names even if it is named on the command line, as pre-commit does.",
        "`false`",
        "force-exclude = true",
    ),
    Key(
        "severity",
        mapping(choice(*SEVERITIES), "a table of rules and severities", _SELECTOR),
        "Another severity for some rules: `error`, `warning` or `info`. A longer prefix goes before a "
        "shorter one.",
        "that of each rule's page",
        '[severity]\nMCP3 = "info"\nMCP302 = "error"',
    ),
    Key(
        "assume",
        mapping(TEXT, "a table of packages and versions"),
        "Versions of SDKs where nothing in the project says them.",
        "`{}`",
        '[assume]\n"@modelcontextprotocol/sdk" = "1.30.0"',
    ),
    Key(
        "modes",
        mapping(SCALAR, "a table of names and values"),
        "What settings are in the run that is to be judged. Without it, servers are judged by the run in "
        f"which no option and no variable of the environment is set. {_CATALOG}",
        "`{}`",
        '[modes]\n"process.env.TRANSPORT" = "stdio"',
    ),
    Key(
        "holders",
        many(table(HOLDER), "a list of tables"),
        "Calls of your own libraries that keep a process alive. An entry takes the place of the catalog's "
        f"for its names. {_CATALOG}",
        "`[]`",
        '[[holders]]\nnames = ["@acme/metrics.startReporter"]\nwhat = "the metrics reporter"\n'
        'releases = ["stop"]',
    ),
    Key(
        "exits",
        many(table(EXIT), "a list of tables"),
        f"Calls of your own libraries that end the process. {_CATALOG}",
        "`[]`",
        '[[exits]]\nnames = ["@acme/process.shutdown"]',
    ),
    Key(
        "transports",
        many(table(TRANSPORT), "a list of tables"),
        f"Stdio transports of SDKs that the catalog does not know. {_CATALOG}",
        "`[]`",
        '[[transports]]\nnames = ["@acme/mcp.StdioBridge"]\nserve = ["attach"]\nat_eof = "nothing"',
    ),
    Key(
        "loggers",
        many(table(LOGGER), "a list of tables"),
        f"Loggers of your own that write to stdout. {_CATALOG}",
        "`[]`",
        '[[loggers]]\nnames = ["@acme/log"]\nmethods = ["info", "warn"]\nwhy = "prints to stdout"',
    ),
)
"""The keys, in the order of the reference."""

SETTINGS = table(KEYS, "a table of settings")
