"""The catalog: what external names mean. Data comes from ``rules/catalog``."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from mcplint.program.values import UNUSUAL
from mcplint.records import record

if TYPE_CHECKING:
    from mcplint.program.catalog_stdout import StdoutTables

Row = Mapping[str, Any]
_NO_SDK = ({"versions": "*", "does": "nothing"},)
Runs = Literal["once", "start", "each", "later", "mode", "call", "event", "never"]
After = Literal["success", "failure", "either"]


@record
class Position:
    """Where to look in a call: any of ``at``, then the property ``key`` of what is there.

    The key can be a path: ``transport.type``, or ``transports.[].type`` for that of any element.
    """

    at: tuple[int | str, ...]
    key: str | None = None
    of_receiver: bool = False


@record
class Condition:
    """A place in a call and what is to be found there."""

    position: Position
    constant: object = None
    other_than: bool = False
    named: str | None = None
    given: bool | None = None
    asked: bool | None = None


@record
class HolderEntry:
    """A call that keeps the process alive. See ``rules/catalog/README.md``."""

    names: tuple[str, ...]
    what: str
    holds: str | float
    delay: Position | None
    delay_unit: str
    delay_default: float
    forever_if: tuple[Condition, ...]
    callback: Position | None
    subclass_callback: str | None
    begins: str
    used_by: tuple[str, ...]
    unless: tuple[Condition, ...]
    only_if: tuple[Condition, ...]
    attribute_unless: tuple[tuple[str, object], ...]
    unref: tuple[str, ...]
    unref_if: tuple[Condition, ...]
    ref: tuple[str, ...]
    rearms: tuple[str, ...]
    releases: tuple[str, ...]
    released_by: tuple[str, ...]
    released_with: Position | None
    ends: tuple[str, ...]
    known: str


@record
class SourceEntry:
    """Where an installed package has its transport: files, class, and the methods that matter.

    Attributes:
        files: where the class may be, below the package's folder.
        cls: its name.
        start: the method that begins to read stdin.
        closed: what it calls when it closes.
    """

    files: tuple[str, ...]
    cls: str
    start: str
    closed: str


@record
class TransportEntry:
    """A call that makes or serves a stdio transport."""

    names: tuple[str, ...]
    what: str
    sdk: str
    serve: tuple[str, ...]
    only_if: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    at_eof: tuple[tuple[str, str], ...]
    on_signal: str | None
    closed_by: tuple[str, ...]
    replaces_onclose: str
    source: SourceEntry | None
    built_on: str | None
    starts: tuple[str, ...]
    answers: tuple[str, ...]
    reads: tuple[str, ...]


@record
class ShapeEntry:
    """How a class is known whatever it is called: ``name`` is what the catalog calls it."""

    name: str
    methods: tuple[str, ...]
    inside: str
    hears: str | None
    says: str | None


@record
class ListenerEntry:
    """A call or an assignment that listens to an event."""

    names: tuple[str, ...]
    assigned: bool
    event: Position | None
    events: Mapping[str, str]
    handler: Position | None
    only_if: tuple[Condition, ...]
    called: bool
    awaited: str | None
    remembers: bool


@record
class EmitterEntry:
    """A call that tells the listeners of an object of the program."""

    names: tuple[str, ...]
    event: str | None


@record
class ExitEntry:
    """A call that ends the process, asks it to unwind, or sends itself a signal."""

    names: tuple[str, ...]
    effect: str
    only_if: tuple[Condition, ...]


@record
class DeedEntry:
    """A call that a rule asks for: one that writes, tidies up, may wait for ever, or blocks."""

    names: tuple[str, ...]
    why: str
    unless: tuple[Condition, ...]
    only_if: tuple[Condition, ...]
    daemon_if: tuple[Condition, ...]
    eased_by: tuple[str, ...]
    unless_read: str | None


@record
class EndlessEntry:
    """A call that does not come back by itself, and what makes it come back."""

    names: tuple[str, ...]
    releases: tuple[str, ...]
    attribute_releases: tuple[str, ...]


@record
class CallbackEntry:
    """When a function given to a call runs."""

    names: tuple[str, ...]
    runs: Runs
    at: tuple[int | str, ...] | None
    after: After | None
    gives: tuple[str, ...]


@record
class MainNames:
    """The names by which code asks whether a module is the program that was started.

    Attributes:
        tests: true, or equal to something, in the module that was started only.
        parent: true in a module that was not.
        script: the path of the file that was started.
        itself: the module's own path, or the module.
        calls: functions that answer for the module which calls them.
        lasts: the last parts of all of these.
    """

    tests: frozenset[str]
    parent: frozenset[str]
    script: frozenset[str]
    itself: frozenset[str]
    calls: frozenset[str]
    lasts: frozenset[str]


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
    wrappers: Mapping[str, int | str]
    merging: frozenset[str]
    once: frozenset[str]
    results: Mapping[str, str]
    lists: Mapping[str, str]
    globals: Mapping[str, str]
    settings: tuple[str, ...]
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
    # That module is built on this one.
    from mcplint.program.catalog_stdout import read_stdout

    folder = directory / language
    tables = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))}

    def rows(file: str, key: str) -> Iterable[Row]:
        rows: Iterable[Row] = tables.get(file, {}).get(key, ())
        return rows

    names = tables.get("names", {})
    return Catalog(
        holders=_by_name(_holder(row) for row in rows("holders", "holder")),
        transports=_by_name(_transport(row) for row in rows("transports", "transport")),
        loops=_by_name(_transport(row) for row in rows("transports", "loop")),
        messages=frozenset(tables.get("listeners", {}).get("messages", ())),
        shapes=tuple(_shape(row) for row in rows("transports", "shape")),
        listeners=_by_name(_listener(row) for row in rows("listeners", "listener")),
        emitters=_by_name(
            EmitterEntry(_strings(row, "names"), row.get("event")) for row in rows("listeners", "emitter")
        ),
        emitter_listens=frozenset(n for row in rows("listeners", "emitter") for n in row["listens"]),
        emitter_assigned={
            n: row["event"] for row in rows("listeners", "emitter") for n in row.get("properties", ())
        },
        emitter_polls=frozenset(n for row in rows("listeners", "emitter") for n in row.get("polls", ())),
        exits=_by_name(_exit(row) for row in rows("exits", "exit")),
        callbacks=_by_name(_callback(row) for row in rows("callbacks", "callback")),
        wrappers={n: row["at"] for row in rows("names", "wrapper") for n in row["names"]},
        merging=frozenset(n for row in rows("names", "wrapper") if row.get("merges") for n in row["names"]),
        once=frozenset(n for row in rows("names", "wrapper") if row.get("once") for n in row["names"]),
        results={n: row["gives"] for row in rows("names", "result") for n in row["names"]},
        lists={n: row["of"] for row in rows("names", "list") for n in row["names"]},
        globals=names.get("globals", {}),
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
        endless=_by_name(_endless(row) for row in rows("endless", "endless")),
        waits=frozenset(n for row in rows("endless", "waits") for n in row["names"]),
        closings=frozenset(tables.get("endless", {}).get("closings", ())),
        prompt=frozenset(n for row in rows("callbacks", "prompt") for n in row["names"]),
        joins={n: row["fails"] for row in rows("callbacks", "join") for n in row["names"]},
        settlers=frozenset(n for row in rows("callbacks", "callback") for n in row.get("gives", ())[:1]),
        races=frozenset(tables.get("callbacks", {}).get("races", ())),
        closers=frozenset(n for row in rows("transports", "closer") for n in row["names"]),
        needles=tuple(tables.get("transports", {}).get("needles", ())),
        loop_needles=tuple(tables.get("transports", {}).get("loop_needles", ())),
        main=_main_names(names.get("main", {})),
        writers=_by_name(_deed(row) for row in rows("shutdown", "writer")),
        cleanups=_by_name(_deed(row) for row in rows("shutdown", "cleanup")),
        unbounded=_by_name(_deed(row) for row in rows("shutdown", "unbounded")),
        blocking=_by_name(_deed(row) for row in rows("shutdown", "blocking")),
        children=_by_name(_deed(row) for row in rows("shutdown", "child")),
        shells=_by_name(_deed(row) for row in rows("shutdown", "shell")),
        stdout=read_stdout(tables.get("stdout", {})),
    )


def _by_name(entries: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
    table: dict[str, tuple[Any, ...]] = {}
    for entry in entries:
        for name in entry.names:
            table[name] = (*table.get(name, ()), entry)
    return table


def _main_names(row: Row) -> MainNames:
    keys = ("tests", "parent", "script", "itself", "calls")
    names = {key: frozenset(_strings(row, key)) for key in keys}
    lasts = frozenset(name.rpartition(".")[2] for listed in names.values() for name in listed)
    return MainNames(**names, lasts=lasts)


def _position(value: Any, row: Row | None = None) -> Position:
    at = tuple(value) if isinstance(value, list) else (value,)
    row = row or {}
    return Position(at, row.get("key"), row.get("of") == "receiver")


def _place(value: Any) -> Position | None:
    if value is None:
        return None
    return _position(value["at"], value) if isinstance(value, dict) else _position(value)


def _conditions(rows: Iterable[Row]) -> tuple[Condition, ...]:
    return tuple(
        Condition(
            position=_position(row["at"], row),
            constant=row.get("is", row.get("is_not")),
            other_than="is_not" in row,
            named=row.get("named"),
            given=row.get("given"),
            asked=row.get("asked"),
        )
        for row in rows
    )


def _strings(row: Row, key: str) -> tuple[str, ...]:
    return tuple(row.get(key, ()))


def _holder(row: Row) -> HolderEntry:
    return HolderEntry(
        names=_strings(row, "names"),
        what=row["what"],
        holds=row["holds"],
        delay=_place(row.get("delay")),
        delay_unit=row.get("delay_unit", "ms"),
        delay_default=float(row.get("delay_default", 0)),
        forever_if=_conditions(row.get("forever_if", ())),
        callback=_place(row.get("callback")),
        subclass_callback=row.get("subclass_callback"),
        begins=row.get("begins", "created"),
        used_by=_strings(row, "used_by"),
        unless=_conditions(row.get("unless", ())),
        only_if=_conditions(row.get("only_if", ())),
        attribute_unless=tuple(row.get("attribute_unless", {}).items()),
        unref=_strings(row, "unref"),
        unref_if=_conditions(row.get("unref_if", ())),
        ref=_strings(row, "ref"),
        rearms=_strings(row, "rearms"),
        releases=_strings(row, "releases"),
        released_by=_strings(row, "released_by"),
        released_with=_place(row.get("released_with")),
        ends=_strings(row, "ends"),
        known=row["known"],
    )


def _transport(row: Row) -> TransportEntry:
    return TransportEntry(
        names=_strings(row, "names"),
        what=row["what"],
        sdk=row.get("sdk", ""),
        serve=_strings(row, "serve"),
        only_if=_conditions(row.get("only_if", ())),
        unless=_conditions(row.get("unless", ())),
        at_eof=tuple((e["versions"], e["does"]) for e in row.get("at_eof", _NO_SDK)),
        on_signal=row.get("on_signal"),
        closed_by=_strings(row, "closed_by"),
        answers=_strings(row, "answers"),
        reads=_strings(row, "reads"),
        replaces_onclose=row.get("replaces_onclose", ""),
        source=_source(row.get("source")),
        built_on=row.get("built_on"),
        starts=_strings(row, "starts"),
    )


def _shape(row: Row) -> ShapeEntry:
    return ShapeEntry(row["name"], _strings(row, "methods"), row["inside"], row.get("hears"), row.get("says"))


def _source(row: Row | None) -> SourceEntry | None:
    return (
        None
        if row is None
        else SourceEntry(_strings(row, "files"), row["class"], row["start"], row["closed"])
    )


def _listener(row: Row) -> ListenerEntry:
    events = row["events"]
    return ListenerEntry(
        names=_strings(row, "names"),
        assigned=row.get("assigned", False),
        event=_place(row.get("event")),
        events=events if isinstance(events, dict) else {"": events},
        handler=_place(row.get("handler")),
        only_if=_conditions(row.get("only_if", ())),
        called=row.get("called", True),
        awaited=row.get("awaited"),
        remembers=row.get("remembers", False),
    )


def _exit(row: Row) -> ExitEntry:
    return ExitEntry(_strings(row, "names"), row["effect"], _conditions(row.get("only_if", ())))


def _deed(row: Row) -> DeedEntry:
    return DeedEntry(
        names=_strings(row, "names"),
        why=row.get("why", ""),
        unless=_conditions(row.get("unless", ())),
        only_if=_conditions(row.get("only_if", ())),
        daemon_if=_conditions(row.get("daemon_if", ())),
        eased_by=tuple(row.get("eased_by", ())),
        unless_read=row.get("unless_read"),
    )


def _endless(row: Row) -> EndlessEntry:
    return EndlessEntry(
        _strings(row, "names"), _strings(row, "releases"), tuple(row.get("attribute_releases", ()))
    )


def _callback(row: Row) -> CallbackEntry:
    at = row.get("at")
    where = None if at is None else tuple(at) if isinstance(at, list) else (at,)
    return CallbackEntry(_strings(row, "names"), row["runs"], where, row.get("after"), _strings(row, "gives"))
