"""MCP402: a child process that is given the server's own stdin or stdout."""

from __future__ import annotations

from collections.abc import Iterator

from mcplint.checks.finding import Finding, Related
from mcplint.checks.wording import listed, moment
from mcplint.lifecycle.model import Server, Sharing

CODE = "MCP402"
NAME = "child-shares-protocol"
WHY_OUT = "every line that the child prints is a line of the protocol to the client, and none that it knows"
WHY_IN = "whatever the child reads from its stdin is a message of the client that the server never gets"


def check(server: Server) -> Iterator[Finding]:
    """One finding a child."""
    for sharing in server.sharing:
        if sharing.reaches:
            yield _finding(server, sharing)


def _finding(server: Server, sharing: Sharing) -> Finding:
    # A child that only could read is harmless until it does; one that can print mostly does.
    sure = sharing.certain and sharing.stdout and sharing.phase != "end"
    both = [name for name, shared in (("stdin", sharing.stdin), ("stdout", sharing.stdout)) if shared]
    return Finding(
        code=CODE,
        name=NAME,
        message=(
            f"`{sharing.what}` gives a child process the {listed(both)} of the server"
            f" {moment(sharing.phase)}, which belong{'' if len(both) == 2 else 's'} to the protocol"
        ),
        why=WHY_OUT if sharing.stdout else WHY_IN,
        severity="error" if sure else "warning",
        confidence="medium" if sharing.stdout else "low",
        when="call" if sharing.phase == "call" else "start",
        place=sharing.place,
        related=(Related(server.transport.serve, "the server starts here"),),
    )
