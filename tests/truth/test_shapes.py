"""Handlers in every shape really end their process, or do not, as the table of shapes says."""

from __future__ import annotations

import pytest

from .harness import Outcome
from .shapes import ShapeCase, shape_cases

pytestmark = pytest.mark.truth


@pytest.mark.parametrize("case", list(shape_cases()), ids=lambda case: case.name)
def test_lives_or_dies_as_the_table_says(case: ShapeCase, outcome: Outcome) -> None:
    assert outcome.verdict == case.shape.verdicts[case.ending], outcome
    if outcome.sigterm is not None:
        assert outcome.sigterm == case.shape.sigterm_after_eof, outcome
