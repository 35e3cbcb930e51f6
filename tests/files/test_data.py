from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcplint.files import data
from mcplint.files.data import parse_jsonc, parse_toml, read_json, read_jsonc, read_toml, strings, table


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,\n],}', {"a": [1, 2]}),
        ('// c\n{"a": /* b */ 1 // d\n}', {"a": 1}),
        ('{"a": "// no, }", "b": "/* no */",}', {"a": "// no, }", "b": "/* no */"}),
        ('{"a\\"//": 1,}', {'a"//': 1}),
        ('{"a": 1, // last\n}', {"a": 1}),
        ("[1]", None),
        ("{a: 1}", None),
        ('{"a": 1', None),
        ("", None),
    ],
)
def test_jsonc(text: str, expected: object) -> None:
    assert parse_jsonc(text) == expected


@given(st.text(alphabet='{}[]",:/*\\\n 1a', max_size=80))
def test_jsonc_never_raises(text: str) -> None:
    parse_jsonc(text)


@pytest.mark.parametrize("piece", ["/*", '\\"', ",", '"', "//", "[", '{"a":', ", \n"])
def test_hostile_jsonc_stays_cheap(piece: str) -> None:
    began = time.process_time()
    assert parse_jsonc("{" + piece * 300_000) is None
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2", "[[[", "a = " + "[" * 3000, "\0"])
def test_broken_toml(text: str) -> None:
    assert parse_toml(text) is None


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    assert read_json(path) is None
    assert read_json(tmp_path) is None
    path.write_bytes(b'{"a": "\xff"}')
    assert read_json(path) is None
    path.write_bytes(b"[" * 100_000)
    assert read_json(path) is None
    path.write_bytes(b'{"a": ' + b"9" * 10_000 + b"}")
    assert read_json(path) is None
    monkeypatch.setattr(data, "MAX_MANIFEST_BYTES", 7)
    path.write_bytes(b'{"a":1}')
    assert read_json(path) == {"a": 1}
    path.write_bytes(b'{"a":10}')
    assert read_json(path) is None


def test_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_bytes('{"é": 1}'.encode(encoding))
        assert read_jsonc(path) == {"é": 1}
    path.write_bytes("a = 1\r\n".encode("utf-8-sig"))
    assert read_toml(path) == {"a": 1}


def test_tables_and_strings() -> None:
    assert table({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert table({"a": [1]}, "a", "b") == {}
    assert table(None) == {}
    assert strings("x") == ("x",)
    assert strings(["x", 1, None, "y"]) == ("x", "y")
    assert strings({"x": 1}) == ()
