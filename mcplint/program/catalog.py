"""The catalog: what external names mean. Data comes from ``rules/catalog``."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from mcplint.program.catalog_entries import (
    After,
    CallbackEntry,
    DeedEntry,
    EmitterEntry,
    EndlessEntry,
    ExitEntry,
    HolderEntry,
    ListenerEntry,
    MainNames,
    ShapeEntry,
    TransportEntry,
)
from mcplint.program.catalog_rows import (
    Row,
    by_name,
    callback,
    deed,
    endless,
    exit_entry,
    holder,
    listener,
    main_names,
    shape,
    strings,
    transport,
)
from mcplint.program.catalog_stdout import StdoutTables, read_stdout
from mcplint.program.values import UNUSUAL
from mcplint.records import record


@record
class Catalog:
    """All knowledge about one language's names."""

    holders: Mapping[str, tuple[HolderEntry, ...]]
    transports: Mapping[str, tuple[TransportEntry, ...]]
    shapes: tuple[ShapeEntry, ...]
    loops: Mapping[str, tuple[TransportEntry, ...]]
    messages: frozenset[str]
    listeners: Mapping[str, tuple[ListenerEntry, ...]]
    exits: Mapping[str, tuple[ExitEntry, ...]]
    emitters: Mapping[str, tuple[EmitterEntry, ...]]
    emitter_listens: frozenset[str]
    emitter_assigned: Mapping[str, str]
    emitter_polls: frozenset[str]
    callbacks: Mapping[str, tuple[CallbackEntry, ...]]
    promise_methods: Mapping[str, After]
    handing_on: frozenset[str]
    wrappers: Mapping[str, int | str]
    merging: frozenset[str]
    once: frozenset[str]
    results: Mapping[str, str]
    lists: Mapping[str, str]
    globals: Mapping[str, str]
    settings: tuple[str, ...]
    arguments: frozenset[str]
    surroundings: tuple[str, ...]
    facts: Mapping[str, str | int | bool]
    collections: tuple[str, ...]
    marks: frozenset[str]
    detaches: frozenset[str]
    fluent: frozenset[str]
    hears: frozenset[str]
    numbers: frozenset[str]
    exit_words: frozenset[str]
    promises: frozenset[str]
    unusual: Mapping[str, tuple[str, ...]]
    known: frozenset[str]
    polls: frozenset[str]
    parent: frozenset[str]
    stdin: frozenset[str]
    readers: frozenset[str]
    endless: Mapping[str, tuple[EndlessEntry, ...]]
    waits: frozenset[str]
    closings: frozenset[str]
    prompt: frozenset[str]
    joins: Mapping[str, bool]
    settlers: frozenset[str]
    races: frozenset[str]
    closers: frozenset[str]
    needles: tuple[str, ...]
    loop_needles: tuple[str, ...]
    main: MainNames
    writers: Mapping[str, tuple[DeedEntry, ...]]
    cleanups: Mapping[str, tuple[DeedEntry, ...]]
    unbounded: Mapping[str, tuple[DeedEntry, ...]]
    blocking: Mapping[str, tuple[DeedEntry, ...]]
    children: Mapping[str, tuple[DeedEntry, ...]]
    shells: Mapping[str, tuple[DeedEntry, ...]]
    stdout: StdoutTables

    def callback(self, name: str) -> CallbackEntry | None:
        """When functions given to the call ``name`` run; None if nothing says so."""
        found = lookup(self.callbacks, name) or lookup(self.callbacks, name.removesuffix("()"))
        return found[0] if found else None

    def is_from_collection(self, name: str) -> bool:
        """Whether a value came out of what can hold any objects, or out of nowhere known."""
        return name.startswith(self.collections) or "[]" in name


def lookup(table: Mapping[str, tuple[Any, ...]], name: str) -> tuple[Any, ...]:
    """The entries for a name: its own, else those of its last part behind ``*``."""
    found = table.get(name)
    if found is None and "." in name:
        found = table.get("*." + name.rpartition(".")[2])
    return found or ()


def listed(names: Container[str], name: str) -> bool:
    """Whether a name, or its last part behind ``*``, is in ``names``."""
    return name in names or ("." in name and "*." + name.rpartition(".")[2] in names)


@cache
def catalog(language: Literal["javascript", "python"], directory: Path) -> Catalog:
    """Read the catalog of a language from ``directory``, the ``rules/catalog`` folder."""
    folder = directory / language
    tables = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))}

    def rows(file: str, key: str) -> Iterable[Row]:
        rows: Iterable[Row] = tables.get(file, {}).get(key, ())
        return rows

    names = tables.get("names", {})
    callbacks = [callback(row) for row in rows("callbacks", "callback")]
    return Catalog(
        holders=by_name(holder(row) for row in rows("holders", "holder")),
        transports=by_name(transport(row) for row in rows("transports", "transport")),
        loops=by_name(transport(row) for row in rows("transports", "loop")),
        messages=frozenset(tables.get("listeners", {}).get("messages", ())),
        shapes=tuple(shape(row) for row in rows("transports", "shape")),
        listeners=by_name(listener(row) for row in rows("listeners", "listener")),
        emitters=by_name(
            EmitterEntry(strings(row, "names"), row.get("event")) for row in rows("listeners", "emitter")
        ),
        emitter_listens=frozenset(n for row in rows("listeners", "emitter") for n in row["listens"]),
        emitter_assigned={
            n: row["event"] for row in rows("listeners", "emitter") for n in row.get("properties", ())
        },
        emitter_polls=frozenset(n for row in rows("listeners", "emitter") for n in row.get("polls", ())),
        exits=by_name(exit_entry(row) for row in rows("exits", "exit")),
        callbacks=by_name(callbacks),
        promise_methods={_last(n): e.after for e in callbacks if e.after for n in e.names},
        handing_on=frozenset(_last(n) for e in callbacks if _hands_on(e) for n in e.names),
        wrappers={n: row["at"] for row in rows("names", "wrapper") for n in row["names"]},
        merging=frozenset(n for row in rows("names", "wrapper") if row.get("merges") for n in row["names"]),
        once=frozenset(n for row in rows("names", "wrapper") if row.get("once") for n in row["names"]),
        results={n: row["gives"] for row in rows("names", "result") for n in row["names"]},
        lists={n: row["of"] for row in rows("names", "list") for n in row["names"]},
        globals=names.get("globals", {}),
        arguments=frozenset(names.get("arguments", ())),
        surroundings=tuple(names.get("surroundings", ())),
        facts={n: row["is"] for row in rows("names", "fact") for n in row["names"]},
        settings=(*names.get("settings", ()), *names.get("absent", ()), UNUSUAL.name),
        collections=("?", *names.get("collections", ())),
        marks=frozenset(names.get("marks", ())),
        detaches=frozenset(names.get("detaches", ())),
        fluent=frozenset(names.get("fluent", ())),
        hears=frozenset(names.get("hears", ())),
        exit_words=frozenset(tables.get("exits", {}).get("words", ())),
        numbers=frozenset(tables.get("shutdown", {}).get("numbers", ())),
        promises=frozenset(names.get("promises", ())),
        unusual={n: tuple(row["events"]) for row in rows("names", "unusual") for n in row["names"]},
        known=frozenset(names.get("known", ())),
        polls=frozenset(tables.get("listeners", {}).get("polls", ())),
        parent=frozenset(tables.get("listeners", {}).get("parent", ())),
        stdin=frozenset(tables.get("listeners", {}).get("stdin", ())),
        readers=frozenset(tables.get("listeners", {}).get("readers", ())),
        endless=by_name(endless(row) for row in rows("endless", "endless")),
        waits=frozenset(n for row in rows("endless", "waits") for n in row["names"]),
        closings=frozenset(tables.get("endless", {}).get("closings", ())),
        prompt=frozenset(n for row in rows("callbacks", "prompt") for n in row["names"]),
        joins={n: row["fails"] for row in rows("callbacks", "join") for n in row["names"]},
        settlers=frozenset(n for row in rows("callbacks", "callback") for n in row.get("gives", ())[:1]),
        races=frozenset(tables.get("callbacks", {}).get("races", ())),
        closers=frozenset(n for row in rows("transports", "closer") for n in row["names"]),
        needles=tuple(tables.get("transports", {}).get("needles", ())),
        loop_needles=tuple(tables.get("transports", {}).get("loop_needles", ())),
        main=main_names(names.get("main", {})),
        writers=by_name(deed(row) for row in rows("shutdown", "writer")),
        cleanups=by_name(deed(row) for row in rows("shutdown", "cleanup")),
        unbounded=by_name(deed(row) for row in rows("shutdown", "unbounded")),
        blocking=by_name(deed(row) for row in rows("shutdown", "blocking")),
        children=by_name(deed(row) for row in rows("shutdown", "child")),
        shells=by_name(deed(row) for row in rows("shutdown", "shell")),
        stdout=read_stdout(tables.get("stdout", {})),
    )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _hands_on(entry: CallbackEntry) -> bool:
    """Whether a call gives a function something that can be followed: elements, a result, ``resolve``."""
    return entry.runs == "each" or entry.after == "success" or bool(entry.gives)
