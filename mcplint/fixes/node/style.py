"""How a file of JavaScript or TypeScript is written."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from mcplint.files.source import Source
from mcplint.syntax import ir

_QUOTED_MODULE = re.compile(r"""(?:\bfrom|\bimport|\brequire\()\s{0,9}(["'])""")
_INDENT = re.compile(r"^([ \t]*)\S", re.M)
_SIMPLE = (ir.ExprStmt, ir.Declare, ir.Return, ir.Import)


@dataclass(frozen=True, slots=True)
class Style:
    """What differs between files that mean the same.

    Attributes:
        quote: the quotation mark of its texts.
        semicolons: whether they end statements.
        unit: what a level of indentation is.
    """

    quote: str
    semicolons: bool
    unit: str

    def render(self, template: str) -> list[str]:
        """The lines of a template, which has double quotes, semicolons and two spaces a level."""
        return [self._line(line) for line in template.strip("\n").split("\n")]

    def _line(self, line: str) -> str:
        body = line.lstrip(" ")
        level = (len(line) - len(body)) // 2
        if not self.semicolons:
            body = body.removesuffix(";")
        return self.unit * level + body.replace('"', self.quote) if body else ""


def style_of(source: Source, module: ir.Module) -> Style:
    """What most of a file does; what is usual where it shows nothing."""
    nodes = list(ir.walk(*module.body))
    return Style(_quote(source, nodes), _semicolons(source, nodes), _unit(source.text))


def _quote(source: Source, nodes: list[ir.Node]) -> str:
    counts = Counter(_QUOTED_MODULE.findall(source.text))
    for node in nodes:
        if isinstance(node, ir.Literal) and isinstance(node.value, str):
            counts[source.slice(node.start, node.start + 1)] += 1
    return "'" if counts["'"] > counts['"'] else '"'


def _semicolons(source: Source, nodes: list[ir.Node]) -> bool:
    ends = [source.utf8[n.end - 1 : n.end] == b";" for n in nodes if isinstance(n, _SIMPLE)]
    return 2 * sum(ends) >= len(ends)


def _unit(text: str) -> str:
    steps: Counter[str] = Counter()
    before = ""
    for indent in _INDENT.findall(text):
        if len(indent) > len(before) and indent.startswith(before):
            steps[indent[len(before) :]] += 1
        before = indent
    # One space more is how comments and wrapped lines are set, and no level.
    steps.pop(" ", None)
    return steps.most_common(1)[0][0] if steps else "  "
