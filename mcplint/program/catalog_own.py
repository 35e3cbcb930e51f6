"""The catalog with what a user adds to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from mcplint.program import catalog_rows
from mcplint.program.catalog_stdout import read_stdout
from mcplint.records import replace

if TYPE_CHECKING:
    from mcplint.program.catalog import Catalog

Row = Mapping[str, Any]
_BY_USER = "documented: the configuration"


def with_own(
    catalog: Catalog,
    language: Literal["javascript", "python"],
    rows: Mapping[str, Iterable[Row]],
    modes: Mapping[str, str | int | bool],
) -> Catalog:
    """A catalog in which the user's rows take the place of what it says of their names."""
    if not rows and not modes:
        return catalog
    transports = [_transport(row, language) for row in rows.get("transports", ())]
    stdout = read_stdout({"write": [w for row in rows.get("loggers", ()) for w in _writes(row)]})
    return replace(
        catalog,
        holders={**catalog.holders, **_holders(rows.get("holders", ()))},
        exits={**catalog.exits, **_exits(rows.get("exits", ()))},
        transports={
            **catalog.transports,
            **catalog_rows.by_name(catalog_rows.transport(row) for row in transports),
        },
        needles=(*catalog.needles, *(last for row in transports for last in _last_names(row["names"]))),
        stdout=replace(
            catalog.stdout,
            writes={**catalog.stdout.writes, **stdout.writes},
            replaced=catalog.stdout.replaced | stdout.replaced,
        ),
        facts={**catalog.facts, **modes},
    )


def _holders(rows: Iterable[Row]) -> dict[str, Any]:
    return catalog_rows.by_name(
        catalog_rows.holder({"holds": "forever", "known": _BY_USER, **_named(row)}) for row in rows
    )


def _exits(rows: Iterable[Row]) -> dict[str, Any]:
    return catalog_rows.by_name(catalog_rows.exit_entry({"effect": "ends", **row}) for row in rows)


def _transport(row: Row, language: str) -> dict[str, Any]:
    does = row.get("at_eof", "returns" if language == "python" else "nothing")
    at_eof = [{"versions": "*", "does": does}]
    return {**_named(row), "sdk": _package(row["names"][0], language), "at_eof": at_eof}


def _writes(row: Row) -> Iterator[dict[str, Any]]:
    """A logger that is made by a call, and the same names as loggers that are there."""
    yield _named(row)
    if row.get("methods"):
        there = [f"{name}.{method}" for name in row["names"] for method in row["methods"]]
        yield {**{key: value for key, value in row.items() if key != "methods"}, "names": there}


def _named(row: Row) -> dict[str, Any]:
    return {"what": _last_names(row["names"])[0], **row}


def _last_names(names: Iterable[str]) -> list[str]:
    return [name.removesuffix("()").rpartition(".")[2] for name in names]


def _package(name: str, language: str) -> str:
    """The package that a name comes from."""
    if language == "python":
        return name.partition(".")[0]
    scope, slash, rest = name.partition("/") if name.startswith("@") else ("", "", name)
    return f"{scope}{slash}{rest.partition('/')[0].partition('.')[0]}"
