"""SDKs that keep everything but their own messages off stdout while they serve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.lifecycle.model import Phase
from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup

if TYPE_CHECKING:
    from mcplint.lifecycle.sdk import Sdk
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.execution import Execution

_SERVING = ("serving", "call")


@dataclass(frozen=True, slots=True)
class Diversion:
    """Whether the SDK of a server keeps other text off stdout while it serves.

    ``closes``: it closes stdout when it has served, so that nothing goes there any more.
    """

    diverts: bool
    closes: bool = False

    @classmethod
    def of(cls, found: FoundTransport, sdk: Sdk, execution: Execution) -> Diversion:
        """What the version in use does; where it may be one that does, it is taken to be."""
        for entry in lookup(execution.catalog.stdout.diverts, found.entry.sdk):
            version = sdk.version
            if version is not None and not version.may_be(entry.versions):
                return cls(False, closes=True)
            exact = version is not None and version.exact
            diverts = exact or not _shows_an_older(execution)
            return cls(diverts, closes=not diverts)
        return cls(False)

    def keeps(self, phase: Phase) -> bool:
        """Whether text of that moment does not get to the client."""
        return (self.diverts and phase in _SERVING) or (self.closes and phase == "end")


def _shows_an_older(execution: Execution) -> bool:
    """Whether the program uses what only older versions have."""
    older = execution.catalog.stdout.older
    index = execution.evaluator.index
    for name in {n.rpartition(".")[2] for n in older}:
        for call, scope in index.calls_of(name):
            if last_name(call.callee) is not None and not older.isdisjoint(
                execution.evaluator.outside_names(call.callee, scope)
            ):
                return True
    return False
