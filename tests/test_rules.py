"""Loading rule pages, and what selectors stand for."""

from __future__ import annotations

import pytest

from mcplint import rules

PAGE = """\
---
code: MCP999
name: some-rule
summary: a: b
severity: warning
confidence: low
languages: javascript, python
fix: none
status: preview
since: 0.1.0
default: off
---

# some-rule (MCP999)

## What it reports

Text.

```md flagged
## Not a heading
```

## Sources

- One.
"""


def test_a_page_is_read() -> None:
    page = rules.parse_page(PAGE, "MCP999-some-rule.md")
    assert (page.summary, page.default, page.languages) == ("a: b", False, ("javascript", "python"))
    assert [section.heading for section in page.sections] == ["What it reports", "Sources"]
    assert page.section("What it reports") == "Text.\n\n```md flagged\n## Not a heading\n```"
    assert page.section("No such heading") == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("severity: warning", "severity: fatal", "severity is 'fatal', not one of error, warning, info"),
        ("default: off", "default: no", "default is 'no', not one of on, off"),
        ("since: 0.1.0\n", "", "missing in the front matter: since"),
        ("fix: none", "fix none", "not `key: value`: fix none"),
        ("---\ncode", "code", "no front matter"),
    ],
)
def test_a_malformed_page_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(rules.RulePageError, match=message):
        rules.parse_page(PAGE.replace(old, new, 1), "x.md")


@pytest.mark.parametrize("word", ["MCP101", " mcp101 ", "outlives-client", "Outlives-Client"])
def test_rules_are_found_by_code_and_name(word: str) -> None:
    assert rules.find(word).code == "MCP101"


def test_selectors() -> None:
    every = set(rules.codes())
    assert rules.expand(["ALL"]) == rules.expand(["MCP"]) == every
    assert rules.expand(["MCP1"]) == {code for code in every if code.startswith("MCP1")}
    assert rules.expand(["mcp301", "outlives-client"]) == {"MCP301", "MCP101"}
    assert rules.expand([]) == set()


@pytest.mark.parametrize("word", ["", "MC", "X101", "MCP9999", "outlives", "101"])
def test_unknown_selectors_are_refused(word: str) -> None:
    with pytest.raises(rules.UnknownSelectorError):
        rules.expand([word])


def test_unknown_selectors_come_with_guesses() -> None:
    with pytest.raises(rules.UnknownSelectorError) as caught:
        rules.expand(["outlives-cleint"])
    assert caught.value.matches[0] == "outlives-client"
