"""What the names of folders and files say about them."""

from __future__ import annotations

import re

SKIPPED_FOLDERS = frozenset(
    {
        *(".git", ".hg", ".svn", ".jj"),
        *("node_modules", "bower_components", "jspm_packages", ".yarn", ".pnpm-store"),
        *(".venv", "venv", ".tox", ".nox", "site-packages", "__pypackages__", ".eggs"),
        *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"),
        *(".cache", ".parcel-cache", ".turbo", ".nx", ".idea", ".gradle", ".terraform"),
    }
)
"""Folders that hold no source of the project itself."""

BUILD_FOLDERS = frozenset(
    {
        *("dist", "build", "out", "_build", "target", "coverage", "htmlcov"),
        *(".next", ".nuxt", ".output", ".svelte-kit", ".vercel", ".netlify", ".wrangler"),
    }
)
"""Folders that hold what a build made; ``lib`` is as often source."""

VIRTUALENV_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
"""Entries that only a virtual environment has."""

_BUILD_VARIANT = re.compile(r"(?:dist|build)[-_.].+")
_DECLARATION = re.compile(r"\.d(?:\.[^.]+)?\.[cm]?ts$")
_MINIFIED = re.compile(r"[.\-](?:min|bundle)\.[cm]?jsx?$")
_TEST_FOLDERS = frozenset({"tests", "test", "__tests__", "spec", "e2e"})
_TEST_FILE = re.compile(r".*\.(?:test|spec)\.[^.]+|test_[^/]*\.pyw?|[^/]*_test\.pyw?|conftest\.py", re.DOTALL)


def is_build_folder(name: str) -> bool:
    """Whether a folder of this name usually holds build output."""
    return name in BUILD_FOLDERS or _BUILD_VARIANT.fullmatch(name) is not None


def is_declaration(name: str) -> bool:
    """Whether a file holds only TypeScript declarations, as ``x.d.ts`` does."""
    return _DECLARATION.search(name) is not None


def is_minified(name: str) -> bool:
    """Whether a file is a minified bundle by its name."""
    return _MINIFIED.search(name) is not None


def is_test_name(folders: tuple[str, ...], name: str) -> bool:
    """Whether a file of this name in these folders (below the root) is a test."""
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_FILE.fullmatch(name) is not None


def suffix_of(name: str) -> str:
    """The last suffix of a file name with its dot, or ``""``: that of ``.env`` is ``""``."""
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""
