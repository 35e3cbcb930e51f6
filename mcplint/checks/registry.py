"""The rules: one module each, found by its code."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from mcplint.checks import (
    eof_handled_in_one_mode,
    eof_handler_never_exits,
    eof_unhandled,
    onclose_never_fires,
    outlives_client,
    signal_handler_never_exits,
    unguarded_shutdown,
)
from mcplint.checks.finding import Finding
from mcplint.lifecycle.model import Server

_MODULES: tuple[ModuleType, ...] = (
    outlives_client,
    eof_handler_never_exits,
    onclose_never_fires,
    eof_handled_in_one_mode,
    signal_handler_never_exits,
    unguarded_shutdown,
    eof_unhandled,
)


def codes() -> tuple[str, ...]:
    """The code of every rule that is built."""
    return tuple(module.CODE for module in _MODULES)


def check(server: Server, selected: frozenset[str]) -> Iterator[Finding]:
    """What the selected rules find in one server."""
    for module in _MODULES:
        if module.CODE in selected:
            yield from module.check(server)
