"""Stand-ins for the services that some holders connect to.

What holds a process is the driver's sockets and timers, so a peer that speaks just
enough of the protocol for a connection and a query does. They run in this process; a
server under test finds their address in ``TRUTH_POSTGRES``, ``TRUTH_MYSQL`` and so on.
"""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class _Peer(socketserver.StreamRequestHandler):
    """One connection of a client."""

    def handle(self) -> None:
        with suppress(OSError, EOFError, struct.error):
            self.converse()

    def converse(self) -> None:
        """Answer until the client goes away."""
        raise NotImplementedError

    def read(self, size: int) -> bytes:
        """Exactly that many bytes."""
        data = self.rfile.read(size)
        if len(data) < size:
            raise EOFError
        return data


class Postgres(_Peer):
    """Takes anybody in; every query succeeds with nothing."""

    def converse(self) -> None:
        while self._startup() == 80877103:  # "may we speak TLS?"
            self.wfile.write(b"N")
        ready = b"Z" + struct.pack("!I", 5) + b"I"
        self.wfile.write(b"R" + struct.pack("!II", 8, 0) + ready)
        while True:
            kind, size = struct.unpack("!cI", self.read(5))
            self.read(size - 4)
            if kind == b"X":
                return
            if kind == b"Q":
                tag = b"SELECT 0\0"
                self.wfile.write(b"C" + struct.pack("!I", 4 + len(tag)) + tag + ready)

    def _startup(self) -> int:
        (size,) = struct.unpack("!I", self.read(4))
        (code,) = struct.unpack_from("!I", self.read(size - 4))
        return int(code)


class Mysql(_Peer):
    """Takes anybody in; every command is answered with OK."""

    GREETING = (
        b"\x0a8.0.0\0" + struct.pack("<I", 1) + b"saltsalt\0" + struct.pack("<HBHHB", 0xF7FF, 33, 2, 0x0008, 21)
        + bytes(10) + b"saltsaltsalt\0" + b"mysql_native_password\0"
    )  # fmt: skip

    def converse(self) -> None:
        self._answer(0, self.GREETING)
        while True:
            size, sequence = struct.unpack("<IB", self.read(3) + b"\0" + self.read(1))
            payload = self.read(size)
            if sequence == 0 and payload[:1] == b"\x01":  # quit
                return
            self._answer(sequence + 1, b"\0\0\0\x02\0\0\0")

    def _answer(self, sequence: int, payload: bytes) -> None:
        self.wfile.write(struct.pack("<I", len(payload))[:3] + bytes([sequence]) + payload)


class Redis(_Peer):
    """Answers each command with the least that its caller can use."""

    def converse(self) -> None:
        while True:
            (command, *rest) = self._command()
            if command == b"HELLO":
                words = (b"server", b"redis", b"version", b"7.0.0", b"proto")
                self.wfile.write(b"%3\r\n" + b"".join(map(_bulk, words)) + b":3\r\n")
            elif command == b"INFO":
                self.wfile.write(_bulk(b"redis_version:7.0.0\r\n"))
            elif command == b"PING":
                self.wfile.write(b"+PONG\r\n")
            elif command == b"SUBSCRIBE":
                self.wfile.write(b">3\r\n" + _bulk(b"subscribe") + _bulk(rest[0]) + b":1\r\n")
            else:
                self.wfile.write(b"+OK\r\n")
            if command == b"QUIT":
                return

    def _command(self) -> list[bytes]:
        words = []
        for _ in range(self._number()):
            size = self._number()
            words.append(self.read(size + 2)[:-2])
        return [words[0].upper(), *words[1:]]

    def _number(self) -> int:
        line = self.rfile.readline()
        if not line:
            raise EOFError
        return int(line[1:])


def _bulk(text: bytes) -> bytes:
    return b"$%d\r\n%s\r\n" % (len(text), text)


class Mongodb(_Peer):
    """Calls itself a standalone server and agrees to everything."""

    def converse(self) -> None:
        while True:
            size, request, _, code = struct.unpack("<iiii", self.read(16))
            self.read(size - 16)
            document = _bson({
                "ok": 1.0, "ismaster": True, "isWritablePrimary": True, "helloOk": True,
                "minWireVersion": 0, "maxWireVersion": 21,
                "maxBsonObjectSize": 1 << 24, "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
            })  # fmt: skip
            if code == 2004:
                reply, body = 1, struct.pack("<iqii", 8, 0, 0, 1) + document
            else:
                reply, body = 2013, struct.pack("<IB", 0, 0) + document
            self.wfile.write(struct.pack("<iiii", 16 + len(body), 1, request, reply) + body)


def _bson(values: dict[str, Any]) -> bytes:
    """A flat document of booleans, integers and floats."""
    body = b""
    for name, value in values.items():
        key = name.encode() + b"\0"
        if isinstance(value, bool):
            body += b"\x08" + key + bytes([value])
        elif isinstance(value, int):
            body += b"\x10" + key + struct.pack("<i", value)
        else:
            body += b"\x01" + key + struct.pack("<d", value)
    return struct.pack("<i", 5 + len(body)) + body + b"\0"


class _Listener(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


SERVICES: dict[str, tuple[type[_Peer], str]] = {
    "postgres": (Postgres, "postgres://truth:truth@127.0.0.1:{port}/truth"),
    "mysql": (Mysql, "mysql://truth:truth@127.0.0.1:{port}/truth"),
    "redis": (Redis, "redis://127.0.0.1:{port}"),
    "mongodb": (Mongodb, "mongodb://127.0.0.1:{port}"),
}


@contextmanager
def services() -> Iterator[dict[str, str]]:
    """Run all stand-ins; the variables that tell a program where they are."""
    variables = {}
    listeners = []
    for name, (peer, address) in SERVICES.items():
        listener = _Listener(("127.0.0.1", 0), peer)
        listeners.append(listener)
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        variables[f"TRUTH_{name.upper()}"] = address.format(port=listener.server_address[1])
    try:
        yield variables
    finally:
        for listener in listeners:
            listener.shutdown()
            listener.server_close()
