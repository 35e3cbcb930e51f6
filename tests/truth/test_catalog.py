"""What the catalog says holds a process, or may keep it from its end, is what real processes do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from .cases import CATALOG, SnippetCase, catalog_entries, snippet_cases
from .harness import Outcome
from .install import HERE

ENTRIES = [
    entry
    for path, table, entry in catalog_entries()
    if path.stem in ("holders", "endless") or table == "unbounded"
]


@pytest.mark.truth
@pytest.mark.parametrize("case", list(snippet_cases()), ids=lambda case: case.name)
def test_holds_as_long_as_claimed(case: SnippetCase, outcome: Outcome) -> None:
    assert outcome.verdict == ("survives" if case.claim == "forever" else "exits"), outcome
    if isinstance(case.claim, (int, float)):
        # Counted from the start of the process: the holder was made somewhat later.
        assert outcome.age >= case.claim, outcome


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["names"][0] for entry in ENTRIES])
def test_says_how_it_is_known(entry: Mapping[str, Any]) -> None:
    if entry["known"] == "measured":
        assert entry["truth"], "a measured entry shows what was measured"
    else:
        assert entry["known"].startswith("documented: ")


def test_the_page_explains_every_key() -> None:
    page = (CATALOG / "README.md").read_text("utf-8")
    used = {key for entry in ENTRIES for key in entry}
    assert used <= set(re.findall(r"`(\w+)[` ]", page))


def test_packages_are_those_that_are_installed() -> None:
    package = json.loads((HERE / "node" / "holders" / "package.json").read_text("utf-8"))
    requirements = (HERE / "python" / "requirements-mcp1.txt").read_text("utf-8")
    installed = {
        *package["dependencies"].items(),
        *(tuple(line.split("==")) for line in requirements.split()),
    }
    measured = [entry for entry in ENTRIES if entry["known"] == "measured"]
    assert {item for entry in measured for item in entry.get("packages", {}).items()} <= installed
