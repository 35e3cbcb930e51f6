"""Everything that was measured, for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

from mcplint.probe.predicted import Prediction
from mcplint.probe.result import Measured, Probed
from mcplint.report.look import Look

VERSION = 1
"""Changes when a field is taken away or means something else."""


def write(probed: Sequence[Probed], predictions: Sequence[Prediction], out: TextIO, look: Look) -> None:
    """Write one object."""
    servers = [
        {
            "title": one.subject.title,
            "command": list(one.subject.command),
            "cwd": one.subject.cwd,
            "outlived": one.outlived,
            "endings": [_ending(measured, predictions) for measured in one.measured],
        }
        for one in probed
    ]
    result = {"version": VERSION, "outlived": any(one.outlived for one in probed), "servers": servers}
    out.write(json.dumps(result, indent=2) + "\n")


def _ending(measured: Measured, predictions: Sequence[Prediction]) -> dict[str, Any]:
    said = next((p for p in predictions if p.ending is measured.ending), None)
    predicted = said and {"verdict": said.verdict, "reason": said.reason, "agrees": said.agrees(measured)}
    return {
        **asdict(measured),
        "ending": measured.ending.value,
        "cpu": round(measured.cpu, 3),
        "watched": round(measured.watched, 3),
        "outlived": measured.outlived,
        "busy": measured.busy,
        "predicted": predicted,
    }
