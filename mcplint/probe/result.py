"""What was measured, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from mcplint.probe.processes import Process

State = Literal["gone", "alive", "ended early", "not started", "not here"]


class Ending(str, Enum):
    """A way in which a client ends, or a signal that it never sent."""

    CLOSE = "close"
    EXIT = "exit"
    CRASH = "crash"
    END_IN_CALL = "end-in-call"
    SIGTERM = "sigterm"
    SIGINT = "sigint"


LEAVES = (Ending.EXIT, Ending.CRASH, Ending.END_IN_CALL)
"""Endings after which there is no client any more."""

MEANING = {
    Ending.CLOSE: "the client closes stdin, then sends SIGTERM after 2 s and SIGKILL after 2 more",
    Ending.EXIT: "the client exits without a word",
    Ending.CRASH: "the client is killed",
    Ending.END_IN_CALL: "the client is killed while a tool runs",
    Ending.SIGTERM: "SIGTERM while the client lives and stdin is open",
    Ending.SIGINT: "SIGINT while the client lives and stdin is open",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One server after one ending.

    Attributes:
        ending: the way in which its client ended.
        state: what became of the process that was started.
        milliseconds: from the ending until it was gone; None where it was not.
        step: what ended it when the client closed: ``stdin``, ``SIGTERM`` or ``SIGKILL``.
        exit_code: its exit code, negative for a signal; None where only its dead parent could know.
        processes: how many there were before the ending, wrappers included.
        left: those that still ran when the measuring ended, the server itself included.
        adopted_by: the parent that the server has now, if its client left and it did not.
        cpu: seconds of processor time that those left have used since the ending.
        watched: seconds from the ending until the measuring ended.
        answered: whether the server answered when it was greeted.
        protocol: the revision of the protocol that it speaks; empty if it did not answer.
        stray_lines: lines on its stdout that were no message of the protocol.
        first_stray: the first of them, shortened.
        reason: why it did not start, did not answer, or ended early; else empty.
    """

    ending: Ending
    state: State
    milliseconds: int | None = None
    step: str | None = None
    exit_code: int | None = None
    processes: int = 0
    left: tuple[Process, ...] = ()
    adopted_by: Process | None = None
    cpu: float = 0.0
    watched: float = 0.0
    answered: bool = False
    protocol: str = ""
    stray_lines: int = 0
    first_stray: str = ""
    reason: str = ""

    @property
    def outlived(self) -> bool:
        """Whether something was left although the client had gone, or had ended the server."""
        return bool(self.left) and self.ending not in (Ending.SIGTERM, Ending.SIGINT)

    @property
    def busy(self) -> bool:
        """Whether those left keep a processor busy."""
        return self.watched > 0 and self.cpu > self.watched / 2


@dataclass(frozen=True, slots=True)
class Subject:
    """A server that can be started.

    Attributes:
        title: what to call it.
        command: program and arguments.
        cwd: the folder to start it in; None for the present one.
        variables: what to add to its environment.
    """

    title: str
    command: tuple[str, ...]
    cwd: str | None = None
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Probed:
    """Everything that was measured of one server."""

    subject: Subject
    measured: tuple[Measured, ...]

    @property
    def outlived(self) -> bool:
        """Whether it outlived its client in any way."""
        return any(one.outlived for one in self.measured)
