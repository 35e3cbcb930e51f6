"""What gets on the wire that is no message: the writes on stdout along a stdio path, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.deeds import said
from mcplint.lifecycle.flow import Flow
from mcplint.lifecycle.leave import outward
from mcplint.lifecycle.model import Phase, Sharing, Write
from mcplint.lifecycle.places import head
from mcplint.lifecycle.wire_children import Shared, shared_by
from mcplint.lifecycle.wire_divert import Diversion
from mcplint.lifecycle.wire_guards import guards_of, scoped_guards
from mcplint.lifecycle.wire_paths import Path, surely_ends
from mcplint.lifecycle.wire_reach import Reach
from mcplint.lifecycle.wire_text import is_direct, may_be_protocol, shows_text
from mcplint.lifecycle.wire_walk import Visitor, Walk
from mcplint.program.calls import last_name
from mcplint.program.catalog import lookup
from mcplint.program.contexts import Context
from mcplint.program.execution import Execution
from mcplint.program.steps import Step
from mcplint.program.values import External, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.sdk import Sdk, VersionOf
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.catalog_stdout import WriteEntry
    from mcplint.program.programs import Program
    from mcplint.program.scope import Scope
    from mcplint.program.versions import PackageVersion

_ORDER: dict[Phase, int] = {"import": 0, "start": 1, "serving": 2, "call": 3, "end": 4}
_INPUT, _EVERYTHING = "fd 0", "fd 1"


@dataclass(frozen=True, slots=True, eq=False)
class _Logger:
    """Something made that writes when its methods are called."""

    entry: WriteEntry
    call: ir.Call
    scope: Scope
    context: Context
    phase: Phase


@dataclass(frozen=True, slots=True, eq=False)
class _Wrote:
    """One write in one moment. ``logger`` is what made it write; ``call`` what writes now."""

    entry: WriteEntry
    call: ir.Call
    scope: Scope
    context: Context
    phase: Phase
    logger: _Logger | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Started:
    """A child that was started in one moment."""

    shared: Shared
    call: ir.Call
    scope: Scope
    context: Context
    phase: Phase


class Wire(Visitor):
    """Collects what a walk meets that reaches stdout."""

    def __init__(
        self,
        execution: Execution,
        found: FoundTransport,
        flow: Flow,
        version_of: Callable[..., PackageVersion | None],
    ) -> None:
        super().__init__()
        self._version_of = version_of
        self._execution = execution
        self._evaluator = execution.evaluator
        self._stdout = execution.catalog.stdout
        self._found = found
        self._path = Path(found.context, flow, execution)
        self._wrote: list[_Wrote] = []
        self._loggers: list[_Logger] = []
        self._started: list[_Started] = []

    # ------------------------------------------------------------------ the walk

    def visit(self, step: Step, context: Context, phase: Phase) -> None:
        """Keep what a step writes, and what it makes safe."""
        node = step.node
        if isinstance(node, ir.Call):
            targets = self._evaluator.values(node.callee, step.scope)
            self._call(node, targets, step.scope, context, phase)
        if isinstance(node, (ir.Call, ir.Assign)):
            self.stopped = guards_of(node, step.scope, self.stopped, self._execution)

    def matters(self, step: Step) -> bool:
        """Whether a step may write, start a child or change what others write."""
        node, stdout = step.node, self._stdout
        if isinstance(node, ir.With):
            return bool(scoped_guards(node, step.scope, self._execution))
        if isinstance(node, ir.Assign):
            return guards_of(node, step.scope, frozenset(), self._execution) != frozenset()
        if not isinstance(node, ir.Call):
            return False
        if last_name(node.callee) in stdout.methods:
            return True
        names = self._evaluator.outside_names(node.callee, step.scope)
        tables = (stdout.writes, stdout.guards, stdout.sharing)
        return any(lookup(table, name) for name in names for table in tables)

    def scoped(self, node: ir.With, scope: Scope) -> frozenset[str]:
        """What a ``with`` keeps off stdout for as long as it lasts."""
        return scoped_guards(node, scope, self._execution)

    def mark(self) -> int:
        """How much was found so far."""
        return len(self._wrote)

    def found_since(self, mark: int) -> bool:
        """Whether anything was found since a mark."""
        return len(self._wrote) > mark

    def forget(self, mark: int) -> None:
        """Take back what was found since a mark."""
        del self._wrote[mark:]

    def _call(self, call: ir.Call, targets: Values, scope: Scope, context: Context, phase: Phase) -> None:
        shared = shared_by(call, targets, scope, self._execution)
        if shared is not None:
            left = Shared(
                shared.stdin and _INPUT not in self.stopped, shared.stdout and not self._is_stopped(())
            )
            if left.stdin or left.stdout:
                self._started.append(_Started(left, call, scope, context, phase))
        for target in targets:
            if not isinstance(target, External):
                continue
            for entry in lookup(self._stdout.writes, target.name):
                through = entry.made_by if entry.methods else (target.name, *entry.by)
                if self._is_stopped(through) or not self._applies(entry, call, scope):
                    continue
                if entry.methods:
                    self._loggers.append(_Logger(entry, call, scope, context, phase))
                else:
                    self._wrote.append(_Wrote(entry, call, scope, context, phase))
                break
            self._log(target, call, scope, context, phase)

    def _log(self, target: External, call: ir.Call, scope: Scope, context: Context, phase: Phase) -> None:
        """What the loggers write that were made so far, if this is a call of one."""
        owner, _, method = target.name.rpartition(".")
        for logger in self._loggers:
            entry = logger.entry
            if method not in entry.methods or self._is_stopped(entry.by):
                continue
            own = owner.removesuffix(".child()") in {f"{name}()" for name in entry.names}
            fits = owner in entry.owners if entry.owners else own and self._made_by(target, logger.call)
            if fits:
                self._wrote.append(_Wrote(entry, call, scope, context, phase, logger))

    def _made_by(self, target: External, made: ir.Call) -> bool:
        """Whether an object comes from a call, perhaps by way of others such as ``child()``."""
        site = target.site
        for _ in range(4):
            if site is made:
                return True
            if site is None:
                return False
            scope = self._evaluator.index.scope_of(site)
            sites = {v.site for v in self._evaluator.values(site.callee, scope) if isinstance(v, External)}
            site = sites.pop() if len(sites) == 1 else None
        return False

    def _is_stopped(self, through: Iterable[str]) -> bool:
        if _EVERYTHING in self.stopped:
            return True
        return any(name == s or name.startswith(f"{s}.") for name in through for s in self.stopped)

    def _applies(self, entry: WriteEntry, call: ir.Call, scope: Scope) -> bool:
        if entry.only_if and any_true(entry.only_if, call, scope, self._evaluator) is not True:
            return False
        if entry.unless and any_true(entry.unless, call, scope, self._evaluator) is not False:
            return False
        if not is_direct(call.callee, scope) or not self._has_version(entry, scope):
            return False
        if entry.methods:
            return True
        if self._found.entry.answers or entry.text:
            return shows_text(call, scope, self._evaluator) and not may_be_protocol(
                call, scope, self._execution
            )
        return True

    def _has_version(self, entry: WriteEntry, scope: Scope) -> bool:
        """Whether a dependency is of a version that writes, whichever of a range it gets."""
        if not entry.package or entry.versions == "*":
            return True
        version = self._version_of(entry.package, scope.module.path)
        return version is not None and version.must_be(entry.versions)

    # ------------------------------------------------------------------ what came of it

    def writes(self, diversion: Diversion) -> tuple[Write, ...]:
        """Each writing place once, in the moment that matters most."""
        best: dict[object, Write] = {}
        for wrote in (*self._wrote, *self._unfed()):
            write = self._write(wrote, diversion)
            if write is None:
                continue
            key = self._key(wrote)
            known = best.get(key)
            if known is None or _rank(write) < _rank(known):
                best[key] = write
        return tuple(best.values())

    def sharing(self, diversion: Diversion) -> tuple[Sharing, ...]:
        """Each child once, in the moment that matters most."""
        best: dict[ir.Call, Sharing] = {}
        for started in self._started:
            call, scope, context = started.call, started.scope, started.context
            if not self._path.comes_to(call, scope, context, leaving=False):
                continue
            sharing = Sharing(
                what=said(call, scope),
                place=head(call, scope),
                stdin=started.shared.stdin,
                stdout=started.shared.stdout,
                phase=started.phase,
                certain=self._path.is_sure(context),
                reaches=not diversion.keeps(started.phase),
            )
            known = best.get(call)
            if known is None or _rank(sharing) < _rank(known):
                best[call] = sharing
        return tuple(best.values())

    def _unfed(self) -> Iterator[_Wrote]:
        """Loggers by which libraries write, whether or not the program does."""
        fed = {id(w.logger) for w in self._wrote if w.logger is not None}
        for logger in self._loggers:
            if logger.entry.always and id(logger) not in fed and not self._is_stopped(logger.entry.by):
                yield _Wrote(logger.entry, logger.call, logger.scope, logger.context, "serving", logger)

    def _key(self, wrote: _Wrote) -> object:
        if wrote.entry.logger:
            return wrote.entry.logger
        return wrote.call if wrote.logger is None else wrote.logger.call

    def _write(self, wrote: _Wrote, diversion: Diversion) -> Write | None:
        contexts = [(wrote.context, wrote.call, wrote.scope)]
        if wrote.logger is not None:
            contexts.append((wrote.logger.context, wrote.logger.call, wrote.logger.scope))
        leaving = wrote.phase == "end"
        if not all(self._path.comes_to(call, scope, context, leaving) for context, call, scope in contexts):
            return None
        made = wrote.logger or wrote
        entry = wrote.entry
        source: Literal["code", "logger", "dependency"] = (
            "logger" if entry.methods or entry.logger else "code"
        )
        source = "dependency" if entry.package else source
        version = self._version_of(entry.package, made.scope.module.path) if entry.package else None
        return Write(
            what=wrote.entry.what or said(made.call, made.scope),
            place=head(made.call, made.scope),
            source=source,
            phase=wrote.phase,
            certain=all(self._path.is_sure(context) for context, _, _ in contexts)
            and not (wrote.logger is not None and wrote.call is wrote.logger.call),
            reaches=not diversion.keeps(wrote.phase),
            why=wrote.entry.why,
            first=None if made.call is wrote.call else head(wrote.call, wrote.scope),
            version=version,
        )


def _rank(write: Write | Sharing) -> tuple[bool, bool, int]:
    return not write.reaches, not write.certain, _ORDER[write.phase]


def find_writes(
    program: Program, found: FoundTransport, sdk: Sdk, flow: Flow, version_of: VersionOf
) -> tuple[tuple[Write, ...], tuple[Sharing, ...]]:
    """What a program puts on stdout on its way to a transport and while it serves, and who shares it."""
    entry = program.entry.path
    wire = Wire(program.execution, found, flow, lambda package, user: version_of(package, user, entry))
    worth = Reach.leading_to(program.execution, lambda step: step.node is found.serve or wire.matters(step))
    walk = Walk.over(program, found, wire, lambda f, s: surely_ends(outward(flow.function(f, s))), worth)
    walk.go(program)
    diversion = Diversion.of(found, sdk, program.execution)
    return wire.writes(diversion), wire.sharing(diversion)
