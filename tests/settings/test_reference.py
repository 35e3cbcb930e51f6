"""The reference and the schema say what the code checks."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from mcplint.files.data import parse_toml
from mcplint.settings import reference
from mcplint.settings.keys import KEYS, SETTINGS
from mcplint.settings.kinds import Key

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_keys_say() -> None:
    assert (DOCS / "configuration.md").read_text("utf-8") == reference.page()


def test_the_schema_is_what_the_keys_say() -> None:
    text = (DOCS / "mcplint-config.schema.json").read_text("utf-8")
    assert json.loads(text) == reference.schema()
    jsonschema.Draft202012Validator.check_schema(reference.schema())


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_the_example_of_a_key_is_right(key: Key) -> None:
    value = parse_toml(key.example) or {}
    assert list(value) == [key.name]
    assert not list(SETTINGS.faults(value, ()))
    jsonschema.validate(value, reference.schema())


@pytest.mark.parametrize(
    "wrong",
    [
        {"selct": []},
        {"select": "MCP1"},
        {"force-exclude": 1},
        {"severity": {"MCP1": "fatal"}},
        {"holders": [{"what": "x"}]},
        {"holders": [{"names": ["x"], "holds": "sometimes"}]},
        {"exits": [{"names": ["x"], "only_if": [{"key": "x"}]}]},
        {"modes": {"x": []}},
    ],
)
def test_code_and_schema_refuse_the_same(wrong: dict[str, object]) -> None:
    assert list(SETTINGS.faults(wrong, ()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, reference.schema())
