from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mcplint.files import walk
from mcplint.files.walk import Discovery, PathNotFoundError, discover, is_test, shebang_language


def put(root: Path, *names: str, text: str = "x = 1\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def package(root: Path, **fields: object) -> None:
    put(root, "package.json", text=json.dumps(fields))


def names(found: Discovery, root: Path) -> list[str]:
    return [file.path.relative_to(root).as_posix() for file in found.files]


def reasons(found: Discovery, root: Path) -> dict[str, str]:
    return {item.path.relative_to(root).as_posix(): item.reason for item in found.skipped}


def test_source_files_in_order_and_nothing_else(tmp_path: Path) -> None:
    put(
        tmp_path,
        "b.ts",
        "a.py",
        "sub/c.mjs",
        "sub/a.tsx",
        "README.md",
        "x.json",
        "y.d.ts",
        "z.js.map",
        "q.pyc",
    )
    found = discover([tmp_path])
    assert names(found, tmp_path) == ["a.py", "b.ts", "sub/a.tsx", "sub/c.mjs"]
    assert not any(file.named for file in found.files)
    assert found.looked_at == 4
    assert found.roots == (tmp_path,)
    assert found.skipped == ()


@pytest.mark.parametrize(
    "folder",
    [
        "node_modules",
        ".git",
        ".venv",
        "venv",
        "__pycache__",
        "dist",
        "build",
        "out",
        ".next",
        "target",
        "dist-esm",
    ],
)
def test_folders_without_source(tmp_path: Path, folder: str) -> None:
    put(tmp_path, f"{folder}/x.js", f"my_{folder.strip('.')}_x/y.js")
    assert names(discover([tmp_path]), tmp_path) == [f"my_{folder.strip('.')}_x/y.js"]
    # Named, it is walked.
    assert names(discover([tmp_path / folder]), tmp_path) == [f"{folder}/x.js"]


def test_lib_and_python_packages_with_a_build_name_are_source(tmp_path: Path) -> None:
    put(tmp_path, "lib/a.js", "build/__init__.py", "build/tool.py", "env/index.ts")
    assert names(discover([tmp_path]), tmp_path) == [
        "build/__init__.py",
        "build/tool.py",
        "env/index.ts",
        "lib/a.js",
    ]


def test_a_virtual_environment_by_any_name(tmp_path: Path) -> None:
    put(tmp_path, "mine/pyvenv.cfg", "mine/lib/a.py", "other/pyvenv.txt", "other/a.py")
    assert names(discover([tmp_path]), tmp_path) == ["other/a.py"]


def test_several_paths_without_repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "src/a.py", "src/b.py", "other/c.py")
    monkeypatch.chdir(tmp_path)
    given = [Path("other"), Path("src"), Path("./src/../src/b.py"), tmp_path / "src", Path("src/b.py")]
    found = discover(given)
    assert names(found, tmp_path) == ["other/c.py", "src/a.py", "src/b.py"]
    assert [file.named for file in found.files] == [False, False, True]
    assert found.roots == (tmp_path / "other", tmp_path / "src", tmp_path / "src/b.py")


def test_missing_path(tmp_path: Path) -> None:
    put(tmp_path, "a.py")
    with pytest.raises(PathNotFoundError, match=r"nothing\.py") as caught:
        discover([tmp_path / "a.py", tmp_path / "nothing.py"])
    assert caught.value.path == tmp_path / "nothing.py"


def test_nested_gitignore(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="*.gen.ts\n/private\n")
    put(tmp_path, "a/.gitignore", text="!keep.gen.ts\nlocal.py\n")
    put(
        tmp_path,
        "x.gen.ts",
        "a/keep.gen.ts",
        "a/y.gen.ts",
        "a/local.py",
        "b/local.py",
        "private/x.py",
        "a/private/x.py",
    )
    assert names(discover([tmp_path]), tmp_path) == ["a/keep.gen.ts", "a/private/x.py", "b/local.py"]


def test_gitignore_above_up_to_the_git_root(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="*.py\n")
    put(tmp_path, "repo/.gitignore", text="skip.ts\n")
    put(tmp_path, "repo/src/skip.ts", "repo/src/a.ts", "repo/src/b.py")
    (tmp_path / "repo/.git").mkdir()
    assert names(discover([tmp_path / "repo/src"]), tmp_path) == ["repo/src/a.ts", "repo/src/b.py"]
    assert names(discover([tmp_path / "repo/src/skip.ts"]), tmp_path) == ["repo/src/skip.ts"]


def test_an_ignored_folder_that_is_named_is_walked(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    put(tmp_path, ".gitignore", text="/generated/\n*.tmp.js\n")
    put(tmp_path, "generated/in/a.js", "generated/in/b.js")
    assert names(discover([tmp_path]), tmp_path) == []
    assert len(discover([tmp_path / "generated"]).files) == 2
    assert len(discover([tmp_path / "generated/in"]).files) == 2


def test_minified_bundles(tmp_path: Path) -> None:
    long_line = "var a=1;" * 1000
    put(tmp_path, "lib.min.js", "app.bundle.js", "min.js")
    put(tmp_path, "one-line.js", "data.py", text=long_line)
    put(tmp_path, "many-lines.js", text="var a = 1;\n" * 1000)
    found = discover([tmp_path])
    assert names(found, tmp_path) == ["data.py", "many-lines.js", "min.js"]
    assert set(reasons(found, tmp_path)) == {"app.bundle.js", "lib.min.js", "one-line.js"}
    assert all(item.expected and item.reason == "minified bundle" for item in found.skipped)
    assert len(discover([tmp_path / "lib.min.js", tmp_path / "one-line.js"]).files) == 2


def test_declarations_only_when_named(tmp_path: Path) -> None:
    put(tmp_path, "a.d.ts", "b.d.mts", "d.ts")
    assert names(discover([tmp_path]), tmp_path) == ["d.ts"]
    assert names(discover([tmp_path / "a.d.ts"]), tmp_path) == ["a.d.ts"]


class TestPublishedPackage:
    def test_build_output_is_the_program(self, tmp_path: Path) -> None:
        package(tmp_path, bin={"x": "./dist/cli.js"}, main="build/index.js")
        put(
            tmp_path,
            "dist/cli.js",
            "dist/in/a.js",
            "dist/cli.d.ts",
            "build/index.js",
            "out/z.js",
            "eslint.config.ts",
        )
        put(tmp_path, "dist/node_modules/q/i.js")
        put(tmp_path, "dist/chunk.min.js", text="var a=1;" * 1000)
        put(tmp_path, ".gitignore", text="dist\n")
        assert names(discover([tmp_path]), tmp_path) == [
            "eslint.config.ts",
            "build/index.js",
            "dist/chunk.min.js",
            "dist/cli.js",
            "dist/in/a.js",
        ]

    @pytest.mark.parametrize(
        "source", ["src/cli.ts", "cli.ts", "src/cli.js", "server/main.ts", "lib/cli.mjs"]
    )
    def test_not_when_its_source_is_there(self, tmp_path: Path, source: str) -> None:
        package(tmp_path, bin="dist/cli.js")
        put(tmp_path, "dist/cli.js", source)
        assert names(discover([tmp_path]), tmp_path) == [source]

    @pytest.mark.parametrize(
        "other",
        [
            "src/types/table.ts",
            "src/cli.d.ts",
            "scripts/cli.ts",
            "tests/cli.ts",
            "cli.test.ts",
            "in/x/cli.ts",
        ],
    )
    def test_files_that_cannot_be_its_source(self, tmp_path: Path, other: str) -> None:
        package(tmp_path, bin="dist/cli.js")
        put(tmp_path, "dist/cli.js", other)
        package(tmp_path / "in/x")
        assert "dist/cli.js" in names(discover([tmp_path]), tmp_path)

    def test_each_package_of_a_tree_for_itself(self, tmp_path: Path) -> None:
        package(tmp_path / "a", exports={".": {"types": "./dist/i.d.ts", "import": "./dist/i.js"}})
        package(tmp_path / "b", main="lib/i.js")
        put(tmp_path, "a/dist/i.js", "b/dist/i.js", "b/lib/i.js", "dist/i.js")
        assert names(discover([tmp_path]), tmp_path) == ["a/dist/i.js", "b/lib/i.js"]

    def test_build_folder_below_another(self, tmp_path: Path) -> None:
        package(tmp_path, bin="pkg/dist/esm/cli.js")
        put(tmp_path, "pkg/dist/esm/cli.js", "pkg/dist/cjs/cli.js", "other/dist/x.js")
        assert names(discover([tmp_path]), tmp_path) == ["pkg/dist/cjs/cli.js", "pkg/dist/esm/cli.js"]

    def test_a_declared_bundle_outside_of_build_folders(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        package(tmp_path, bin="bin/cli.mjs")
        put(tmp_path, "bin/cli.mjs", "bin/other.mjs", text="var a=1;" * 1000)
        assert names(discover([tmp_path]), tmp_path) == ["bin/cli.mjs"]
        monkeypatch.setattr(walk, "MAX_BYTES", 100)
        assert names(discover([tmp_path]), tmp_path) == ["bin/cli.mjs"]

    def test_hostile_manifests(self, tmp_path: Path) -> None:
        for index, text in enumerate(
            ["", "[]", "{", '{"bin": 3}', '{"main": "../../x.js", "bin": {"a": null}}', "[" * 9999]
        ):
            put(tmp_path, f"p{index}/package.json", text=text)
            put(tmp_path, f"p{index}/a.js")
        assert len(discover([tmp_path]).files) == 6


def test_scripts_without_a_suffix(tmp_path: Path) -> None:
    package(tmp_path, bin={"a": "bin/a", "b": "./bin/b"})
    put(tmp_path, "bin/a", "bin/c", text="#!/usr/bin/env node\n")
    put(tmp_path, "bin/b", text="plain\n")
    put(tmp_path, "tool", text="#!/usr/bin/env -S uv run --script\n")
    assert names(discover([tmp_path]), tmp_path) == ["bin/a"]
    found = discover([tmp_path / "bin/c", tmp_path / "tool", tmp_path / "bin/b"])
    assert names(found, tmp_path) == ["bin/c", "tool"]
    assert reasons(found, tmp_path) == {"bin/b": "not a JavaScript, TypeScript or Python file"}


def test_shebang_language() -> None:
    assert shebang_language(b"#!/usr/bin/python3\n") == "python"
    assert shebang_language(b"#!/usr/bin/env node\n") == "javascript"
    assert shebang_language(b"#!/usr/bin/env -S tsx --no-warnings\n") == "javascript"
    assert shebang_language(b"#!/bin/sh\nexec node x\n") is None
    assert shebang_language(b"# node\n") is None


def test_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_BYTES", 100)
    monkeypatch.setattr(walk, "MAX_NAMED_BYTES", 200)
    put(tmp_path, "ok.py", text="#" * 100)
    put(tmp_path, "large.py", text="#" * 101)
    put(tmp_path, "huge.py", text="#" * 201)
    found = discover([tmp_path])
    assert names(found, tmp_path) == ["ok.py"]
    # Naming a file helps only where it is not too large to be read at all.
    said = reasons(found, tmp_path)
    assert {name: "name the file" in reason for name, reason in said.items()} == {
        "large.py": True,
        "huge.py": False,
    }
    named = discover([tmp_path / "large.py", tmp_path / "huge.py"])
    assert names(named, tmp_path) == ["large.py"]
    assert named.skipped[0].reason == "larger than 16 MiB"
    assert found.looked_at == 3


class TestLinks:
    def test_loops_and_dead_links(self, tmp_path: Path) -> None:
        put(tmp_path, "a/x.py")
        (tmp_path / "a/up").symlink_to("..")
        (tmp_path / "a/self.py").symlink_to("self.py")
        (tmp_path / "a/dead.py").symlink_to("nowhere.py")
        (tmp_path / "a/dead.txt").symlink_to("nowhere.txt")
        found = discover([tmp_path])
        assert names(found, tmp_path) == ["a/x.py"]
        assert reasons(found, tmp_path)["a/up"] == "symbolic link loop"
        assert set(reasons(found, tmp_path)) == {"a/up", "a/self.py", "a/dead.py"}

    def test_a_named_link_that_loops(self, tmp_path: Path) -> None:
        (tmp_path / "self.py").symlink_to("self.py")
        found = discover([tmp_path / "self.py"])
        assert found.files == ()
        assert list(reasons(found, tmp_path)) == ["self.py"]

    def test_files(self, tmp_path: Path) -> None:
        put(tmp_path, "in/z.py", "out/y.py")
        (tmp_path / "in/a.py").symlink_to("z.py")
        (tmp_path / "in/b.py").symlink_to("../out/y.py")
        assert names(discover([tmp_path / "in"]), tmp_path) == ["in/z.py", "in/b.py"]

    def test_a_folder_is_left_to_its_own_place_unless_named(self, tmp_path: Path) -> None:
        put(tmp_path, "shared/a.py", "in/b.py")
        (tmp_path / "in/link").symlink_to("../shared")
        assert names(discover([tmp_path / "in"]), tmp_path) == ["in/b.py"]
        assert names(discover([tmp_path / "in/link"]), tmp_path) == ["in/link/a.py"]
        assert names(discover([tmp_path / "shared", tmp_path / "in/link"]), tmp_path) == ["shared/a.py"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions that bind")
def test_unreadable_folder(tmp_path: Path) -> None:
    put(tmp_path, "a/x.py", "b.py")
    (tmp_path / "a").chmod(0)
    try:
        found = discover([tmp_path])
    finally:
        (tmp_path / "a").chmod(0o755)
    assert names(found, tmp_path) == ["b.py"]
    assert reasons(found, tmp_path) == {"a": "permission denied"}


def test_folders_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "gone/x.py", "b.py")
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("gone"):
            raise FileNotFoundError(2, "No such file or directory")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = discover([tmp_path])
    assert names(found, tmp_path) == ["b.py"]
    assert reasons(found, tmp_path) == {"gone": "no such file or directory"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_named_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / "package.json")
    os.mkfifo(tmp_path / ".gitignore")
    put(tmp_path, "a.py")
    assert names(discover([tmp_path]), tmp_path) == ["a.py"]
    assert reasons(discover([tmp_path / "pipe.py"]), tmp_path) == {"pipe.py": "not a regular file"}


def test_deep_tree(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["d"] * 400)
    put(folder, "a.py")
    assert len(discover([tmp_path]).files) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tests/server.py", True),
        ("src/__tests__/a.ts", True),
        ("e2e/a.ts", True),
        ("spec/a.js", True),
        ("src/a.test.ts", True),
        ("a.spec.mjs", True),
        ("test_a.py", True),
        ("a_test.py", True),
        ("conftest.py", True),
        ("src/server.ts", False),
        ("testing/a.py", False),
        ("latest.ts", False),
        ("src/test.ts", False),
        ("contest_a.py", False),
        ("test_a.ts", False),
    ],
)
def test_is_test(tmp_path: Path, name: str, expected: bool) -> None:
    assert is_test(tmp_path / name, tmp_path) is expected


def test_is_test_looks_below_the_root_only(tmp_path: Path) -> None:
    root = tmp_path / "tests"
    assert not is_test(root / "server.py", root)
    assert not is_test(tmp_path / "tests/server.py", tmp_path / "elsewhere")
