"""The hooks in the real pre-commit, from an empty cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.environments import ROOT
from tests.settings.project import STAYS

TIMER_TS = "export function start(): void {\n  setInterval(() => {}, 1000);\n}\n"
INDEX_TS = STAYS.replace('process.on("SIGTERM", () => {});\n', "").replace(
    "setInterval(() => server.sendToolListChanged(), 1000);", 'import { start } from "./timer.mjs";\nstart();'
)
TIMER_PY = "import threading\nimport time\n\n\ndef tick():\n    while True:\n        time.sleep(1)\n\n\ndef start():\n    {}\n"
INDEX_PY = "from mcp.server.fastmcp import FastMCP\n\nfrom timer import start\n\napp = FastMCP('s')\nstart()\napp.run()\n"
HELD_PY = "threading.Thread(target=tick).start()"


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def mcplint_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with this checkout in it, as a user would name in the configuration."""
    folder = tmp_path_factory.mktemp("mcplint")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("mcplint", "rules"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "all")
    return folder


@pytest.fixture
def project(
    tmp_path: Path,
    mcplint_repository: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A repository with a server in each language, and one more in each that nobody touches."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("empty-cache")))
    files = {
        ".pre-commit-config.yaml": f"repos:\n- repo: {mcplint_repository}\n"
        f"  rev: {git(mcplint_repository, 'rev-parse', 'HEAD')}\n"
        "  hooks:\n  - id: mcplint\n  - id: mcplint-fix\n    stages: [manual]\n",
        "ts/package.json": '{"dependencies": {"@modelcontextprotocol/sdk": "1.30.0"}, "type": "module"}',
        "ts/index.ts": INDEX_TS,
        "ts/timer.mts": "export function start(): void {}\n",
        "ts/other.ts": STAYS,
        "py/server.py": INDEX_PY,
        "py/timer.py": TIMER_PY.format("pass"),
        "py/other.py": TIMER_PY.format(HELD_PY) + "\n\n" + INDEX_PY.replace("from timer import start\n", ""),
        "old/index.ts": STAYS,
        "mcplint.toml": 'exclude = ["old/"]\n',
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "all", "--no-verify")
    return tmp_path


def pre_commit(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=project,
        env=clean,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def found(ran: subprocess.CompletedProcess[str]) -> set[str]:
    return {" ".join(line.split(" ")[:2]) for line in ran.stdout.splitlines() if ": MCP" in line}


def test_the_hooks_judge_whole_programs_and_repair_them(project: Path) -> None:
    changed = {"ts/timer.mts": TIMER_TS, "py/timer.py": TIMER_PY.format(HELD_PY)}
    for name, text in changed.items():
        (project / name).write_text(text, encoding="utf-8")
        git(project, "add", name)
    ran = pre_commit(project, "run")
    touched = {"ts/index.ts:7:7: MCP101", "py/server.py:7:1: MCP101"}
    assert (ran.returncode, found(ran)) == (1, touched), ran.stdout

    everything = pre_commit(project, "run", "--all-files")
    others = {"ts/other.ts:6:1: MCP201", "ts/other.ts:7:7: MCP101", "py/other.py:19:1: MCP101"}
    assert found(everything) == touched | others, everything.stdout

    fixed = pre_commit(project, "run", "mcplint-fix", "--hook-stage", "manual", "--files", "ts/timer.mts")
    assert fixed.returncode == 1
    assert "files were modified by this hook" in fixed.stdout, fixed.stdout
    assert "ts/" in git(project, "diff", "--stat")
    git(project, "add", ".")
    again = pre_commit(project, "run", "--files", "ts/timer.mts", "ts/index.ts")
    assert again.returncode == 0, again.stdout
