"""mcplint with an engine that finds what it is told to, for tests of the command line.

``python -m tests.cli.fake ARGUMENTS``; ``FAKE`` in the environment says what lint does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from mcplint import api
from mcplint.api import Options
from mcplint.cli import main
from mcplint.report.result import Report, Skipped
from tests.report import builders


def many(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    return builders.report(*[builders.found()] * 5000)


def findings(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    skipped = (Skipped(Path("src/bad.ts"), "it is not UTF-8"), Skipped(Path("a.py"), "syntax", 7))
    return builders.report(builders.found(), builders.found(severity="warning"), skipped=skipped)


def clean(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    return builders.report()


def none(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    return builders.report(servers=0)


def broken(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    raise RuntimeError("the sky\nfell")


def interrupted(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    raise KeyboardInterrupt


def odd(paths: Sequence[Path | str], config: Options | None = None) -> Report:
    return builders.report(builders.found(message="日本 \udc80"))


ENGINES: dict[str, Callable[[Sequence[Path | str], Options | None], Report]] = {
    engine.__name__: engine for engine in (many, findings, clean, none, broken, interrupted, odd)
}

if __name__ == "__main__":
    api.lint = ENGINES[os.environ.get("FAKE", "findings")]
    sys.exit(main())
