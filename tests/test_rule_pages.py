"""The rule pages are complete, agree with the code, and their examples are true."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from packaging.version import Version

from mcplint import __version__, rules
from mcplint.api import Options, lint
from mcplint.fixes import registry
from mcplint.fixing import repair

ROOT = Path(__file__).parents[1]
CODES = rules.codes()

FENCE = re.compile(r"^```(\w+)(?: +(.*))?$")
MARK = re.compile(r"[ \t]*(?://|#)\s*MCP\d{3}(?:\s*,\s*MCP\d{3})*[ \t]*$", re.M)
EXPECTED = re.compile(r"(?://|#)\s*(MCP\d{3}(?:\s*,\s*MCP\d{3})*)\s*$")
LANGUAGE_HEADINGS = {"javascript": "### JavaScript", "typescript": "### TypeScript", "python": "### Python"}


@dataclass
class Case:
    """One program of a page: its files, and whether something must be found in it."""

    code: str
    name: str
    flagged: bool
    files: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    """What the fix makes of those that it changes."""

    @property
    def expected(self) -> set[tuple[str, int, str]]:
        return {
            (path, number, code.strip())
            for path, text in self.files.items()
            for number, line in enumerate(text.splitlines(), 1)
            if (found := EXPECTED.search(line))
            for code in found.group(1).split(",")
        }


def blocks(text: str) -> Iterator[tuple[set[str], dict[str, str], str]]:
    """The words, the settings and the text of every fenced block."""
    lines = iter(text.splitlines())
    for line in lines:
        if opening := FENCE.match(line):
            body = []
            for inner in lines:
                if inner == "```":
                    break
                body.append(inner)
            words = (opening.group(2) or "").split()
            settings = dict(word.split("=", 1) for word in words if "=" in word)
            yield {word for word in words if "=" not in word}, settings, "\n".join(body) + "\n"


def cases(code: str) -> list[Case]:
    found: dict[str, Case] = {}
    for number, (words, settings, text) in enumerate(blocks(rules.page(code).section("Examples"))):
        assert len(words & {"flagged", "clean", "fixed"}) == 1, f"block {number}: flagged, clean or fixed?"
        assert "file" in settings, f"block {number}: which file?"
        name = settings.get("case", f"block{number}")
        if "fixed" in words:
            assert found[name].flagged, f"block {number}: what is fixed is flagged before, as {name}"
            found[name].fixed[settings["file"]] = text
            continue
        case = found.setdefault(name, Case(code, name, "flagged" in words))
        assert case.flagged == ("flagged" in words), f"case {name} is both flagged and clean"
        assert settings["file"] not in case.files, f"case {name} has {settings['file']} twice"
        case.files[settings["file"]] = text
    return list(found.values())


def all_cases() -> list[object]:
    return [pytest.param(case, id=f"{code}-{case.name}") for code in CODES for case in cases(code)]


@pytest.mark.parametrize("code", CODES)
def test_headings_are_the_fixed_ones_in_order(code: str) -> None:
    page = rules.page(code)
    assert tuple(section.heading for section in page.sections) == rules.HEADINGS
    assert all(section.text.strip() for section in page.sections)


@pytest.mark.parametrize("code", CODES)
def test_front_matter_is_complete_and_in_order(code: str) -> None:
    (path,) = rules.rules_dir().glob(f"{code}-*.md")
    text = path.read_text(encoding="utf-8")
    head = text.split("---\n")[1]
    assert tuple(line.partition(":")[0] for line in head.splitlines()) == rules.KEYS
    page = rules.page(code)
    assert path.name == f"{page.code}-{page.name}.md"
    assert f"# {page.name} ({page.code})\n" in text
    assert set(page.languages) <= set(LANGUAGE_HEADINGS)
    assert re.fullmatch(r"[a-z][^.]*", page.summary)
    assert Version(page.since) <= Version(__version__)


@pytest.mark.parametrize("code", CODES)
def test_the_code_tells_whether_a_rule_is_on(code: str) -> None:
    assert rules.page(code).default == (code in rules.default_codes())


@pytest.mark.parametrize("code", CODES)
def test_every_language_of_a_rule_has_both_kinds_of_example(code: str) -> None:
    page = rules.page(code)
    kinds: dict[str, set[bool]] = defaultdict(set)
    suffixes = {".js": "javascript", ".ts": "typescript", ".py": "python"}
    for case in cases(code):
        for path in case.files:
            if Path(path).suffix in suffixes:
                kinds[suffixes[Path(path).suffix]].add(case.flagged)
    assert kinds == {language: {True, False} for language in page.languages}
    headings = [line for line in page.section("Examples").splitlines() if line.startswith("### ")]
    assert headings == [LANGUAGE_HEADINGS[language] for language in page.languages]


def test_every_page_has_a_check_and_every_check_a_page() -> None:
    from mcplint.checks.registry import codes

    assert sorted(codes()) == sorted(CODES)


@pytest.mark.parametrize("code", CODES)
def test_changelog_and_docs_know_the_rule(code: str) -> None:
    page = rules.page(code)
    assert f"{code} `{page.name}`" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    row = (
        f"| [{code}](../rules/{code}-{page.name}.md) | {page.name} | {', '.join(page.languages)} | "
        f"{page.severity if page.default else 'off'} | {page.fix} | {page.summary} |"
    )
    assert row in (ROOT / "docs" / "rules.md").read_text("utf-8").splitlines()


def test_docs_list_no_rule_that_is_gone() -> None:
    listed = re.findall(r"^\| \[(MCP\d{3})\]", (ROOT / "docs" / "rules.md").read_text("utf-8"), re.M)
    assert listed == list(CODES)


def fixed_cases() -> list[object]:
    return [pytest.param(c, id=f"{code}-{c.name}") for code in CODES for c in cases(code) if c.fixed]


@pytest.mark.parametrize("case", fixed_cases())
def test_fixing_makes_of_an_example_what_the_page_shows(case: Case, tmp_path: Path) -> None:
    """All that is found is fixed, and nothing is left to find."""
    for name, text in case.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MARK.sub("", text), encoding="utf-8")
    unsafe = rules.page(case.code).fix == "unsafe"
    options = Options(extend_select=(case.code,))
    repaired = repair([tmp_path], options, unsafe=unsafe, to_disk=True)
    assert case.code in {finding.code for finding in repaired.report.fixed}
    changed = {c.after.path.resolve().relative_to(tmp_path.resolve()) for c in repaired.changes}
    assert {path.as_posix(): (tmp_path / path).read_text("utf-8") for path in changed} == case.fixed
    assert not lint([tmp_path], options).findings


@pytest.mark.parametrize("code", registry.codes("node"))
def test_a_rule_with_a_fix_shows_what_it_makes(code: str) -> None:
    page = rules.page(code)
    assert page.fix != "none"
    shown = {Path(name).suffix for case in cases(code) for name in case.fixed}
    assert {".js", ".ts"} <= shown


@pytest.mark.parametrize("case", all_cases())
def test_examples_say_what_they_expect(case: Case) -> None:
    assert bool(case.expected) == case.flagged
    assert not case.flagged or case.code in {code for _, _, code in case.expected}


@pytest.mark.parametrize("case", all_cases())
def test_examples_are_true(case: Case, tmp_path: Path) -> None:
    for name, text in case.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report = lint([tmp_path], Options(extend_select=(case.code,)))
    assert not report.skipped
    assert len(report.servers) == 1
    found = {
        (
            reported.finding.place.path.relative_to(tmp_path).as_posix(),
            reported.finding.place.begin.line,
            reported.finding.code,
        )
        for reported in report.findings
    }
    assert found == case.expected
