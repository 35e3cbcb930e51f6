from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mcplint.program.manifests import DeclaredEntry, declared_entries, nearest


def put(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def package(root: Path, **fields: object) -> None:
    put(root, "package.json", text=json.dumps(fields))


def found(root: Path, *kinds: str) -> set[tuple[str, str, str | None]]:
    """(name, path, function) of the entries of these kinds."""
    return {
        (entry.name, entry.path.relative_to(root).as_posix(), entry.function)
        for entry in declared_entries(root)
        if not kinds or entry.kind in kinds
    }


class TestPackageJson:
    def test_bin_forms(self, tmp_path: Path) -> None:
        put(tmp_path, "cli.js", "b/two.mjs", "b/three", "data.json")
        package(tmp_path, name="@scope/tool", bin="./cli.js")
        assert found(tmp_path, "bin") == {("tool", "cli.js", None)}
        package(
            tmp_path,
            bin={
                "one": "cli.js",
                "two": "b/two.mjs",
                "three": "./b/three",
                "no": "gone.js",
                "d": "data.json",
            },
        )
        assert found(tmp_path, "bin") == {
            ("one", "cli.js", None),
            ("two", "b/two.mjs", None),
            ("three", "b/three", None),
        }
        package(tmp_path, directories={"bin": "b"})
        assert found(tmp_path, "bin") == {("two", "b/two.mjs", None), ("three", "b/three", None)}

    def test_what_an_entry_holds(self, tmp_path: Path) -> None:
        put(tmp_path, "cli.js")
        package(tmp_path, bin={"x": "cli.js"})
        assert declared_entries(tmp_path) == (
            DeclaredEntry(tmp_path / "cli.js", None, "bin", "x", tmp_path / "package.json"),
        )

    def test_main(self, tmp_path: Path) -> None:
        put(tmp_path, "index.js", "lib/index.js", "other.mjs")
        package(tmp_path)
        assert found(tmp_path, "main") == {("main", "index.js", None)}
        package(tmp_path, main="./lib", module="other.mjs")
        assert found(tmp_path, "main") == {("main", "lib/index.js", None)}
        package(tmp_path, main="lib/index")
        assert found(tmp_path, "main") == {("main", "lib/index.js", None)}
        package(tmp_path, module="other.mjs")
        assert found(tmp_path, "main") == {("module", "other.mjs", None)}

    def test_exports(self, tmp_path: Path) -> None:
        put(tmp_path, "a.js", "a.cjs", "b.js", "s.css", "t.d.ts")
        package(
            tmp_path,
            exports={
                ".": {"types": "./t.d.ts", "require": "./a.cjs", "import": {"default": "./a.js"}},
                "./b": ["./gone/../b.js"],
                "./style": "./s.css",
                "./all/*": "./*.js",
                "./none": None,
            },
        )
        assert found(tmp_path) == {(".", "a.js", None), ("./b", "b.js", None)}
        package(tmp_path, exports={"browser": "./b.js", "default": "./a.js"})
        assert found(tmp_path) == {(".", "a.js", None)}

    @pytest.mark.parametrize(
        ("command", "file"),
        [
            ("node server.js", "server.js"),
            ("node ./server", "server.js"),
            ("NODE_ENV=production node --enable-source-maps -r dotenv/config server.js --stdio", "server.js"),
            ("cross-env A=b tsx watch app.ts", "app.ts"),
            ("npx -y tsx app.ts", "app.ts"),
            ("node --import tsx app.ts", "app.ts"),
            ("ts-node -P tsconfig.json app.ts", "app.ts"),
            ("bun run app.ts", "app.ts"),
            ("deno run -A --allow-net=x app.ts", "app.ts"),
            ("npm run build && node server.js", "server.js"),
            ("node 'in dir/x.js'", "in dir/x.js"),
        ],
    )
    def test_scripts(self, tmp_path: Path, command: str, file: str) -> None:
        put(tmp_path, "server.js", "app.ts", "in dir/x.js", "tsconfig.json")
        package(tmp_path, scripts={"start": command})
        assert found(tmp_path, "script") == {("start", file, None)}

    @pytest.mark.parametrize(
        "command",
        [
            "tsc -p .",
            "node -e 'require(\"./server.js\")'",
            "vite server.js",
            "echo node server.js",
            "node gone.js",
            "node /server.js",
            "cat server.js",
            "node 'unclosed",
            "",
        ],
    )
    def test_scripts_that_run_no_local_file(self, tmp_path: Path, command: str) -> None:
        put(tmp_path, "server.js")
        package(tmp_path, scripts={"start": command})
        assert found(tmp_path, "script") == set()

    def test_chores_are_no_entry_points(self, tmp_path: Path) -> None:
        put(tmp_path, "x.js")
        names = [
            "test",
            "test:unit",
            "build",
            "prebuild",
            "postinstall",
            "lint",
            "prepare",
            "mcp",
            "stdio",
            "serve:dev",
        ]
        package(tmp_path, scripts=dict.fromkeys(names, "node x.js"))
        assert {name for name, _, _ in found(tmp_path, "script")} == {"mcp", "stdio", "serve:dev"}

    def test_paths_that_leave_the_package(self, tmp_path: Path) -> None:
        put(tmp_path, "outside.js")
        package(tmp_path / "in", main="../outside.js", bin={"x": "/etc/passwd", "y": "..", "z": "C:/x.js"})
        assert found(tmp_path / "in") == set()


class TestBuildOutput:
    @pytest.mark.parametrize(
        ("target", "source"),
        [
            ("dist/index.js", "src/index.ts"),
            ("dist/index.js", "index.ts"),
            ("dist/index.js", "src/index.tsx"),
            ("dist/index.mjs", "src/index.mts"),
            ("dist/index.mjs", "src/index.ts"),
            ("dist/index.cjs", "src/index.cts"),
            ("build/server/main.js", "src/server/main.ts"),
            ("dist/src/index.js", "src/index.ts"),
            ("dist/esm/index.js", "src/index.ts"),
            ("dist/cli.js", "src/cli/index.ts"),
            ("dist/cli", "src/cli.ts"),
            ("dist/cli.bundle.js", "src/cli.ts"),
            ("lib/index.js", "src/index.ts"),
            ("out/main.js", "src/main.js"),
            ("dist", "src/index.ts"),
            ("server.js", "server.ts"),
        ],
    )
    def test_mapped_to_the_source(self, tmp_path: Path, target: str, source: str) -> None:
        put(tmp_path, source)
        package(tmp_path, main=target)
        assert found(tmp_path, "main") == {("main", source, None)}

    def test_not_to_another_file(self, tmp_path: Path) -> None:
        put(tmp_path, "src/other.ts", "src/index.d.ts", "src/index.json")
        package(tmp_path, main="dist/index.js")
        assert found(tmp_path) == set()

    def test_source_before_build_when_both_are_there(self, tmp_path: Path) -> None:
        put(tmp_path, "dist/index.js", "src/index.ts")
        package(tmp_path, main="dist/index.js", scripts={"start": "node dist/index.js"})
        assert {path for _, path, _ in found(tmp_path)} == {"src/index.ts"}

    def test_a_published_package_keeps_its_build(self, tmp_path: Path) -> None:
        put(tmp_path, "dist/index.js", "index.js")
        package(tmp_path, main="dist/index.js")
        assert found(tmp_path, "main") == {("main", "dist/index.js", None)}

    def test_tsconfig_decides(self, tmp_path: Path) -> None:
        put(tmp_path, "code/app/main.ts", "src/main.ts")
        package(tmp_path, bin={"x": "output/js/main.js"})
        put(
            tmp_path,
            "tsconfig.json",
            text='// note\n{"extends": "./configs/build", "compilerOptions": {"rootDir": "code/app",},}',
        )
        put(tmp_path, "configs/build.json", text='{"extends": ["../base.json"]}')
        put(tmp_path, "base.json", text='{"compilerOptions": {"outDir": "./output/js"}}')
        assert found(tmp_path) == {("x", "code/app/main.ts", None)}

    def test_without_root_dir(self, tmp_path: Path) -> None:
        put(tmp_path, "src/main.ts")
        put(tmp_path, "tsconfig.build.json", text='{"compilerOptions": {"outDir": "release/js"}}')
        package(tmp_path, bin={"x": "release/js/main.js", "y": "release/js/src/main.js"})
        assert {path for _, path, _ in found(tmp_path)} == {"src/main.ts"}

    def test_cyclic_extends(self, tmp_path: Path) -> None:
        put(tmp_path, "tsconfig.json", text='{"extends": "./other.json"}')
        put(tmp_path, "other.json", text='{"extends": ["./tsconfig.json", "./other.json", "gone", "@x/y"]}')
        put(tmp_path, "src/index.ts")
        package(tmp_path, main="dist/index.js")
        assert found(tmp_path) == {("main", "src/index.ts", None)}


class TestPyproject:
    def test_flat_and_src_layouts(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "pyproject.toml",
            text="""
            [project.scripts]
            flat = "flat.server:main"
            src = "inner:mcp.run"
            extra = "flat.server : main [http]"
            gone = "gone:main"
            odd = "flat.server:main()"
            [project.entry-points.console_scripts]
            entry = "flat:start"
            """,
        )
        put(tmp_path, "flat/__init__.py", "flat/server.py", "src/inner/__init__.py")
        assert found(tmp_path, "console_script") == {
            ("flat", "flat/server.py", "main"),
            ("src", "src/inner/__init__.py", "mcp.run"),
            ("extra", "flat/server.py", "main"),
            ("entry", "flat/__init__.py", "start"),
        }

    @pytest.mark.parametrize(
        "tool",
        [
            '[tool.setuptools.package-dir]\n"" = "python"',
            '[tool.setuptools.package-dir]\npkg = "python/pkg"',
            '[tool.setuptools.packages.find]\nwhere = ["python"]',
            '[tool.hatch.build.targets.wheel]\npackages = ["python/pkg"]',
            '[tool.hatch.build.targets.wheel]\nsources = ["python"]',
            '[tool.hatch.build.targets.wheel.sources]\n"python" = ""',
            '[tool.poetry]\npackages = [{include = "pkg", from = "python"}]',
            '[tool.uv.build-backend]\nmodule-root = "python"',
        ],
    )
    def test_declared_layouts(self, tmp_path: Path, tool: str) -> None:
        put(tmp_path, "python/pkg/__init__.py", "python/pkg/server.py")
        scripts = '[project.scripts]\nx = "pkg.server:main"\n'
        put(tmp_path, "pyproject.toml", text=scripts + tool)
        assert found(tmp_path, "console_script") == {("x", "python/pkg/server.py", "main")}
        put(tmp_path, "pyproject.toml", text=scripts)
        assert found(tmp_path, "console_script") == set()

    def test_poetry_scripts(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "pyproject.toml",
            text='[tool.poetry.scripts]\na = "m:f"\nb = {reference = "m:g", type = "console"}\nc = {callable = 3}',
        )
        put(tmp_path, "m.py")
        assert found(tmp_path) == {("a", "m.py", "f"), ("b", "m.py", "g")}

    def test_main_modules(self, tmp_path: Path) -> None:
        put(tmp_path, "pyproject.toml")
        put(tmp_path, "a/__init__.py", "a/__main__.py", "src/b/__main__.py", "ns/c/__main__.py")
        put(tmp_path, "venv/__main__.py", "d-e/__main__.py", "a/sub/__main__.py")
        assert found(tmp_path) == {
            ("a", "a/__main__.py", None),
            ("b", "src/b/__main__.py", None),
            ("ns.c", "ns/c/__main__.py", None),
        }
        assert {entry.kind for entry in declared_entries(tmp_path)} == {"main_module"}

    def test_setup_cfg(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "setup.cfg",
            text="""[options]
package_dir =
    = python
[options.entry_points]
console_scripts =
    one = pkg.a:main
    # note
    two=pkg.b:run
gui_scripts =
    three = pkg.a:gui
""",
        )
        put(tmp_path, "python/pkg/__init__.py", "python/pkg/a.py", "python/pkg/b.py")
        assert found(tmp_path) == {("one", "python/pkg/a.py", "main"), ("two", "python/pkg/b.py", "run")}

    def test_unpacked_wheel(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "x-1.0.dist-info/entry_points.txt",
            text="[console_scripts]\nx = ns.pkg.server:main\n[other]\ny = a:b\n",
        )
        put(tmp_path, "ns/pkg/server.py", "ns/pkg/__main__.py", "a.py")
        assert found(tmp_path) == {("x", "ns/pkg/server.py", "main"), ("ns.pkg", "ns/pkg/__main__.py", None)}

    @pytest.mark.parametrize(
        "text", ["[project", "project = 3", "[project]\nscripts = 3", "\0", '[project.scripts]\nx = "..:f"']
    )
    def test_hostile(self, tmp_path: Path, text: str) -> None:
        put(tmp_path, "pyproject.toml", "setup.cfg", text=text)
        assert declared_entries(tmp_path) == ()


def test_only_this_folder(tmp_path: Path) -> None:
    put(tmp_path, "in/index.js")
    package(tmp_path / "in")
    assert declared_entries(tmp_path) == ()
    assert declared_entries(tmp_path / "gone") == ()
    assert len(declared_entries(tmp_path / "in")) == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"bin": [1], "main": {}, "exports": 3, "scripts": []}', "[" * 5000]
)
def test_hostile_package_json(tmp_path: Path, text: str) -> None:
    put(tmp_path, "package.json", text=text)
    assert declared_entries(tmp_path) == ()


def test_deep_exports(tmp_path: Path) -> None:
    value: object = "./a.js"
    for _ in range(500):
        value = {"default": value}
    put(tmp_path, "a.js")
    package(tmp_path, exports=value)
    assert declared_entries(tmp_path) == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_manifest_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.json")
    os.mkfifo(tmp_path / "pyproject.toml")
    assert declared_entries(tmp_path) == ()


def test_nearest(tmp_path: Path) -> None:
    put(tmp_path, "package.json", "a/b/c/x.ts", "a/b/package.json/no")
    assert nearest(tmp_path / "a/b/c", "package.json", None) == tmp_path / "package.json"
    assert nearest(tmp_path / "a/b/c", "package.json", tmp_path / "a") is None
    assert nearest(tmp_path / "a/b/c", "package.json", tmp_path) == tmp_path / "package.json"
    assert nearest(tmp_path / "a", "surely-not-there.json", None) is None
