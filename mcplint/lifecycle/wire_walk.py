"""A run through a program in the order in which a real one goes, for what depends on order.

``program/execution.py`` finds all that runs, whatever comes first. Here a body runs where it is called,
what is handed over for later runs when the server serves, and each step knows its moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcplint.lifecycle.model import Phase
from mcplint.program.catalog import lookup
from mcplint.program.contexts import START, Context, at_step
from mcplint.program.execution import Execution
from mcplint.program.handed import handed_over
from mcplint.program.steps import Body, Step
from mcplint.program.values import External
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.transports import FoundTransport
    from mcplint.program.link import LinkedModule
    from mcplint.program.programs import Program
    from mcplint.program.scope import Scope

_MAX_CONTEXTS = 4
_MAX_DEPTH = 150
_SETTLES = ("once", "start", "each")


@dataclass(frozen=True, slots=True)
class _Deferred:
    body: Body
    module: LinkedModule
    context: Context
    phase: Phase


class Visitor:
    """What is told of each step before what it calls is followed.

    Attributes:
        stopped: what has been replaced so far, so that nothing goes to stdout through it.
    """

    def __init__(self) -> None:
        self.stopped: frozenset[str] = frozenset()

    def visit(self, step: Step, context: Context, phase: Phase) -> None:
        """A step runs in this context and phase."""
        raise NotImplementedError

    def scoped(self, node: ir.With, scope: Scope) -> frozenset[str]:
        """What a ``with`` replaces for as long as its block runs."""
        raise NotImplementedError

    def mark(self) -> int:
        """A state to which :meth:`forget` can go back."""
        raise NotImplementedError

    def found_since(self, mark: int) -> bool:
        """Whether anything was found since a mark."""
        raise NotImplementedError

    def forget(self, mark: int) -> None:
        """Take back what was found since a mark."""
        raise NotImplementedError


@dataclass
class Walk(Execution):
    """One run on the way to one transport.

    Attributes:
        found: the transport.
        visitor: what is told of each step.
        ends: whether a function surely ends the process.
        worth: the bodies that are worth a visit.
    """

    found: FoundTransport | None = None
    visitor: Visitor = field(default_factory=Visitor)
    ends: Callable[[ir.Function, Scope], bool] = lambda function, scope: False
    worth: frozenset[Body] = frozenset()
    _excluded: dict[Step, bool] = field(default_factory=dict)
    _phase: Phase = "import"
    _depth: int = 0
    _inside: int = 0
    _served: bool = False
    _later: list[_Deferred] = field(default_factory=list)
    _defers: Phase | None = None
    _seen: dict[tuple[Body, Phase, frozenset[str]], list[Context]] = field(default_factory=dict)

    @classmethod
    def over(
        cls,
        program: Program,
        found: FoundTransport,
        visitor: Visitor,
        ends: Callable[[ir.Function, Scope], bool],
        worth: frozenset[Body],
    ) -> Walk:
        """A walk over a program, which :meth:`go` starts."""
        known = program.execution
        return cls(
            known.evaluator,
            known.catalog,
            known.scanner,
            known.linker,
            found=found,
            visitor=visitor,
            ends=ends,
            worth=worth,
        )

    def go(self, program: Program) -> None:
        """Run the program from its entry on."""
        self.enter_module(program.entry)
        for function in program.functions:
            self.enter_function(function)
        for step in program.execution.extra:
            self._step(step, START, None)
        self._run_deferred()

    # ------------------------------------------------------------------ bodies

    def _enter(self, body: Body, module: LinkedModule, context: Context) -> None:
        if body not in self.worth:
            return
        if self._defers is not None:
            phase: Phase = "call" if context.on_call and self._defers == "serving" else self._defers
            self._later.append(_Deferred(body, module, context, phase))
            return
        key = (body, self._moment(body), self.visitor.stopped)
        known = self._seen.setdefault(key, [])
        if self._depth >= _MAX_DEPTH or any(c.covers(context) for c in known) or len(known) >= _MAX_CONTEXTS:
            return
        if self.found is not None and self.found.context.excludes(context):
            return
        known.append(context)
        is_function = isinstance(body, ir.Function)
        mark, served = self.visitor.mark(), self._served
        self._depth += 1
        self._inside += is_function
        self._run_body(body, module, context)
        self._inside -= is_function
        self._depth -= 1
        goes_on = self._phase == "end" or served != self._served or not self.visitor.found_since(mark)
        if isinstance(body, ir.Function) and not goes_on and self.ends(body, module.scope):
            # Whoever comes here goes no further: it says why on its way out.
            self.visitor.forget(mark)

    def _moment(self, body: Body) -> Phase:
        """The phase of a body: loading ends where a function runs that is called from nowhere else."""
        if self._phase != "import":
            return self._phase
        return "start" if self._inside or isinstance(body, ir.Function) else "import"

    def _run_body(self, body: Body, module: LinkedModule, context: Context) -> None:
        scopes: list[tuple[int, frozenset[str]]] = []
        steps = self.scanner.steps(body, module)
        ending = self._end_of_serving(steps) if module.is_python else None
        for step in steps if module.is_python else _hoisted(steps):
            while scopes and step.node.start >= scopes[-1][0]:
                self.visitor.stopped -= scopes.pop()[1]
            if self._is_excluded(step):
                continue
            where = at_step(step, context)
            if isinstance(step.node, ir.With):
                added = self.visitor.scoped(step.node, step.scope) - self.visitor.stopped
                self.visitor.stopped |= added
                scopes.append((step.node.end, added))
            self._step(step, where, ending)
        while scopes:
            self.visitor.stopped -= scopes.pop()[1]

    def _is_excluded(self, step: Step) -> bool:
        """Whether a step is on another way than the one to the transport by its own decisions."""
        if not step.branches or self.found is None:
            return False
        known = self._excluded.get(step)
        if known is None:
            known = self.found.context.excludes(Context(branches=step.branches))
            self._excluded[step] = known
        return known

    def _step(self, step: Step, context: Context, ending: ir.Node | None) -> None:
        phase = self._phase
        self.visitor.visit(step, context, "start" if phase == "import" and self._inside else phase)
        serves = self.found is not None and step.node is self.found.serve
        if serves:
            self._served = True
            self._phase = self._phase if self._phase in ("call", "end") else "serving"
        self._follow(step, context)
        if step.scope.module.is_python and ((serves and ending is None) or step.node is ending):
            self._run_deferred()
            self._phase = "end"

    def _end_of_serving(self, steps: Iterable[Step]) -> ir.Node | None:
        """The last step of a body that waits for the serve call: an ``await`` of it, or ``run(it)``."""
        serve = None if self.found is None else self.found.serve
        last: ir.Node | None = None
        passed = False
        for step in steps:
            if step.node is serve:
                passed = True
            elif passed and isinstance(step.node, (ir.Await, ir.Call)) and _holds(step.node, serve):
                last = step.node
        return last

    # ------------------------------------------------------------------ what runs later

    def _run_deferred(self) -> None:
        before = self._phase
        while self._later:
            item = self._later.pop(0)
            self._phase = item.phase
            self._enter(item.body, item.module, item.context)
        self._phase = before

    @contextmanager
    def _later_in(self, phase: Phase) -> Iterator[None]:
        before, self._defers = self._defers, self._defers or phase
        try:
            yield
        finally:
            self._defers = before

    def _external(self, target: External, call: ir.Call, scope: Scope, context: Context) -> None:
        if listeners := lookup(self.catalog.listeners, target.name):
            super()._external(target, call, scope, context)
            if all(entry.awaited is None for entry in listeners):
                with self._later_in("end"):
                    for function in handed_over(call, self.evaluator, scope):
                        if not self._gets_messages(target, call, scope):
                            self.enter_function(function, context)
            return
        entry = self.catalog.callback(target.name)
        inside = self.catalog.stdout.inside.get(target.name)
        if entry is not None and entry.runs in _SETTLES and inside is None:
            super()._external(target, call, scope, context)
            return
        with self._later_in("serving"):
            super()._external(target, call, scope, context)

    def _decorated(self, function: ir.Function, scope: Scope, context: Context) -> None:
        with self._later_in("serving"):
            super()._decorated(function, scope, context)

    def _assigned(self, assign: ir.Assign, scope: Scope, context: Context) -> None:
        names = self.evaluator.outside_names(assign.target, scope)
        if any(name.removesuffix("[]") in self.catalog.stdout.replaced for name in names):
            return
        with self._later_in("serving"):
            super()._assigned(assign, scope, context)


def _holds(node: ir.Node, wanted: ir.Node | None) -> bool:
    return any(inner is wanted for inner in ir.walk(node))


def _hoisted(steps: Iterable[Step]) -> list[Step]:
    """The steps of a module or function of JavaScript: what it imports loads before all else."""
    listed = list(steps)
    first = [s for s in listed if isinstance(s.node, (ir.Import, ir.ExportNames))]
    return [*first, *(s for s in listed if not isinstance(s.node, (ir.Import, ir.ExportNames)))]
