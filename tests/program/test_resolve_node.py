from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mcplint.program.resolve_node import NodeResolver, external_name


def put(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def put_json(root: Path, name: str, value: object) -> None:
    put(root, name, text=json.dumps(value))


def resolve(root: Path, specifier: str, importer: str = "src/main.ts") -> str | None:
    found = NodeResolver().resolve(specifier, root / importer)
    return None if found is None else found.relative_to(root).as_posix()


class TestRelative:
    @pytest.mark.parametrize(
        ("specifier", "file"),
        [
            ("./x.js", "src/x.ts"),
            ("./x.js", "src/x.tsx"),
            ("./x.js", "src/x.js"),
            ("./x.js", "src/x.jsx"),
            ("./x.jsx", "src/x.tsx"),
            ("./x.mjs", "src/x.mts"),
            ("./x.cjs", "src/x.cts"),
            ("./x.ts", "src/x.ts"),
            ("./x", "src/x.ts"),
            ("./x", "src/x.tsx"),
            ("./x", "src/x.mts"),
            ("./x", "src/x.cts"),
            ("./x", "src/x.mjs"),
            ("./x", "src/x.cjs"),
            ("./x", "src/x.jsx"),
            ("./x", "src/x"),
            ("./x.service", "src/x.service.ts"),
            ("./x", "src/x/index.ts"),
            ("./x/", "src/x/index.js"),
            (".", "src/index.ts"),
            ("./", "src/index.ts"),
            ("..", "index.mjs"),
            ("../lib/x", "lib/x.js"),
            ("./x.js?worker", "src/x.ts"),
        ],
    )
    def test_found(self, tmp_path: Path, specifier: str, file: str) -> None:
        put(tmp_path, file)
        assert resolve(tmp_path, specifier) == file

    @pytest.mark.parametrize(
        ("specifier", "file"),
        [
            ("./x.js", "src/x.mts"),
            ("./x.mjs", "src/x.ts"),
            ("./x", "src/x.json"),
            ("./x.json", "src/x.json"),
            ("./x.css", "src/x.css"),
            ("./x", "src/x.d.ts"),
            ("./x/", "src/x.ts"),
            ("./x", "x.ts"),
            ("./", "index.ts"),
            ("./x\0", "src/x.ts"),
            ("", "src/index.ts"),
        ],
    )
    def test_not_found(self, tmp_path: Path, specifier: str, file: str) -> None:
        put(tmp_path, file)
        assert resolve(tmp_path, specifier) is None

    def test_order(self, tmp_path: Path) -> None:
        put(tmp_path, "src/x.ts", "src/x.js", "src/x/index.ts", "src/y.js", "src/y/index.ts")
        assert resolve(tmp_path, "./x") == "src/x.ts"
        assert resolve(tmp_path, "./x.js") == "src/x.ts"
        assert resolve(tmp_path, "./y") == "src/y.js"
        assert resolve(tmp_path, "./y/") == "src/y/index.ts"

    def test_folder_with_a_package_json(self, tmp_path: Path) -> None:
        put(tmp_path, "src/x/code.js", "src/x/index.js", "src/y/index.js")
        put_json(tmp_path, "src/x/package.json", {"main": "code"})
        put_json(tmp_path, "src/y/package.json", {"main": "gone.js"})
        assert resolve(tmp_path, "./x") == "src/x/code.js"
        assert resolve(tmp_path, "./y") == "src/y/index.js"

    def test_relative_importer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        put(tmp_path, "src/x.ts")
        monkeypatch.chdir(tmp_path)
        assert NodeResolver().resolve("./x.js", Path("src/main.ts")) == tmp_path / "src/x.ts"


class TestBuildOutput:
    def test_source_is_preferred(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {})
        put(tmp_path, "dist/server.js", "src/server.ts", "dist/only.js")
        assert resolve(tmp_path, "../dist/server.js", "bin/cli.js") == "src/server.ts"
        assert resolve(tmp_path, "../dist/only.js", "bin/cli.js") == "dist/only.js"

    def test_not_from_within_the_build(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {})
        put(tmp_path, "dist/server.js", "src/server.ts")
        assert resolve(tmp_path, "./server.js", "dist/index.js") == "dist/server.js"

    def test_a_build_that_is_not_there(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {})
        put(tmp_path, "src/server/index.ts")
        assert resolve(tmp_path, "../dist/server/index.js", "bin/cli.js") == "src/server/index.ts"
        assert resolve(tmp_path, "../dist/server", "bin/cli.js") == "src/server/index.ts"
        assert resolve(tmp_path, "../dist/client", "bin/cli.js") is None


class TestTsconfig:
    def test_paths_and_base_url(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "src/lib/a.ts",
            "src/lib/deep/b.ts",
            "src/util.ts",
            "other/a.ts",
            "gen/z.ts",
            "src/lib/z.ts",
        )
        put(
            tmp_path,
            "tsconfig.json",
            text="""{
              // aliases
              "compilerOptions": {
                "baseUrl": "./src",
                "paths": { "@/*": ["./*"], "@lib/*": ["../gen/*", "lib/*"], "u": ["util.ts"], "@lib/deep/*": ["lib/deep/*"], },
              },
            }""",
        )
        assert resolve(tmp_path, "@/lib/a") == "src/lib/a.ts"
        assert resolve(tmp_path, "@/lib/a.js") == "src/lib/a.ts"
        assert resolve(tmp_path, "@lib/a") == "src/lib/a.ts"
        assert resolve(tmp_path, "@lib/z") == "gen/z.ts"
        assert resolve(tmp_path, "@lib/deep/b.js") == "src/lib/deep/b.ts"
        assert resolve(tmp_path, "u") == "src/util.ts"
        assert resolve(tmp_path, "lib/a") == "src/lib/a.ts"
        assert resolve(tmp_path, "@x/a") is None
        assert resolve(tmp_path, "zod") is None

    def test_extends(self, tmp_path: Path) -> None:
        put(tmp_path, "libs/core/index.ts", "apps/s/main.ts")
        put_json(
            tmp_path, "tsconfig.base.json", {"compilerOptions": {"paths": {"core": ["libs/core/index.ts"]}}}
        )
        put_json(tmp_path, "apps/s/tsconfig.json", {"extends": "../../tsconfig.base.json"})
        assert resolve(tmp_path, "core", "apps/s/main.ts") == "libs/core/index.ts"
        assert resolve(tmp_path, "core", "apps/main.ts") is None

    def test_the_inner_file_overrides(self, tmp_path: Path) -> None:
        put(tmp_path, "one/x.ts", "two/x.ts")
        put_json(tmp_path, "base.json", {"compilerOptions": {"paths": {"a/*": ["one/*"]}}})
        put_json(
            tmp_path,
            "tsconfig.json",
            {"extends": "./base", "compilerOptions": {"paths": {"a/*": ["${configDir}/two/*"]}}},
        )
        assert resolve(tmp_path, "a/x") == "two/x.ts"

    def test_references(self, tmp_path: Path) -> None:
        put(tmp_path, "src/x.ts")
        put_json(tmp_path, "tsconfig.json", {"files": [], "references": [{"path": "./tsconfig.app.json"}, 3]})
        put_json(tmp_path, "tsconfig.app.json", {"compilerOptions": {"paths": {"~/*": ["./src/*"]}}})
        assert resolve(tmp_path, "~/x") == "src/x.ts"

    def test_jsconfig(self, tmp_path: Path) -> None:
        put(tmp_path, "src/x.js")
        put_json(tmp_path, "jsconfig.json", {"compilerOptions": {"baseUrl": "src"}})
        assert resolve(tmp_path, "x") == "src/x.js"

    def test_builtins_are_never_files(self, tmp_path: Path) -> None:
        put(tmp_path, "src/events.ts", "src/fs.ts")
        put_json(tmp_path, "tsconfig.json", {"compilerOptions": {"baseUrl": "src"}})
        assert resolve(tmp_path, "events") is None
        assert resolve(tmp_path, "node:fs") is None

    @pytest.mark.parametrize(
        "text",
        ["{", "[]", '{"extends": "./tsconfig.json"}', '{"extends": 3, "compilerOptions": []}',
         '{"compilerOptions": {"paths": {"x": 3, "y": [3]}, "baseUrl": 4}}'],
    )  # fmt: skip
    def test_hostile(self, tmp_path: Path, text: str) -> None:
        put(tmp_path, "tsconfig.json", text=text)
        assert resolve(tmp_path, "x") is None


class TestPackageImports:
    def test_conditions_and_patterns(self, tmp_path: Path) -> None:
        put(tmp_path, "src/a.ts", "src/b.ts", "src/deep/c.ts", "shim.js")
        put_json(
            tmp_path,
            "package.json",
            {
                "imports": {
                    "#a": {"types": "./t.d.ts", "browser": "./shim.js", "node": "./dist/a.js"},
                    "#b": ["./gone.js", "./src/b.ts"],
                    "#deep/*.js": "./src/deep/*.ts",
                    "#dep": "zod",
                    "#loop": "#loop",
                    "#none": None,
                }
            },
        )
        assert resolve(tmp_path, "#a") == "src/a.ts"
        assert resolve(tmp_path, "#b") == "src/b.ts"
        assert resolve(tmp_path, "#deep/c.js") == "src/deep/c.ts"
        assert resolve(tmp_path, "#deep/c") is None
        for specifier in ("#dep", "#loop", "#none", "#other"):
            assert resolve(tmp_path, specifier) is None


class TestOwnName:
    def test_through_exports(self, tmp_path: Path) -> None:
        put(tmp_path, "src/index.ts", "src/x.ts", "src/f/y.ts")
        exports = {".": "./dist/index.js", "./x": {"import": "./dist/x.js"}, "./f/*": "./dist/f/*.js"}
        put_json(tmp_path, "package.json", {"name": "@me/p", "exports": exports})
        assert resolve(tmp_path, "@me/p") == "src/index.ts"
        assert resolve(tmp_path, "@me/p/x") == "src/x.ts"
        assert resolve(tmp_path, "@me/p/f/y") == "src/f/y.ts"
        assert resolve(tmp_path, "@me/q") is None

    def test_not_without_exports(self, tmp_path: Path) -> None:
        put(tmp_path, "index.js")
        put_json(tmp_path, "package.json", {"name": "p"})
        assert resolve(tmp_path, "p") is None


class TestWorkspaces:
    @pytest.mark.parametrize(
        ("manifest", "pnpm"),
        [
            ({"workspaces": ["packages/*"]}, None),
            ({"workspaces": {"packages": ["./packages/core", "packages/s"]}}, None),
            ({"workspaces": ["**"]}, None),
            ({}, "packages:\n  # all\n  - 'packages/*'\n  - \"!other\"\ncatalog:\n  zod: 3\n"),
            ({}, 'packages: ["packages/*"]\n'),
        ],
    )
    def test_names(self, tmp_path: Path, manifest: object, pnpm: str | None) -> None:
        put_json(tmp_path, "package.json", manifest)
        if pnpm is not None:
            put(tmp_path, "pnpm-workspace.yaml", text=pnpm)
        put(tmp_path, "packages/core/src/index.ts", "packages/core/src/x.ts", "packages/s/main.ts")
        put_json(tmp_path, "packages/core/package.json", {"name": "@me/core", "main": "dist/index.js"})
        put_json(tmp_path, "packages/s/package.json", {"name": "s"})
        assert resolve(tmp_path, "@me/core", "packages/s/main.ts") == "packages/core/src/index.ts"
        assert resolve(tmp_path, "@me/core/dist/x.js", "packages/s/main.ts") == "packages/core/src/x.ts"
        assert resolve(tmp_path, "@me/core/src/x", "packages/s/main.ts") == "packages/core/src/x.ts"
        assert resolve(tmp_path, "@me/other", "packages/s/main.ts") is None

    def test_exports_and_exclusion(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"workspaces": ["libs/*", "!libs/old"]})
        put(tmp_path, "libs/a/src/server.ts", "libs/old/index.js")
        put_json(
            tmp_path,
            "libs/a/package.json",
            {"name": "a", "exports": {"./server": {"default": "./dist/server.mjs"}}},
        )
        put_json(tmp_path, "libs/old/package.json", {"name": "old"})
        assert resolve(tmp_path, "a/server", "app/main.ts") == "libs/a/src/server.ts"
        assert resolve(tmp_path, "a", "app/main.ts") is None
        assert resolve(tmp_path, "old", "app/main.ts") is None

    def test_without_main(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"workspaces": ["p/*"]})
        put_json(tmp_path, "p/a/package.json", {"name": "a"})
        put(tmp_path, "p/a/src/index.ts")
        assert resolve(tmp_path, "a", "p/b/x.ts") == "p/a/src/index.ts"


class TestNodeModules:
    def test_installed_packages_are_external(self, tmp_path: Path) -> None:
        put(tmp_path, "node_modules/zod/index.js")
        put_json(tmp_path, "node_modules/zod/package.json", {"main": "index.js"})
        assert resolve(tmp_path, "zod") is None

    def test_a_link_to_a_folder_of_the_project(self, tmp_path: Path) -> None:
        put(tmp_path, "shared/src/index.ts", "app/main.ts", "store/node_modules/ext/index.js")
        put_json(tmp_path, "shared/package.json", {"main": "dist/index.js"})
        (tmp_path / "node_modules/@me").mkdir(parents=True)
        (tmp_path / "node_modules/@me/shared").symlink_to("../../shared")
        (tmp_path / "node_modules/ext").symlink_to("../store/node_modules/ext")
        (tmp_path / "node_modules/loop").symlink_to("loop")
        assert resolve(tmp_path, "@me/shared", "app/main.ts") == "shared/src/index.ts"
        assert resolve(tmp_path, "ext", "app/main.ts") is None
        assert resolve(tmp_path, "loop", "app/main.ts") is None

    def test_behind_a_link_the_spelling_stays(self, tmp_path: Path) -> None:
        put(tmp_path, "real/shared/index.js", "real/app/main.js")
        (tmp_path / "real/node_modules").mkdir()
        (tmp_path / "real/node_modules/shared").symlink_to("../shared")
        (tmp_path / "link").symlink_to("real")
        assert resolve(tmp_path, "shared", "link/app/main.js") == "link/shared/index.js"


def test_a_second_question_costs_no_system_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, *(f"src/m{number}.ts" for number in range(50)))
    resolver = NodeResolver()
    resolver.resolve("./m0.js", tmp_path / "src/main.ts")
    calls: list[object] = []
    for name in ("scandir", "stat", "lstat"):
        monkeypatch.setattr(os, name, calls.append)
    for number in range(50):
        assert resolver.resolve(f"./m{number}.js", tmp_path / "src/main.ts") is not None
    assert calls == []


@pytest.mark.parametrize(
    ("specifier", "name"),
    [
        ("node:fs", "fs"),
        ("node:fs/promises", "fs/promises"),
        ("@modelcontextprotocol/sdk/server/stdio.js", "@modelcontextprotocol/sdk/server/stdio"),
        ("@modelcontextprotocol/sdk/dist/esm/server/stdio.js", "@modelcontextprotocol/sdk/server/stdio"),
        ("@modelcontextprotocol/sdk/dist/cjs/server/index.js", "@modelcontextprotocol/sdk/server"),
        ("@modelcontextprotocol/sdk/dist/server/stdio", "@modelcontextprotocol/sdk/server/stdio"),
        ("npm:@modelcontextprotocol/sdk@1.2.3/server/stdio.js", "@modelcontextprotocol/sdk/server/stdio"),
        ("npm:zod@3", "zod"),
        ("@modelcontextprotocol/server", "@modelcontextprotocol/server"),
        ("@modelcontextprotocol/server/stdio", "@modelcontextprotocol/server/stdio"),
        ("chart.js", "chart.js"),
        ("chart.js/auto", "chart.js/auto"),
        ("pg/lib/index.js", "pg/lib"),
        ("pg/index.mjs", "pg"),
        ("other/dist/esm/x.js", "other/dist/esm/x"),
        ("zod", "zod"),
        ("@scope", "@scope"),
        ("", ""),
    ],
)
def test_external_name(specifier: str, name: str) -> None:
    assert external_name(specifier) == name
