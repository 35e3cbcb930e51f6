"""Takes out of the findings what comments silence, and tells which comments silence nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from mcplint.checks import unused_suppression
from mcplint.rules import similar
from mcplint.suppressions.directives import Directive, Named, directives
from mcplint.suppressions.edits import without

if TYPE_CHECKING:
    from pathlib import Path

    from mcplint.checks.finding import Finding
    from mcplint.files.place import Place
    from mcplint.files.source import Source
    from mcplint.fixes.edit import Fix


class Suppressions:
    """The comments of some files and what became of them."""

    def __init__(self) -> None:
        self._of: dict[Path, list[Directive]] = {}
        self._used: set[tuple[Directive, Named | None]] = set()

    def silencing(self, finding: Finding) -> Directive | None:
        """The comment that silences a finding, on its line or on that of one of its places.

        Every comment that would do so counts as used, and one of mcplint's own goes before a ``noqa``.
        """
        found = [d for place in _places(finding) for d in self._at(place, finding.code)]
        return min(found, key=lambda directive: directive.noqa, default=None)

    def _at(self, place: Place, code: str) -> Iterator[Directive]:
        lines = range(place.begin.line, place.finish.line + 1)
        for directive in self._directives(place.source):
            named = directive.naming(code)
            if (directive.rules and named is None) or not any(map(directive.covers, lines)):
                continue
            self._used.add((directive, named))
            yield directive

    def unused(
        self, sources: Iterable[Source], enabled: Callable[[Path], frozenset[str]]
    ) -> Iterator[tuple[Finding, Fix | None]]:
        """What is wrong with the comments of these files, each with what takes it away.

        A rule can be unused only if it is ``enabled`` in the file, since nobody has looked for the others.
        """
        for source in sources:
            codes = enabled(source.path)
            if unused_suppression.CODE not in codes:
                continue
            for directive in self._directives(source):
                if directive.fault is not None:
                    yield unused_suppression.finding(directive.place, directive.fault), None
                for rule in directive.rules:
                    if (directive, rule) not in self._used and (message := _fault(directive, rule, codes)):
                        yield unused_suppression.finding(rule.place, message), without(directive, rule)

    def _directives(self, source: Source) -> list[Directive]:
        if source.path not in self._of:
            self._of[source.path] = directives(source)
        return self._of[source.path]


def _places(finding: Finding) -> tuple[Place, ...]:
    return (finding.place, *(related.place for related in finding.related))


def _fault(directive: Directive, rule: Named, enabled: frozenset[str]) -> str | None:
    if not rule.codes:
        if directive.noqa and not rule.word.upper().startswith("MCP"):
            return None
        matches = similar(rule.word)
        return f"there is no rule `{rule.word}`" + (f": did you mean `{matches[0]}`?" if matches else "")
    if rule.codes <= enabled - {unused_suppression.CODE}:
        return f"`{rule.word}` silences nothing here"
    return None
