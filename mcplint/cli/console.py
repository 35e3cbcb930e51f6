"""The two streams of a run: results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TextIO

from mcplint.report.look import Look

Colour = Literal["auto", "always", "never"]

_WIDTH = 120
"""Cells in a line where there is no terminal to ask."""


class UsageError(Exception):
    """The user asked for something that cannot be done; ``hint`` says what could be meant."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class OutputError(Exception):
    """stdout could not be written."""


@dataclass(frozen=True, slots=True)
class Console:
    """Where a run writes to, and how it looks there."""

    out: TextIO
    err: TextIO
    colour: Colour = "auto"
    quiet: bool = False

    @classmethod
    def of_process(cls) -> Console:
        """The streams of this process; one that is closed swallows what it is given."""
        return cls(_usable(sys.stdout), _usable(sys.stderr))

    def configured(self, colour: Colour, quiet: bool) -> Console:
        """The same streams, as the user wants them."""
        return replace(self, colour=colour, quiet=quiet)

    def produce(self, write: Callable[[TextIO, Look], None]) -> None:
        """Let ``write`` write the result. A reader that goes away early is no error.

        Raises:
            OutputError: the result could not be written.
        """
        try:
            write(self.out, self._look(self.out))
            self.out.flush()
        except BrokenPipeError:
            _discard(self.out)
        except OSError as error:
            _discard(self.out)
            raise OutputError(error.strerror or str(error)) from error

    def error(self, message: str, hint: str | None = None) -> None:
        """Say why the run failed."""
        look = self._look(self.err)
        self._say(f"{look.paint('error:', 'red', 'bold')} {message}")
        if hint:
            self._say(f"{look.paint('hint:', 'cyan', 'bold')} {hint}")

    def warning(self, message: str) -> None:
        """Say what could not be judged, unless the user wants quiet."""
        if not self.quiet:
            self._say(f"{self._look(self.err).paint('warning:', 'yellow', 'bold')} {message}")

    def note(self, message: str) -> None:
        """Say how it went, unless the user wants quiet."""
        if not self.quiet:
            self._say(message)

    def progress(self) -> Progress:
        """A line on a terminal that says what is being waited for; nothing where there is none."""
        return Progress(None if self.quiet or not self.err.isatty() else self.err)

    def _say(self, line: str) -> None:
        try:
            self.out.flush()
            self.err.write(f"{line}\n")
            self.err.flush()
        except OSError:
            _discard(self.err)

    def _look(self, stream: TextIO) -> Look:
        return Look(_coloured(self.colour, stream), _width(stream))


@dataclass(slots=True)
class Progress:
    """One line that is written again and again, and taken away at the end."""

    stream: TextIO | None
    _shown: str = ""

    def show(self, text: str) -> None:
        """Say this instead of what was said before."""
        if self.stream is not None and text != self._shown:
            self._shown = text
            self._write(f"\r\x1b[2K{text}")

    def clear(self) -> None:
        """Leave nothing of it."""
        if self.stream is not None and self._shown:
            self._shown = ""
            self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        assert self.stream is not None
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:
            self.stream = None


def _coloured(choice: Colour, stream: TextIO) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def _width(stream: TextIO) -> int:
    if stream.isatty():
        try:
            return os.get_terminal_size(stream.fileno()).columns or _WIDTH
        except OSError:
            pass
    return _WIDTH


def _usable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return io.StringIO()
    if isinstance(stream, io.TextIOWrapper):
        # File names may hold bytes, and source text characters, that the stream cannot encode.
        stream.reconfigure(errors="backslashreplace")
    return stream


def _discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that the interpreter does not trip over it at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass
