"""The names by which JavaScript modules are imported."""

from __future__ import annotations

import re

BUILTINS = frozenset(
    {"assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants"}
    | {"crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http"}
    | {"http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process"}
    | {"punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys"}
    | {"timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi"}
    | {"worker_threads", "zlib", "fs/promises", "dns/promises", "path/posix", "path/win32"}
    | {"readline/promises", "stream/promises", "stream/web", "timers/promises", "util/types"}
    | {"assert/strict", "stream/consumers", "inspector/promises"}
)
"""Modules that Node itself brings."""

_SUFFIX = re.compile(r"\.[cm]?js$")
_SDK = "@modelcontextprotocol/sdk"
_SDK_BUILD = re.compile(r"^dist(?:/(?:esm|cjs))?(?:/|$)")
_SCHEMES = ("node:", "npm:")
_VERSION = re.compile(r"^(@[^/@]+/[^/@]+|[^/@]+)@[^/]+")


def external_name(specifier: str) -> str:
    """The canonical name of an external module, however it is spelled.

    ``node:`` and ``npm:`` (with its version), a final ``.js``, ``.mjs`` or ``.cjs`` of a
    subpath, a final ``/index`` and the build folder of the official SDK are dropped:
    ``@modelcontextprotocol/sdk/dist/esm/server/stdio.js`` is
    ``@modelcontextprotocol/sdk/server/stdio``.
    """
    for scheme in _SCHEMES:
        if specifier.startswith(scheme):
            specifier = specifier[len(scheme) :].lstrip("/")
            if scheme == "npm:":
                specifier = _VERSION.sub(r"\1", specifier)
    name, rest = split_package(specifier)
    rest = _SUFFIX.sub("", rest.strip("/"))
    if name == _SDK:
        rest = _SDK_BUILD.sub("", rest)
    rest = "" if rest == "index" else rest.removesuffix("/index")
    return f"{name}/{rest}" if rest else name


def split_package(specifier: str) -> tuple[str, str]:
    """The package name and the subpath of a bare specifier."""
    count = 2 if specifier.startswith("@") else 1
    parts = specifier.split("/", count)
    name = "/".join(parts[:count])
    return name, parts[count] if len(parts) > count else ""
