"""Records keep the contract of a frozen dataclass, but for the check at run time."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from mcplint.records import node, record, replace
from mcplint.syntax import ir


@node
class Thing:
    """A thing."""

    start: int


@node
class Part(Thing):
    name: str
    size: int = 1
    inner: tuple[Thing, ...] = ()

    @property
    def double(self) -> int:
        return self.size * 2


@record
class Pair:
    left: int
    right: str = "r"


@record
class Nothing:
    pass


def test_construction_by_place_and_by_name() -> None:
    part = Part(1, "a", inner=(Thing(2),))
    assert (part.start, part.name, part.size, part.double, part.inner[0].start) == (1, "a", 1, 2, 2)
    assert Part(start=1, name="a", size=3).size == 3


@pytest.mark.parametrize("arguments", [(), (1,), (1, "a", 2, (), 5)])
def test_wrong_arguments(arguments: tuple[object, ...]) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"Part\.__init__"):
            Part(*arguments)  # type: ignore[arg-type]


def test_a_node_is_equal_to_itself_only() -> None:
    one, other = Part(1, "a"), Part(1, "a")
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_a_record_is_equal_by_value() -> None:
    assert Pair(1) == Pair(1, "r") != Pair(2)
    assert Pair(1) != (1, "r")
    assert len({Pair(1), Pair(1), Pair(1, "s"), Nothing(), Nothing()}) == 3


def test_slots_patterns_and_text() -> None:
    part = Part(1, "a")
    assert not hasattr(part, "__dict__")
    with pytest.raises(AttributeError):
        part.other = 1  # type: ignore[attr-defined]
    match part:
        case Part(start, name, size=size):
            assert (start, name, size) == (1, "a", 1)
    assert isinstance(part, Thing)
    assert Thing.__doc__ == "A thing."
    assert Part.__match_args__ == ("start", "name", "size", "inner")
    assert repr(part) == "Part(start=1, name='a', size=1, inner=())"


def test_copies() -> None:
    pair = Pair(1, "x")
    assert replace(pair, left=2) == Pair(2, "x")
    assert copy.copy(pair) == copy.deepcopy(pair) == pickle.loads(pickle.dumps(pair)) == pair


def test_children_are_all_nodes_inside_in_order() -> None:
    name, text = ir.Name(0, 1, "f"), ir.Literal(2, 3, "x")
    keyword = ir.Keyword(4, 5, "k", ir.Literal(4, 5, None))
    call = ir.Call(0, 6, name, (text,), (keyword,))
    assert list(ir.children(call)) == [name, text, keyword]
    assert [type(n).__name__ for n in ir.walk(call)] == ["Call", "Name", "Literal", "Keyword", "Literal"]


def test_no_field_that_can_hold_a_node_is_passed_over() -> None:
    nodes = {k: v for k, v in vars(ir).items() if isinstance(v, type) and issubclass(v, ir.Node)}
    leaf = ir.Name(0, 0, "leaf")
    for kind in nodes.values():
        annotations = {
            k: v for base in kind.__mro__ for k, v in vars(base).get("__annotations__", {}).items()
        }
        for field in kind.__match_args__:
            words = set(re.findall(r"\w+", annotations[field]))
            if words & {*nodes, "Block"}:
                made = kind(**{f: leaf if f == field else None for f in kind.__match_args__})
                assert list(ir.children(made)) == [leaf], (kind, field)
