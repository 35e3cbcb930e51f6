"""The rules: one module each, found by its code."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from mcplint.checks import (
    child_left_running,
    child_shares_protocol,
    cleanup_misses_eof,
    crash_handler_never_exits,
    eof_handled_in_one_mode,
    eof_handler_never_exits,
    eof_unhandled,
    exit_only_on_success,
    noisy_dependency,
    onclose_never_fires,
    outlives_client,
    shutdown_can_hang,
    signal_handler_never_exits,
    stdout_write,
    tool_outlives_client,
    unguarded_shutdown,
    unused_suppression,
)
from mcplint.checks.finding import Finding
from mcplint.lifecycle.model import Server

_MODULES: tuple[ModuleType, ...] = (
    outlives_client,
    eof_handler_never_exits,
    onclose_never_fires,
    eof_handled_in_one_mode,
    tool_outlives_client,
    signal_handler_never_exits,
    crash_handler_never_exits,
    cleanup_misses_eof,
    unguarded_shutdown,
    shutdown_can_hang,
    exit_only_on_success,
    child_left_running,
    stdout_write,
    child_shares_protocol,
    noisy_dependency,
    eof_unhandled,
)


def codes() -> tuple[str, ...]:
    """The code of every rule that is built."""
    return (*(module.CODE for module in _MODULES), unused_suppression.CODE)


def check(server: Server, selected: frozenset[str]) -> Iterator[Finding]:
    """What the selected rules find in one server."""
    for module in _MODULES:
        if module.CODE in selected:
            yield from module.check(server)
