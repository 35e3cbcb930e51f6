"""What the source of a server says of each ending, to be put beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mcplint.lifecycle.model import Ending as Predicted
from mcplint.lifecycle.model import Server, Verdict
from mcplint.probe.result import Ending, Measured

_WORDS = {"exits": "gone", "survives": "alive", "unknown": "unknown"}


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the source says of one ending, and why."""

    ending: Ending
    verdict: Verdict
    reason: str

    @property
    def word(self) -> str:
        """The verdict as a table says it."""
        return _WORDS[self.verdict]

    def agrees(self, measured: Measured) -> bool | None:
        """Whether it came so; None where one of the two says nothing.

        An orderly client ends what does not end by itself: there the verdict is about its first step.
        """
        if self.verdict == "unknown" or measured.state not in ("gone", "alive"):
            return None
        exits = measured.state == "gone" and measured.step in (None, "stdin")
        return exits == (self.verdict == "exits")


def predictions(server: Server) -> tuple[Prediction, ...]:
    """What the source says of every ending."""
    return tuple(Prediction(ending, said.verdict, said.reason) for ending, said in _endings(server))


def _endings(server: Server) -> Iterable[tuple[Ending, Predicted]]:
    for ending in (Ending.CLOSE, Ending.EXIT, Ending.CRASH):
        yield ending, server.stdin_eof
    yield Ending.END_IN_CALL, server.stdin_eof_after_call
    yield Ending.SIGTERM, server.sigterm
    yield Ending.SIGINT, server.sigint
