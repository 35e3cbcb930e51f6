"""What a rule yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcplint.files.place import Place
from mcplint.lifecycle.model import When

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that the finding is about, and what it has to do with it."""

    place: Place
    label: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one server.

    Attributes:
        code: such as ``MCP101``.
        name: the rule's name, such as ``outlives-client``.
        message: one plain sentence, without a final stop.
        why: one line on what it does to the user.
        severity: how bad it is.
        confidence: how sure mcplint is.
        when: ``start`` if it is certain from the start, ``call`` if it needs a tool call or a
            first connection.
        place: the place to point at.
        related: the holder, the handler, the entry.
    """

    code: str
    name: str
    message: str
    why: str
    severity: Severity
    confidence: Confidence
    when: When
    place: Place
    related: tuple[Related, ...] = ()
