"""The .gitignore rules, held against Git itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcplint.files.ignore import IgnoreFile

RULES = [
    "*.log", "build/", "/top.js", "docs/*.js", "a/**/b", "**/deep", "deep/**", "!keep.log",
    "file[0-9].js", "file[!0-9].js", "file[^0-9].js", r"\#hash", r"\!bang", "# note", "",
    "trailing  ", r"space\ ", "x?.js", "**/mid/in.js", "dir/sub/", "/only/", "*", "!*/",
    "*.[jt]s", "a*b*c", "/**/z", "foo\\*bar", "***", "[", "a/", "/", "!",
]  # fmt: skip
PATHS = [
    "x.log", "keep.log", "build/x.js", "src/build/y.js", "top.js", "src/top.js", "docs/a.js",
    "docs/in/a.js", "a/b", "a/x/b", "a/x/y/b", "deep", "q/deep", "deep/x/y.js", "file1.js",
    "filea.js", "#hash", "!bang", "trailing", "space ", "xy.js", "mid/in.js", "p/mid/in.js",
    "dir/sub/x", "o/dir/sub/x", "only/x", "o/only/x", "m.ts", "m.js", "a1b2c", "z", "p/z", "foo*bar",
]  # fmt: skip


def ignored_in(rules: list[str], path: str) -> bool:
    """Walk down to the path as the walker does: an ignored folder hides what it holds."""
    file = IgnoreFile("/r", "\n".join(rules))
    parts = path.split("/")
    for depth, name in enumerate(parts, 1):
        is_folder = depth < len(parts)
        if file.verdict("/r/" + "/".join(parts[:depth]), name, is_folder):
            return True
    return False


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def ignored_by_git(repository: Path, rules: list[str], paths: list[str]) -> set[str]:
    (repository / ".gitignore").write_text("\n".join(rules))
    run = subprocess.run(
        ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    return set(filter(None, run.stdout.decode().split("\0")))


@pytest.mark.parametrize("rule", RULES)
def test_one_rule_as_git_reads_it(repository: Path, rule: str) -> None:
    rules = ["*.log", "build/", rule] if rule.startswith("!") else [rule]
    expected = ignored_by_git(repository, rules, PATHS)
    assert {path for path in PATHS if ignored_in(rules, path)} == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(RULES), max_size=6))
def test_rules_together_as_git_reads_them(repository: Path, rules: list[str]) -> None:
    expected = ignored_by_git(repository, rules, PATHS)
    assert {path for path in PATHS if ignored_in(rules, path)} == expected


@given(st.text(max_size=60), st.text(alphabet="ab*?[]!/\\.", min_size=1, max_size=20))
def test_never_raises(text: str, name: str) -> None:
    IgnoreFile("/r", text).verdict("/r/" + name, name, False)
    IgnoreFile("/r", name).verdict("/r/a/b", "b", True)


def test_hostile_rules_stay_cheap() -> None:
    began = time.process_time()
    file = IgnoreFile("/r", "a*" * 400 + "b\n" + "**/a/" * 100 + "b\n")
    file.verdict(os.sep.join(["/r", *["a"] * 1000, "a" * 250]), "a" * 250, False)
    assert time.process_time() - began < 5
