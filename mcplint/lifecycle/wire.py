"""What gets on the wire that is no message: the writes on stdout along a stdio path, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.deeds import said
from mcplint.lifecycle.flow import Flow
from mcplint.lifecycle.leave import outward
from mcplint.lifecycle.model import Phase, Sharing, Write
from mcplint.lifecycle.outcomes import Way
from mcplint.lifecycle.places import head
from mcplint.lifecycle.surroundings import hangs_on_surroundings
from mcplint.lifecycle.wire_divert import Diversion
from mcplint.lifecycle.wire_guards import guards_of, scoped_guards
from mcplint.lifecycle.wire_text import is_direct, may_be_protocol, shows_text
from mcplint.lifecycle.wire_walk import Visitor, Walk
from mcplint.program.catalog import lookup
from mcplint.program.execution import Context, Execution
from mcplint.program.steps import Step
from mcplint.program.values import External, Values
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.sdk import Sdk, VersionOf
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.catalog_stdout import WriteEntry
    from mcplint.program.programs import Program
    from mcplint.program.scope import Scope

_ORDER: dict[Phase, int] = {"import": 0, "start": 1, "serving": 2, "call": 3, "end": 4}
_EVERYTHING = "fd 1"


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


class Wire(Visitor):
    """Collects what a walk meets that reaches stdout."""

    def __init__(self, execution: Execution, found: FoundTransport, flow: Flow) -> None:
        super().__init__()
        self._execution = execution
        self._evaluator = execution.evaluator
        self._stdout = execution.catalog.stdout
        self._found = found
        self._flow = flow
        self._wrote: list[_Wrote] = []
        self._loggers: list[_Logger] = []

    # ------------------------------------------------------------------ the walk

    def visit(self, step: Step, context: Context, phase: Phase) -> None:
        """Keep what a step writes, and what it makes safe."""
        node = step.node
        if isinstance(node, ir.Call):
            targets = self._evaluator.values(node.callee, step.scope)
            self._call(node, targets, step.scope, context, phase)
        if isinstance(node, (ir.Call, ir.Assign)):
            self.stopped = guards_of(node, step.scope, self.stopped, self._execution)

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
        if not is_direct(call.callee, scope):
            return False
        if entry.methods:
            return True
        if self._found.entry.answers or entry.text:
            return shows_text(call, scope, self._evaluator) and not may_be_protocol(
                call, scope, self._execution
            )
        return True

    # ------------------------------------------------------------------ what came of it

    def writes(self, diversion: Diversion, version_of: VersionOf, entry_path: object) -> tuple[Write, ...]:
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
        for context, call, scope in contexts:
            if self._is_optional(context) or (wrote.phase != "end" and self._precedes_an_end(call, scope)):
                return None
        made = wrote.logger or wrote
        source: Literal["code", "logger", "dependency"] = "logger" if wrote.entry.why else "code"
        return Write(
            what=wrote.entry.what or said(made.call, made.scope),
            place=head(made.call, made.scope),
            source=source,
            phase=wrote.phase,
            certain=all(self._is_sure(context) for context, _, _ in contexts)
            and not (wrote.logger is not None and wrote.call is wrote.logger.call),
            reaches=not diversion.keeps(wrote.phase),
            why=wrote.entry.why,
            first=None if made.call is wrote.call else head(wrote.call, wrote.scope),
        )

    def _is_sure(self, context: Context) -> bool:
        return self._found.context.implies(replace(context, on_call=False))

    def _is_optional(self, context: Context) -> bool:
        """Whether this runs only where an option, or the machine, is so, which serving does not need."""
        path = self._found.context.branches
        return any(
            not b.usual and b not in path and hangs_on_surroundings(b, self._execution)
            for b in context.branches
        )

    def _precedes_an_end(self, call: ir.Call, scope: Scope) -> bool:
        """Whether the block of a decision in which a call stands surely ends the process."""
        function = scope.function
        body = function.body if function is not None else scope.module.code.body
        return any(self._ends(block, scope) for block in _blocks_around(call, body))

    def _ends(self, block: ir.Block, scope: Scope) -> bool:
        return bool(block) and surely_ends(outward(self._flow.block(block, scope)))


def surely_ends(ways: Way) -> bool:
    """Whether these ways out are ends of the process and nothing else."""
    ends = Way.ENDS | Way.UNWINDS
    return bool(ways & ends) and not ways & ~(ends | Way.WAITS | Way.PAUSES)


def _blocks_around(node: ir.Node, body: ir.Block) -> Iterator[ir.Block]:
    """The arms of decisions and the handlers of exceptions that hold a node."""
    for statement in body:
        if not statement.start <= node.start < statement.end:
            continue
        for block, decided in _inner(statement):
            if any(s.start <= node.start < s.end for s in block):
                if decided:
                    yield block
                yield from _blocks_around(node, block)


def _inner(statement: ir.Stmt) -> Iterator[tuple[ir.Block, bool]]:
    match statement:
        case ir.If(then=then, otherwise=otherwise):
            yield then, True
            yield otherwise, True
        case ir.Switch(cases=cases):
            yield from ((case.body, True) for case in cases)
        case ir.Try(body=body, catches=catches, otherwise=otherwise, final=final):
            yield body, False
            yield from ((catch.body, True) for catch in catches)
            yield otherwise, False
            yield final, False
        case ir.Loop(body=body, otherwise=otherwise):
            yield body, False
            yield otherwise, False
        case ir.With(body=body) | ir.Nested(body=body):
            yield body, False
        case _:
            return


def _rank(write: Write) -> tuple[bool, bool, int]:
    return not write.reaches, not write.certain, _ORDER[write.phase]


def find_writes(
    program: Program, found: FoundTransport, sdk: Sdk, flow: Flow, version_of: VersionOf
) -> tuple[tuple[Write, ...], tuple[Sharing, ...]]:
    """What a program puts on stdout on its way to a transport and while it serves, and who shares it."""
    wire = Wire(program.execution, found, flow)
    walk = Walk.over(program, found, wire, lambda f, s: surely_ends(outward(flow.function(f, s))))
    walk.go(program)
    diversion = Diversion.of(found, sdk, program.execution)
    return wire.writes(diversion, version_of, program.entry.path), ()
