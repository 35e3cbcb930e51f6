"""The fixtures that a fix serves, and what becomes of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcplint.api import Options, lint
from mcplint.cli.fixing import difference
from mcplint.fixes import registry
from mcplint.fixing import Repair, repair
from tests.truth.cases import programs

GOLDEN = Path(__file__).parent / "golden"
EVERYTHING = Options(extend_select=("MCP901",))


@dataclass(frozen=True)
class Served:
    """A Node fixture with a finding that a fix serves."""

    label: str
    folder: Path
    expect: Mapping[str, Any]

    @property
    def golden(self) -> Path:
        """Where it is written down what its fix changes."""
        return GOLDEN / f"{self.label.replace('/', '--')}.diff"

    @property
    def codes(self) -> set[str]:
        """The rules that find something and have a fixer."""
        return {one["code"] for one in self.expect.get("finding", ())} & set(registry.codes("node"))


def served() -> Iterator[Served]:
    """Every Node fixture and example in which a rule with a fixer finds something."""
    for label, folder, expect in programs():
        one = Served(label, folder, expect)
        if expect.get("runtime") != "python" and not expect["entry"].endswith(".py") and one.codes:
            yield one


def fixed_copy(folder: Path, target: Path) -> Repair:
    """A copy of a program, fixed on disk."""
    shutil.copytree(folder, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    return repair([target], Options(), unsafe=True, to_disk=True)


@cache
def fixed_files(folder: Path) -> Mapping[str, bytes]:
    """The files of a program that fixing changes, by their relative paths."""
    with tempfile.TemporaryDirectory() as target:
        repaired = fixed_copy(folder, Path(target))
        root = Path(target).resolve()
        paths = [change.after.path.resolve() for change in repaired.changes]
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def differences(repaired: Repair, root: Path) -> str:
    """What a repair changed, file by file."""
    lines = []
    for change in repaired.changes:
        name = change.before.path.resolve().relative_to(root.resolve()).as_posix()
        _, _, *rest = difference(change)
        lines += [f"--- {name}\n", f"+++ {name}\n", *rest]
    return "".join(lines)


def main() -> None:
    """Write down what fixing changes now."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    GOLDEN.mkdir()
    for one in served():
        with tempfile.TemporaryDirectory() as target:
            text = differences(fixed_copy(one.folder, Path(target)), Path(target))
            left = sorted({f.finding.code for f in lint([target], Options()).findings})
        one.golden.write_text(text, "utf-8")
        print(one.label, "left:", *left)


if __name__ == "__main__":
    main()
