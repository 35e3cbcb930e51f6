"""What a fixer is given."""

from __future__ import annotations

from dataclasses import dataclass

from mcplint.checks.finding import Finding
from mcplint.files.source import Source
from mcplint.lifecycle.model import Server
from mcplint.syntax import ir, lower


@dataclass(frozen=True, slots=True)
class Request:
    """A finding to repair and the server that it is about.

    The text of every file concerned is at hand: each place of both has its source.
    """

    finding: Finding
    server: Server

    @property
    def source(self) -> Source:
        """The file that the finding points at."""
        return self.finding.place.source

    def module(self, source: Source) -> ir.Module:
        """A file once more as IR, which the model does not keep."""
        return lower(source)
