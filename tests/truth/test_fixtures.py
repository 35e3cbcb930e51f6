"""The fixture programs and the examples really live and die as their ``expect.toml`` says."""

from __future__ import annotations

import pytest

from .cases import FixtureCase, fixture_cases
from .harness import Outcome

pytestmark = pytest.mark.truth


@pytest.mark.parametrize("case", list(fixture_cases()), ids=lambda case: case.name)
def test_lives_or_dies_as_declared(case: FixtureCase, outcome: Outcome) -> None:
    assert outcome.verdict == case.expect["verdict"][case.trigger], outcome
    if case.trigger in case.expect.get("exit_code", {}):
        assert outcome.exit_code == case.expect["exit_code"][case.trigger], outcome
