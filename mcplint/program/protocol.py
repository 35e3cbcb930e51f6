"""Whether a program answers requests of a protocol itself, by the names of the requests.

Whoever answers compares what comes in with the names of the requests, or keeps functions by them.
Whoever only asks gives them as the ``method`` of what goes out, and is no server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.program.link import LinkedModule

_METHOD = "method"
Heard = tuple[frozenset[str], frozenset[str]]


class Protocol:
    """Looks at each module once for the names of requests.

    Args:
        words: the names that count.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._memo: dict[LinkedModule, Heard] = {}

    def answered(self, modules: Iterable[LinkedModule]) -> bool:
        """Whether some of the modules answer each of the words, and none asks for one of them."""
        needed = self._words
        answered: frozenset[str] = frozenset()
        asked: frozenset[str] = frozenset()
        for module in modules:
            more_answered, more_asked = self._heard(module)
            answered, asked = answered | more_answered, asked | more_asked
        return needed <= answered and needed.isdisjoint(asked)

    def hears_all(self, modules: Iterable[LinkedModule]) -> bool:
        """Whether some of the modules answer each of the words."""
        return self._words <= frozenset[str]().union(*(self._heard(m)[0] for m in modules))

    def hears(self, module: LinkedModule) -> bool:
        """Whether a module answers one of the words."""
        return bool(self._heard(module)[0])

    def _heard(self, module: LinkedModule) -> Heard:
        known = self._memo.get(module)
        if known is None:
            text = module.code.source.text
            known = (frozenset(), frozenset())
            if any(word in text for word in self._words):
                nodes = list(ir.walk(*module.code.body))
                answered = frozenset(_compared(nodes)) & self._words
                known = (answered, frozenset(_said(nodes)) & self._words)
            self._memo[module] = known
        return known


def _compared(nodes: Iterable[ir.Node]) -> Iterator[str]:
    """The texts that something is compared with, or found by."""
    for node in nodes:
        match node:
            case ir.Binary(operator="==" | "!=", left=left, right=right):
                yield from _texts((left, right))
            case ir.Case(test=test) if test is not None:
                yield from _texts((test,))
            case ir.Entry(key=key) if key is not None:
                yield key
            case ir.Function(name=name, kind="method") if name is not None:
                yield name
            case _:
                continue


def _said(nodes: Iterable[ir.Node]) -> Iterator[str]:
    """The texts that are the method of a message, or of a message's schema."""
    for node in nodes:
        match node:
            case ir.Entry(key=name, value=value) | ir.Keyword(name=name, value=value) if name == _METHOD:
                yield from _texts(ir.walk(value))
            case _:
                continue


def _texts(nodes: Iterable[ir.Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ir.Literal) and isinstance(node.value, str):
            yield node.value
