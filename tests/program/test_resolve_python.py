from __future__ import annotations

from pathlib import Path

import pytest

from mcplint.program.resolve_python import PythonResolver


def put(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def resolve(
    root: Path, module: str, importer: str, level: int = 0, roots: tuple[str, ...] = ()
) -> str | None:
    resolver = PythonResolver([root / name for name in roots])
    found = resolver.resolve(module, level, root / importer)
    return None if found is None else found.relative_to(root).as_posix()


class TestRelative:
    @pytest.mark.parametrize(
        ("module", "level", "file"),
        [
            ("x", 1, "pkg/sub/x.py"),
            ("x", 1, "pkg/sub/x/__init__.py"),
            ("x", 2, "pkg/x.py"),
            ("a.b", 2, "pkg/a/b.py"),
            ("", 1, "pkg/sub/__init__.py"),
            ("", 2, "pkg/__init__.py"),
        ],
    )
    def test_by_level(self, tmp_path: Path, module: str, level: int, file: str) -> None:
        put(tmp_path, "pkg/__init__.py", "pkg/sub/__init__.py", file)
        assert resolve(tmp_path, module, "pkg/sub/me.py", level) == file
        assert resolve(tmp_path, module, "pkg/sub/__init__.py", level) == file

    def test_near_misses(self, tmp_path: Path) -> None:
        put(tmp_path, "pkg/__init__.py", "pkg/x.py", "pkg/sub/me.py", "y.py")
        assert resolve(tmp_path, "x", "pkg/sub/me.py", 1) is None
        assert resolve(tmp_path, "y", "pkg/me.py", 1) is None
        assert resolve(tmp_path, "", "pkg/sub/me.py", 1) is None
        assert resolve(tmp_path, "x", "pkg/sub/me.py", 99) is None

    def test_a_package_comes_before_a_module(self, tmp_path: Path) -> None:
        put(tmp_path, "pkg/x.py", "pkg/x/__init__.py", "pkg/y.py", "pkg/y/z.py")
        assert resolve(tmp_path, "x", "pkg/me.py", 1) == "pkg/x/__init__.py"
        assert resolve(tmp_path, "y", "pkg/me.py", 1) == "pkg/y.py"


class TestAbsolute:
    def test_from_the_folder_above_the_top_package(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "src/pkg/__init__.py",
            "src/pkg/a.py",
            "src/pkg/sub/__init__.py",
            "src/pkg/sub/me.py",
            "src/other.py",
        )
        for importer in ("src/pkg/sub/me.py", "src/pkg/a.py", "src/pkg/__init__.py"):
            assert resolve(tmp_path, "pkg.a", importer) == "src/pkg/a.py"
            assert resolve(tmp_path, "pkg", importer) == "src/pkg/__init__.py"
            assert resolve(tmp_path, "other", importer) == "src/other.py"
            assert resolve(tmp_path, "pkg.b", importer) is None

    def test_from_the_folder_of_a_script(self, tmp_path: Path) -> None:
        put(tmp_path, "tools/run.py", "tools/helper.py", "tools/queue.py", "other/run.py")
        assert resolve(tmp_path, "helper", "tools/run.py") == "tools/helper.py"
        assert resolve(tmp_path, "queue", "tools/run.py") == "tools/queue.py"
        assert resolve(tmp_path, "helper", "other/run.py") is None

    def test_the_standard_library_comes_before_a_package(self, tmp_path: Path) -> None:
        put(tmp_path, "pkg/__init__.py", "pkg/logging.py", "pkg/helper.py", "logging.py")
        assert resolve(tmp_path, "logging", "pkg/me.py") is None
        assert resolve(tmp_path, "helper", "pkg/me.py") == "pkg/helper.py"

    def test_project_root_and_src(self, tmp_path: Path) -> None:
        put(tmp_path, "pyproject.toml", "src/pkg/__init__.py", "shared.py", "scripts/deep/run.py")
        assert resolve(tmp_path, "pkg", "scripts/deep/run.py") == "src/pkg/__init__.py"
        assert resolve(tmp_path, "shared", "scripts/deep/run.py") == "shared.py"

    def test_not_beyond_the_project(self, tmp_path: Path) -> None:
        put(tmp_path, "in/pyproject.toml", "in/run.py", "shared.py")
        assert resolve(tmp_path, "shared", "in/run.py") is None
        assert resolve(tmp_path, "shared", "in/run.py", roots=(".",)) == "shared.py"

    def test_configured_roots(self, tmp_path: Path) -> None:
        put(tmp_path, "a/run.py", "lib/x.py", "lib/src/y.py")
        assert resolve(tmp_path, "x", "a/run.py", roots=("lib",)) == "lib/x.py"
        assert resolve(tmp_path, "y", "a/run.py", roots=("lib",)) == "lib/src/y.py"
        assert resolve(tmp_path, "x", "a/run.py") is None

    def test_namespace_packages(self, tmp_path: Path) -> None:
        put(tmp_path, "pyproject.toml", "ns/one/__init__.py", "ns/one/server.py", "ns/two/deep/x.py")
        assert resolve(tmp_path, "ns.one.server", "ns/one/server.py") == "ns/one/server.py"
        assert resolve(tmp_path, "ns.two.deep.x", "ns/one/server.py") == "ns/two/deep/x.py"
        assert resolve(tmp_path, "ns", "ns/one/server.py") is None
        resolver = PythonResolver([])
        importer = tmp_path / "ns/one/server.py"
        assert resolver.folder("ns", 0, importer) == tmp_path / "ns"
        assert resolver.folder("ns.two", 0, importer) == tmp_path / "ns/two"
        assert resolver.folder("two", 2, importer) == tmp_path / "ns/two"
        assert resolver.folder("ns.three", 0, importer) is None

    def test_an_unpacked_wheel(self, tmp_path: Path) -> None:
        put(tmp_path, "x-1.dist-info/METADATA", "ns/x/a.py", "ns/x/b.py")
        assert resolve(tmp_path, "ns.x.b", "ns/x/a.py") == "ns/x/b.py"

    def test_installed_packages_are_external(self, tmp_path: Path) -> None:
        put(tmp_path, "pyproject.toml", "run.py", ".venv/lib/python3/site-packages/mcp/__init__.py")
        site = ".venv/lib/python3/site-packages"
        assert resolve(tmp_path, "mcp", "run.py") is None
        assert resolve(tmp_path, "mcp", "run.py", roots=(site,)) is None
        # A package there that was named still finds itself, and only itself.
        put(tmp_path, f"{site}/mcp/a.py", f"{site}/other/__init__.py")
        assert resolve(tmp_path, "mcp.a", f"{site}/mcp/__init__.py") == f"{site}/mcp/a.py"
        assert resolve(tmp_path, "other", f"{site}/mcp/__init__.py") is None

    @pytest.mark.parametrize("module", ["", "a..b", "../x", "a/b", "x\0", "1x"])
    def test_names_that_are_none(self, tmp_path: Path, module: str) -> None:
        put(tmp_path, "x.py", "a/b.py", "run.py", "__init__x.py")
        assert resolve(tmp_path, module, "run.py") is None


def test_is_package_dir(tmp_path: Path) -> None:
    put(tmp_path, "a/__init__.py", "b/x.py", "c/d/x.py", "e/x.txt", "not-one/x.py")
    resolver = PythonResolver([])
    assert [
        name for name in ("a", "b", "c", "e", "not-one", "gone") if resolver.is_package_dir(tmp_path / name)
    ] == [
        "a",
        "b",
        "c",
    ]
