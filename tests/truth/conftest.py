"""Measures all selected cases of a test module side by side, before its first test."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol, cast

import pytest

from .harness import Outcome, Run, measure_all
from .install import Environment, missing, prepare
from .services import services


class Case(Protocol):
    """What the tests are parametrised with, as ``case``."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> Environment: ...

    def run(self, folder: Path) -> Run: ...


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Outcome | str]:
    """What was measured, by the case's name."""
    cases: list[Case] = []
    for item in request.session.items:
        if (
            isinstance(item, pytest.Function)
            and item.module is request.module
            and "outcome" in item.fixturenames
        ):
            cases.append(cast("Case", item.callspec.params["case"]))
    folder = tmp_path_factory.mktemp("servers")
    worker = getattr(request.config, "workerinput", None)
    if worker is None:
        return _measured(cases, folder)
    # Under xdist the first worker measures for all of them.
    shared = tmp_path_factory.getbasetemp().parent
    with (shared / "truth.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = shared / f"{request.module.__name__}-{worker['testrunuid']}.pickle"
        if not kept.exists():
            kept.write_bytes(pickle.dumps(_measured(cases, folder)))
        found: Mapping[str, Outcome | str] = pickle.loads(kept.read_bytes())
        return found


@pytest.fixture
def outcome(case: Case, outcomes: Mapping[str, Outcome | str]) -> Outcome:
    """What was measured for this test's case."""
    reason = missing(case.environment)
    if reason:
        pytest.skip(reason)
    found = outcomes[case.name]
    if isinstance(found, str):
        pytest.fail(found)
    return found


def _measured(cases: Iterable[Case], folder: Path) -> dict[str, Outcome | str]:
    runs = []
    possible = [case for case in cases if missing(case.environment) is None]
    for environment in {case.environment.name: case.environment for case in possible}.values():
        prepare(environment)
    for number, case in enumerate(possible):
        own = folder / str(number)
        own.mkdir()
        runs.append(case.run(own))
    with services() as addresses:
        return measure_all([replace(run, variables={**addresses, **run.variables}) for run in runs])
