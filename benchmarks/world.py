"""Predicted against measured: mcplint on published servers whose behaviour is known.

    python benchmarks/world.py [--cache DIR] [--registry npm|pypi] [--name NAME] [--write]

Fetches the packages of ``world.tsv`` by exact version (unpacked, never installed or run), lints
each as its unpacked tree, and compares the verdicts with what was measured when the server was
really started. ``--write`` puts the table into ``docs/world.md``. Needs npm and pip.

Only "survives" and "exits" are claims. A server of which mcplint says "unknown", or which it does
not find, is left open: neither right nor wrong for precision, and a miss for recall if it does
survive. Exit 1 if a package could not be fetched or linting one failed.
"""

from __future__ import annotations

import argparse
import csv
import gc
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent.parent))

from mcplint.api import Options, lint
from mcplint.report.result import Report

HERE = Path(__file__).parent
TABLE = HERE / "world.tsv"
PAGE = HERE.parent / "docs" / "world.md"
BEGIN, END = "<!-- begin table -->", "<!-- end table -->"

Kind = Literal["eof", "sigterm"]
Said = Literal["survives", "unknown", "exits", "none"]
KINDS: tuple[tuple[Kind, str], ...] = (("eof", "Survives the end of stdin"), ("sigterm", "Ignores SIGTERM"))
GROUPS = (("npm", "Node"), ("pypi", "Python"))
_STAYS = {"MCP101", "MCP102", "MCP103", "MCP106"}
_WORST_FIRST: tuple[Said, ...] = ("survives", "unknown", "exits")


@dataclass(frozen=True, slots=True)
class Row:
    """One published server and what it was seen to do.

    Attributes:
        survives: whether it was alive 35 s after its stdin and stdout had closed.
        ignores: whether it was alive 10 s after SIGTERM with stdin open.
        note: what holds it, or why the prediction is wrong or missing.
    """

    registry: str
    name: str
    version: str
    sdk: str
    entry: str
    survives: bool
    ignores: bool
    note: str

    @property
    def label(self) -> str:
        return f"{self.registry}/{self.name.replace('/', '__')}@{self.version}"

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"

    def stays(self, kind: Kind) -> bool:
        """Whether it was seen to stay at this event."""
        return self.survives if kind == "eof" else self.ignores


@dataclass(frozen=True, slots=True)
class Judged:
    """A row with what mcplint says of it.

    Attributes:
        eof: its verdict for the end of stdin; "none" where it finds no server.
        sigterm: its verdict for SIGTERM.
    """

    row: Row
    eof: Said
    sigterm: Said
    seconds: float = 0.0
    error: str = ""

    def said(self, kind: Kind) -> Said:
        return self.eof if kind == "eof" else self.sigterm


def verdict(report: Report, kind: Kind) -> Said:
    """What the user is told: ``survives`` by a finding or a verdict, else ``unknown``, else ``exits``.

    Of several servers in a package the worst counts. A finding that holds from the start and says
    under which condition a server stays counts as ``survives``, with all that it costs if it goes.
    """
    told = {f.finding.code for f in report.findings if f.finding.when == "start"}
    if kind == "eof" and told & _STAYS:
        return "survives"
    verdicts = {(s.stdin_eof if kind == "eof" else s.sigterm).verdict for s in report.servers}
    return next((v for v in _WORST_FIRST if v in verdicts), "none")


def read_table(path: Path = TABLE) -> Iterator[Row]:
    """The rows of the table."""
    with path.open(newline="", encoding="utf-8") as file:
        for r in csv.DictReader(file, delimiter="\t"):
            yield Row(
                r["registry"],
                r["name"],
                r["version"],
                r["sdk"],
                r["entry"],
                r["survives_eof"] == "yes",
                r["sigterm"] == "ignored",
                r["note"],
            )


# --------------------------------------------------------------------------- fetching


def fetch(row: Row, cache: Path) -> Path:
    """The unpacked package of a row, fetched if it is not in the cache yet."""
    target = cache / row.label
    if target.exists():
        return target
    with tempfile.TemporaryDirectory() as scratch:
        part = target.with_name(target.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        if row.registry == "npm":
            _run("npm", "pack", f"{row.name}@{row.version}", "--silent", "--pack-destination", scratch)
            with tarfile.open(next(Path(scratch).glob("*.tgz"))) as archive:
                archive.extractall(part, filter="data")
        else:
            only = ("--no-deps", "--no-build-isolation", "--only-binary=:all:", "-q")
            pip = (sys.executable, "-m", "pip", "download", *only)
            _run(*pip, "-d", scratch, f"{row.name}=={row.version}")
            with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
                wheel.extractall(part)
        part.rename(target)
    return target


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)


# --------------------------------------------------------------------------- judging


def judge(row: Row, folder: Path) -> Judged:
    """Lint one unpacked package with the SDK versions that its install resolved to."""
    pairs = (part.rpartition("@") for part in row.sdk.replace(",", " ").split() if "@" in part[1:])
    assume = {name: version for name, _, version in pairs}
    begin = time.perf_counter()
    try:
        report = lint([folder], Options(assume=assume))
    except Exception:
        return Judged(row, "none", "none", time.perf_counter() - begin, traceback.format_exc())
    seconds = time.perf_counter() - begin
    return Judged(row, verdict(report, "eof"), verdict(report, "sigterm"), seconds)


@dataclass(frozen=True, slots=True)
class Score:
    """How often "survives" was said rightly, and how much was left open.

    Attributes:
        hits: said of a server that stays.
        false_alarms: said of a server that goes.
        misses: not said of a server that stays, for whatever reason.
        unknown: mcplint found the server and could not tell.
        not_found: mcplint found no server.
    """

    hits: int
    false_alarms: int
    misses: int
    unknown: int
    not_found: int

    @property
    def precision(self) -> float:
        said = self.hits + self.false_alarms
        return self.hits / said if said else 1.0

    @property
    def recall(self) -> float:
        there = self.hits + self.misses
        return self.hits / there if there else 1.0

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.2f}, recall {self.recall:.2f} ({self.hits} right, "
            f"{self.false_alarms} false alarms, {self.misses} missed; left open: "
            f"{self.unknown} unknown, {self.not_found} with no server found)"
        )


def score(judged: Sequence[Judged], kind: Kind) -> Score:
    """Precision and recall of "survives" at one event."""
    said = [(item.said(kind), item.row.stays(kind)) for item in judged]
    return Score(
        hits=said.count(("survives", True)),
        false_alarms=said.count(("survives", False)),
        misses=sum(stays and word != "survives" for word, stays in said),
        unknown=sum(word == "unknown" for word, _ in said),
        not_found=sum(word == "none" for word, _ in said),
    )


# --------------------------------------------------------------------------- writing


def summary(judged: Sequence[Judged]) -> Iterator[str]:
    """The scores, as a list in Markdown."""
    for registry, title in GROUPS:
        part = [j for j in judged if j.row.registry == registry]
        if part:
            yield f"- {title}, {len(part)} servers"
            for kind, words in KINDS:
                yield f"  - {words} ({sum(j.row.stays(kind) for j in part)} do): {score(part, kind)}"


def lines(judged: Sequence[Judged]) -> Iterator[str]:
    """The table in Markdown: one line a row."""
    yield "| package | stdin end: measured | predicted | SIGTERM: measured | predicted | note |"
    yield "|---|---|---|---|---|---|"
    for item in judged:
        cells = [item.row.title]
        for kind, _ in KINDS:
            cells += [_seen(item, kind), _mark(item, kind)]
        yield f"| {' | '.join((*cells, _cell(item.row.note)))} |"


def errors(judged: Sequence[Judged]) -> Iterator[str]:
    """Every false alarm and every miss, as lists in Markdown."""
    for kind, words in KINDS:
        false = [j for j in judged if j.said(kind) == "survives" and not j.row.stays(kind)]
        missed = [j for j in judged if j.said(kind) != "survives" and j.row.stays(kind)]
        for title, found in (("false alarms", false), ("missed", missed)):
            yield f"{words}, {title}: {'none.' if not found else ''}".rstrip()
            if found:
                yield ""
            for item in found:
                yield f"- {item.row.title} ({_mark(item, kind).strip('*')}): {_cell(item.row.note)}"
            yield ""


def _seen(item: Judged, kind: Kind) -> str:
    return "survives" if item.row.stays(kind) else "exits"


def _mark(item: Judged, kind: Kind) -> str:
    said = item.said(kind)
    if said == "none":
        return "no server found"
    if said == "unknown":
        return "open"
    return said if said == _seen(item, kind) else f"**{said}**"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def filled(page: str, body: Sequence[str]) -> str:
    """The page with another text between its markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    text = "\n".join(body).strip("\n")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, default=HERE / ".world", help="where the packages are kept")
    parser.add_argument("--registry", choices=["npm", "pypi"])
    parser.add_argument("--name")
    parser.add_argument("--write", action="store_true", help="put the table into docs/world.md")
    args = parser.parse_args()
    if args.write and (args.registry or args.name):
        parser.error("--write needs all rows: leave out --registry and --name")
    gc.disable()
    judged: list[Judged] = []
    failed = 0
    for row in read_table():
        if args.registry not in (None, row.registry) or args.name not in (None, row.name):
            continue
        try:
            folder = fetch(row, args.cache)
        except (subprocess.SubprocessError, OSError, StopIteration) as error:
            print(f"not fetched: {row.label}: {error}", file=sys.stderr)
            failed += 1
            continue
        item = judge(row, folder)
        judged.append(item)
        if item.error:
            failed += 1
            print(f"crashed: {row.label}\n{item.error}", file=sys.stderr)
        print(_progress(item), flush=True)
    if not judged:
        return 1 if failed else 0
    slowest = max(judged, key=lambda j: j.seconds)
    print("\n" + "\n".join((*summary(judged), "", *errors(judged))))
    print(
        f"Linted in {sum(j.seconds for j in judged):.0f} s; the slowest is {slowest.row.title} "
        f"with {slowest.seconds:.1f} s."
    )
    if args.write and failed:
        print(f"{PAGE.name} not written: {failed} rows failed", file=sys.stderr)
    elif args.write:
        body = [*summary(judged), "", *lines(judged), "", *errors(judged)]
        PAGE.write_text(filled(PAGE.read_text("utf-8"), body), "utf-8")
    return 1 if failed else 0


def _progress(item: Judged) -> str:
    marks = ("S" if item.row.survives else "-", "S" if item.row.ignores else "-")
    return (
        f"{item.row.label:60} eof {marks[0]} {item.eof:9} term {marks[1]} {item.sigterm:9} "
        f"{item.seconds:6.2f}s"
    )


if __name__ == "__main__":
    sys.exit(main())
