"""What the tables of the catalog say of one name each. See ``rules/catalog/README.md``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mcplint.records import record

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
