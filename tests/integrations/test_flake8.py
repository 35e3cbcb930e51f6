"""The plugin in the oldest supported and the current flake8."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.conftest import shared
from tests.integrations import environments
from tests.integrations.environments import call, scripts

HERE = Path(__file__).parent

SERVER = """\
from mcp.server.fastmcp import FastMCP

from app.timer import start

app = FastMCP("clock")
start()
app.run()
"""

TIMER = """\
import threading
import time


def tick():
    while True:
        time.sleep(1)


def start():
    print("starting")
    threading.Thread(target=tick).start()
"""


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    def named(age: str) -> Path:
        make = environments.environment_with(wheel, "-r", HERE / f"requirements-flake8-{age}.txt")
        return environments.once(shared(tmp_path_factory) / f"flake8-{age}", make)

    return named


@pytest.fixture(scope="module")
def flake8(environment: Callable[[str], Path]) -> Path:
    return environment("current")


@pytest.fixture(scope="module", params=["oldest", "current"])
def each_flake8(request: pytest.FixtureRequest, environment: Callable[[str], Path]) -> Path:
    return environment(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "tox.ini").write_text("[flake8]\nmax-line-length = 100\n", encoding="utf-8")
    (tmp_path / "app" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "app" / "server.py").write_text(SERVER, encoding="utf-8")
    (tmp_path / "app" / "timer.py").write_text(TIMER, encoding="utf-8")
    return tmp_path


FOUND = ["app/server.py:7:1: MCP101", "app/timer.py:11:5: MCP401"]


def run(flake8: Path, project: Path, *arguments: str, text: str | None = None) -> CompletedProcess[str]:
    return call(scripts(flake8) / "python", "-m", "flake8", *arguments, cwd=project, text=text)


def lines(ran: CompletedProcess[str]) -> list[str]:
    assert ran.stderr == ""
    return [" ".join(line.removeprefix("./").split(" ")[:2]) for line in ran.stdout.splitlines()]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_it_finds_what_mcplint_finds(each_flake8: Path, project: Path) -> None:
    ran = run(each_flake8, project)
    own = call(scripts(each_flake8) / "mcplint", ".", "--output-format", "concise", "-q", cwd=project)
    assert [line.removeprefix("./") for line in ran.stdout.splitlines()] == own.stdout.splitlines()
    assert (ran.returncode, lines(ran)) == (1, FOUND)
    version = run(each_flake8, project, "--version").stdout
    assert "mcplint: " in version


def test_a_file_alone_is_judged_in_its_project(flake8: Path, project: Path) -> None:
    assert lines(run(flake8, project, "app/timer.py")) == FOUND[1:]
    assert lines(run(flake8, project / "app", "server.py")) == ["server.py:7:1: MCP101"]


def test_several_processes_find_the_same(flake8: Path, project: Path) -> None:
    for number in range(6):
        (project / "app" / f"other{number}.py").write_text("X = 1\n", encoding="utf-8")
    assert lines(run(flake8, project, "--jobs", "3")) == FOUND


def test_selection_is_flake8s(flake8: Path, project: Path) -> None:
    edit(project / "app" / "timer.py", "import time\n", "import time, os\n")
    assert lines(run(flake8, project, "--select", "MCP1")) == FOUND[:1]
    assert lines(run(flake8, project, "--extend-ignore", "MCP101,E")) == ["app/timer.py:2:1: F401", FOUND[1]]
    assert lines(run(flake8, project, "--per-file-ignores", "app/timer.py:MCP,E,F")) == FOUND[:1]


def test_settings_of_mcplint_count(flake8: Path, project: Path) -> None:
    (project / "mcplint.toml").write_text('ignore = ["MCP401"]\n', encoding="utf-8")
    assert lines(run(flake8, project)) == FOUND[:1]
    (project / "other.toml").write_text('select = ["MCP4"]\n', encoding="utf-8")
    assert lines(run(flake8, project, "--mcplint-config", "other.toml")) == FOUND[1:]
    edit(project / "tox.ini", "[flake8]\n", "[flake8]\nmcplint-config = other.toml\n")
    assert lines(run(flake8, project)) == FOUND[1:]


def test_noqa_is_honoured_where_it_stands(each_flake8: Path, project: Path) -> None:
    edit(project / "app" / "server.py", "app.run()", "app.run()  # noqa: MCP101")
    assert lines(run(each_flake8, project)) == FOUND[1:]
    assert lines(run(each_flake8, project, "--disable-noqa")) == FOUND
    edit(project / "app" / "server.py", "  # noqa: MCP101", "  # noqa: E501")
    # At the thread, which flake8 itself cannot know to belong to the finding.
    edit(project / "app" / "timer.py", "tick).start()", "tick).start()  # noqa: MCP101")
    assert lines(run(each_flake8, project)) == FOUND[1:]
    assert lines(run(each_flake8, project, "--disable-noqa")) == FOUND


def test_comments_of_mcplint_count_and_unused_ones_are_said(flake8: Path, project: Path) -> None:
    edit(project / "app" / "timer.py", "tick).start()", "tick).start()  # mcplint: ignore[MCP101] meant")
    edit(project / "app" / "server.py", "start()\n", "start()  # noqa: MCP201\n")
    assert lines(run(flake8, project)) == ["app/server.py:6:18: MCP900", FOUND[1]]


def test_stdin_stands_for_a_file(each_flake8: Path, project: Path) -> None:
    name = ("-", "--stdin-display-name", "app/timer.py")
    assert lines(run(each_flake8, project, *name, text=TIMER)) == FOUND[1:]
    assert lines(run(each_flake8, project, *name, text=TIMER.replace("    print", "    # print"))) == []
    held = TIMER + 'start()\n\n\nfrom mcp.server.fastmcp import FastMCP\n\nFastMCP("x").run()\n'
    assert "stdin:18:1: MCP101" in lines(run(each_flake8, project, "-", text=held))


def test_a_file_that_cannot_be_parsed_does_not_stop_the_others(flake8: Path, project: Path) -> None:
    (project / "app" / "broken.py").write_text("def (:\n", encoding="utf-8")
    found = lines(run(flake8, project))
    assert set(FOUND) <= set(found)
    assert any("E999" in line for line in found)
