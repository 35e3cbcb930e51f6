"""What is shipped works where it is installed, far from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

from mcplint import __version__, rules

ROOT = Path(__file__).parents[1]

SERVER = """\
import threading
import time

from mcp.server.fastmcp import FastMCP

app = FastMCP("clock")


def tick():
    while True:
        time.sleep(1)


threading.Thread(target=tick).start()
app.run()
"""


def call(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_wheel_holds_code_rules_and_catalog(wheel: Path) -> None:
    assert wheel.name == f"mcplint-{__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {path.relative_to(ROOT / "rules").as_posix() for path in (ROOT / "rules").rglob("*.*")}
    assert {f"mcplint/_rules/{path}" for path in shipped} <= names
    assert "mcplint/py.typed" in names
    assert not [
        name for name in names if name.split("/")[0] not in ("mcplint", f"mcplint-{__version__}.dist-info")
    ]


def test_an_installed_mcplint_lints_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    installed = call(
        sys.executable,
        *("-m", "pip", "--python", scripts / "python", "install", "-q", "--no-deps", "--no-index", wheel),
        cwd=tmp_path,
    )
    assert installed.returncode == 0, installed.stderr
    # The dependencies are those of this environment; mcplint itself is not seen through the path
    # file, because the new environment's own packages come first.
    (site,) = home.rglob("site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    (work / "server.py").write_text(SERVER, encoding="utf-8")

    version = call(scripts / "mcplint", "--version", cwd=work)
    assert version.stdout == f"mcplint {__version__}\n", version.stderr
    listed = call(scripts / "mcplint", "rule", cwd=work)
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(rules.codes())
    linted = call(scripts / "mcplint", ".", "--output-format", "concise", cwd=work)
    assert linted.returncode == 1, linted.stderr
    assert ": MCP101 " in linted.stdout
    as_module = call(scripts / "python", "-m", "mcplint", ".", "--output-format", "concise", cwd=work)
    assert as_module.stdout == linted.stdout
