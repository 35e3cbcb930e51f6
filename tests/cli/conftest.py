from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from mcplint import api
from mcplint.api import Options
from mcplint.cli import main
from tests.cli.fake import ENGINES


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str


Runner = Callable[..., Run]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "MCPLINT_OUTPUT_FORMAT", "MCPLINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Run mcplint in this process with an engine of tests.cli.fake, or the real one."""
    real = api.lint

    def run_it(*arguments: str, engine: str = "findings") -> Run:
        monkeypatch.setattr(api, "lint", ENGINES.get(engine, real))
        code = main(arguments)
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run_it


@pytest.fixture
def options_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Options]:
    """The options that these arguments hand to the engine."""

    def options(*arguments: str) -> Options:
        seen: list[Options] = []

        def lint(paths: object, options: Options) -> object:
            seen.append(options)
            return ENGINES["clean"]([], None)

        monkeypatch.setattr(api, "lint", lint)
        assert main(arguments) == 0, capsys.readouterr().err
        return seen[0]

    return options
