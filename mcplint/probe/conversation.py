"""What a client says to a server, and what it hears."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

CLASSIC = "2025-06-18"
"""The revision that the first ``initialize`` offers."""
STATELESS = "2026-07-28"
"""The revision without ``initialize``: every request carries who asks."""

_CLIENT = {"name": "mcplint-probe", "version": "1"}
_META = "io.modelcontextprotocol/"
_UNSUPPORTED_VERSION = -32022
_LONGEST_LINE = 64 << 20
_SAMPLE = 200
_HEARD_WITHIN = 1.0
"""Seconds for the answer to a ping that shows that what went before has been read."""


class SilenceError(Exception):
    """The server did not answer, and why: it took too long, ended, or closed a pipe."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a server said when it was greeted.

    Attributes:
        protocol: the revision it speaks.
        name: what it calls itself; empty where it does not say.
        tools: how many tools it lists; None where it lists none.
    """

    protocol: str
    name: str
    tools: int | None


class Conversation:
    """Requests and answers over two pipes. A thread reads all the time, so that no server waits to write.

    Args:
        stdin: the pipe to the server.
        stdout: the pipe from it.
    """

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.stdin = stdin
        self._stdout = stdout
        self._heard = threading.Condition()
        self._answers: dict[int, Mapping[str, Any]] = {}
        self._stateless = False
        self._last = 0
        self._over = False
        self.stray_lines = 0
        """Lines on stdout that are no message of the protocol."""
        self.first_stray = ""
        threading.Thread(target=self._listen, daemon=True).start()

    def greet(self, within: float) -> Greeting:
        """Open the conversation and ask for the tools, as every client does first.

        Raises:
            SilenceError: there was no answer within so many seconds.
        """
        deadline = time.monotonic() + within
        opening = {"protocolVersion": CLASSIC, "capabilities": {}, "clientInfo": _CLIENT}
        answer = self.ask("initialize", opening, deadline)
        if _wants_stateless(answer):
            self._stateless = True
            answer = self.ask("server/discover", {}, deadline)
        else:
            self._send({"method": "notifications/initialized"})
        listed = self.ask("tools/list", {}, deadline).get("result")
        tools = listed.get("tools") if isinstance(listed, dict) else None
        return Greeting(*self._who(answer), len(tools) if isinstance(tools, list) else None)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Call a tool and return while it runs; False if it has answered by then."""
        number = self._request("tools/call", {"name": tool, "arguments": dict(arguments)})
        try:
            # The server reads in order: whoever answers this has read the call.
            self.ask("ping", {}, time.monotonic() + _HEARD_WITHIN)
        except SilenceError:
            pass
        with self._heard:
            return number not in self._answers

    def ask(self, method: str, params: Mapping[str, Any], deadline: float) -> Mapping[str, Any]:
        """Send a request and wait for its answer, be it a result or an error.

        Raises:
            SilenceError: there is none before ``deadline``, by the monotonic clock.
        """
        number = self._request(method, params)
        with self._heard:
            while number not in self._answers:
                left = deadline - time.monotonic()
                if self._over:
                    raise SilenceError(f"closed its stdout before it answered {method}")
                if left <= 0:
                    raise SilenceError(f"gave no answer to {method}")
                self._heard.wait(left)
            return self._answers.pop(number)

    def _who(self, answer: Mapping[str, Any]) -> tuple[str, str]:
        """The revision and the name in the answer to an opening."""
        result = answer.get("result")
        if not isinstance(result, dict):
            return "", ""
        meta = result.get("_meta")
        info = result.get("serverInfo") or (
            meta.get(_META + "serverInfo") if isinstance(meta, dict) else None
        )
        name = info.get("name") if isinstance(info, dict) else None
        protocol = STATELESS if self._stateless else result.get("protocolVersion")
        return str(protocol or ""), name if isinstance(name, str) else ""

    def _request(self, method: str, params: Mapping[str, Any]) -> int:
        self._last += 1
        if self._stateless:
            asker = {"protocolVersion": STATELESS, "clientInfo": _CLIENT, "clientCapabilities": {}}
            params = {**params, "_meta": {_META + key: value for key, value in asker.items()}}
        self._send({"id": self._last, "method": method, "params": params})
        return self._last

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.stdin.flush()
        except (OSError, ValueError):
            raise SilenceError("closed its stdin") from None

    def _listen(self) -> None:
        rest = b""
        while chunk := self._read():
            *lines, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
            for line in lines:
                self._hear(line)
            if len(rest) > _LONGEST_LINE:
                self._hear(rest)
                rest = b""
        if rest:
            self._hear(rest)
        with self._heard:
            self._over = True
            self._heard.notify_all()

    def _read(self) -> bytes:
        try:
            return os.read(self._stdout.fileno(), 1 << 16)
        except (OSError, ValueError):
            return b""

    def _hear(self, line: bytes) -> None:
        message = _message(line)
        with self._heard:
            if message is None:
                self.stray_lines += 1
                self.first_stray = self.first_stray or line[:_SAMPLE].decode("utf-8", "replace").strip()
            elif isinstance(message.get("id"), int) and "method" not in message:
                self._answers[message["id"]] = message
                self._heard.notify_all()


def _message(line: bytes) -> Mapping[str, Any] | None:
    if b'"jsonrpc"' not in line:
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and message.get("jsonrpc") == "2.0" else None


def _wants_stateless(answer: Mapping[str, Any]) -> bool:
    error = answer.get("error")
    if not isinstance(error, dict):
        return False
    data = error.get("data")
    supported = data.get("supported") if isinstance(data, dict) else None
    return error.get("code") == _UNSUPPORTED_VERSION and STATELESS in (supported or ())
