"""The fixers: one module for a rule and a language family, imported when a finding needs it.

A fixer is a module with ``fix(request)``, which makes the edits or says None where it cannot. Where
making them needs something heavy, the module also has ``serves(request)``, which only tells whether
``fix`` would make them, and of which kind; the heavy part is then imported inside ``fix``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, Protocol, cast

from mcplint.checks.finding import Finding
from mcplint.fixes.apply import clash
from mcplint.fixes.edit import Applicability, Edit, Fix
from mcplint.fixes.newlines import with_newlines_of
from mcplint.fixes.request import Request
from mcplint.lifecycle.model import Server

Family = Literal["node", "python"]

_NODE = "mcplint.fixes.node"
_FIXERS: dict[tuple[str, Family], str] = {
    ("MCP101", "node"): f"{_NODE}.outlives_client",
    ("MCP901", "node"): f"{_NODE}.outlives_client",
    ("MCP102", "node"): f"{_NODE}.add_exit",
    ("MCP201", "node"): f"{_NODE}.add_exit",
    ("MCP202", "node"): f"{_NODE}.add_exit",
    ("MCP303", "node"): f"{_NODE}.exit_only_on_success",
    ("MCP103", "node"): f"{_NODE}.hear_stdin",
    ("MCP203", "node"): f"{_NODE}.hear_stdin",
    ("MCP301", "node"): f"{_NODE}.unguarded_shutdown",
    ("MCP302", "node"): f"{_NODE}.shutdown_can_hang",
}


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
        if fix is None or clash(fix.edits):
            return None
        edits = tuple(Edit(e.place, with_newlines_of(e.place.source, e.text)) for e in fix.edits)
        return replace(fix, edits=edits)


def codes(family: Family) -> tuple[str, ...]:
    """The rules with a fixer for some language."""
    return tuple(code for code, known in _FIXERS if known == family)


def offer(finding: Finding, server: Server) -> Offer | None:
    """What can be tried for a finding; nothing is imported or made yet."""
    family: Family = "python" if server.language == "python" else "node"
    module = _FIXERS.get((finding.code, family))
    return Offer(Request(finding, server), module) if module is not None else None
