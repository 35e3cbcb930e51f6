"""Predicted against measured: mcplint on published servers whose behaviour is known.

    python benchmarks/world.py [--cache DIR] [--registry npm|pypi] [--name NAME] [--write]

Fetches the packages of ``world.tsv`` by exact version (unpacked, never installed or run), lints
each as its unpacked tree, and compares the verdicts with what was measured when the server was
really started. ``--write`` puts the table into ``docs/world.md``. Needs npm and pip.

Only unconditional verdicts count: "unknown" is neither right nor wrong for precision, and counts
as a miss for recall. Exit 1 if a package could not be fetched or linting one failed.
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

sys.path.insert(0, str(Path(__file__).parent.parent))

from mcplint.api import Options, lint
from mcplint.lifecycle.model import Server
from mcplint.report.result import Report

HERE = Path(__file__).parent
TABLE = HERE / "world.tsv"
PAGE = HERE.parent / "docs" / "world.md"
BEGIN, END = "<!-- begin table -->", "<!-- end table -->"


@dataclass(frozen=True, slots=True)
class Row:
    """One published server and what it was seen to do.

    Attributes:
        survives: whether it was alive 35 s after its client's pipes had closed.
        ignores: whether it was alive 10 s after SIGTERM with stdin open.
        note: what explains a wrong or missing prediction, in our words.
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


@dataclass(frozen=True, slots=True)
class Judged:
    """A row with what mcplint says of it: the verdicts of the servers that were found."""

    row: Row
    report: Report | None
    seconds: float
    error: str = ""

    def verdict(self, kind: str) -> str:
        """``survives`` if any server does for sure, else ``unknown``, ``exits`` or ``none``."""
        servers = self.report.servers if self.report else ()
        verdicts = {_verdict(s, kind) for s in servers}
        return next((v for v in ("survives", "unknown", "exits") if v in verdicts), "none")


def _verdict(server: Server, kind: str) -> str:
    return server.stdin_eof.verdict if kind == "eof" else server.sigterm.verdict


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
        return Judged(row, None, time.perf_counter() - begin, traceback.format_exc())
    return Judged(row, report, time.perf_counter() - begin)


@dataclass(frozen=True, slots=True)
class Score:
    """How often a verdict was right."""

    hits: int
    false_alarms: int
    misses: int
    unknown: int

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
            f"{self.false_alarms} false alarms, {self.misses} missed, {self.unknown} left open)"
        )


def score(judged: Sequence[Judged], kind: str) -> Score:
    """Precision and recall of ``survives`` for ``eof`` or ``sigterm``."""
    hits = false = misses = unknown = 0
    for item in judged:
        there = item.row.survives if kind == "eof" else item.row.ignores
        said = item.verdict(kind)
        hits += said == "survives" and there
        false += said == "survives" and not there
        misses += said != "survives" and there
        unknown += said in ("unknown", "none")
    return Score(hits, false, misses, unknown)


def lines(judged: Sequence[Judged]) -> Iterator[str]:
    """The table in Markdown."""
    yield "| package | stdin end: measured | predicted | SIGTERM: measured | predicted | note |"
    yield "|---|---|---|---|---|---|"
    for item in judged:
        row = item.row
        eof = "survives" if row.survives else "exits"
        term = "survives" if row.ignores else "exits"
        cells = (eof, _mark(item.verdict("eof"), eof), term, _mark(item.verdict("sigterm"), term))
        yield f"| {row.name} {row.version} | {' | '.join(cells)} | {row.note} |"


def _mark(said: str, measured: str) -> str:
    if said in ("unknown", "none"):
        return {"unknown": "open", "none": "no server found"}[said]
    return said if said == measured else f"**{said}**"


def main() -> int:
    gc.disable()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, default=HERE / ".world")
    parser.add_argument("--registry", choices=["npm", "pypi"])
    parser.add_argument("--name")
    parser.add_argument("--write", action="store_true", help="put the table into docs/world.md")
    args = parser.parse_args()
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
        print(
            f"{row.label:60} eof {'S' if row.survives else '-'} {item.verdict('eof'):9}"
            f" term {'S' if row.ignores else '-'} {item.verdict('sigterm'):9} {item.seconds:6.2f}s",
            flush=True,
        )
    summary = list(_summary(judged))
    print("\n".join(("", *summary)))
    if args.write:
        _write([*summary, "", *lines(judged)])
    return 1 if failed else 0


def _summary(judged: Sequence[Judged]) -> Iterator[str]:
    for registry, title in (("npm", "Node"), ("pypi", "Python")):
        part = [j for j in judged if j.row.registry == registry]
        if part:
            yield f"{title}, {len(part)} servers. Survives end of input: {score(part, 'eof')}."
            yield f"{title}. Ignores SIGTERM: {score(part, 'sigterm')}."
    if judged:
        slowest = max(judged, key=lambda j: j.seconds)
        total = sum(j.seconds for j in judged)
        yield f"Linted in {total:.0f} s; the slowest is {slowest.row.name} with {slowest.seconds:.1f} s."


def _write(table: Sequence[str]) -> None:
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    body = "\n".join(table).replace(". Ignores", ". Ignores")
    PAGE.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
