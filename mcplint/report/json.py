"""One JSON object for programs. ``docs/json.md`` describes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from mcplint import __version__
from mcplint.lifecycle.outcomes import Way
from mcplint.report.words import shown

if TYPE_CHECKING:
    from mcplint.files.place import Place
    from mcplint.fixes.edit import Fix
    from mcplint.lifecycle.model import (
        Child,
        Deed,
        Ending,
        Handler,
        Holder,
        Server,
        Sharing,
        Transport,
        Watchdog,
        Write,
    )
    from mcplint.lifecycle.outcomes import Outcome
    from mcplint.report.look import Look
    from mcplint.report.result import Report, Reported

SCHEMA_VERSION = "1"

Object = dict[str, Any]


def write(report: Report, out: TextIO, look: Look) -> None:
    """Write the whole report as one object."""
    # ASCII only, so that it is valid JSON whatever the encoding of the stream is.
    out.write(json.dumps(document(report), indent=2))
    out.write("\n")


def document(report: Report) -> Object:
    """The report as plain dicts, lists, strings and numbers."""
    return {
        "schema_version": SCHEMA_VERSION,
        "mcplint_version": __version__,
        "status": status(report),
        "summary": {
            "servers": len(report.servers),
            "files": report.files,
            "findings": len(report.findings),
            "fixed": len(report.fixed),
        },
        "servers": [_server(server) for server in report.servers],
        "findings": [_finding(reported) for reported in report.findings],
        "skipped": [{"path": shown(s.path), "line": s.line, "reason": s.reason} for s in report.skipped],
    }


def status(report: Report) -> str:
    """``findings``, ``clean``, or ``no-server`` when there was nothing to judge."""
    if report.findings:
        return "findings"
    return "clean" if report.servers else "no-server"


def _server(server: Server) -> Object:
    return {
        "entry": shown(server.entry),
        "language": server.language,
        "transport": _transport(server.transport),
        "holders": [_holder(holder) for holder in server.holders],
        "handlers": [_handler(handler) for handler in server.handlers],
        "verdicts": {
            "stdin_eof": _ending(server.stdin_eof),
            "stdin_eof_after_call": _ending(server.stdin_eof_after_call),
            "sigterm": _ending(server.sigterm),
            "sigint": _ending(server.sigint),
        },
        "elsewhere": [_handler(handler) for handler in server.elsewhere],
        "watchdog": _watchdog(server.watchdog) if server.watchdog else None,
        "blocking": [_deed(deed) for deed in server.blocking],
        "children": [_child(child) for child in server.children],
        "writes": [_write(write) for write in server.writes],
        "sharing": [_sharing(sharing) for sharing in server.sharing],
    }


def _transport(transport: Transport) -> Object:
    known = transport.version
    return {
        "name": transport.what,
        "sdk": transport.sdk,
        "version": known.version if known else None,
        "version_exact": known.exact if known else None,
        "version_source": known.how if known else None,
        "at_eof": transport.at_eof,
        "at_eof_read_in": shown(transport.read) if transport.read else None,
        **_spot(transport.serve),
    }


def _holder(holder: Holder) -> Object:
    return {
        "what": holder.what,
        **_spot(holder.place),
        "seconds": holder.seconds,
        "when": holder.when,
        "certain": holder.certain,
        "released_at": sorted(event.value for event in holder.released_at),
        "perhaps_released_at": sorted(event.value for event in holder.perhaps_released_at),
        "known": holder.known,
    }


def _handler(handler: Handler) -> Object:
    return {
        "event": handler.event.value,
        **_spot(handler.place),
        "function": _spot(handler.function) if handler.function else None,
        "name": handler.name,
        "outcome": _ways(handler.outcome),
        "guarded": handler.guarded,
        "certain": handler.certain,
        "closes_transport": handler.closes_transport,
        "fires": handler.fires,
        "late": handler.late,
        "under": _spot(handler.under) if handler.under else None,
        "writes": [_deed(deed) for deed in handler.writes],
        "cleans_up": [_deed(deed) for deed in handler.cleans_up],
        "waits_for": _deed(handler.waits_for) if handler.waits_for else None,
        "ends_unless": _deed(handler.ends_unless) if handler.ends_unless else None,
    }


def _deed(deed: Deed) -> Object:
    return {"what": deed.what, "why": deed.why, **_spot(deed.place)}


def _child(child: Child) -> Object:
    return {"what": child.what, "fate": child.fate, **_spot(child.place)}


def _write(write: Write) -> Object:
    return {
        "what": write.what,
        **_spot(write.place),
        "source": write.source,
        "phase": write.phase,
        "certain": write.certain,
        "reaches": write.reaches,
        "why": write.why,
        "first": _spot(write.first) if write.first else None,
        "version": write.version.version if write.version else None,
    }


def _sharing(sharing: Sharing) -> Object:
    return {
        "what": sharing.what,
        **_spot(sharing.place),
        "stdin": sharing.stdin,
        "stdout": sharing.stdout,
        "phase": sharing.phase,
        "certain": sharing.certain,
        "reaches": sharing.reaches,
    }


def _watchdog(watchdog: Watchdog) -> Object:
    return {"of_parent": watchdog.of_parent, **_spot(watchdog.place)}


def _ways(outcome: Outcome) -> list[str]:
    return [str(way.name).lower() for way in Way if way.value and way in outcome.ways]


def _ending(ending: Ending) -> Object:
    return {"verdict": ending.verdict, "reason": ending.reason}


def _finding(reported: Reported) -> Object:
    finding = reported.finding
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "why": finding.why,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "when": finding.when,
        **_span(finding.place),
        "related": [{"label": r.label, **_span(r.place)} for r in finding.related],
        "fix": _fix(reported.fix) if reported.fix else None,
    }


def _fix(fix: Fix) -> Object:
    return {
        "title": fix.title,
        "applicability": fix.applicability,
        "edits": [{**_span(edit.place), "text": edit.text} for edit in fix.edits],
    }


def _spot(place: Place) -> Object:
    begin = place.begin
    return {"path": shown(place.path), "line": begin.line, "column": begin.column}


def _span(place: Place) -> Object:
    finish = place.finish
    return {**_spot(place), "end_line": finish.line, "end_column": finish.column}
