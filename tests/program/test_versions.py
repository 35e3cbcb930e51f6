from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcplint.program._ranges import lowest, within
from mcplint.program.versions import compare, declares, matches, package_version
from tests.lifecycle.programs import judge, node2, package

SDK = "@modelcontextprotocol/sdk"


def put(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def put_json(root: Path, name: str, value: object) -> None:
    put(root, name, json.dumps(value))


def js(start: Path, name: str = SDK) -> tuple[str, str, bool] | None:
    found = package_version(name, "javascript", start)
    return None if found is None else (found.version, found.how, found.exact)


def py(start: Path, name: str = "mcp") -> tuple[str, str, bool] | None:
    found = package_version(name, "python", start)
    return None if found is None else (found.version, found.how, found.exact)


class TestOrder:
    def test_ascending(self) -> None:
        ordered = [
            "0.9", "1.0.0.dev3", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0-beta.1",
            "1.0.0-rc.1", "1.0.0", "1.0.0.post1", "1.0.1", "1.2.0a1", "1.2.0b2", "1.2.0rc1", "1.2", "1.10", "2.0.0",
            "2025.8.31",
        ]  # fmt: skip
        for low, high in itertools.combinations(ordered, 2):
            assert compare(low, high) == -1, (low, high)
            assert compare(high, low) == 1, (low, high)

    @pytest.mark.parametrize(
        ("left", "right"),
        [("1.0", "1.0.0"), ("v1.2.3", "1.2.3"), ("1.2.3+build.5", "1.2.3"), ("1.0a1", "1.0.0-alpha.1")],
    )
    def test_the_same(self, left: str, right: str) -> None:
        assert compare(left, right) == 0

    def test_what_is_no_version_is_lowest(self) -> None:
        assert compare("latest", "0.0.0-0") == -1
        assert compare("", "latest") == 0


@pytest.mark.parametrize(
    ("version", "spec", "expected"),
    [
        ("2.1.0", ">=2.1.0", True),
        ("2.1.0-beta.1", ">=2.1.0", False),
        ("2.0.9", ">=2.1.0", False),
        ("1.6.0", ">=1.6.0,<1.8.0", True),
        ("1.7.99", ">=1.6.0, <1.8.0", True),
        ("1.8.0", ">=1.6.0,<1.8.0", False),
        ("1.8.0rc1", ">=1.6.0,<1.8.0", True),
        ("1.5.9", ">=1.6.0 <1.8.0", False),
        ("3.0.0", "*", True),
        ("what", "*", True),
        ("what", ">=0", False),
        ("1.2.3", "==1.2.3", True),
        ("1.2.3", "1.2.3", True),
        ("1.2.4", "=1.2.3", False),
        ("1.2.4", "==1.2.*", True),
        ("1.3.0", "==1.2.*", False),
        ("1.3.0", "!=1.2.*", True),
        ("1.2.3", "!=1.2.3", False),
        ("1.9.0", "^1.2", True),
        ("2.0.0", "^1.2", False),
        ("2.0.0-rc.1", "^1.2", False),
        ("0.2.9", "^0.2.3", True),
        ("0.3.0", "^0.2.3", False),
        ("0.0.3", "^0.0.3", True),
        ("0.0.4", "^0.0.3", False),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2.3", False),
        ("1.9.0", "~1", True),
        ("1.9.0", "~=1.2", True),
        ("1.3.0", "~=1.2.3", False),
        ("1.5.0", "1.x", True),
        ("2.0.0", "1.x", False),
        ("1.5.0", "1.2.0 - 1.6.0", True),
        ("1.7.0", "1.2.0 - 1.6.0", False),
        ("2.5.0", "^1.0.0 || ^2.0.0", True),
        ("3.0.0", "^1.0.0 || ^2.0.0", False),
        ("1.0.0", ">1", False),
        ("1.0.1", ">1", True),
        ("1.0.0", "<=1", True),
        ("1.0.0", "", True),
    ],
)
def test_matches(version: str, spec: str, expected: bool) -> None:
    assert matches(version, spec) is expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("^1.12.0", ("1.12.0", False)),
        ("~1.2", ("1.2", False)),
        ("1.2.3", ("1.2.3", True)),
        ("==1.2.3", ("1.2.3", True)),
        ("==1.2.*", ("1.2", False)),
        (">=1.0 <2", ("1.0", False)),
        ("<2.0.0,>=1.27.0", ("1.27.0", False)),
        ("1.x", ("1", False)),
        ("^2.0.0 || ^1.3.0", ("1.3.0", False)),
        ("1.2.0 - 1.6.0", ("1.2.0", False)),
        ("<2", None),
        ("*", None),
        ("latest", None),
        ("", None),
        ("^1 || *", None),
    ],
)
def test_lowest(spec: str, expected: tuple[str, bool] | None) -> None:
    assert lowest(spec) == expected


@given(
    st.text(alphabet="0123456789.xX*^~<>=!|- avb+,", max_size=30), st.text(alphabet="0123.a-+b ", max_size=12)
)
def test_ranges_never_raise(spec: str, version: str) -> None:
    matches(version, spec)
    lowest(spec)
    assert compare(version, version) == 0


@given(
    st.lists(
        st.from_regex(r"\d{1,3}(\.\d{1,3}){0,3}((a|b|rc|-beta\.)\d)?", fullmatch=True), min_size=3, max_size=3
    )
)
def test_order_is_transitive(versions: list[str]) -> None:
    a, b, c = versions
    if compare(a, b) <= 0 and compare(b, c) <= 0:
        assert compare(a, c) <= 0


class TestNode:
    def test_installed_before_locked_before_declared(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"dependencies": {SDK: "^1.12.0"}})
        assert js(tmp_path) == ("1.12.0", "the lowest that `^1.12.0` in package.json allows", False)
        put_json(tmp_path, "package-lock.json", {"packages": {f"node_modules/{SDK}": {"version": "1.20.0"}}})
        assert js(tmp_path) == ("1.20.0", "locked in package-lock.json", True)
        put_json(tmp_path, f"node_modules/{SDK}/package.json", {"version": "1.30.0"})
        assert js(tmp_path) == ("1.30.0", "installed in node_modules", True)
        put(tmp_path, "src/in/server.ts")
        assert js(tmp_path / "src/in/server.ts") == ("1.30.0", "installed in node_modules", True)
        assert js(tmp_path, "zod") is None

    @pytest.mark.parametrize(
        ("spec", "version", "exact"),
        [
            ("1.2.3", "1.2.3", True),
            ("v1.2.3", "1.2.3", True),
            ("^1", "1.0.0", False),
            ("~1.2", "1.2.0", False),
            ("1.x", "1.0.0", False),
            (">=1.0.1 <2", "1.0.1", False),
            ("npm:@fork/sdk@^1.4.0", "1.4.0", False),
        ],
    )
    @pytest.mark.parametrize(
        "field", ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
    )
    def test_ranges(self, tmp_path: Path, field: str, spec: str, version: str, exact: bool) -> None:
        put_json(tmp_path, "package.json", {field: {SDK: spec}})
        found = package_version(SDK, "typescript", tmp_path)
        assert found is not None
        assert (found.version, found.exact, found.source) == (version, exact, tmp_path / "package.json")

    @pytest.mark.parametrize(
        "spec", ["latest", "*", "workspace:*", "file:../sdk", "github:a/b", "git+ssh://x/y.git#1.2.3", "", 3]
    )
    def test_ranges_that_say_nothing(self, tmp_path: Path, spec: object) -> None:
        put_json(tmp_path, "package.json", {"dependencies": {SDK: spec}})
        assert js(tmp_path) is None
        assert declares(SDK, "javascript", tmp_path) is isinstance(spec, str)

    def test_package_lock_of_version_1(self, tmp_path: Path) -> None:
        put_json(
            tmp_path, "package-lock.json", {"lockfileVersion": 1, "dependencies": {SDK: {"version": "1.1.0"}}}
        )
        put_json(tmp_path, "package.json", {})
        assert js(tmp_path) == ("1.1.0", "locked in package-lock.json", True)

    def test_the_nearest_of_a_workspace_lock(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"workspaces": ["p/*"]})
        put_json(tmp_path, "p/a/package.json", {})
        packages = {
            f"node_modules/{SDK}": {"version": "1.0.0"},
            f"p/a/node_modules/{SDK}": {"version": "1.9.0"},
        }
        put_json(tmp_path, "npm-shrinkwrap.json", {"packages": packages})
        assert js(tmp_path / "p/a") == ("1.9.0", "locked in npm-shrinkwrap.json", True)
        assert js(tmp_path / "p/b") == ("1.0.0", "locked in npm-shrinkwrap.json", True)

    def test_yarn_1(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"dependencies": {SDK: "^1.0.0"}})
        lock = f"""# yarn lockfile v1


"{SDK}@^0.5.0":
  version "0.5.2"
  resolved "x"

"{SDK}@>=1", "{SDK}@^1.0.0":
  version "1.15.0"
  dependencies:
    zod "^3.0.0"

zod@^3.0.0, zod@^3.1.0:
  version "3.2.1"
"""
        put(tmp_path, "yarn.lock", lock)
        assert js(tmp_path) == ("1.15.0", "locked in yarn.lock", True)
        assert js(tmp_path, "zod") == ("3.2.1", "locked in yarn.lock", True)
        assert js(tmp_path, "zo") is None
        put(tmp_path, "yarn.lock", lock.replace("\n", "\r\n"))
        assert js(tmp_path) == ("1.15.0", "locked in yarn.lock", True)

    def test_yarn_berry(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"dependencies": {SDK: "^1.0.0"}})
        put(
            tmp_path,
            "yarn.lock",
            f"""__metadata:
  version: 8

"{SDK}@npm:^1.0.0, {SDK}@npm:^1.2.0":
  version: 1.16.0
  resolution: "{SDK}@npm:1.16.0"

"me@workspace:.":
  version: 0.0.0-use.local
""",
        )
        assert js(tmp_path) == ("1.16.0", "locked in yarn.lock", True)

    @pytest.mark.parametrize(
        "lock",
        [
            f"lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      '{SDK}':\n        specifier: ^1.0.0\n"
            f"        version: 1.17.0(zod@3.2.1)\n\npackages:\n\n  '{SDK}@1.2.0':\n    resolution: x\n",
            f"lockfileVersion: 5.4\n\nspecifiers:\n  '{SDK}': ^1.0.0\n\ndependencies:\n  '{SDK}': 1.17.0_zod@3.2.1\n",
            f"packages:\n\n  /{SDK}/1.2.0:\n    resolution: x\n\n  /{SDK}/1.17.0_zod@3.2.1:\n    dev: false\n",
            f"packages:\n\n  '{SDK}@0.9.0':\n    a: b\n  '{SDK}@1.17.0':\n    a: b\n  '{SDK}@2.0.0':\n    a: b\n",
        ],
    )
    def test_pnpm(self, tmp_path: Path, lock: str) -> None:
        put_json(tmp_path, "package.json", {"dependencies": {SDK: "^1.0.0"}})
        put(tmp_path, "pnpm-lock.yaml", lock)
        assert js(tmp_path) == ("1.17.0", "locked in pnpm-lock.yaml", True)
        assert js(tmp_path, "@modelcontextprotocol/sd") is None

    def test_pnpm_importers_and_catalogs(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "pnpm-workspace.yaml",
            f"packages:\n  - p/*\ncatalog:\n  zod: ^3.1.0 # note\n  '{SDK}': ~1.4.0\ncatalogs:\n  old:\n    zod: 2.0.0\n",
        )
        put_json(tmp_path, "package.json", {})
        put_json(tmp_path, "p/a/package.json", {"dependencies": {SDK: "catalog:", "zod": "catalog:old"}})
        assert js(tmp_path / "p/a") == (
            "1.4.0",
            "the lowest that `~1.4.0` in pnpm-workspace.yaml allows",
            False,
        )
        assert js(tmp_path / "p/a", "zod") == ("2.0.0", "pinned in pnpm-workspace.yaml", True)
        lock = "importers:\n  .:\n    dependencies:\n      zod:\n        version: 1.0.0\n  p/a:\n    dependencies:\n"
        put(
            tmp_path,
            "pnpm-lock.yaml",
            lock + f"      '{SDK}':\n        specifier: 'catalog:'\n        version: 1.4.2\n",
        )
        assert js(tmp_path / "p/a") == ("1.4.2", "locked in pnpm-lock.yaml", True)
        assert js(tmp_path, "zod") == ("1.0.0", "locked in pnpm-lock.yaml", True)

    def test_bun(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {})
        put(tmp_path, "bun.lock", f'{{"packages": {{"{SDK}": ["{SDK}@1.18.0", "", {{}}, "sha"],}},}}')
        assert js(tmp_path) == ("1.18.0", "locked in bun.lock", True)

    def test_not_beyond_the_git_root(self, tmp_path: Path) -> None:
        put_json(tmp_path, "package.json", {"dependencies": {SDK: "1.0.0"}})
        (tmp_path / "repo/.git").mkdir(parents=True)
        (tmp_path / "plain").mkdir()
        assert js(tmp_path / "repo") is None
        assert js(tmp_path / "plain") == ("1.0.0", "pinned in package.json", True)

    @pytest.mark.parametrize("text", ["", "{", "[]", "[" * 5000, "\0", '{"packages": 3}', "a" * 10_000])
    def test_hostile(self, tmp_path: Path, text: str) -> None:
        for name in (
            "package.json",
            "package-lock.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lock",
            "pnpm-workspace.yaml",
        ):
            put(tmp_path, name, text)
        put(tmp_path, f"node_modules/{SDK}/package.json", text)
        assert js(tmp_path) is None
        assert not declares(SDK, "javascript", tmp_path)


class TestPython:
    def test_installed_before_locked_before_declared(self, tmp_path: Path) -> None:
        put(
            tmp_path,
            "pyproject.toml",
            '[project]\ndependencies = ["mcp[cli]>=1.2,<2 ; python_version > \'3\'", "mcp-x==9"]',
        )
        assert py(tmp_path) == ("1.2", "the lowest that `>=1.2,<2` in pyproject.toml allows", False)
        put(
            tmp_path,
            "uv.lock",
            '[[package]]\nname = "mcp-x"\nversion = "9"\n\n[[package]]\nname = "mcp"\nversion = "1.9.1"\n',
        )
        assert py(tmp_path) == ("1.9.1", "locked in uv.lock", True)
        (tmp_path / ".venv/lib/python3.12/site-packages/mcp-1.30.0.dist-info").mkdir(parents=True)
        (tmp_path / ".venv/lib/python3.12/site-packages/mcp_x-9.dist-info").mkdir()
        assert py(tmp_path) == ("1.30.0", "installed in .venv", True)
        put(tmp_path, "src/pkg/server.py")
        assert py(tmp_path / "src/pkg/server.py") == ("1.30.0", "installed in .venv", True)
        assert py(tmp_path, "MCP.X") == ("9", "installed in .venv", True)
        assert py(tmp_path, "mc") is None

    def test_windows_environment(self, tmp_path: Path) -> None:
        put(tmp_path, "pyproject.toml")
        (tmp_path / "venv/Lib/site-packages/mcp-1.1.0.dist-info").mkdir(parents=True)
        assert py(tmp_path) == ("1.1.0", "installed in venv", True)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("poetry.lock", '[[package]]\nname = "mcp"\nversion = "1.5.0"\ndescription = "x"\n'),
            ("pdm.lock", '[[package]]\nname = "MCP"\nversion = "1.5.0"\n'),
            ("uv.lock", 'version = 1\r\n\r\n[[package]]\r\nname = "mcp"\r\nversion = "1.5.0"\r\n'),
            ("Pipfile.lock", '{"default": {"mcp": {"version": "==1.5.0"}}}'),
        ],
    )
    def test_locks(self, tmp_path: Path, name: str, text: str) -> None:
        put(tmp_path, "pyproject.toml", '[project]\ndependencies = ["mcp"]')
        put(tmp_path, name, text)
        assert py(tmp_path) == ("1.5.0", f"locked in {name}", True)
        assert py(tmp_path, "other") is None

    @pytest.mark.parametrize(
        ("name", "text", "version", "exact"),
        [
            ("requirements.txt", "# x\nzod==1\nmcp==1.6.0  # pinned\n", "1.6.0", True),
            ("requirements-dev.txt", "mcp [cli] ~= 1.6\n", "1.6", False),
            ("requirements.txt", "mcp==1.6.*", "1.6", False),
            ("requirements.txt", "mcp==1.6.0 --hash=sha256:abc \\\n  --hash=x", "1.6.0", True),
            ("pyproject.toml", '[project.optional-dependencies]\na = ["mcp (>=1.6)"]', "1.6", False),
            ("pyproject.toml", '[dependency-groups]\na = ["mcp==1.6.0", {include-group = "b"}]', "1.6.0", True),
            ("pyproject.toml", '[tool.poetry.dependencies]\nmcp = "^1.6.0"', "1.6.0", False),
            ("pyproject.toml", '[tool.poetry.group.x.dependencies]\nmcp = {version = "1.6.0", extras = ["cli"]}', "1.6.0", True),
            ("Pipfile", '[packages]\nmcp = "==1.6.0"', "1.6.0", True),
            ("setup.cfg", "[options]\ninstall_requires =\n    mcp>=1.6.0\n    zod\n", "1.6.0", False),
            ("setup.cfg", "[options.extras_require]\nx =\n  mcp>=1.6.0\n", "1.6.0", False),
            ("me-1.dist-info/METADATA", "Name: me\nRequires-Dist: mcp<2,>=1.6.0; extra == 'x'\n\nRequires-Dist: mcp==9", "1.6.0", False),
        ],
    )  # fmt: skip
    def test_manifests(self, tmp_path: Path, name: str, text: str, version: str, exact: bool) -> None:
        put(tmp_path, name, text)
        found = package_version("mcp", "python", tmp_path)
        assert found is not None
        assert (found.version, found.exact, found.source) == (version, exact, tmp_path / name)
        assert declares("mcp", "python", tmp_path)
        assert not declares("mc", "python", tmp_path)

    def test_requirements_that_say_nothing(self, tmp_path: Path) -> None:
        put(tmp_path, "requirements.txt", "mcp\n-r other.txt\n--index-url x\nmcp<2\nmcp @ git+x\n")
        assert py(tmp_path) is None
        assert declares("mcp", "python", tmp_path)

    def test_beside_an_installed_package(self, tmp_path: Path) -> None:
        (tmp_path / "mcp-1.3.0.dist-info").mkdir()
        put(tmp_path, "pkg/server.py")
        assert py(tmp_path / "pkg/server.py") == ("1.3.0", "installed beside it", True)

    def test_environments_of_other_projects_do_not_count(self, tmp_path: Path) -> None:
        (tmp_path / "venv/lib/python3.12/site-packages/mcp-1.0.0.dist-info").mkdir(parents=True)
        put(tmp_path, "wheel/x-1.dist-info/METADATA", "Requires-Dist: mcp>=1.9\n")
        assert py(tmp_path / "wheel") == ("1.9", "the lowest that `>=1.9` in METADATA allows", False)

    @pytest.mark.parametrize(
        "text", ["", "[", "[project]\ndependencies = 3", "\0", "[[package]]\n" * 50, "mcp==\n"]
    )
    def test_hostile(self, tmp_path: Path, text: str) -> None:
        for name in (
            "pyproject.toml",
            "uv.lock",
            "poetry.lock",
            "Pipfile",
            "Pipfile.lock",
            "setup.cfg",
            "requirements.txt",
        ):
            put(tmp_path, name, text)
        put(tmp_path, "x-1.dist-info/METADATA", text)
        assert py(tmp_path) is None


RANGES = {
    "caret over the turn": ("^2.0.0", "closes"),
    "tilde below it": ("~2.0.0", "nothing"),
    "tilde above it": ("~2.1.0", "closes"),
    "wildcard": ("2.0.x", "nothing"),
    "one number": ("2", "closes"),
    "two numbers": ("2.0", "nothing"),
    "bounds": (">=2.0.0 <2.1.0", "nothing"),
    "bounds that reach it": (">=2.0.0 <=2.1.0", "closes"),
    "hyphen": ("2.0.0 - 2.0.9", "nothing"),
    "hyphen of partial versions": ("2.0 - 2.4", "closes"),
    "either": ("~2.0.0 || ^2.3.0", "closes"),
    "exact": ("2.0.0", "nothing"),
    "exact, with a sign": ("=2.0.0", "nothing"),
    "pre-release": ("^2.0.0-alpha.2", "closes"),
    "any": ("*", "closes"),
    "tag": ("latest", "closes"),
}


@pytest.mark.parametrize(("spec", "does"), RANGES.values(), ids=RANGES)
def test_a_range_is_judged_as_the_newest_that_satisfies_it(tmp_path: Path, spec: str, does: str) -> None:
    files = {"server.mjs": node2(), "package.json": package("@modelcontextprotocol/server", spec)}
    assert judge(tmp_path, files).transport.at_eof == does


@pytest.mark.parametrize(
    ("inner", "outer", "expected"),
    [
        ("~1.12.0", "<1.13.2", True),
        ("^1.12.0", "<1.13.2", False),
        ("1.13.1", "<1.13.2", True),
        ("*", "<1.13.2", False),
        ("<1.13.2", "*", True),
        (">=2 <1", "<3", False),
    ],
)
def test_within(inner: str, outer: str, expected: bool) -> None:
    assert within(inner, outer) is expected
