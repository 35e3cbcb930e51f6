"""The command line."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from mcplint.cli.console import Console, OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = ("check", "map", "probe", "rule", "version")

CLEAN, FINDINGS, FAILED, NO_SERVER, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run mcplint with these arguments and return its exit code."""
    if argv is None:
        _spare_the_collector()
    arguments = sys.argv[1:] if argv is None else list(argv)
    console = Console.of_process()
    try:
        return _run(arguments, console)
    except KeyboardInterrupt:
        return INTERRUPTED
    except UsageError as error:
        console.error(str(error), error.hint)
    except OutputError as error:
        console.error(f"cannot write the output: {error}")
    except Exception as error:
        _internal_error(error, console)
    return FAILED


def _spare_the_collector() -> None:
    """Look for no cycles in a process that is ours alone and soon gone.

    A run keeps nearly all that it makes. Searching it for garbage, above all once more at exit,
    is a tenth of a short run's time and finds next to nothing.
    """
    gc.disable()
    atexit.register(gc.freeze)


def _internal_error(error: Exception, console: Console) -> None:
    if os.environ.get("MCPLINT_DEBUG") == "1":
        from traceback import format_exc

        console.error(f"internal error\n{format_exc()}")
        return
    reason = " ".join(str(error).split())
    console.error(
        f"internal error: {type(error).__name__}: {reason}",
        "please report it, with what MCPLINT_DEBUG=1 prints",
    )


def _run(arguments: Sequence[str], console: Console) -> int:
    command, rest = "check", arguments
    if arguments and arguments[0] in COMMANDS:
        command, rest = arguments[0], arguments[1:]
    elif arguments and arguments[0] in ("--version", "-V"):
        command, rest = "version", arguments[1:]
    run: Callable[[Sequence[str], Console], int] = import_module(f"mcplint.cli.{command}").run
    return run(rest, console)
