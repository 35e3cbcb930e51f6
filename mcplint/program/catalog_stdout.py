"""The part of the catalog that says what puts text on stdout. Data comes from ``stdout.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcplint.program.catalog_entries import Condition
from mcplint.program.catalog_rows import Row, by_name, conditions, strings
from mcplint.records import record


@record
class WriteEntry:
    """A call that writes on stdout, or makes what others write by.

    Attributes:
        by: what it goes through: who replaces one of these has made it harmless.
        made_by: what of that matters when it is made, and no more when it writes.
        methods: the last names of the calls by which it writes; empty where it writes itself.
        owners: what these are called on, by the catalog's name; its own object where empty.
        logger: the name that several entries share, of which one finding is enough.
        always: libraries write by it, whether or not the program's own code does.
        text: counts only where it is given a text that is no message of the protocol.
        package: the dependency that writes by itself.
        versions: the versions of the package that do.
    """

    names: tuple[str, ...]
    what: str
    why: str
    by: tuple[str, ...]
    made_by: tuple[str, ...]
    methods: tuple[str, ...]
    owners: tuple[str, ...]
    logger: str
    always: bool
    text: bool
    package: str
    versions: str
    only_if: tuple[Condition, ...]
    unless: tuple[Condition, ...]


@record
class GuardEntry:
    """A call that makes stdout safe for what goes through ``stops``.

    From then on, or, with ``scoped``, for as long as the ``with`` lasts that it manages.
    """

    names: tuple[str, ...]
    stops: tuple[str, ...]
    scoped: bool
    only_if: tuple[Condition, ...]
    unless: tuple[Condition, ...]


@record
class SharingEntry:
    """A call that starts a child which may share stdin or stdout with the server.

    Attributes:
        only_if: when the entry is the one to ask.
        stdin_if, stdout_if: when the child gets the server's own stream; None: it does by default.
        stdin_unless, stdout_unless: what takes a default back.
    """

    names: tuple[str, ...]
    only_if: tuple[Condition, ...]
    stdin_if: tuple[Condition, ...] | None
    stdout_if: tuple[Condition, ...] | None
    stdin_unless: tuple[Condition, ...]
    stdout_unless: tuple[Condition, ...]


@record
class DivertEntry:
    """Versions of an SDK that keep everything but their own messages off stdout while they serve."""

    names: tuple[str, ...]
    versions: str


@record
class StdoutTables:
    """What one language's ``stdout.toml`` says."""

    writes: Mapping[str, tuple[WriteEntry, ...]]
    guards: Mapping[str, tuple[GuardEntry, ...]]
    sharing: Mapping[str, tuple[SharingEntry, ...]]
    diverts: Mapping[str, tuple[DivertEntry, ...]]
    older: frozenset[str]
    inside: Mapping[str, tuple[int | str, ...]]
    replaced: frozenset[str]
    methods: frozenset[str]
    serialisers: frozenset[str]


def read_stdout(table: Row) -> StdoutTables:
    """The tables of a file that was read."""

    def rows(key: str) -> Iterable[Row]:
        found: Iterable[Row] = table.get(key, ())
        return found

    writes = by_name(_write(row) for row in rows("write"))
    return StdoutTables(
        writes=writes,
        guards=by_name(_guard(row) for row in rows("guard")),
        sharing=by_name(_sharing(row) for row in rows("child")),
        diverts=by_name(_divert(row) for row in rows("diverts")),
        older=frozenset(table.get("older", ())),
        inside={name: tuple(row["at"]) for row in rows("inside") for name in row["names"]},
        methods=frozenset(m for entries in writes.values() for entry in entries for m in entry.methods),
        replaced=frozenset((*table.get("replaced", ()), *writes)),
        serialisers=frozenset(table.get("serialisers", ())),
    )


def _write(row: Row) -> WriteEntry:
    return WriteEntry(
        names=strings(row, "names"),
        what=row.get("what", ""),
        why=row.get("why", ""),
        by=strings(row, "by"),
        made_by=strings(row, "made_by"),
        methods=strings(row, "methods"),
        owners=strings(row, "owners"),
        logger=row.get("logger", ""),
        always=row.get("always", False),
        text=row.get("text", False),
        package=row.get("package", ""),
        versions=row.get("versions", "*"),
        only_if=conditions(row.get("only_if", ())),
        unless=conditions(row.get("unless", ())),
    )


def _guard(row: Row) -> GuardEntry:
    return GuardEntry(
        strings(row, "names"),
        strings(row, "stops"),
        row.get("scoped", False),
        conditions(row.get("only_if", ())),
        conditions(row.get("unless", ())),
    )


def _sharing(row: Row) -> SharingEntry:
    return SharingEntry(
        strings(row, "names"),
        conditions(row.get("only_if", ())),
        _maybe(row, "stdin_if"),
        _maybe(row, "stdout_if"),
        conditions(row.get("stdin_unless", ())),
        conditions(row.get("stdout_unless", ())),
    )


def _maybe(row: Row, key: str) -> tuple[Condition, ...] | None:
    found: Any = row.get(key)
    return None if found is None else conditions(found)


def _divert(row: Row) -> DivertEntry:
    return DivertEntry(strings(row, "names"), row["versions"])
