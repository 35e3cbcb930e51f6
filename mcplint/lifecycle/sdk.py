"""Which SDK a transport is, and what that does when stdin ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcplint.lifecycle.sdk_source import SdkSource
from mcplint.lifecycle.transports import behaviour_at_eof
from mcplint.program.versions import PackageVersion

if TYPE_CHECKING:
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.catalog import Catalog
    from mcplint.program.catalog_entries import TransportEntry

VersionOf = Callable[[str, Path, Path], PackageVersion | None]
"""(package, the file that uses it, the program's entry) to a version."""


@dataclass(frozen=True, slots=True)
class Sdk:
    """What is known of the package that a transport comes from.

    Attributes:
        version: its version.
        built_on: the version of the SDK that it is built on, where that decides.
        at_eof: what it does when stdin ends.
        read: the file that says so, where one does.
    """

    version: PackageVersion | None
    built_on: PackageVersion | None
    at_eof: str
    read: Path | None


@dataclass(frozen=True, slots=True)
class Sdks:
    """Answers for the transports of a run."""

    version_of: VersionOf
    installed: SdkSource
    catalog: Catalog

    def of(self, found: FoundTransport, entry: Path) -> Sdk:
        """The SDK of a transport in the program that starts with ``entry``."""
        version = self.version_of(found.entry.sdk, found.scope.module.path, entry)
        inner = self._built_on(found.entry, version)
        made_by = next(self._entries(found.entry.built_on), None) if inner is not None else None
        decides, known = (found.entry, version) if made_by is None else (made_by, inner)
        read = self.installed.at_eof(decides, known)
        if read is not None:
            return Sdk(version, inner, read[0], read[1])
        return Sdk(version, inner, behaviour_at_eof(decides, known), None)

    def _built_on(self, entry: TransportEntry, version: PackageVersion | None) -> PackageVersion | None:
        """The version of its SDK that a framework gets, which may be one of its own.

        Only where that is installed or locked: what the project itself asks for is another matter.
        """
        if entry.built_on is None or version is None or version.source is None:
            return None
        folder = version.folder or version.source.parent / "node_modules" / entry.sdk
        inside = folder / "package.json"
        found = self.version_of(entry.built_on, inside, inside)
        return found if found is not None and found.exact else None

    def _entries(self, sdk: str | None) -> Iterator[TransportEntry]:
        for entries in self.catalog.transports.values():
            yield from (entry for entry in entries if entry.sdk == sdk)
