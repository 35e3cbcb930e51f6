"""Programs of every shape that a fixer for Node meets, each with what becomes of it.

``python -m tests.fixes.test_shapes`` writes it down anew.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import pytest

from mcplint.api import Options, lint
from mcplint.fixing import repair
from tests.fixes.test_fixtures import complaints
from tests.truth.cases import link_packages
from tests.truth.install import ENVIRONMENTS, missing, prepare

SHAPES = sorted((Path(__file__).parent / "shapes").glob("*/before.*"))
MANIFEST = json.dumps({"type": "module", "dependencies": {"@modelcontextprotocol/sdk": "1.32.2"}})


def lay_out(shape: Path, folder: Path) -> Path:
    """A program by itself in a folder; its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(MANIFEST, "utf-8")
    server = folder / f"server{shape.suffix}"
    server.write_bytes(shape.read_bytes())
    return server


def after(shape: Path) -> Path:
    """What becomes of a program."""
    return shape.with_stem("after")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.parent.name)
def test_what_becomes_of_a_shape(shape: Path, tmp_path: Path) -> None:
    server = lay_out(shape, tmp_path)
    repaired = repair([tmp_path], Options(), unsafe=True, to_disk=True)
    assert server.read_text("utf-8") == after(shape).read_text("utf-8")
    assert not repaired.taken_back
    assert not repaired.report.findings
    assert repaired.report.fixed
    assert not lint([tmp_path]).findings
    assert not repair([tmp_path], Options(), unsafe=True, to_disk=True).changes


def test_node_and_tsc_accept_them_all(tmp_path: Path) -> None:
    if reason := missing(ENVIRONMENTS["v1"]):
        pytest.skip(reason)
    prepare(ENVIRONMENTS["v1"])
    for shape in SHAPES:
        server = lay_out(after(shape), tmp_path / shape.parent.name)
        link_packages(ENVIRONMENTS["v1"], server.parent)
        if "ts" not in shape.suffix:
            done = subprocess.run(
                ["node", "--check", str(server)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
    assert complaints(tmp_path) == []


def main() -> None:
    """Write down what becomes of each."""
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            server = lay_out(shape, Path(folder))
            repaired = repair([folder], Options(), unsafe=True, to_disk=True)
            after(shape).write_bytes(server.read_bytes())
        left = [reported.finding.code for reported in repaired.report.findings]
        print(shape.parent.name, [f.code for f in repaired.report.fixed], "left:", left, repaired.taken_back)


if __name__ == "__main__":
    main()
