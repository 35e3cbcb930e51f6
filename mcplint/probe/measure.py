"""Starts a server, ends its client in one way, and sees what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import psutil

from mcplint.probe.client import GRACE
from mcplint.probe.processes import MARK, Family, cpu_seconds, lives, own_environment, parent_of, seen
from mcplint.probe.result import Ending, Measured, Subject

_LOOK_EVERY = 0.01
"""Seconds between two looks at a process that may end."""
_START_WITHIN = 30.0
"""Seconds for the client, which is a Python of our own, to report that it has started the server."""
_PACKAGES = str(Path(__file__).resolve().parents[2])
_STDERR_TAIL = 2000

Progress = Callable[[str], None]
"""Is told what is being waited for, often."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure.

    Attributes:
        wait: seconds to wait for the end of the server after that of its client.
        answer_within: seconds for the server to answer.
        tool: the tool to call before a client that ends in a call.
        arguments: what to call it with.
    """

    wait: float = 4.0
    answer_within: float = 10.0
    tool: str = ""
    arguments: Mapping[str, Any] | None = None


def measure(subject: Subject, ending: Ending, plan: Plan, progress: Progress = lambda _: None) -> Measured:
    """Measure one ending. Nothing that was started is left, even if this is interrupted."""
    if os.name == "nt" and ending in (Ending.SIGTERM, Ending.SIGINT):
        return Measured(ending, "not here", reason="Windows has no such signal")
    with _Trial(subject, plan, progress) as trial:
        return trial.run(ending)


class _Trial:
    """One start of the server with one client."""

    def __init__(self, subject: Subject, plan: Plan, progress: Progress) -> None:
        self._subject = subject
        self._plan = plan
        self._progress = progress
        self._family = Family()
        self._reports: Queue[dict[str, Any] | None] = Queue()
        self._ended: Mapping[str, Any] | None = None

    def __enter__(self) -> _Trial:
        self._folder = tempfile.TemporaryDirectory(prefix="mcplint-probe-")
        self._stderr = Path(self._folder.name, "stderr.txt")
        environment = {**own_environment(), "PYTHONPATH": _PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"}
        self._client = subprocess.Popen(
            [sys.executable, "-m", "mcplint.probe.client"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self._clean_up()
        except KeyboardInterrupt:
            self._clean_up()
            raise

    def _clean_up(self) -> None:
        try:
            # The client first, so that it starts nothing more; all that it started has the mark.
            self._client.kill()
            self._client.wait()
            self._family.end()
        finally:
            self._listener.join()
            for pipe in (self._client.stdin, self._client.stdout):
                if pipe:
                    with _ignoring_closed():
                        pipe.close()
            self._folder.cleanup()

    def run(self, ending: Ending) -> Measured:
        """Start, greet, end, and look."""
        self._progress("starting")
        self._tell(self._job())
        first = self._next(_START_WITHIN)
        if first is None or first["event"] != "started":
            return Measured(ending, "not started", reason=(first or {}).get("reason", "the client ended"))
        greeted = self._next(self._plan.answer_within + _START_WITHIN) or {}
        begun = Measured(
            ending,
            "alive",
            answered=greeted.get("event") == "greeted",
            protocol=greeted.get("protocol", ""),
            stray_lines=greeted.get("stray_lines", 0),
            first_stray=greeted.get("first_stray", ""),
            reason=greeted.get("reason", ""),
        )
        try:
            server = psutil.Process(first["pid"])
        except psutil.NoSuchProcess:
            return self._ended_early(begun)
        if not begun.answered and self._is_over(server):
            return self._ended_early(begun)
        if ending is Ending.END_IN_CALL and (reason := self._call()):
            begun = replace(begun, reason=reason)
        before = self._family.living()
        if not lives(server):
            return self._ended_early(begun)
        return self._end(server, replace(begun, processes=len(before)))

    # -------------------------------------------------------------------- the ending

    def _end(self, server: psutil.Process, begun: Measured) -> Measured:
        family = self._family.living()
        used = cpu_seconds(family)
        began = time.monotonic()
        _END[begun.ending](self, server)
        if begun.ending is Ending.CLOSE:
            return self._closed(server, begun, began)
        gone = self._wait(lambda: not lives(server), began, self._plan.wait)
        left = self._left(began)
        now = time.monotonic()
        known = gone is not None and begun.ending in (Ending.SIGTERM, Ending.SIGINT)
        code = self._exit_code() if known else None
        return replace(
            self._with_strays(begun),
            state="alive" if gone is None else "gone",
            milliseconds=None if gone is None else round(gone * 1000),
            exit_code=code,
            left=tuple(map(seen, left)),
            adopted_by=parent_of(server) if gone is None and self._client.poll() is not None else None,
            cpu=max(0.0, cpu_seconds(left) - used) if left else 0.0,
            watched=now - began,
        )

    def _closed(self, server: psutil.Process, begun: Measured, began: float) -> Measured:
        step = None
        last = began + 3 * GRACE + _START_WITHIN
        while step is None and time.monotonic() < last:
            self._progress(f"{time.monotonic() - began:.1f} s")
            found = self._next(0.1, wanted="closed")
            step = found["step"] if found else None
        gone = time.monotonic() - began
        code = self._exit_code()
        family = self._family.living()
        used, since = cpu_seconds(family), time.monotonic()
        left = self._left(since)
        return replace(
            self._with_strays(begun),
            state="alive" if lives(server) else "gone",
            milliseconds=round(gone * 1000),
            step=step,
            exit_code=code,
            left=tuple(map(seen, left)),
            cpu=max(0.0, cpu_seconds(left) - used),
            watched=time.monotonic() - since,
        )

    def _left(self, began: float) -> list[psutil.Process]:
        """What is left of the family when all of it is gone or the time is up."""
        self._wait(lambda: not self._family.living(), began, self._plan.wait)
        return self._family.living()

    def _wait(self, over: Callable[[], bool], began: float, seconds: float) -> float | None:
        """Seconds from ``began`` until something was over, None if it was not in time."""
        while True:
            spent = time.monotonic() - began
            if over():
                return spent
            if spent >= seconds:
                return None
            self._progress(f"{spent:.1f} s")
            time.sleep(_LOOK_EVERY)

    def _is_over(self, server: psutil.Process) -> bool:
        """Whether a server that closed a pipe is about to be gone."""
        return self._wait(lambda: not lives(server), time.monotonic(), 0.5) is not None

    def _ended_early(self, begun: Measured) -> Measured:
        code = self._exit_code()
        how = "" if code is None else f" with {said_code(code)}"
        text = self._stderr.read_text("utf-8", "replace").strip()[-_STDERR_TAIL:]
        reason = f"ended by itself{how} before its client did"
        left = tuple(map(seen, self._family.living()))
        return replace(
            begun,
            state="ended early",
            exit_code=code,
            left=left,
            reason=f"{reason}: {_telling_line(text)}" if text else reason,
        )

    def _call(self) -> str:
        """Start a tool call; why it does not run when the client ends, if so."""
        self._tell({"do": "call", "tool": self._plan.tool, "arguments": dict(self._plan.arguments or {})})
        called = self._next(_START_WITHIN, wanted="called") or {}
        return "" if called.get("running") else called.get("reason") or "the tool had answered by then"

    # -------------------------------------------------------------------- the client

    def _job(self) -> dict[str, Any]:
        variables = {**own_environment(), **dict(self._subject.variables), MARK: self._family.mark}
        return {
            "command": list(self._subject.command),
            "cwd": self._subject.cwd,
            "env": variables,
            "stderr": str(self._stderr),
            "within": self._plan.answer_within,
        }

    def _tell(self, order: Mapping[str, Any]) -> None:
        assert self._client.stdin
        with _ignoring_closed():
            self._client.stdin.write(json.dumps(order).encode() + b"\n")
            self._client.stdin.flush()

    def _listen(self) -> None:
        assert self._client.stdout
        for line in self._client.stdout:
            with _ignoring_closed():
                self._reports.put(json.loads(line))
        self._reports.put(None)

    def _next(self, seconds: float, wanted: str | None = None) -> dict[str, Any] | None:
        """The next report, or the next of one kind; None if there is none in time or ever."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                found = self._reports.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return None
            if found is None:
                self._reports.put(None)
                return None
            if found["event"] == "ended":
                self._ended = found
                if wanted != "ended":
                    continue
            if wanted in (None, found["event"]):
                return found

    def _exit_code(self) -> int | None:
        """What the client was told when the server ended."""
        if self._ended is None:
            self._next(1.0, wanted="ended")
        return None if self._ended is None else int(self._ended["code"])

    def _with_strays(self, begun: Measured) -> Measured:
        ended = self._ended
        if ended is None or ended["stray_lines"] <= begun.stray_lines:
            return begun
        return replace(begun, stray_lines=ended["stray_lines"], first_stray=ended["first_stray"])

    def _leave(self, _: psutil.Process) -> None:
        self._tell({"do": "exit"})
        self._client.wait()

    def _crash(self, _: psutil.Process) -> None:
        self._client.kill()
        self._client.wait()

    def _close(self, _: psutil.Process) -> None:
        self._tell({"do": "close"})


_END: dict[Ending, Callable[[_Trial, psutil.Process], None]] = {
    Ending.CLOSE: _Trial._close,
    Ending.EXIT: _Trial._leave,
    Ending.CRASH: _Trial._crash,
    Ending.END_IN_CALL: _Trial._crash,
    Ending.SIGTERM: lambda _, server: server.terminate(),
    Ending.SIGINT: lambda _, server: server.send_signal(signal.SIGINT),
}


def _telling_line(text: str) -> str:
    """The line that says what went wrong: the last that names an error, or else the last."""
    lines = text.splitlines()
    return next((line.strip() for line in reversed(lines) if "error" in line.lower()), lines[-1])


def said_code(code: int) -> str:
    """An exit code in words: ``exit code 1`` or ``SIGKILL``."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


@contextmanager
def _ignoring_closed() -> Iterator[None]:
    """A pipe whose other end is gone, or a line that was cut by that, is no error here."""
    try:
        yield
    except (OSError, ValueError):
        pass
