"""The rule pages: what mcplint knows about its own rules.

A page is one Markdown file in ``rules/`` with simple ``key: value`` lines between ``---`` at
its head. Its file name is ``CODE-name.md``, so that codes and names are known without reading it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar, get_args

from mcplint.hints import close_matches

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]
FixKind = Literal["none", "safe", "unsafe"]
Status = Literal["stable", "preview"]

HEADINGS = (
    "What it reports",
    "Why it matters",
    "Examples",
    "Fix safety",
    "When not to use it",
    "Options",
    "Sources",
)
"""The second-level headings of every page, in this order."""

KEYS = (
    "code",
    "name",
    "summary",
    "severity",
    "confidence",
    "languages",
    "fix",
    "status",
    "since",
    "default",
)
"""The keys of every page's front matter, in this order."""

_FENCES = ("```", "~~~")
_T = TypeVar("_T")


class RulePageError(Exception):
    """A rule page is not written as it must be."""


class UnknownSelectorError(LookupError):
    """A word that is neither a code, nor a prefix of one, nor a rule's name.

    Attributes:
        selector: the word.
        matches: codes and names that look like it.
    """

    def __init__(self, selector: str, matches: tuple[str, ...]) -> None:
        super().__init__(f"unknown rule: {selector}")
        self.selector = selector
        self.matches = matches


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a page: a heading and the Markdown below it."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class RulePage:
    """One rule, as its page tells it.

    Attributes:
        default: whether the rule is on when nothing is selected.
        fix: whether findings carry a fix, and of which kind.
        sections: the parts of the page in order.
    """

    code: str
    name: str
    summary: str
    severity: Severity
    confidence: Confidence
    languages: tuple[str, ...]
    fix: FixKind
    status: Status
    since: str
    default: bool
    sections: tuple[Section, ...]

    def section(self, heading: str) -> str:
        """The text below ``heading``, or ``""``."""
        return next((s.text for s in self.sections if s.heading == heading), "")


@cache
def rules_dir() -> Path:
    """Where the pages are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    installed = package / "_rules"
    return installed if installed.is_dir() else package.parent / "rules"


@cache
def _files() -> Mapping[str, tuple[str, Path]]:
    """Each code with its name and file, by code."""
    found: dict[str, tuple[str, Path]] = {}
    for entry in os.scandir(rules_dir()):
        stem, extension = os.path.splitext(entry.name)
        code, dash, name = stem.partition("-")
        if extension == ".md" and dash and code.startswith("MCP"):
            found[code] = (name, Path(entry.path))
    return dict(sorted(found.items()))


def codes() -> tuple[str, ...]:
    """The code of every rule, in order."""
    return tuple(_files())


def default_codes() -> frozenset[str]:
    """The codes that are on when nothing is selected; no page is read to know them."""
    return frozenset(code for code in _files() if not code.startswith("MCP9") or code == "MCP900")


@cache
def page(code: str) -> RulePage:
    """The page of the rule with this code.

    Raises:
        UnknownSelectorError: there is no such rule.
    """
    known = _files().get(code)
    if known is None:
        raise _unknown(code)
    return parse_page(known[1].read_text(encoding="utf-8"), known[1].name)


def all_pages() -> tuple[RulePage, ...]:
    """Every page, by code."""
    return tuple(page(code) for code in codes())


def find(code_or_name: str) -> RulePage:
    """The page of the rule with this code or name.

    Raises:
        UnknownSelectorError: there is no such rule.
    """
    word = code_or_name.strip()
    for code, (name, _) in _files().items():
        if word.upper() == code or word.lower() == name:
            return page(code)
    raise _unknown(word)


def expand(selectors: Iterable[str]) -> frozenset[str]:
    """The codes that codes, prefixes (``MCP1``), names or ``ALL`` stand for.

    Raises:
        UnknownSelectorError: a selector stands for nothing.
    """
    return frozenset(code for selector in selectors for code in _expand_one(selector.strip()))


def _expand_one(selector: str) -> list[str]:
    files = _files()
    upper = selector.upper()
    if upper == "ALL":
        return list(files)
    if upper.startswith("MCP"):
        chosen = [code for code in files if code.startswith(upper)]
    else:
        chosen = [code for code, (name, _) in files.items() if name == selector.lower()]
    if not chosen:
        raise _unknown(selector)
    return chosen


def similar(word: str) -> tuple[str, ...]:
    """The codes and names that look like ``word``, best first."""
    candidates = [known for code, (name, _) in _files().items() for known in (code, name)]
    return tuple(close_matches(word, candidates))


def _unknown(selector: str) -> UnknownSelectorError:
    return UnknownSelectorError(selector, similar(selector))


def parse_page(text: str, file_name: str) -> RulePage:
    """Read the text of a page.

    Raises:
        RulePageError: its head is malformed or incomplete.
    """
    head, body = _split_head(text, file_name)
    missing = [key for key in KEYS if key not in head]
    if missing:
        raise RulePageError(f"{file_name}: missing in the front matter: {', '.join(missing)}")
    return RulePage(
        code=head["code"],
        name=head["name"],
        summary=head["summary"],
        severity=_one_of(head, "severity", get_args(Severity), file_name),
        confidence=_one_of(head, "confidence", get_args(Confidence), file_name),
        languages=tuple(word.strip() for word in head["languages"].split(",")),
        fix=_one_of(head, "fix", get_args(FixKind), file_name),
        status=_one_of(head, "status", get_args(Status), file_name),
        since=head["since"],
        default=_one_of(head, "default", ("on", "off"), file_name) == "on",
        sections=tuple(_sections(body)),
    )


def _split_head(text: str, file_name: str) -> tuple[dict[str, str], str]:
    lines = text.splitlines()
    if not lines or lines[0] != "---" or "---" not in lines[1:]:
        raise RulePageError(f"{file_name}: no front matter between --- lines")
    end = lines.index("---", 1)
    head: dict[str, str] = {}
    for line in lines[1:end]:
        key, colon, value = line.partition(":")
        if not colon:
            raise RulePageError(f"{file_name}: not `key: value`: {line}")
        head[key.strip()] = value.strip()
    return head, "\n".join(lines[end + 1 :])


def _one_of(head: Mapping[str, str], key: str, allowed: tuple[_T, ...], file_name: str) -> _T:
    for choice in allowed:
        if choice == head[key]:
            return choice
    words = ", ".join(map(str, allowed))
    raise RulePageError(f"{file_name}: {key} is {head[key]!r}, not one of {words}")


def _sections(body: str) -> list[Section]:
    sections: list[Section] = []
    heading = ""
    lines: list[str] = []
    fenced = False
    for line in body.splitlines():
        if line.startswith(_FENCES):
            fenced = not fenced
        if not fenced and line.startswith("## "):
            if heading:
                sections.append(Section(heading, "\n".join(lines).strip("\n")))
            heading, lines = line[3:].strip(), []
        else:
            lines.append(line)
    if heading:
        sections.append(Section(heading, "\n".join(lines).strip("\n")))
    return sections
