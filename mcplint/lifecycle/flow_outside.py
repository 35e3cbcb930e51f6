"""What a call of something outside the program does: exits, waits, and functions that run later."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING

from mcplint.lifecycle.conditions import any_true
from mcplint.lifecycle.flow_signals import self_signal
from mcplint.lifecycle.leave import Leave, detached, then
from mcplint.program.calls import last_name
from mcplint.program.catalog import listed, lookup
from mcplint.program.catalog_entries import CallbackEntry, ExitEntry
from mcplint.program.handed import handed_over
from mcplint.program.scope import Scope
from mcplint.program.values import Const, External, FunctionValue, Value
from mcplint.syntax import ir

if TYPE_CHECKING:
    from mcplint.lifecycle.flow import Flow

F = Leave


class Outside:
    """Computes the ways out of calls of external names."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._given = flow.given

    def ways(self, name: str, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        """The ways out of a call of ``name``."""
        for exit_ in lookup(self._given.catalog.exits, name):
            if (effect := self._exit(exit_, name, call, scope)) is not None:
                return effect
        if name == "?" or (name.endswith(("[]", "()")) and self._given.catalog.is_from_collection(name)):
            return F.UNKNOWN | F.FALLS | self._failure(awaited)
        if listed(self._given.catalog.endless, name):
            return F.HANGS if not self._is_stopped(call, scope) else F.FALLS | F.UNKNOWN
        if self._is_stranger(name, scope) or self._speaks_of_an_end(name):
            return F.UNKNOWN | F.FALLS
        if (
            call.is_new
            and call.args
            and (entry := self._given.catalog.callback(name))
            and entry.runs == "once"
        ):
            return self._promise(call, scope, awaited)
        later = self._callbacks(name, call, scope)
        if not awaited or listed(self._given.catalog.closers, name):
            return later
        if listed(self._given.catalog.prompt, name):
            return later | F.PAUSES
        if name in self._given.catalog.joins:
            return later | F.PAUSES | F.WAITS | self._joined(call, scope, self._given.catalog.joins[name])
        return later | F.PAUSES | F.WAITS | self._failure(awaited)

    def _joined(self, call: ir.Call, scope: Scope, fails: bool) -> Leave:
        """How waiting for each of some promises can fail, as far as they are written there."""
        lists = [a.items for a in call.args if isinstance(a, ir.Array)]
        ways = F.NONE
        for item in (i for items in lists for i in items if fails):
            ways |= self._flow.awaited(item, scope) & F.THROWS
        return ways

    def may_call_back(self, site: ir.Call | None, call: ir.Call) -> bool:
        """Whether an object has a listener that ends the process, for an event that a call may bring about.

        An error comes of itself, and ``call`` may only add a listener: then it brings about nothing.
        Whom the program's own emitters tell is another question.
        """
        given = self._given
        method = last_name(call.callee)
        if site is None or given.uses is None or method in given.catalog.hears:
            return False
        scope = given.evaluator.index.scope_of(call)
        if any(lookup(given.catalog.emitters, n) for n in given.evaluator.outside_names(call.callee, scope)):
            return False
        for use in given.uses.listening_to(site):
            scope = given.evaluator.index.scope_of(use.call)
            if Const("error") not in given.evaluator.values(use.call.args[0], scope):
                for target in handed_over(use.call, given.evaluator, scope):
                    if self._flow.function(target.function, target.scope) & (F.ENDS | F.FALLS_A):
                        return True
        return False

    def _failure(self, awaited: bool) -> Leave:
        return F.THROWS if awaited and self._given.fails else F.NONE

    def handed_over(self, entry: CallbackEntry, call: ir.Call, scope: Scope) -> Leave:
        """The ways of the functions that a call is given to run when a promise settles."""
        ways = F.ENDS if self._hands_over_exit(call, scope) else F.NONE
        for target in handed_over(call, self._given.evaluator, scope, entry.at):
            ways |= self._flow.function(target.function, target.scope)
        return ways or F.FALLS

    def _exit(self, entry: ExitEntry, name: str, call: ir.Call, scope: Scope) -> Leave | None:
        applies = any_true(entry.only_if, call, scope, self._given.evaluator) if entry.only_if else True
        if applies is False:
            return None
        if entry.effect == "ends":
            return F.ENDS
        if entry.effect == "unwinds":
            return F.UNWINDS
        if entry.effect in ("signals", "emits"):
            return self_signal(self._flow, call, scope, entry.effect == "signals")
        if entry.effect == "restores":
            return F.FALLS
        if entry.effect == "tells":
            return self._told(call, scope)
        return None if self._is_release(name) else F.UNKNOWN | F.FALLS

    def _told(self, call: ir.Call, scope: Scope) -> Leave:
        """What the listeners of an emitter of the program do, one after the other."""
        telling = self._given.telling
        heard = None if telling is None else telling.told(call, scope)
        if heard is None:
            return F.UNKNOWN | F.FALLS
        ways = F.FALLS
        for listening in heard:
            effect = F.NONE
            for handler in listening.handlers:
                effect |= self._heard(handler)
            ways = then(ways, effect if effect and listening.certain else effect | F.FALLS)
        return ways

    def _heard(self, handler: Value) -> Leave:
        match handler:
            case FunctionValue(function=function, scope=home):
                ways = self._flow.function(function, home)
                return detached(ways) if function.is_async else ways
            case External(name=name):
                ends = any(e.effect == "ends" for e in lookup(self._given.catalog.exits, name))
                return F.ENDS if ends else F.UNKNOWN | F.FALLS
            case _:
                return F.UNKNOWN | F.FALLS

    def _is_release(self, name: str) -> bool:
        """Whether a method is how the catalog lets go of that very object: ``redis.quit``."""
        owner, _, method = name.rpartition(".")
        holders = self._given.catalog.holders
        made = lookup(holders, owner.removesuffix("()"))
        begun = (entry for key in holders if key.rpartition(".")[0] == owner for entry in holders[key])
        return any(method in entry.releases for entry in (*made, *begun))

    def _is_stopped(self, call: ir.Call, scope: Scope) -> bool:
        """Whether some code can make an endless call of an object come back."""
        values = self._given.evaluator.values(call.callee, scope)
        return self._given.uses is not None and any(
            self._given.uses.stops(v) for v in values if isinstance(v, External)
        )

    def _speaks_of_an_end(self, name: str) -> bool:
        """Whether a function of a package, and no method of an object, has an end in its name."""
        if "(" in name or name.startswith("?"):
            return False
        words = re.findall(r"[A-Z]?[a-z]+", name.rpartition(".")[2])
        return not self._given.catalog.exit_words.isdisjoint(word.lower() for word in words)

    def _is_stranger(self, name: str, scope: Scope) -> bool:
        """Whether a bare name is no import and no function that the language has."""
        if "." in name or "(" in name or name in self._given.catalog.known:
            return False
        return not (scope.module.is_python and hasattr(builtins, name)) and not scope.find(name)

    def _promise(self, call: ir.Call, scope: Scope, awaited: bool) -> Leave:
        executors = handed_over(call, self._given.evaluator, scope)
        ways = F.FALLS
        for executor in executors:
            ways = then(ways, self._flow.function(executor.function, executor.scope))
        if awaited and executors and all(not e.function.body for e in executors):
            return F.HANGS
        if not awaited:
            return ways
        return ways | F.PAUSES if self._has_timer(executors) else ways | F.PAUSES | F.WAITS

    def _has_timer(self, executors: list[FunctionValue]) -> bool:
        return any(
            (entry := self._given.catalog.callback(name)) is not None and entry.runs == "later"
            for executor in executors
            for node in ir.walk(*executor.function.body)
            if isinstance(node, ir.Call)
            for name in self._given.evaluator.outside_names(
                node.callee, executor.scope.module.scope_of(executor.function)
            )
        )

    def _hands_over_exit(self, call: ir.Call, scope: Scope) -> bool:
        """Whether a call is given an exit itself to run: ``setImmediate(process.exit)``."""
        names = [n for argument in call.args for n in self._given.evaluator.outside_names(argument, scope)]
        return any(e.effect == "ends" for name in names for e in lookup(self._given.catalog.exits, name))

    def _goes_round(self, call: ir.Call, scope: Scope) -> bool:
        """Whether the list on which a method is called surely has an element."""
        return isinstance(call.callee, ir.Member) and self._given.evaluator.is_filled(
            call.callee.object, scope
        )

    def _callbacks(self, name: str, call: ir.Call, scope: Scope) -> Leave:
        """What the functions handed to an outside call do, now or later."""
        if lookup(self._given.catalog.listeners, name):
            return F.FALLS
        entry = self._given.catalog.callback(name)
        runs = entry.runs if entry else None
        if runs in ("never", "call", "event", "mode"):
            return F.FALLS
        result = F.FALLS
        if runs == "later" and self._hands_over_exit(call, scope):
            result = F.FALLS_A | F.PAUSES
        for target in handed_over(call, self._given.evaluator, scope, entry.at if entry else None):
            ways = self._flow.function(target.function, target.scope)
            if runs == "once":
                result = then(result, ways)
            elif runs == "each" and self._goes_round(call, scope):
                result = then(result, detached(ways) if target.function.is_async else ways)
            elif runs in ("start", "each"):
                result = then(result, (ways & ~F.RETURNS) | F.FALLS if ways & F.ENDS else F.FALLS)
            elif ways & (F.ENDS | F.FALLS_A) and not ways & (F.FALLS | F.UNWINDS):
                waits = F.NONE if runs == "later" else F.HOPES
                result = then(result, F.FALLS_A | F.PAUSES | waits)
            elif ways & (F.UNKNOWN | F.ENDS | F.FALLS_A):
                result |= F.UNKNOWN
        return result
