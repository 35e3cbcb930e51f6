"""Every fixture that a fix serves: what becomes of it, that it is clean, and that Node and tsc accept it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mcplint.api import Options, lint
from mcplint.fixing import repair
from tests.fixes.fixed import Served, differences, fixed_copy, fixed_files, served
from tests.truth.cases import link_packages
from tests.truth.install import ENVIRONMENTS, missing, prepare

SERVED = list(served())
NOT_FIXED = {"bundle/minified"}
"""Where a rule with a fixer finds something that nobody edits."""


@pytest.fixture(params=SERVED, ids=[one.label for one in SERVED])
def one(request: pytest.FixtureRequest) -> Served:
    found: Served = request.param
    return found


def test_what_is_written_is_what_was_written_down(one: Served, tmp_path: Path) -> None:
    """``python -m tests.fixes.fixed`` writes it down anew."""
    repaired = fixed_copy(one.folder, tmp_path)
    assert differences(repaired, tmp_path) == one.golden.read_text("utf-8")
    assert not repaired.taken_back
    assert not repaired.unfinished
    if one.label in NOT_FIXED:
        assert not repaired.changes
        return
    # From here on the files on disk are what is judged.
    assert [f.finding.code for f in lint([tmp_path]).findings if f.finding.code in one.codes] == []
    assert not repair([tmp_path], Options(), unsafe=True, to_disk=True).changes


def test_a_star_stands_where_a_fix_is_made(one: Served) -> None:
    for reported in lint([one.folder]).findings:
        fix = reported.fix
        assert reported.applicability == (fix.applicability if fix is not None else None)
        assert (fix is not None) == (reported.finding.code in one.codes and one.label not in NOT_FIXED)


def test_nothing_else_is_written_down() -> None:
    names = {one.golden.name for one in SERVED}
    assert {path.name for path in SERVED[0].golden.parent.iterdir()} == names


def test_node_accepts_what_was_fixed(one: Served, tmp_path: Path) -> None:
    if reason := missing(ENVIRONMENTS["v1"]):
        pytest.skip(reason)
    shutil.copytree(one.folder, tmp_path, dirs_exist_ok=True)
    for name, data in fixed_files(one.folder).items():
        (tmp_path / name).write_bytes(data)
        if not name.endswith(".ts"):
            done = subprocess.run(
                ["node", "--check", str(tmp_path / name)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr


def test_tsc_accepts_what_was_fixed(tmp_path: Path) -> None:
    for name in ("v1", "v2"):
        if reason := missing(ENVIRONMENTS[name]):
            pytest.skip(reason)
        prepare(ENVIRONMENTS[name])
    for number, one in enumerate(one for one in SERVED if one.expect["entry"].endswith(".ts")):
        folder = tmp_path / str(number)
        shutil.copytree(one.folder, folder)
        link_packages(ENVIRONMENTS[one.expect["sdk"][0]], folder)
        for name, data in fixed_files(one.folder).items():
            (folder / name).write_bytes(data)
    assert complaints(tmp_path) == []


def complaints(folder: Path) -> list[str]:
    """What tsc says of all programs below a folder, but that a package comes without types."""
    packages = ENVIRONMENTS["v1"].folder
    files = [str(path) for path in folder.glob("*/**/*.ts") if "node_modules" not in path.parts]
    assert files
    options = "--noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext --skipLibCheck"
    types = ["--types", "node", "--typeRoots", str(packages / "@types")]
    tsc = [str(packages / ".bin" / "tsc"), *options.split(), *types, *files]
    done = subprocess.run(tsc, cwd=folder, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "error TS" in line and "TS7016" not in line]
