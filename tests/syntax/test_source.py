"""Positions are what an editor shows, whatever a file's encoding and line breaks."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcplint.files.source import Position, Source, UndecodableError


def source(text: str) -> Source:
    return Source(Path("x.py"), text)


def read(data: bytes, name: str = "x.py") -> Source:
    return Source.from_bytes(Path(name), data)


def place(text: str, needle: str) -> tuple[int, int]:
    file = source(text)
    position = file.position(file.utf8.index(needle.encode()))
    return position.line, position.column


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X", (1, 1)),
        ("\tX", (1, 2)),
        ("a\nX", (2, 1)),
        ("a\r\nX", (2, 1)),
        ("a\rX", (2, 1)),
        ("a\n\rX", (3, 1)),
        ("a\r\n\r\nb X", (3, 3)),
        ("é = X", (1, 5)),
        ("'😀' X", (1, 5)),
        ("e\u0301X", (1, 3)),
        ("a\x0cX", (1, 3)),
        ("a\u2028b\x0bX", (1, 5)),
    ],
)
def test_position(text: str, expected: tuple[int, int]) -> None:
    assert place(text, "X") == expected


def test_offsets_outside_the_text_are_its_ends() -> None:
    file = source("ab\ncé")
    assert file.position(-5) == Position(1, 1, 0)
    assert file.position(99) == Position(2, 3, 6)
    assert source("").position(0) == Position(1, 1, 0)
    assert source("a\n").position(2) == Position(2, 1, 2)


def test_an_offset_inside_a_character_is_that_character() -> None:
    file = source("a😀b")
    assert [file.position(offset).column for offset in range(7)] == [1, 2, 2, 2, 2, 3, 4]


def test_a_lone_surrogate_is_one_column() -> None:
    file = source("'\ud800' x")
    assert file.position(file.utf8.index(b"x")).column == 5


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_come_without_their_break(newline: str) -> None:
    file = source(f"a{newline}{newline}b é{newline}")
    assert [file.line(number) for number in range(6)] == ["", "a", "", "b é", "", ""]


@given(st.text(alphabet="a\r\n\té😀", max_size=30))
@settings(deadline=None)
def test_every_character_has_its_own_place(text: str) -> None:
    file = source(text)
    offset = 0
    line, column = 1, 1
    for index, char in enumerate(text):
        assert file.position(offset) == Position(line, column, offset)
        assert file.slice(offset, offset + len(char.encode())) == char
        offset += len(char.encode())
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            line, column = line + 1, 1
        else:
            column += 1


@pytest.mark.parametrize(
    ("bom", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize("name", ["x.py", "x.ts"])
def test_a_byte_order_mark_is_no_text(bom: bytes, codec: str, name: str) -> None:
    file = read(bom + "é = 1\r\n😀".encode(codec), name)
    assert (file.text, file.encoding, file.bom) == ("é = 1\r\n😀", codec, bom)
    assert file.position(0) == Position(1, 1, 0)
    assert file.position(file.utf8.index(b"=")).column == 3


@pytest.mark.parametrize(
    "head",
    [
        b"# coding: latin-1\n",
        b"# -*- coding: iso-8859-15 -*-\r\n",
        b"# vim: set fileencoding=latin1 :\r",
        b"#!/usr/bin/env python\n# coding=latin-1-unix\n",
        b"\n# coding: latin_1\n",
        b" \t\x0c# Coding? coding: cp1252\n",
    ],
)
def test_a_coding_cookie_is_honoured_in_python(head: bytes) -> None:
    file = read(head + b"x = '\xe9'; y")
    assert "x = 'é'" in file.text
    assert file.position(file.utf8.rindex(b"y")).column == 10


@pytest.mark.parametrize("codec", [b"utf-8-unix", b"UTF_8-dos", b"utf8", b"utf-8-mac"])
def test_editors_variants_of_utf8(codec: bytes) -> None:
    assert read(b"# -*- coding: " + codec + b" -*-\n# \xc3\xa9").text.endswith("é")


@pytest.mark.parametrize(
    "head",
    [
        b"x = 1\n# coding: latin-1\n",
        b"\n\n# coding: latin-1\n",
        b"x = '# coding: latin-1'\n",
        b"# encoded\n\n",
    ],
)
def test_what_is_no_cookie(head: bytes) -> None:
    assert read(head + b"\xc3\xa9").text.endswith("é")


def test_javascript_has_no_cookie() -> None:
    assert read(b"// coding: latin-1\n# coding: latin-1\n\xc3\xa9", "x.js").text.endswith("é")


@pytest.mark.parametrize(
    "data",
    [
        b"x = '\xe9'",
        b"\xc3",
        b"# coding: nonsense\n",
        b"# coding: rot13\nx",
        b"# coding: undefined\nx",
        b"# coding: ascii\n\xc3\xa9",
        b"# coding: idna\nx",
        b"# coding: unicode_escape\n\\d",
        b"\xff\xfea",
        b"\x89PNG\r\n\x1a\n\xff\xff",
    ],
)
def test_undecodable(data: bytes) -> None:
    with pytest.raises(UndecodableError):
        read(data)


@given(st.binary(max_size=40), st.sampled_from(["", "# coding: ", "# coding: utf-"]))
@settings(deadline=None)
def test_any_bytes_are_text_or_undecodable(data: bytes, head: str) -> None:
    try:
        file = read(head.encode() + data)
    except UndecodableError:
        return
    assert file.utf8.decode("utf-8", "surrogatepass") == file.text
