"""MCP304: a child process that no way out of the server ends."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Confidence, Finding, Related, Severity
from mcplint.lifecycle.model import Child, Server

CODE = "MCP304"
NAME = "child-left-running"
WHY = "the child goes on alone when the server has gone, with its memory and its port"

_SAYS: dict[str, tuple[str, Severity, Confidence]] = {
    "left": ("starts a child process that nothing ends when the server goes", "warning", "medium"),
    "daemon": ("starts a child process that is meant to outlive the server", "info", "medium"),
    "shell": (
        "starts its command in a shell, and a signal to that child ends the shell and not the command",
        "warning",
        "medium",
    ),
}


def check(server: Server) -> Iterator[Finding]:
    """One finding a child."""
    for child in server.children:
        yield _finding(server, child)


def _finding(server: Server, child: Child) -> Finding:
    words, severity, confidence = _SAYS[child.fate]
    return Finding(
        code=CODE,
        name=NAME,
        message=f"`{child.what}` {words}",
        why=WHY,
        severity=severity,
        confidence=confidence,
        when="start",
        place=child.place,
        related=(Related(server.transport.serve, "the server starts here"),),
    )
