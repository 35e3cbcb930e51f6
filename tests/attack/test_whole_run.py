"""Whatever lies in a folder: a result or a warning, never a traceback, and nothing else is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcplint.api import lint
from mcplint.cli import main
from mcplint.files import scan
from mcplint.files.source import Source
from mcplint.files.walk import MAX_BYTES, MAX_NAMED_BYTES
from mcplint.report.result import Report
from tests.attack.hostile import javascript, javascript_programs, python, python_programs

ROOT = Path(__file__).parents[2]
TOO_DEEP = "too deeply nested to follow"
JS, PY = dict(javascript_programs()), dict(python_programs())
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def good_neighbours(folder: Path) -> None:
    """A server in each language that must be judged, whatever lies beside it."""
    for name, text in (
        ("good_js/index.mjs", javascript("function go() {}")),
        ("good_py/app.py", python("def go(): pass\n")),
    ):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)


def judged(report: Report, folder: Path) -> set[str]:
    return {server.entry.relative_to(folder).as_posix() for server in report.servers}


def lint_beside_good(folder: Path, *named: Path) -> Report:
    """Lint a folder with hostile content; the good servers in it must be found."""
    good_neighbours(folder)
    report = lint([folder, *named])
    assert {"good_js/index.mjs", "good_py/app.py"} <= judged(report, folder)
    return report


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run_process(*arguments: str | bytes | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [sys.executable, "-m", "mcplint", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MCPLINT_DEBUG": "1"},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
    )
    assert "Traceback" not in result.stderr
    assert result.returncode in (0, 1), result.stderr
    return result


def accounted_for(report: Report, path: Path) -> bool:
    """Whether a file is a server or there is a warning about it."""
    return any(s.entry == path for s in report.servers) or any(s.path == path for s in report.skipped)


# --------------------------------------------------------------------------- hostile programs


@pytest.mark.parametrize("name", JS)
def test_hostile_javascript(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, "server.ts", javascript(JS[name]))
    assert accounted_for(lint_beside_good(tmp_path, path), path)


@pytest.mark.parametrize("name", PY)
def test_hostile_python(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, "server.py", python(PY[name]))
    assert accounted_for(lint_beside_good(tmp_path, path), path)


@pytest.mark.parametrize("name", ["methods", "else if", "ternaries", "ancestors", "callees"])
def test_the_process_survives_on_a_small_stack(name: str, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = written(tmp_path, "server.ts", javascript(JS[name]))
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    try:
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, hard))
        run_process(path)
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def test_a_program_that_is_too_deep_is_a_warning_and_the_others_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcplint import engine

    deep = written(tmp_path, "deep/index.mjs", javascript("function go() {}"))
    build = engine.build_server

    def build_or_fail(program, versions):  # type: ignore[no-untyped-def]
        if program.entry.path == deep:
            raise RecursionError
        return build(program, versions)

    monkeypatch.setattr(engine, "build_server", build_or_fail)
    report = lint_beside_good(tmp_path)
    assert [(s.path, s.reason) for s in report.skipped] == [(deep, TOO_DEEP)]


def test_a_candidate_that_is_too_deep_to_enter_is_lost_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcplint import engine

    deep = written(tmp_path, "deep/index.mjs", javascript("function go() {}"))
    find = engine.ProgramFinder.find

    def find_or_fail(self, candidates, top):  # type: ignore[no-untyped-def]
        if deep in candidates:
            raise RecursionError
        return find(self, candidates, top)

    monkeypatch.setattr(engine.ProgramFinder, "find", find_or_fail)
    report = lint_beside_good(tmp_path)
    assert [(s.path, s.reason) for s in report.skipped] == [(deep, TOO_DEEP)]


def test_the_recursion_limit_is_given_back(tmp_path: Path) -> None:
    before = sys.getrecursionlimit()
    lint([tmp_path])
    assert sys.getrecursionlimit() == before


# --------------------------------------------------------------------------- arbitrary content

NEEDLES = (b"StdioServerTransport", b"FastMCP", b"stdio_server", b"mcp.run()", b"import", b"require(")
SUFFIXES = (".py", ".js", ".mjs", ".ts", ".tsx", ".jsx", "")
pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(NEEDLES),
    st.sampled_from(
        [b"(", b")", b"{", b"}", b"[", b"=>", b"`${", b"'", b'"', b"\n", b"\r", b"\0", b"/*", b"=", b";"]
    ),
    st.sampled_from([python("def go(): pass\n").encode(), javascript("function go() {}").encode()]),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
)
ANY_FOLDER = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(content=st.lists(pieces, max_size=12).map(b"".join), suffix=st.sampled_from(SUFFIXES))
@ANY_FOLDER
def test_any_bytes(content: bytes, suffix: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"any{suffix}", b"#!/usr/bin/env node\n" * (not suffix) + content)
    try:
        assert lint([tmp_path, path]).files >= 1
    finally:
        path.unlink()


@given(data=st.data())
@ANY_FOLDER
def test_a_server_with_a_piece_cut_out_or_put_in(data: st.DataObject, tmp_path: Path) -> None:
    suffix, whole = data.draw(
        st.sampled_from(
            [
                (".py", python("def go():\n    if a: os._exit(0)\n")),
                (".ts", javascript("const go = async () => { await x?.close(); process.exit(0); };")),
            ]
        )
    )
    content = whole.encode()
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    path = written(tmp_path, f"server{suffix}", content[:start] + data.draw(pieces) + content[end:])
    lint([path])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
manifest_keys = st.sampled_from(
    [
        "name",
        "bin",
        "main",
        "module",
        "exports",
        "imports",
        "scripts",
        "workspaces",
        "type",
        "files",
        "dependencies",
    ]
)
PATHS = st.sampled_from(
    ["./index.mjs", "..", "/", "\0", "./*", "../../../../etc/passwd", "good_js", "a" * 5000]
)


@given(
    manifest=st.dictionaries(
        manifest_keys, json_values | PATHS | st.dictionaries(st.text(max_size=4), PATHS, max_size=3)
    )
)
@ANY_FOLDER
def test_any_manifest(manifest: dict[str, object], tmp_path: Path) -> None:
    import json

    if not (tmp_path / "index.mjs").exists():
        written(tmp_path, "index.mjs", javascript('import x from "#x"; import y from "./"; function go() {}'))
    written(tmp_path, "package.json", json.dumps(manifest))
    assert judged(lint([tmp_path]), tmp_path) == {"index.mjs"}


@pytest.mark.parametrize(
    "name", ["package.json", "tsconfig.json", "pyproject.toml", "package-lock.json", "uv.lock"]
)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\0",
        b"\0" * 100,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"null",
        b"[]",
        b'"x"',
        b"a = " + b"[" * 5000,
    ],
    ids=["empty", "BOM", "nulls", "lists", "objects", "null", "list", "text", "TOML lists"],
)
def test_a_manifest_that_is_none(name: str, content: bytes, tmp_path: Path) -> None:
    good_neighbours(tmp_path)
    for folder in ("good_js", "good_py", "."):
        written(tmp_path, f"{folder}/{name}", content)
    assert judged(lint([tmp_path]), tmp_path) == {"good_js/index.mjs", "good_py/app.py"}


def test_a_tsconfig_that_extends_itself(tmp_path: Path) -> None:
    for name, base in (("tsconfig.json", "./b.json"), ("b.json", "./tsconfig.json")):
        written(tmp_path, name, f'{{"extends": "{base}", "compilerOptions": {{"paths": {{"*": ["*"]}}}}}}')
    written(tmp_path, "index.ts", javascript('import "x"; function go() {}'))
    assert judged(lint([tmp_path]), tmp_path) == {"index.ts"}


# --------------------------------------------------------------------------- modules


def test_modules_that_import_themselves_and_each_other(tmp_path: Path) -> None:
    written(
        tmp_path,
        "self.mjs",
        javascript('import * as me from "./self.mjs"; export * from "./self.mjs"; const go = me.go;'),
    )
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        written(
            tmp_path,
            f"{name}.mjs",
            f'export * from "./{other}.mjs"; export {{ go as go{name} }} from "./{other}.mjs";',
        )
        written(tmp_path, f"p{name}.py", f"from p{other} import *\nfrom p{other} import go as go\n")
    written(tmp_path, "cycle.mjs", javascript('import { go } from "./a.mjs";'))
    written(tmp_path, "cycle.py", python("from pa import go\nimport cycle\n"))
    assert judged(lint([tmp_path]), tmp_path) == {"self.mjs", "cycle.mjs", "cycle.py"}


def test_a_long_chain_of_modules(tmp_path: Path) -> None:
    for number in range(600):
        written(tmp_path, f"m{number}.mjs", f'export {{ go }} from "./m{number + 1}.mjs";')
    written(tmp_path, "m600.mjs", "export function go() { process.exit(0); }")
    path = written(tmp_path, "index.mjs", javascript('import { go } from "./m0.mjs";'))
    assert accounted_for(lint_beside_good(tmp_path), path)


# --------------------------------------------------------------------------- the file system


def test_a_file_of_20_megabytes(tmp_path: Path) -> None:
    content = javascript("function go() {}").encode() + b"go(1, 2);\n" * 2_200_000
    assert len(content) > MAX_NAMED_BYTES > MAX_BYTES
    path = written(tmp_path, "server.ts", content)
    report = lint_beside_good(tmp_path, path)
    assert path in {s.path for s in report.skipped}


@pytest.mark.parametrize(
    ("name", "source", "line"), [("big.ts", javascript, "a(1);\n"), ("big.py", python, "a(1)\n")]
)
def test_the_largest_file_that_is_read_unnamed(
    name: str, source: Callable[[str], str], line: str, tmp_path: Path
) -> None:
    middle = "function go() {}\n" if name.endswith("ts") else "def go(): pass\n"
    middle += f"{'//' if name.endswith('ts') else '#'}{'x' * 60}\n" * (MAX_BYTES // 70) + line * 5000
    path = written(tmp_path, name, source(middle))
    assert accounted_for(lint_beside_good(tmp_path), path)


def test_symbolic_links_in_circles(tmp_path: Path) -> None:
    try:
        (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
        (tmp_path / "itself.ts").symlink_to(tmp_path / "itself.ts")
        (tmp_path / "there.py").symlink_to(tmp_path / "back.py")
        (tmp_path / "back.py").symlink_to(tmp_path / "there.py")
        (tmp_path / "gone.mjs").symlink_to(tmp_path / "nowhere.mjs")
    except OSError:
        pytest.skip("no symbolic links here")
    report = lint_beside_good(tmp_path)
    assert judged(report, tmp_path) == {"good_js/index.mjs", "good_py/app.py"}


@pytest.mark.skipif(AS_ROOT or os.name == "nt", reason="root may read everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    secret = written(tmp_path, "secret/server.ts", javascript("function go() {}")).parent
    file = written(tmp_path, "file.ts", javascript("function go() {}"))
    secret.chmod(0)
    file.chmod(0)
    try:
        report = lint_beside_good(tmp_path)
    finally:
        secret.chmod(0o700)
    assert {s.path for s in report.skipped} == {secret, file}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ts")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "package.json").mkdir()
    lint_beside_good(tmp_path)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode here")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    good_neighbours(tmp_path)
    for name in (b"\xff.ts", b"\xfe\xfd/server.mjs", b"a\nb.js", b"\x1b[31m.js", " \u202e.ts".encode()):
        path = os.path.join(os.fsencode(tmp_path), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_text(javascript("function go() {}"))
    assert len(lint([tmp_path]).servers) == 7
    for output in ("text", "concise", "json"):
        result = run_process(tmp_path, "--output-format", output)
        assert "\x1b" not in result.stdout + result.stderr
    run_process("map", tmp_path)


@pytest.mark.parametrize("change", ["vanishes", "grows", "becomes a folder", "becomes garbage"])
def test_a_file_that_changes_between_the_looks(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "server.ts", javascript("function go() {}"))

    def changed() -> None:
        if path.is_dir():
            return
        path.unlink(missing_ok=True)
        if change == "grows":
            path.write_bytes(b"a();\n" * (MAX_NAMED_BYTES // 4))
        elif change == "becomes a folder":
            path.mkdir()
        elif change == "becomes garbage":
            path.write_bytes(b"\xff\0\xfe(")

    read = scan.read_source

    def read_late(late: Path, **how: Any) -> Source:
        if late == path:
            changed()
        return read(late, **how)

    monkeypatch.setattr("mcplint.engine.read_source", read_late)
    report = lint_beside_good(tmp_path)
    assert [s.path for s in report.skipped] == [path]


def test_a_folder_that_vanishes_after_the_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcplint.files import walk

    path = written(tmp_path, "sub/server.ts", javascript("function go() {}"))
    discover = walk.discover

    def discover_and_remove(*what: Any) -> walk.Discovery:
        found = discover(*what)
        shutil.rmtree(path.parent)
        return found

    monkeypatch.setattr(walk, "discover", discover_and_remove)
    report = lint_beside_good(tmp_path)
    assert [s.path for s in report.skipped] == [path]


def test_the_command_in_this_process_says_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, "server.py", b"from mcp.server.fastmcp import FastMCP\nx = '\xff'\n")
    assert main([str(tmp_path)]) == 0
    assert "warning: " in capsys.readouterr().err
