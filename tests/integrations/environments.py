"""Clean environments with mcplint in them, made once for all processes of a test run."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def call(*command: str | Path, cwd: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command without what this environment would lend it."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **({"input": text} if text is not None else {"stdin": subprocess.DEVNULL}),
    )


def made(*command: str | Path, cwd: Path) -> None:
    """Run a command that must succeed."""
    done = call(*command, cwd=cwd)
    assert done.returncode == 0, done.stderr


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first process to ask for it makes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make(folder)
    return folder


def build_wheel(folder: Path) -> None:
    """Build the wheel of this checkout."""
    made(
        sys.executable,
        *("-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT),
        cwd=ROOT,
    )


def scripts(environment: Path) -> Path:
    """Where an environment has its commands."""
    return environment / ("Scripts" if os.name == "nt" else "bin")


def install(environment: Path, *what: str | Path) -> None:
    """Install packages with this environment's pip, but nothing that they depend on."""
    python = scripts(environment) / "python"
    made(sys.executable, *("-m", "pip", "--python", python, "install", "-q", "--no-deps", *what), cwd=ROOT)


def environment_with(wheel: Path, *what: str | Path) -> Callable[[Path], None]:
    """What makes an environment with mcplint and what else is asked for.

    What mcplint depends on is that of this environment. mcplint itself is not, as what an environment
    has goes before what its path files add.
    """

    def make(folder: Path) -> None:
        venv.create(folder, with_pip=False)
        if what:
            install(folder, *what)
        install(folder, "--no-index", wheel)
        (site,) = folder.rglob("site-packages")
        (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

    return make
