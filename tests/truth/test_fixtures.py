"""The fixture programs really live and die as their ``expect.toml`` says."""

from __future__ import annotations

import pytest

from .cases import FixtureCase, fixture_cases
from .harness import Outcome

pytestmark = pytest.mark.truth


@pytest.mark.parametrize("case", list(fixture_cases()), ids=lambda case: case.name)
def test_lives_or_dies_as_declared(case: FixtureCase, outcome: Outcome) -> None:
    expect = case.expectation()
    assert outcome.verdict == expect["verdict"][case.trigger], outcome
    if outcome.verdict == "exits" and case.trigger in expect.get("exit_code", {}):
        assert outcome.exit_code == expect["exit_code"][case.trigger], outcome
