"""What the catalog's page and the architecture page speak of is what there is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from mcplint.lifecycle.model import Event
from mcplint.lifecycle.outcomes import Way
from mcplint.program.catalog_entries import Runs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
CATALOG = ROOT / "rules" / "catalog"
PAGE = (CATALOG / "README.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FILES = sorted(CATALOG.glob("*/*.toml"))

OPEN = {"globals", "events", "packages", "attribute_unless", "attribute_releases"}
"""Keys whose tables hold names that the user of the key chooses."""


def sections(page: str) -> dict[str, str]:
    """The text under each heading, by the heading's first word."""
    parts = re.split(r"^## (\S+).*$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


SECTIONS = sections(PAGE)


def words(text: str) -> set[str]:
    """The words in code, without those in blocks of it; a row of a table explains what it starts with."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return {word for code in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", code)}


def keys(value: Any) -> Iterator[str]:
    """Every key at any depth that the format defines."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in OPEN:
                yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def values(value: Any, wanted: str) -> Iterator[Any]:
    """Every value of one key, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == wanted:
                yield inner
            yield from values(inner, wanted)
    elif isinstance(value, list):
        for inner in value:
            yield from values(inner, wanted)


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def all_values(file: str, key: str) -> set[Any]:
    return {v for path in FILES if path.name == file for v in values(read(path), key)}


def first_cells(text: str) -> set[str]:
    """The words in code in the first cells of the tables of a section."""
    return {word for cell in re.findall(r"^\| (`[^|]*?) \|", text, re.M) for word in words(cell)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_key_is_explained_where_its_file_is(path: Path) -> None:
    assert path.name in SECTIONS, "a file without a section"
    common = words(SECTIONS["Names"] + SECTIONS["Places"])
    explained = words(SECTIONS[path.name]) | common
    assert sorted(set(keys(read(path))) - explained) == []


def test_every_section_about_a_file_is_about_one_that_is_there() -> None:
    assert {name for name in SECTIONS if name.endswith(".toml")} == {path.name for path in FILES}


def test_every_key_that_is_explained_is_used() -> None:
    for name in {path.name for path in FILES}:
        used = {key for path in FILES if path.name == name for key in keys(read(path))}
        values_ = {str(v) for key in ("effect", "runs") for v in all_values(name, key)}
        assert sorted(first_cells(SECTIONS[name]) - used - values_) == [], name


@pytest.mark.parametrize(("file", "key"), [("exits.toml", "effect"), ("callbacks.toml", "runs")])
def test_every_word_that_a_key_takes_is_explained(file: str, key: str) -> None:
    assert all_values(file, key) <= first_cells(SECTIONS[file])


def test_callbacks_run_when_the_reader_knows_it() -> None:
    assert all_values("callbacks.toml", "runs") <= set(get_args(Runs))


def test_events_are_those_of_the_model_and_explained() -> None:
    events = {
        event
        for found in all_values_listed("listeners.toml", "events")
        for event in (found.values() if isinstance(found, dict) else [found])
    }
    assert events <= {event.value for event in Event}
    assert events <= words(SECTIONS["listeners.toml"])


def all_values_listed(file: str, key: str) -> list[Any]:
    return [v for path in FILES if path.name == file for v in values(read(path), key)]


@pytest.mark.parametrize(("file", "key"), [("transports.toml", "does"), ("transports.toml", "on_signal")])
def test_what_an_sdk_does_is_explained(file: str, key: str) -> None:
    assert all_values(file, key) <= words(SECTIONS[file])


def test_links_within_the_page_lead_to_headings() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.M)
    anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors


# --------------------------------------------------------------------------- the architecture page


def test_modules_that_the_architecture_page_names_are_there() -> None:
    named = set(re.findall(r"`(?:\w+/)?(\w+\.py)`", ARCHITECTURE))
    there = {p.name for folder in ("mcplint", "benchmarks") for p in (ROOT / folder).rglob("*.py")}
    assert sorted(named - there) == []


def test_every_way_out_is_explained() -> None:
    table = sections(ARCHITECTURE)["lifecycle"]
    explained = set(re.findall(r"^\| (\w+) \|", table, re.M))
    assert {way.name.lower() for way in Way if way.name} <= explained


def test_every_kind_of_knowledge_is_in_the_architecture_page() -> None:
    assert set(re.findall(r"^\| `(\w+\.toml)` \|", ARCHITECTURE, re.M)) == {path.name for path in FILES}
