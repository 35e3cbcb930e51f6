"""One file of JavaScript or TypeScript as a fixer needs it: nodes by place, lines, names that are free."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from mcplint.files.place import Place
from mcplint.files.source import Source
from mcplint.fixes.edit import Edit
from mcplint.fixes.node.style import Style, style_of
from mcplint.syntax import TYPESCRIPT_SUFFIXES, ir, lower

MAX_LINE = 400
"""Characters of a line beyond which a file is a bundle that nobody edits."""
_GLOBAL = "process"
_PROCESS_MODULES = ("process", "node:process")
_SPACE = re.compile(rb"[ \t]*")
_COMMENT_LINE = re.compile(rb"[ \t]*//[^\n]*\n?\Z")
_EXPORT = re.compile(rb"\bexport\s+(?:default\s+)?\Z")
_AMBIGUOUS = (b"(", b"[", b"`", b"+", b"-", b"/")
"""What a line without a semicolon before it would be joined with."""


@dataclass(frozen=True)
class Code:
    """A file, lowered once more.

    Attributes:
        source: its text.
        module: its IR.
    """

    source: Source
    module: ir.Module

    @classmethod
    def of(cls, place: Place) -> Code | None:
        """The file of a place, or None where it is no text that people edit."""
        utf8 = place.source.utf8
        start, end = utf8.rfind(b"\n", 0, place.start) + 1, utf8.find(b"\n", place.start)
        long = (len(utf8) if end < 0 else end) - start > MAX_LINE
        return None if long else cls(place.source, lower(place.source))

    @cached_property
    def style(self) -> Style:
        """How it is written."""
        return style_of(self.source, self.module)

    @property
    def typed(self) -> bool:
        """Whether it is TypeScript."""
        return self.source.path.suffix in {*TYPESCRIPT_SUFFIXES}

    def path_to(self, start: int, end: int) -> list[ir.Node]:
        """The nodes around some bytes, outermost first."""
        found: list[ir.Node] = []
        inside: Iterable[ir.Node] = self.module.body
        while True:
            around = [n for n in inside if n.start <= start and end <= n.end]
            if not around:
                return found
            # Of several, as of an exported declaration, the one with something in it.
            node = max(around, key=lambda n: len(list(ir.children(n))))
            found.append(node)
            inside = ir.children(node)

    def functions_named(self, name: str) -> list[ir.Function]:
        """The functions of the file that are declared by a name, or are the constant of that name."""
        found = []
        for node in ir.walk(*self.module.body):
            match node:
                case ir.FunctionDef(function=function) if function.name == name:
                    found.append(function)
                case ir.Declare(target=ir.Name(id=declared), value=ir.Lambda(function=function)):
                    if declared == name:
                        found.append(function)
                case _:
                    continue
        return found

    @cached_property
    def insides(self) -> tuple[tuple[int, int], ...]:
        """Where a line is no line of code: inside templates and quoted text."""
        return tuple(
            (n.start, n.end)
            for n in ir.walk(*self.module.body)
            if isinstance(n, (ir.Template, ir.Literal)) and b"\n" in self.source.utf8[n.start : n.end]
        )

    def function_at(self, head: Place) -> list[ir.Node] | None:
        """The nodes down to the function whose name, or head, is there."""
        for node in ir.walk(*self.module.body):
            if isinstance(node, ir.Function) and (node.name_start, node.name_end) == (head.start, head.end):
                path = self.path_to(node.start, node.end)
                while path and path[-1] is not node:
                    path.pop()
                return path or None
        return None

    def text(self, node: ir.Node) -> str:
        """What the source says there."""
        return self.source.slice(node.start, node.end)

    def line_start(self, offset: int) -> int:
        """Where the line of an offset begins."""
        return self.source.utf8.rfind(b"\n", 0, offset) + 1

    def indent(self, offset: int) -> str:
        """What the line of an offset begins with."""
        match = _SPACE.match(self.source.utf8, self.line_start(offset))
        assert match is not None
        return match.group().decode()

    def begins_line(self, offset: int) -> bool:
        """Whether only white space stands before an offset on its line."""
        return not self.source.utf8[self.line_start(offset) : offset].strip()

    def ends_line(self, offset: int) -> bool:
        """Whether nothing but a comment of that line follows."""
        rest = self.source.utf8[offset:].split(b"\n", 1)[0].strip()
        return not rest or rest.startswith(b"//")

    def above(self, statement: ir.Node) -> int:
        """Where to put what goes before a statement: above the comment lines that belong to it."""
        at = self.outer_start(statement)
        if not self.begins_line(at):
            return at
        first = self.line_start(at)
        while first > 0:
            previous = self.line_start(first - 1)
            line = self.source.utf8[previous:first]
            if not _COMMENT_LINE.match(line) or b"*/" in line:
                break
            first = previous
        return first + len(self.indent(first)) if first != self.line_start(at) else at

    def outer_start(self, statement: ir.Node) -> int:
        """Where a statement begins, with the ``export`` in front of it."""
        match = _EXPORT.search(self.source.utf8, self.line_start(statement.start), statement.start)
        return match.start() if match is not None else statement.start

    def insert(self, at: int, text: str) -> Edit:
        """An edit that only adds."""
        return Edit(Place(self.source, at, at), text)

    def replace(self, start: int, end: int, text: str) -> Edit:
        """An edit that puts something else there."""
        return Edit(Place(self.source, start, end), text)

    def before(self, statement: ir.Node, template: str, blank: bool = False) -> Edit:
        """Lines in front of a statement, written from a template in the file's own style."""
        at = self.above(statement)
        indent = self.indent(at)
        lines = self.style.render(template)
        if not self.style.semicolons and self.source.utf8[at : at + 1] in _AMBIGUOUS:
            lines[-1] += ";"
        gap = ["", ""] if blank else [""]
        if not self.begins_line(at):
            indent += self.style.unit
            text = "\n" + _joined([*lines, *gap], indent, first=True) + indent
            return self.replace(len(self.source.utf8[:at].rstrip(b" \t")), at, text)
        return self.insert(at, _joined([*lines, *gap], indent) + indent)

    def after(self, statement: ir.Node, template: str) -> Edit:
        """Lines behind a statement."""
        at, utf8 = statement.end, self.source.utf8
        lines = self.style.render(template)
        if self.style.semicolons and utf8[at - 1 : at] not in (b";", b"}"):
            return self.insert(at, ";\n" + _joined(lines, self.indent(statement.start), True))
        if self.ends_line(at):
            line_end = utf8.find(b"\n", at)
            at = len(utf8) if line_end < 0 else line_end
            at -= utf8[at - 1 : at] == b"\r"
        return self.insert(at, "\n" + _joined(lines, self.indent(statement.start), True))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that stands for something in the file."""
        found: set[str] = set()
        for node in ir.walk(*self.module.body):
            match node:
                case ir.Name(id=name) | ir.ImportName(local=name):
                    found.add(name)
                case ir.Function(name=str(name)) | ir.Class(name=str(name)):
                    found.add(name)
                case _:
                    continue
        return frozenset(found)

    def free(self, *candidates: str) -> str:
        """The first of some names that means nothing yet."""
        free = next((name for name in candidates if name not in self.names), None)
        numbers = iter(range(2, len(self.names) + 3))
        return free or next(n for i in numbers if (n := f"{candidates[0]}{i}") not in self.names)

    @cached_property
    def process(self) -> str:
        """How the file names the process: as it imports it, else as the global."""
        for statement in self.module.body:
            match statement:
                case ir.Import(module=module, names=names) if module in _PROCESS_MODULES:
                    local = next((n.local for n in names if n.imported in (None, "default")), None)
                    if local is not None:
                        return local
                case ir.Declare(target=ir.Name(id=local), value=ir.ImportExpr(module=module)):
                    if module in _PROCESS_MODULES:
                        return local
                case _:
                    continue
        return f"globalThis.{_GLOBAL}" if _GLOBAL in set(_declared(self.module)) else _GLOBAL


def _joined(lines: list[str], indent: str, first: bool = False) -> str:
    """Lines below each other, each but the first (unless it is asked for) behind the indent."""
    return "\n".join(
        f"{indent}{line}" if line and (number or first) else line for number, line in enumerate(lines)
    )


def _declared(module: ir.Module) -> Iterator[str]:
    """The names that a file gives a meaning of its own."""
    for node in ir.walk(*module.body):
        match node:
            case ir.Declare(target=ir.Name(id=name)) | ir.Param(target=ir.Name(id=name)):
                yield name
            case ir.ImportName(local=name) | ir.FunctionDef(function=ir.Function(name=str(name))):
                yield name
            case _:
                continue
