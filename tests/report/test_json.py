"""The JSON is what its schema and its page say."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcplint import __version__
from mcplint.lifecycle.model import Event
from mcplint.lifecycle.outcomes import Way
from mcplint.report.json import document
from mcplint.report.look import Look
from mcplint.report.registry import writer
from mcplint.report.result import Report, Skipped
from tests.report import builders

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA: dict[str, Any] = json.loads((DOCS / "mcplint-report.schema.json").read_text("utf-8"))


def written(report: Report) -> dict[str, Any]:
    out = io.StringIO()
    writer("json")(report, out, Look())
    value: dict[str, Any] = json.loads(out.getvalue())
    Draft202012Validator(SCHEMA).validate(value)
    return value


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (builders.report(builders.found(fixable=True)), "findings"),
        (builders.report(), "clean"),
        (builders.report(servers=0), "no-server"),
    ],
)
def test_clean_and_empty_are_told_apart(report: Report, status: str) -> None:
    assert written(report)["status"] == status


def test_a_whole_report() -> None:
    skipped = (Skipped(Path("src/bad.ts"), "not UTF-8", None), Skipped(Path("a.py"), "syntax", 3))
    value = written(builders.report(builders.found(fixable=True), skipped=skipped))
    assert value["schema_version"] == "1"
    assert value["mcplint_version"] == __version__
    assert value["summary"] == {"servers": 1, "files": 2, "findings": 1, "fixed": 0}
    server = value["servers"][0]
    assert server["entry"] == "src/index.ts"
    assert server["transport"]["sdk"] == "@modelcontextprotocol/sdk"
    assert server["transport"]["version"] is None
    assert server["holders"][0]["what"] == "setInterval"
    assert server["holders"][0]["seconds"] is None
    assert server["handlers"][0]["outcome"] == ["falls"]
    assert {name: ending["verdict"] for name, ending in server["verdicts"].items()} == {
        "stdin_eof": "survives",
        "stdin_eof_after_call": "survives",
        "sigterm": "survives",
        "sigint": "exits",
    }
    finding = value["findings"][0]
    assert (finding["code"], finding["when"]) == ("MCP101", "start")
    assert [finding[key] for key in ("line", "column", "end_line", "end_column")] == [5, 7, 5, 21]
    assert finding["related"][0]["label"] == "the holder"
    assert finding["fix"]["applicability"] == "safe"
    assert finding["fix"]["edits"][0]["column"] == finding["fix"]["edits"][0]["end_column"] == 1
    assert [(s["path"], s["line"]) for s in value["skipped"]] == [("src/bad.ts", None), ("a.py", 3)]


def test_it_is_valid_in_every_encoding() -> None:
    report = builders.report(builders.found(message="日本 \udc80 é"))
    out = io.StringIO()
    writer("json")(report, out, Look())
    assert out.getvalue().isascii()
    assert json.loads(out.getvalue())["findings"][0]["message"] == "日本 \udc80 é"


def test_the_schema_names_every_key() -> None:
    """A key that the writer adds is described, and one that it drops is missed."""
    value = document(builders.report(builders.found(fixable=True)))
    value["surprise"] = 1
    assert not Draft202012Validator(SCHEMA).is_valid(value)
    value = document(builders.report(builders.found(fixable=True)))
    del value["servers"][0]["holders"][0]["known"]
    assert not Draft202012Validator(SCHEMA).is_valid(value)


def test_the_schema_knows_every_word() -> None:
    definitions = SCHEMA["$defs"]
    assert set(definitions["event"]["enum"]) == {event.value for event in Event}
    ways = definitions["handler"]["properties"]["outcome"]["items"]["enum"]
    assert set(ways) == {str(way.name).lower() for way in Way if way.value}


def test_what_a_server_does_on_the_way() -> None:
    (server,) = written(Report((builders.rich_server(),), (), (), 1))["servers"]
    (handler,) = server["handlers"]
    deed = {"what": "pool.end", "why": "waits for clients", "path": "src/index.ts", "line": 5, "column": 7}
    assert handler["waits_for"] == handler["ends_unless"] == deed
    assert handler["writes"] == handler["cleans_up"] == server["blocking"] == [deed]
    assert handler["under"] == {"path": "src/index.ts", "line": 4, "column": 23}
    assert [one["event"] for one in server["elsewhere"]] == ["stdin_end"]
    assert server["watchdog"] == {"of_parent": True, "path": "src/cache.ts", "line": 3, "column": 1}
    (child,) = server["children"]
    assert (child["what"], child["fate"], child["line"]) == ("spawn", "left", 1)
    (write,) = server["writes"]
    assert (write["what"], write["phase"], write["reaches"]) == ("pino", "call", False)
    assert (write["first"]["line"], write["version"]) == (4, None)
    (sharing,) = server["sharing"]
    assert (sharing["stdin"], sharing["stdout"], sharing["certain"]) == (True, True, False)
