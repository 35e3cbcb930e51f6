"""One run: from paths to a report."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mcplint.checks import registry
from mcplint.checks.finding import Finding
from mcplint.files import walk
from mcplint.files.data import read_json
from mcplint.files.project import Touched, project_of
from mcplint.files.scan import Read, read_source, reader, scan
from mcplint.fixes.registry import offer
from mcplint.lifecycle.build import build_server
from mcplint.lifecycle.model import Server
from mcplint.lifecycle.sdk import Sdks
from mcplint.lifecycle.sdk_source import SdkSource
from mcplint.program.catalog import Catalog, catalog
from mcplint.program.catalog_own import with_own
from mcplint.program.evaluate import Evaluator
from mcplint.program.link import Linker
from mcplint.program.programs import Program, ProgramFinder
from mcplint.program.versions import PackageVersion, package_version
from mcplint.report.result import Report, Reported, Skipped, Suppressed
from mcplint.rules import rules_dir
from mcplint.settings.settings import Configuration, Knowledge
from mcplint.suppressions.apply import Suppressions
from mcplint.syntax import PYTHON_SUFFIXES

if TYPE_CHECKING:
    from mcplint.files.source import Source
    from mcplint.options import Options

_RECURSION = 12_000
_STACK = 64 << 20
_TOO_DEEP = "too deeply nested to follow"
Family = Literal["javascript", "python"]


def run(paths: list[Path], options: Options, contents: Mapping[str, bytes] | None = None) -> Report:
    """Judge every stdio server below ``paths``, as if some files held ``contents``.

    Files in ``contents`` are named by their real paths.

    Raises:
        PathNotFoundError: a path does not exist.
        UnknownSelectorError: a selector names no rule.
        SettingsError: a configuration file makes no sense.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        return _with_room(lambda: _run(paths, options, contents or {}))
    finally:
        sys.setrecursionlimit(limit)


def _run(paths: list[Path], options: Options, contents: Mapping[str, bytes]) -> Report:
    configuration = Configuration(options)
    where, touched = _where(paths, options, configuration, contents)
    found = walk.discover(where, lambda folder: configuration.of_folder(folder).prunes, contents)
    session = _Session(found, options, configuration, reader(contents))
    servers = tuple(sorted(session.servers(), key=lambda s: str(s.entry)))
    findings = {
        _key(f): (f, server)
        for server in servers
        for f in registry.check(server, configuration.codes())
        if configuration.wants(f.code, f.place.path)
    }
    comments = Suppressions()
    reported: list[Reported] = []
    suppressed: list[Suppressed] = []
    for _, (finding, server) in sorted(findings.items(), key=lambda item: item[0]):
        finding = configuration.weighed(finding)
        _sort_out(Reported(finding, offer(finding, server)), comments, reported, suppressed)
    for finding, fix in comments.unused(session.sources.values(), configuration.codes_for):
        finding = configuration.weighed(finding)
        _sort_out(Reported(finding, fix), comments, reported, suppressed)
    return Report(
        servers=servers,
        findings=tuple(sorted((r for r in reported if touched.by(r.finding)), key=lambda r: _key(r.finding))),
        skipped=tuple(dict.fromkeys(s for s in session.skipped if touched.holds(s.path))),
        files=session.found.looked_at,
        suppressed=tuple(
            sorted((s for s in suppressed if touched.by(s.finding)), key=lambda s: _key(s.finding))
        ),
    )


def _where(
    paths: list[Path], options: Options, configuration: Configuration, contents: Mapping[str, bytes]
) -> tuple[list[Path], Touched]:
    """What to look through, and which findings are asked for."""
    walk.check(paths, contents)
    kept = [p for p in paths if not configuration.forces_out(p)]
    if not options.whole_project:
        return kept, Touched(None)
    projects = dict.fromkeys(project_of(path) for path in kept)
    # What is not on disk is not found there.
    given = [path for path in kept if not os.path.lexists(path)]
    return [*projects, *given], Touched(tuple(os.path.realpath(path) for path in kept))


def _sort_out(
    found: Reported, comments: Suppressions, reported: list[Reported], suppressed: list[Suppressed]
) -> None:
    """Add a finding to what is reported, or to what a comment silences."""
    by = comments.silencing(found.finding)
    if by is None:
        reported.append(found)
    else:
        here = by.place.path == found.finding.place.path and by.covers(found.finding.place.begin.line)
        suppressed.append(Suppressed(found.finding, by.place, by.reason, by.noqa, here))


def _with_room(work: Callable[[], Report]) -> Report:
    """Do the work where so deep a recursion fits.

    Since Python 3.11 a call in Python takes no C stack. Before, the limit must not be reached on
    the stack that there happens to be: a main thread has 1 MiB on some systems.
    """
    if sys.version_info >= (3, 11):
        return work()
    from threading import Thread, stack_size

    done: list[Report | BaseException] = []

    def settle() -> None:
        try:
            done.append(work())
        except BaseException as error:  # whatever it is, it is raised below
            done.append(error)

    before = stack_size(_STACK)
    try:
        thread = Thread(target=settle, daemon=True)
        thread.start()
    finally:
        stack_size(before)
    thread.join()
    if isinstance(done[0], BaseException):
        raise done[0]
    return done[0]


def selected_codes(options: Options, paths: Iterable[Path] = ()) -> frozenset[str]:
    """The rules that a run on some paths is asked for."""
    configuration = Configuration(options)
    for path in paths:
        configuration.of_path(path)
    return configuration.codes()


def wanted(options: Options) -> Callable[[Finding], bool]:
    """Tells whether a finding is one that a run is asked for."""
    configuration = Configuration(options)
    return lambda finding: configuration.wants(finding.code, finding.place.path)


def _key(finding: Finding) -> tuple[str, int, str, str]:
    return (str(finding.place.path), finding.place.start, finding.code, finding.message)


class _Session:
    """The files of one run and what has been learnt of them.

    Attributes:
        sources: the files below the given paths that belong to a server.
    """

    def __init__(
        self, found: walk.Discovery, options: Options, configuration: Configuration, read: Read
    ) -> None:
        self.found = found
        self._configuration = configuration
        self._read = read
        self.skipped = [Skipped(s.path, s.reason) for s in found.skipped if not s.expected]
        self.sources: dict[Path, Source] = {}
        self._options = options
        self._own = {f.path for f in found.files}
        self._python = [f for f in found.files if f.path.suffix in PYTHON_SUFFIXES]
        self._javascript = [f for f in found.files if f.path.suffix not in PYTHON_SUFFIXES]

    def servers(self) -> Iterator[Server]:
        """Every server, language by language."""
        for family, files in (("javascript", self._javascript), ("python", self._python)):
            if files and family in self._options.languages:
                yield from self._servers(family, files)

    def _servers(self, family: Family, files: list[walk.FoundFile]) -> Iterator[Server]:
        """The servers of a language, by what is known besides the catalog where their files lie."""
        plain = catalog(family, rules_dir() / "catalog")
        known: dict[Knowledge, Catalog] = {}
        for knowledge in dict.fromkeys(self._configuration.of(f.path).knowledge for f in files):
            known[knowledge] = with_own(plain, family, dict(knowledge.rows), dict(knowledge.modes))
        needles = {n for names in known.values() for n in (*names.needles, *names.loop_needles)}
        pattern = re.compile(b"|".join(re.escape(n.encode()) for n in sorted(needles)))
        unreadable: list[walk.Skipped] = []
        candidates: dict[Knowledge, list[Path]] = {}
        for file, _ in scan(files, pattern, unreadable, self._read):
            if self._may_enter(file):
                knowledge = self._configuration.of(file.path).knowledge
                candidates.setdefault(knowledge, []).append(file.path)
        self.skipped.extend(Skipped(s.path, s.reason) for s in unreadable)
        served: set[tuple[Path, Path, int]] = set()
        for knowledge, paths in candidates.items():
            for server in self._judged(known[knowledge], knowledge, paths, files):
                serve = server.transport.serve
                spot = (server.entry, serve.path, serve.start)
                if spot not in served:
                    served.add(spot)
                    yield server

    def _judged(
        self, names: Catalog, knowledge: Knowledge, candidates: list[Path], files: list[walk.FoundFile]
    ) -> Iterator[Server]:
        version_of = partial(self._version_of, dict(knowledge.assume))
        sdks = Sdks(version_of, SdkSource(read_source, names), names)
        for program in self._programs(names, candidates, files):
            try:
                server = build_server(program, sdks)
            except RecursionError:
                self._report(program.entry.path, _TOO_DEEP, None)
                continue
            if server is not None:
                self._remember(program)
                yield server

    def _remember(self, program: Program) -> None:
        """Keep the sources of a program's own files: their comments may ask for silence."""
        for module in program.execution.modules.values():
            if module.path in self._own:
                self.sources[module.path] = module.code.source

    def _programs(
        self, names: Catalog, candidates: list[Path], files: list[walk.FoundFile]
    ) -> Iterable[Program]:
        importers = _Importers(files, self._read)
        try:
            return self._find(names, candidates, importers)
        except RecursionError:
            return self._programs_one_by_one(names, candidates, importers)

    def _programs_one_by_one(
        self, names: Catalog, candidates: list[Path], importers: _Importers
    ) -> Iterable[Program]:
        """The programs of each candidate by itself, so that one which is too deep is lost alone."""
        programs: dict[Path, Program] = {}
        for candidate in candidates:
            try:
                found = self._find(names, [candidate], importers)
            except RecursionError:
                self._report(candidate, _TOO_DEEP, None)
            else:
                for program in found:
                    programs.setdefault(program.entry.path, program)
        return programs.values()

    def _find(self, names: Catalog, candidates: list[Path], importers: _Importers) -> list[Program]:
        if not candidates:
            return []
        linker = Linker(partial(read_source, read=self._read), tuple(self._folders()), self._report)
        finder = ProgramFinder(linker, Evaluator(linker, names), names, importers)
        return finder.find(candidates, self.found.roots)

    def _folders(self) -> Iterator[Path]:
        for root in self.found.roots:
            yield root if root.is_dir() else root.parent

    def _may_enter(self, file: walk.FoundFile) -> bool:
        """Tests start servers of their own; they count only when they are named."""
        if file.named:
            return True
        roots = [r for r in self.found.roots if r in file.path.parents]
        return not walk.is_test(file.path, max(roots, key=lambda r: len(r.parts), default=file.path.parent))

    def _report(self, path: Path, reason: str, line: int | None) -> None:
        self.skipped.append(Skipped(path, reason, line))

    def _version_of(
        self, assume: Mapping[str, tuple[str, str]], sdk: str, *users: Path
    ) -> PackageVersion | None:
        """The version that the first of some files gets which gets any."""
        language: Family = "python" if users[0].suffix in PYTHON_SUFFIXES else "javascript"
        known = next(filter(None, (package_version(sdk, language, user) for user in users)), None)
        assumed = assume.get(sdk)
        if assumed is not None and (known is None or not known.exact):
            return PackageVersion(sdk, assumed[0], f"assumed by {assumed[1]}", True, None)
        return known


class _Importers:
    """Which files may import a file, by a look at their bytes."""

    def __init__(self, files: list[walk.FoundFile], read: Read) -> None:
        self._files = files
        self._read = read
        self._bytes: dict[Path, bytes] | None = None

    def __call__(self, path: Path) -> Iterable[Path]:
        index = path.stem in ("index", "__init__")
        stems = [path.stem, path.parent.name] if index else [path.stem]
        names = b"|".join(re.escape(stem.encode()) for stem in stems)
        spellings = rb"(?:[/.\"']|import\s+|from\s+)(?:" + names + rb")\b"
        pattern = re.compile(spellings + (rb"|[\"']\.{1,2}/?[\"']" if index else b""))
        folder = _project(path)
        by_name = _by_name(folder)
        for other, data in self._contents().items():
            wanted = pattern if folder in other.parents else by_name
            if other != path and wanted is not None and wanted.search(data):
                yield other

    def _contents(self) -> dict[Path, bytes]:
        if self._bytes is None:
            keep = [f for f in self._files if not walk.is_test(f.path, f.path.parent.parent)]
            found = scan(keep, re.compile(b"import|require"), read=self._read)
            self._bytes = {f.path: data for f, data in found}
        return self._bytes


def _by_name(folder: Path) -> re.Pattern[bytes] | None:
    """How files of other packages import a package: by its name."""
    name = (read_json(str(folder / "package.json")) or {}).get("name")
    if not isinstance(name, str) or not name:
        return None
    return re.compile(rb"[\"']" + re.escape(name.encode()) + rb"[\"'/]")


def _project(path: Path) -> Path:
    for folder in path.parents:
        if any((folder / name).exists() for name in ("package.json", "pyproject.toml", "setup.py", ".git")):
            return folder
    return path.parent
