"""When and under which decisions something runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mcplint.program.scope import Scope
from mcplint.program.steps import NO_BRANCH, Branches, Step
from mcplint.syntax import ir


@dataclass(frozen=True, slots=True)
class Context:
    """When and under which decisions something runs.

    Attributes:
        on_call: it needs a tool call or a request.
        branches: the decisions that it depends on.
        repeats: it runs again and again for ever.
    """

    on_call: bool = False
    branches: Branches = NO_BRANCH
    repeats: bool = False

    def covers(self, other: Context) -> bool:
        """Whether ``other`` adds nothing to a body that runs in this context."""
        return (
            self.on_call <= other.on_call
            and self.branches <= other.branches
            and self.repeats >= other.repeats
        )

    def excludes(self, other: Context) -> bool:
        """Whether the two can never both come about.

        They take different arms of a decision, or belong to different commands.
        """
        if any(mine.excludes(theirs) for theirs in other.branches for mine in self.branches):
            return True
        commands, others = _modes(self), _modes(other)
        return bool(commands and others) and commands.isdisjoint(others)

    def with_(self, other: Context) -> Context:
        """The context in which both come about."""
        return Context(
            self.on_call or other.on_call, self.branches | other.branches, self.repeats or other.repeats
        )

    def implies(self, other: Context) -> bool:
        """Whether whatever runs here makes sure that ``other`` runs too."""
        needed = (b for b in other.branches if not b.usual and b not in self.branches)
        return (self.on_call or not other.on_call) and all(
            any(mine.implies(theirs) for mine in self.branches) for theirs in needed
        )


def _modes(context: Context) -> set[ir.Node]:
    return {b.node for b in context.branches if b.mode}


START = Context()


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """A step in one of the contexts that reach it."""

    step: Step
    context: Context

    @property
    def scope(self) -> Scope:
        """Where its names are looked up."""
        return self.step.scope


def at_step(step: Step, context: Context) -> Context:
    """The context of a step in a body that runs in ``context``."""
    if not step.branches and not step.repeats:
        return context
    return replace(
        context, branches=context.branches | step.branches, repeats=context.repeats or step.repeats
    )
