"""From rows of a table to the entries of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcplint.program.catalog_entries import (
    CallbackEntry,
    Condition,
    DeedEntry,
    EndlessEntry,
    ExitEntry,
    HolderEntry,
    ListenerEntry,
    MainNames,
    Position,
    ShapeEntry,
    SourceEntry,
    TransportEntry,
)

Row = Mapping[str, Any]
_NO_SDK = ({"versions": "*", "does": "nothing"},)


def by_name(entries: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
    """The entries by each of their names."""
    table: dict[str, tuple[Any, ...]] = {}
    for entry in entries:
        for name in entry.names:
            table[name] = (*table.get(name, ()), entry)
    return table


def main_names(row: Row) -> MainNames:
    """The names by which code asks whether it is the program that was started."""
    keys = ("tests", "parent", "script", "itself", "calls")
    names = {key: frozenset(strings(row, key)) for key in keys}
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


def conditions(rows: Iterable[Row]) -> tuple[Condition, ...]:
    """The conditions of a list of rows."""
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


def strings(row: Row, key: str) -> tuple[str, ...]:
    """The words under a key; none if it is missing."""
    return tuple(row.get(key, ()))


def holder(row: Row) -> HolderEntry:
    """What keeps the process alive."""
    return HolderEntry(
        names=strings(row, "names"),
        what=row["what"],
        holds=row["holds"],
        delay=_place(row.get("delay")),
        delay_unit=row.get("delay_unit", "ms"),
        delay_default=float(row.get("delay_default", 0)),
        forever_if=conditions(row.get("forever_if", ())),
        callback=_place(row.get("callback")),
        subclass_callback=row.get("subclass_callback"),
        begins=row.get("begins", "created"),
        used_by=strings(row, "used_by"),
        unless=conditions(row.get("unless", ())),
        only_if=conditions(row.get("only_if", ())),
        attribute_unless=tuple(row.get("attribute_unless", {}).items()),
        unref=strings(row, "unref"),
        unref_if=conditions(row.get("unref_if", ())),
        ref=strings(row, "ref"),
        rearms=strings(row, "rearms"),
        releases=strings(row, "releases"),
        released_by=strings(row, "released_by"),
        released_with=_place(row.get("released_with")),
        ends=strings(row, "ends"),
        known=row["known"],
    )


def transport(row: Row) -> TransportEntry:
    """What makes or serves a transport."""
    return TransportEntry(
        names=strings(row, "names"),
        what=row["what"],
        sdk=row.get("sdk", ""),
        serve=strings(row, "serve"),
        only_if=conditions(row.get("only_if", ())),
        unless=conditions(row.get("unless", ())),
        at_eof=tuple((e["versions"], e["does"]) for e in row.get("at_eof", _NO_SDK)),
        on_signal=row.get("on_signal"),
        closed_by=strings(row, "closed_by"),
        answers=strings(row, "answers"),
        reads=strings(row, "reads"),
        replaces_onclose=row.get("replaces_onclose", ""),
        source=_source(row.get("source")),
        built_on=row.get("built_on"),
        starts=strings(row, "starts"),
    )


def shape(row: Row) -> ShapeEntry:
    """How a class is known without its name."""
    return ShapeEntry(row["name"], strings(row, "methods"), row["inside"], row.get("hears"), row.get("says"))


def _source(row: Row | None) -> SourceEntry | None:
    return (
        None if row is None else SourceEntry(strings(row, "files"), row["class"], row["start"], row["closed"])
    )


def listener(row: Row) -> ListenerEntry:
    """What listens to an event."""
    events = row["events"]
    return ListenerEntry(
        names=strings(row, "names"),
        assigned=row.get("assigned", False),
        event=_place(row.get("event")),
        events=events if isinstance(events, dict) else {"": events},
        handler=_place(row.get("handler")),
        only_if=conditions(row.get("only_if", ())),
        called=row.get("called", True),
        awaited=row.get("awaited"),
        remembers=row.get("remembers", False),
    )


def exit_entry(row: Row) -> ExitEntry:
    """What ends the process."""
    return ExitEntry(strings(row, "names"), row["effect"], conditions(row.get("only_if", ())))


def deed(row: Row) -> DeedEntry:
    """What a rule asks for."""
    return DeedEntry(
        names=strings(row, "names"),
        why=row.get("why", ""),
        unless=conditions(row.get("unless", ())),
        only_if=conditions(row.get("only_if", ())),
        daemon_if=conditions(row.get("daemon_if", ())),
        eased_by=tuple(row.get("eased_by", ())),
        unless_read=row.get("unless_read"),
    )


def endless(row: Row) -> EndlessEntry:
    """What does not come back by itself."""
    return EndlessEntry(
        strings(row, "names"), strings(row, "releases"), tuple(row.get("attribute_releases", ()))
    )


def callback(row: Row) -> CallbackEntry:
    """When a function that is given to a call runs."""
    at = row.get("at")
    where = None if at is None else tuple(at) if isinstance(at, list) else (at,)
    return CallbackEntry(strings(row, "names"), row["runs"], where, row.get("after"), strings(row, "gives"))
