"""The reference of the configuration and its JSON schema, both made from the keys.

``python -m mcplint.settings.reference`` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mcplint.settings.keys import EXIT, HOLDER, KEYS, LOGGER, TRANSPORT
from mcplint.settings.kinds import Key, Schema, schema_of

_HEAD = """\
# Configuration

<!-- Written by `python -m mcplint.settings.reference`: change mcplint/settings/, not this page. -->

mcplint needs no configuration. Where it finds one, it reads settings from the first of these in a folder:

1. `mcplint.toml`
2. `pyproject.toml`, below `[tool.mcplint]`
3. `package.json`, below the key `mcplint`

Each file that is linted is judged by the nearest one: in its own folder or in one above it. A file that does
not speak of mcplint is passed over. Two files are put together only where one extends the other. A finding
belongs to the file that it points at, and a server to the file that makes its transport.

The command line goes before the configuration: `--select` takes the place of what files select and ignore,
`--extend-select`, `--ignore`, `--extend-exclude` and `--per-file-ignores` come on top, and `--exclude`
replaces `exclude`. `--config FILE` makes one file count for everything, `--isolated` makes none count, and
`--show-settings` prints what holds for a path.

A key that does not exist, a value of a wrong type and a rule that is not there are errors: mcplint says where
and what was probably meant, judges nothing and exits with 2. Editors can check against the
[JSON schema](mcplint-config.schema.json).

```toml
[tool.mcplint]
extend-select = ["MCP901"]
extend-exclude = ["playground/"]

[tool.mcplint.per-file-ignores]
"examples/**" = ["MCP1"]

[tool.mcplint.severity]
MCP302 = "error"
```
"""

_ROWS = (("holders", HOLDER), ("exits", EXIT), ("transports", TRANSPORT), ("loggers", LOGGER))


def page() -> str:
    """The text of ``docs/configuration.md``."""
    parts = [_HEAD, *(_section(key) for key in KEYS)]
    return "\n".join(parts)


def schema() -> Schema:
    """The JSON schema of a ``mcplint.toml``, which is that of the other places, too."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mcplint configuration",
        **schema_of(KEYS),
    }


def _section(key: Key) -> str:
    rows = dict(_ROWS).get(key.name, ())
    return "\n".join(
        [
            f"## {key.name}",
            "",
            key.doc,
            "",
            f"Type: {key.kind.name}. Default: {key.default}.",
            "",
            "```toml",
            _placed(key.example),
            "```",
            *_table(rows),
            "",
        ]
    )


def _placed(example: str) -> str:
    """An example as it stands in ``pyproject.toml``."""
    lines = [
        line.replace("[[", "[[tool.mcplint.", 1)
        if line.startswith("[[")
        else line.replace("[", "[tool.mcplint.", 1)
        if line.startswith("[")
        else line
        for line in example.splitlines()
    ]
    return "\n".join(lines if lines[0].startswith("[") else ["[tool.mcplint]", *lines])


def _table(rows: tuple[Key, ...]) -> Iterator[str]:
    if rows:
        yield from ("", "| key | type | meaning |", "|---|---|---|")
    for row in rows:
        name = f"`{row.name}`{' (required)' if row.required else ''}"
        yield f"| {name} | {row.kind.name} | {row.doc} |"


def main() -> None:
    """Write both files into the checkout."""
    docs = Path(__file__).parents[2] / "docs"
    (docs / "configuration.md").write_text(page(), encoding="utf-8")
    text = json.dumps(schema(), indent=2)
    (docs / "mcplint-config.schema.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
