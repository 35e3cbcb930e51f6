"""What the catalog says about holders is what real processes do."""

from __future__ import annotations

import pytest

from .cases import SnippetCase, snippet_cases
from .harness import Outcome

pytestmark = pytest.mark.truth


@pytest.mark.parametrize("case", list(snippet_cases()), ids=lambda case: case.name)
def test_holds_as_long_as_claimed(case: SnippetCase, outcome: Outcome) -> None:
    assert outcome.verdict == ("survives" if case.claim == "forever" else "exits"), outcome
    if isinstance(case.claim, (int, float)):
        # Counted from the start of the process: the holder was made somewhat later.
        assert outcome.age >= case.claim, outcome
