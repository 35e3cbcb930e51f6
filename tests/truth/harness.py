"""Start a stdio server, end its client in one way, and see whether it lives.

    with Server(command, folder) as server:
        server.greet()
        outcome = server.end("close_pipes")

Every wait is for an event: a line, or the end of the process. A server is called a
survivor when it is *idle*, not when time is up: over several seconds it neither used
the processor nor queued for it, so that a busy machine cannot make a slow exit look
like survival.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

Ending = Literal["close_pipes", "client_death", "sigterm", "sigint"]
Verdict = Literal["exits", "survives"]

READY_WITHIN = 60.0
"""Seconds for a server to answer; generous, because it is only ever reached by a broken one."""
IDLE_FOR = 3.0
"""Seconds of idleness that prove that a server stays."""
END_WITHIN = 30.0
"""Seconds that a server which is not idle may take to end."""
SPIN = 5.0
"""Seconds of processor time after the ending that no shutdown needs: it is spinning."""
_WINDOW = 0.5
_BUSY = 0.1
"""The share of a window that a server may work and still count as idle: timers tick."""
_CLIENT_OF = 16
"""How many servers die with one client."""

_starting = threading.BoundedSemaphore(4)
"""Starting a server is what costs processor time; waiting for one costs nothing."""
_live: set[Server] = set()
_live_lock = threading.Lock()


class NotReady(RuntimeError):
    """The server ended or said nothing before it was asked to end."""


@dataclass(frozen=True)
class Outcome:
    """What a server did after its ending."""

    verdict: Verdict
    seconds: float
    """From the ending to the exit, or until it was clear that there will be none."""
    age: float
    """The same moment, counted from the start of the server."""
    exit_code: int | None
    stderr: str
    left_behind: tuple[str, ...] = ()
    """Commands of processes that the server started and that are still there after its exit."""
    sigterm: Verdict | None = None
    """What a survivor did when it was sent SIGTERM after its stdin had ended, if that was asked."""


@dataclass(eq=False)
class Server:
    """One running server. On leaving the ``with`` block nothing of it is left."""

    command: Sequence[str]
    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def __enter__(self) -> Server:
        self._stderr = (self.folder / "stderr.txt").open("w+b")
        self._buffer = b""
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            cwd=self.folder,
            env={**os.environ, **self.variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            start_new_session=True,
        )
        with _live_lock:
            _live.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._close_pipes()
        self._stderr.close()
        with _live_lock:
            _live.discard(self)
        left = _wait_until_gone(_session(self.process.pid))
        if left:
            raise RuntimeError(f"still running after SIGKILL: {left}")

    def kill(self) -> None:
        """End the server and all it started."""
        if self.process.returncode is None:
            _signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for pid in _session(self.process.pid):
            _signal(pid, signal.SIGKILL)

    def greet(self) -> None:
        """Do what every client does first, and wait for the answers."""
        client = {"name": "truth", "version": "1"}
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.ask(1, "initialize", opening)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask(2, "tools/list", {})

    def hear(self) -> None:
        """Wait for a line of stdout, of a server that nobody can ask."""
        if next(self._lines(time.monotonic() + READY_WITHIN), None) is None:
            raise NotReady(f"silent\n{self.stderr()}")

    def ask(self, number: int, method: str, params: Mapping[str, Any]) -> Any:
        """Send a request and return its answer, be it a result or an error."""
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        deadline = time.monotonic() + READY_WITHIN
        for line in self._lines(deadline):
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict) and message.get("id") == number:
                return message
        raise NotReady(f"no answer to {method}\n{self.stderr()}")

    def end(self, ending: Ending, idle_for: float = IDLE_FOR, escalate: bool = False) -> Outcome:
        """End the client, or send a signal with stdin open, and see what comes of it.

        With ``escalate``, a server that survives is sent SIGTERM, as a client would.
        """
        if self.process.poll() is not None:
            raise NotReady(f"ended by itself with {self.process.returncode}\n{self.stderr()}")
        ended = time.monotonic()
        if ending == "close_pipes":
            self._close_pipes()
        else:
            self.process.send_signal(signal.SIGTERM if ending == "sigterm" else signal.SIGINT)
        exits = self._exits(ended, idle_for)
        now = time.monotonic()
        left = tuple(_command(pid) for pid in _session(self.process.pid)) if exits else ()
        after: Verdict | None = None
        if escalate and not exits:
            self.process.send_signal(signal.SIGTERM)
            after = "exits" if self._exits(time.monotonic(), idle_for) else "survives"
        return Outcome(
            "exits" if exits else "survives",
            now - ended,
            now - self.began,
            self.process.returncode,
            self.stderr(),
            left,
            after,
        )

    def left_behind(self, within: float) -> list[str]:
        """Commands of processes that it started and that do not end within some seconds of its exit."""
        return [_command(pid) for pid in _session(self.process.pid) if not _gone(pid, within)]

    def stderr(self) -> str:
        """The end of what the server has written there."""
        return (self.folder / "stderr.txt").read_text("utf-8", "replace")[-2000:]

    def _exits(self, ended: float, idle_for: float) -> bool:
        """Wait for the exit; False as soon as it is clear that there will be none."""
        return _ends(self.process.pid, lambda seconds: _wait(self.process, seconds), ended, idle_for)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message and wait for nothing."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            raise NotReady(f"stdin is closed\n{self.stderr()}") from None

    def _lines(self, deadline: float) -> Iterator[bytes]:
        """Lines of stdout until it closes or the deadline passes."""
        assert self.process.stdout
        while True:
            line, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                yield line
                continue
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not chunk:
                return
            self._buffer += chunk

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


@dataclass(frozen=True)
class Run:
    """A program and how its client ends."""

    name: str
    command: Sequence[str]
    folder: Path
    ending: Ending
    variables: Mapping[str, str] = field(default_factory=dict)
    idle_for: float = IDLE_FOR
    escalate: bool = False
    greets: bool = True
    tools: tuple[str, ...] = ()
    """Tools to call, without arguments, before the ending."""


def measure(run: Run) -> Outcome | str:
    """The outcome of one run, or why there is none."""
    try:
        with contextlib.ExitStack() as stack:
            with _starting:
                server = stack.enter_context(Server(run.command, run.folder, run.variables))
                if run.greets:
                    server.greet()
                    for number, tool in enumerate(run.tools, start=3):
                        server.ask(number, "tools/call", {"name": tool, "arguments": {}})
                else:
                    server.hear()
            return server.end(run.ending, run.idle_for, run.escalate)
    except (NotReady, OSError) as error:
        return f"{type(error).__name__}: {error}"


def measure_all(runs: Iterable[Run], at_once: int = 32) -> dict[str, Outcome | str]:
    """Measure many programs side by side, by name."""
    runs = list(runs)
    clients = [run for run in runs if run.ending == "client_death"]
    runs = [run for run in runs if run.ending != "client_death"]
    with ThreadPoolExecutor(at_once) as pool:
        try:
            deaths = [
                pool.submit(measure_deaths, clients[at : at + _CLIENT_OF])
                for at in range(0, len(clients), _CLIENT_OF)
            ]
            found = dict(zip((run.name for run in runs), pool.map(measure, runs), strict=True))
            return found | {name: one for group in deaths for name, one in group.result().items()}
        finally:
            # Left early only by an interrupt: the dead servers let their threads go on at once.
            pool.shutdown(wait=False, cancel_futures=True)
            kill_all()


def measure_deaths(runs: Sequence[Run]) -> dict[str, Outcome | str]:
    """The outcomes of servers that share a client, which is killed: nobody says goodbye."""
    asked = {
        "at_once": 4,
        "within": READY_WITHIN,
        "runs": [
            {
                "command": list(run.command),
                "folder": str(run.folder),
                "stderr": str(run.folder / "stderr.txt"),
            }
            for run in runs
        ],
    }
    command = [sys.executable, str(Path(__file__).with_name("client.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdin
        assert client.stdout
        try:
            with _starting:
                client.stdin.write(json.dumps(asked).encode())
                client.stdin.close()
                told = json.loads(client.stdout.readline() or "{}")
            began = time.monotonic()
        finally:
            client.kill()
    if not told:
        return dict.fromkeys((run.name for run in runs), "the client ended by itself")
    try:
        with ThreadPoolExecutor(len(runs)) as pool:
            found = pool.map(lambda pair: _after_death(*pair, began), zip(runs, told["started"], strict=True))
            return dict(zip((run.name for run in runs), found, strict=True))
    finally:
        for pid in told["all"]:
            _signal_group(pid, signal.SIGKILL)


def _after_death(run: Run, started: tuple[int, str], began: float) -> Outcome | str:
    """What an orphan does."""
    pid, reason = started
    text = (run.folder / "stderr.txt").read_text("utf-8", "replace")[-2000:]
    if not pid:
        return f"{reason}\n{text}"
    exits = _ends(pid, lambda seconds: _gone(pid, seconds), began, run.idle_for)
    spent = time.monotonic() - began
    return Outcome("exits" if exits else "survives", spent, spent, None, text)


def kill_all() -> None:
    """End every server of this process."""
    with _live_lock:
        servers = list(_live)
    for server in servers:
        if server.process.returncode is None:
            _signal_group(server.process.pid, signal.SIGKILL)


# ---------------------------------------------------------------------------- processes


def _ends(pid: int, wait: Callable[[float], bool], ended: float, idle_for: float) -> bool:
    """Wait for the exit of a process; False as soon as it is clear that there will be none."""
    used_before, last = _work(pid)
    idle = 0.0
    while not wait(_WINDOW):
        used, work = _work(pid)
        idle = idle + _WINDOW if work - last < _BUSY * _WINDOW else 0.0
        last = work
        if idle >= idle_for or used - used_before > SPIN or time.monotonic() - ended > END_WITHIN:
            return False
    return True


def _leaves(pid: int, seconds: float) -> bool:
    """Whether a process that is nobody's child here ends within that time."""
    return _gone(pid, seconds)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the process ends within that time."""
    if process.poll() is not None:
        return True
    if not hasattr(os, "pidfd_open"):
        return _wait_by_polling(process, seconds)
    descriptor = os.pidfd_open(process.pid)
    try:
        select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
    return process.poll() is not None


def _wait_by_polling(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _work(pid: int) -> tuple[float, float]:
    """Seconds of processor time that a process has used, and the same plus what it queued for.

    Where the system does not tell, nothing: every process then looks idle.
    """
    used = queued = 0
    for task in _listed(Path(f"/proc/{pid}/task")):
        try:
            run, wait, _ = (task / "schedstat").read_text().split()
        except (OSError, ValueError):
            continue
        used += int(run)
        queued += int(wait)
    return used / 1e9, (used + queued) / 1e9


def _session(leader: int) -> list[int]:
    """The processes of a session, dead ones apart."""
    found = []
    for entry in _listed(Path("/proc")):
        if not entry.name.isdigit():
            continue
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(state[3]) == leader and state[0] not in "ZX":
            found.append(int(entry.name))
    return found


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _command(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        )
    except OSError:
        return ""


def _wait_until_gone(pids: Iterable[int]) -> list[int]:
    """Wait for the end of killed processes that are not this process's own; those that stay."""
    return [pid for pid in pids if not _gone(pid)]


def _gone(pid: int, seconds: float = 10.0) -> bool:
    if not hasattr(os, "pidfd_open"):
        return _gone_by_polling(pid, seconds)
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def _gone_by_polling(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _signal_group(leader: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
