"""``mcplint probe``: start a server, end its client in every way, show what is left."""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from mcplint.cli.console import Console, Progress, UsageError
from mcplint.cli.options import Parser, add_look, one_of

if TYPE_CHECKING:
    from mcplint.lifecycle.model import Server
    from mcplint.probe.measure import Plan
    from mcplint.probe.predicted import Prediction
    from mcplint.probe.result import Ending, Subject
    from mcplint.report.look import Look

_EPILOG = """\
endings:
  close        the client closes stdin, waits 2 s, sends SIGTERM, waits 2 s, sends SIGKILL
  exit         the client leaves without a word
  crash        the client is killed
  sigterm      SIGTERM while the client lives and stdin is open
  sigint       SIGINT, the same
  end-in-call  the client is killed while a tool runs; needs --call

examples:
  mcplint probe -- node dist/index.js
  mcplint probe --call search '{"query": "x"}' -- uvx some-server
  mcplint probe --config .mcp.json --server weather
  mcplint probe .            what the source says beside what is measured

exit codes:
  0  nothing outlived its client
  1  something did
  2  wrong usage, or the server could not be started
"""


def run(arguments: Sequence[str], console: Console) -> int:
    """Measure, and write what was measured."""
    from mcplint.cli import CLEAN, FAILED, FINDINGS

    _needs_psutil("probe")
    from mcplint.probe.writers import writer

    end = arguments.index("--") if "--" in arguments else len(arguments)
    values = _parser().read(arguments[:end])
    console = console.configured(values.color, values.quiet)
    subjects, predictions = _subjects(values, tuple(arguments[end + 1 :]), console)
    if values.write_test:
        return _write_test(values, subjects, console)
    probed = _measure(values, subjects, console)
    write = writer(values.output_format)
    console.produce(lambda out, look: write(probed, predictions, out, look))
    if any(one.outlived for one in probed):
        return FINDINGS
    started = all(m.state not in ("not started", "ended early") for one in probed for m in one.measured)
    return CLEAN if started else FAILED


def _parser() -> Parser:
    from mcplint.probe.regression import KINDS
    from mcplint.probe.writers import formats

    parser = Parser(
        "mcplint probe",
        "[PATH] [-- COMMAND ...]",
        "Starts a real server, ends its client in every way, and shows what is left.",
        _EPILOG,
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="project or file whose server is started")
    parser.option("--config", metavar="FILE", help="start what a client's configuration starts")
    parser.option("--server", metavar="NAME", help="only this server of --config")
    parser.option(
        "--ending",
        metavar="NAME",
        action="append",
        help="measure only this ending; may be repeated",
    )
    parser.option("--call", nargs=2, metavar=("TOOL", "JSON"), help="tool that runs when the client dies")
    parser.option("--repeat", metavar="N", type=_count, default=1, help="measure each ending so often")
    parser.option("--wait", metavar="S", type=_seconds, default=4.0, help="seconds to wait (default: 4)")
    parser.option(
        "--answer-within",
        metavar="S",
        type=_seconds,
        default=10.0,
        help="seconds for the server to answer (default: 10)",
    )
    parser.option(
        "--env", metavar="NAME=VALUE", action="append", default=[], help="set a variable of the server"
    )
    parser.option("--cwd", metavar="DIR", help="start the server in this folder")
    parser.option(
        "--output-format",
        metavar="FORMAT",
        default="text",
        type=lambda word: one_of("output format", word, formats()),
        help=f"{', '.join(formats())} (default: text)",
    )
    parser.option(
        "--write-test",
        metavar="KIND",
        type=lambda word: one_of("kind of test", word, KINDS),
        help="print a regression test instead: pytest or node",
    )
    add_look(parser)
    return parser


def _needs_psutil(command: str) -> None:
    try:
        import psutil  # noqa: F401
    except ImportError:
        raise UsageError(
            f"`mcplint {command}` needs psutil, which is not installed",
            "pip install 'mcplint[probe]'",
        ) from None


# ---------------------------------------------------------------------------- what is measured


def _subjects(
    values: Namespace, command: tuple[str, ...], console: Console
) -> tuple[list[Subject], tuple[Prediction, ...]]:
    from mcplint.probe.command import NoCommandError
    from mcplint.probe.result import Subject

    if sum(map(bool, (command, values.path, values.config))) != 1:
        raise UsageError(
            "name one thing to start: a command after `--`, a path, or --config",
            "for example `mcplint probe -- node dist/index.js`",
        )
    if values.server and not values.config:
        raise UsageError("--server needs --config")
    predictions: tuple[Prediction, ...] = ()
    try:
        if command:
            subjects = [Subject(" ".join(command), command)]
        elif values.config:
            from mcplint.probe.configs import subjects as configured

            subjects = list(configured(Path(values.config), values.server))
        else:
            subject, predictions = _from_source(Path(values.path), console)
            subjects = [subject]
    except NoCommandError as error:
        raise UsageError(str(error), error.hint) from error
    return [_adjusted(subject, values) for subject in subjects], predictions


def _from_source(path: Path, console: Console) -> tuple[Subject, tuple[Prediction, ...]]:
    """How the server of a project is started, and what its source says of each ending."""
    from mcplint.api import Options
    from mcplint.cli.judge import judge
    from mcplint.probe.command import start_of
    from mcplint.probe.predicted import predictions

    report = judge([str(path)], Options(), console)
    subject = start_of(path, report.servers)
    server = _server_of(subject, report.servers)
    if server is None:
        console.warning("the source of the server that is started was not found: nothing is predicted")
    return subject, predictions(server) if server else ()


def _server_of(subject: Subject, servers: Sequence[Server]) -> Server | None:
    if len(servers) == 1:
        return servers[0]
    started = subject.command[-1]
    return next((server for server in servers if str(server.entry.resolve()) == started), None)


def _adjusted(subject: Subject, values: Namespace) -> Subject:
    """A subject with what the user wants of its surroundings."""
    from dataclasses import replace

    variables = dict(subject.variables)
    for text in values.env:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"--env takes NAME=VALUE, not: {text}")
        variables[name] = value
    return replace(subject, cwd=values.cwd or subject.cwd, variables=tuple(variables.items()))


def _endings(values: Namespace) -> list[Ending]:
    from mcplint.probe.result import Ending

    names = [ending.value for ending in Ending]
    if values.ending is None:
        return [e for e in Ending if e is not Ending.END_IN_CALL or values.call]
    chosen = [Ending(one_of("ending", word, names)) for word in values.ending]
    if Ending.END_IN_CALL in chosen and not values.call:
        raise UsageError("the ending end-in-call needs --call", "for example --call search '{}'")
    return chosen


def _plan(values: Namespace) -> Plan:
    from mcplint.probe.measure import Plan

    tool, arguments = values.call or ("", "{}")
    try:
        given: Any = json.loads(arguments)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError(f"--call takes a tool and a JSON object, not: {arguments}")
    return Plan(values.wait, values.answer_within, tool, given)


def _measure(values: Namespace, subjects: Sequence[Subject], console: Console) -> list[Any]:
    from mcplint.probe.measure import measure
    from mcplint.probe.result import Probed

    plan, endings = _plan(values), _endings(values)
    _leave_on_signals()
    probed = []
    progress = console.progress()
    for subject in subjects:
        measured = []
        for ending in endings:
            for round_ in range(1, values.repeat + 1):
                which = f"{ending.value} {round_}/{values.repeat}" if values.repeat > 1 else ending.value
                measured.append(measure(subject, ending, plan, _telling(progress, which)))
        probed.append(Probed(subject, tuple(measured)))
    progress.clear()
    return probed


def _telling(progress: Progress, which: str) -> Callable[[str], None]:
    def tell(text: str) -> None:
        progress.show(f"{which}: {text}")

    return tell


def _leave_on_signals() -> None:
    """Let signals that would end this process unwind it, so that nothing that it started is left."""

    def leave(number: int, _: object) -> NoReturn:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)


def _write_test(values: Namespace, subjects: Sequence[Subject], console: Console) -> int:
    from mcplint.cli import CLEAN
    from mcplint.probe.regression import regression_test

    if len(subjects) != 1:
        raise UsageError("--write-test is for one server", "choose it with --server")
    text = regression_test(values.write_test, subjects[0], values.wait)

    def write(out: TextIO, _: Look) -> None:
        out.write(text)

    console.produce(write)
    return CLEAN


def _count(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise ArgumentTypeError(f"takes a number from 1, not: {text}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 3600:
        raise ArgumentTypeError(f"takes seconds, not: {text}")
    return seconds
