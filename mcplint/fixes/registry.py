"""The fixers: one module for a rule and a language family, imported when a finding needs it.

A fixer is a module with ``fix(request)``, which makes the edits or says None where it cannot. Where
making them needs something heavy, the module also has ``serves(request)``, which only tells whether
``fix`` would make them, and of which kind; the heavy part is then imported inside ``fix``.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, cast

from mcplint.checks.finding import Finding
from mcplint.fixes.edit import Applicability, Edit, Fix
from mcplint.fixes.newlines import with_newlines_of
from mcplint.fixes.request import Request
from mcplint.lifecycle.model import Server

Family = Literal["node", "python"]

_FIXERS: dict[tuple[str, Family], str] = {}


class _Fixer(Protocol):
    def fix(self, request: Request) -> Fix | None: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """A fix that is made when somebody asks for it."""

    request: Request
    module: str

    @property
    def applicability(self) -> Applicability | None:
        """Of which kind the fix is; None if there is none for this very finding."""
        fixer = import_module(self.module)
        if hasattr(fixer, "serves"):
            return cast("Applicability | None", fixer.serves(self.request))
        made = self.made()
        return made.applicability if made is not None else None

    def made(self) -> Fix | None:
        """The edits, with the line breaks of the files that they are for; None where there are none."""
        fix = cast(_Fixer, import_module(self.module)).fix(self.request)
        if fix is None:
            return None
        edits = tuple(Edit(e.place, with_newlines_of(e.place.source, e.text)) for e in fix.edits)
        return Fix(fix.title, fix.applicability, edits)


def codes(family: Family) -> tuple[str, ...]:
    """The rules with a fixer for some language."""
    return tuple(code for code, known in _FIXERS if known == family)


def offer(finding: Finding, server: Server) -> Offer | None:
    """What can be tried for a finding; nothing is imported or made yet."""
    family: Family = "python" if server.language == "python" else "node"
    module = _FIXERS.get((finding.code, family))
    return Offer(Request(finding, server), module) if module is not None else None
