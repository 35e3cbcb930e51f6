"""Child processes that are given the server's own stdin or stdout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.program.catalog import lookup
from mcplint.program.catalog_entries import Condition
from mcplint.program.values import External, Values

if TYPE_CHECKING:
    from mcplint.program.evaluate import Evaluator
    from mcplint.program.execution import Execution
    from mcplint.program.scope import Scope
    from mcplint.syntax import ir


@dataclass(frozen=True, slots=True)
class Shared:
    """Which of the two streams a child gets."""

    stdin: bool
    stdout: bool


def shared_by(call: ir.Call, targets: Values, scope: Scope, execution: Execution) -> Shared | None:
    """What a call that starts a child shares with it, if anything."""
    evaluator = execution.evaluator
    for target in targets:
        if not isinstance(target, External):
            continue
        for entry in lookup(execution.catalog.stdout.sharing, target.name):
            if entry.only_if and any_true(entry.only_if, call, scope, evaluator) is not True:
                continue
            stdin = _gets(entry.stdin_if, entry.stdin_unless, call, scope, evaluator)
            stdout = _gets(entry.stdout_if, entry.stdout_unless, call, scope, evaluator)
            if stdin or stdout:
                return Shared(stdin, stdout)
    return None


def _gets(
    if_: tuple[Condition, ...] | None,
    unless: tuple[Condition, ...],
    call: ir.Call,
    scope: Scope,
    evaluator: Evaluator,
) -> bool:
    if if_ is not None and any_true(if_, call, scope, evaluator) is not True:
        return False
    return not unless or any_true(unless, call, scope, evaluator) is False
