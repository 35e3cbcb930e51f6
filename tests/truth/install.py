"""The environments that truth tests run servers in, made once and kept.

``python -m tests.truth.install`` makes all of them; the tests call :func:`prepare`
for those they need. Several processes may do so at the same time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent.parent / ".truth"
STAMP = ".truth-stamp"


@dataclass(frozen=True)
class Environment:
    """Installed packages that a server can run on."""

    name: str
    runtime: str
    folder: Path
    declared: Path
    """The file that says what is installed."""

    @property
    def program(self) -> Path:
        """The interpreter. Only where :func:`missing` says nothing."""
        if self.runtime == "python":
            return self.folder / "bin" / "python"
        return Path(shutil.which("node") or "node")


def _node(name: str) -> Environment:
    folder = HERE / "node" / name
    return Environment(name, "node", folder / "node_modules", folder / "package-lock.json")


def _python(name: str) -> Environment:
    return Environment(name, "python", KEPT / "python" / name, HERE / "python" / f"requirements-{name}.txt")


ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        *map(_node, ("v1-30", "v1", "v2", "holders", "official", "loggers")),
        *map(_python, ("mcp1", "mcp2", "loggers-py")),
    )
}


def missing(environment: Environment) -> str | None:
    """Why the environment cannot be made here, or None."""
    if os.name != "posix":
        return "truth tests need POSIX signals and process groups"
    if environment.runtime == "node":
        for tool in ("node", "npm"):
            if shutil.which(tool) is None:
                return f"{tool} is not installed"
    return None


def prepare(environment: Environment) -> None:
    """Install what is declared unless that has been done."""
    wanted = _stamp(environment)
    with _only_one(f"install-{environment.name}"):
        stamp = environment.folder / STAMP
        if stamp.is_file() and stamp.read_text("utf-8") == wanted:
            return
        _INSTALL[environment.runtime](environment)
        stamp.write_text(wanted, "utf-8")


@contextmanager
def _only_one(name: str) -> Iterator[None]:
    """Let one process at a time through."""
    KEPT.mkdir(exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _stamp(environment: Environment) -> str:
    """Changes when the environment must be made anew."""
    declared = hashlib.sha256(environment.declared.read_bytes()).hexdigest()
    maker = sys.version if environment.runtime == "python" else _run([str(environment.program), "--version"])
    return f"{declared} {maker}\n"


def _install_node(environment: Environment) -> None:
    # Without install scripts: nothing here needs a compiler.
    _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], environment.declared.parent)


def _install_python(environment: Environment) -> None:
    shutil.rmtree(environment.folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(environment.folder)])
    pip = [str(environment.program), "-m", "pip", "--disable-pip-version-check"]
    _run([*pip, "install", "--quiet", "-r", str(environment.declared)])


_INSTALL: dict[str, Callable[[Environment], None]] = {"node": _install_node, "python": _install_python}


def _run(command: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def main() -> int:
    """Make every environment that can be made here."""
    for environment in ENVIRONMENTS.values():
        began = time.monotonic()
        reason = missing(environment)
        if reason is None:
            prepare(environment)
            reason = f"ready ({time.monotonic() - began:.1f} s)"
        sys.stderr.write(f"{environment.name}: {reason}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
