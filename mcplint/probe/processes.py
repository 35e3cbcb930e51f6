"""The processes of one probe, known by identity: a mark in their environment, a number and a birth."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

MARK = "MCPLINT_PROBE_MARK"
"""The environment variable by which everything that a probe started is known again."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process as it was seen.

    Attributes:
        pid: its number.
        command: its command line, or its name where that cannot be read.
    """

    pid: int
    command: str


class Family:
    """All that descends from one start of a server, wherever it has been adopted since.

    Attributes:
        mark: the value of :data:`MARK` in the environment of the server.
    """

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self._known: set[psutil.Process] = set()

    def living(self) -> list[psutil.Process]:
        """Those that run, oldest first."""
        for process in psutil.process_iter():
            if process not in self._known and self._is_marked(process):
                self._known.add(process)
        for process in list(self._known):
            self._known.update(_children(process))
        self._known = {process for process in self._known if lives(process)}
        return sorted(self._known, key=_age)

    def end(self) -> None:
        """End all of them, and those that they start meanwhile, and wait until they are gone."""
        while found := self.living():
            for process in found:
                try:
                    process.kill()
                except psutil.NoSuchProcess:
                    pass
                except psutil.AccessDenied:
                    self._known.discard(process)
                    return
            psutil.wait_procs(found, timeout=1)

    def _is_marked(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get(MARK) == self.mark
        except (psutil.Error, OSError):
            return False


def lives(process: psutil.Process) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def seen(process: psutil.Process) -> Process:
    """A process as it is now."""
    try:
        command = " ".join(process.cmdline()) or process.name()
    except (psutil.Error, OSError):
        command = "?"
    return Process(process.pid, command)


def parent_of(process: psutil.Process) -> Process | None:
    """The process that has it now."""
    try:
        parent = process.parent()
    except psutil.Error:
        return None
    return None if parent is None else seen(parent)


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """Processor time that the processes have used so far, in seconds."""
    total = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def own_environment() -> dict[str, str]:
    """The environment of this process, without what only a probe has put there."""
    return {name: value for name, value in os.environ.items() if name != MARK}


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def _age(process: psutil.Process) -> tuple[float, int]:
    try:
        return process.create_time(), process.pid
    except psutil.Error:
        return float("inf"), process.pid
