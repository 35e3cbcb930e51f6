"""What was measured, in the words of a table's cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from mcplint.probe.measure import said_code
from mcplint.probe.predicted import Prediction
from mcplint.probe.result import LEAVES, Ending, Measured, Probed

_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One ending of one server, all its repetitions together.

    Attributes:
        letter: what to call the row, as in ``row C``.
        ending: the ending's name.
        server: ``gone``, ``STILL ALIVE``, or why neither.
        after: how long it took; empty where it was not gone.
        how: what ended it, or who has it now.
        left: what else was left.
        predicted: what the source said; empty where nobody asked.
        bad: whether something outlived its client.
        notes: what else is to be said, a line each.
    """

    letter: str
    ending: str
    server: str
    after: str
    how: str
    left: str
    predicted: str
    bad: bool
    notes: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """What the columns show, from left to right."""
        return (self.letter, self.ending, self.server, self.after, self.how, self.left, self.predicted)


def used_columns(table: Sequence[Row]) -> list[int]:
    """The columns that have something to show in any row."""
    return [column for column in range(len(HEADS)) if any(row.cells[column] for row in table)]


HEADS = ("", "ending", "server", "after", "how", "left behind", "predicted")


def rows(probed: Sequence[Probed], predictions: Sequence[Prediction] = ()) -> list[list[Row]]:
    """The rows of each server; letters go on from one to the next."""
    letter = 0
    found = []
    for one in probed:
        table = []
        for ending in dict.fromkeys(m.ending for m in one.measured):
            same = [m for m in one.measured if m.ending is ending]
            said = next((p for p in predictions if p.ending is ending), None)
            table.append(_row(_letter(letter), ending, same, said))
            letter += 1
        found.append(table)
    return found


def _letter(number: int) -> str:
    higher, last = divmod(number, 26)
    return (_letter(higher - 1) if higher else "") + chr(ord("A") + last)


def _row(letter: str, ending: Ending, same: Sequence[Measured], said: Prediction | None) -> Row:
    gone = [one for one in same if one.state == "gone"]
    times = [one.milliseconds for one in gone if one.milliseconds is not None]
    states = Counter(map(_state, same))
    server = next(iter(states)) if len(states) == 1 else ", ".join(f"{n} {s}" for s, n in states.items())
    return Row(
        letter,
        ending.value,
        server,
        f"{round(median(times))} ms" if times else "",
        _joined(map(_how, same)),
        _joined(map(_left, same)),
        "" if said is None else f"{said.word}{_agreement(said, same)}",
        any(one.outlived for one in same),
        tuple(dict.fromkeys(note for one in same for note in _notes(one, said))),
    )


def _state(one: Measured) -> str:
    return {"alive": "STILL ALIVE", "not here": "not measured"}.get(one.state, one.state)


def _how(one: Measured) -> str:
    if one.adopted_by is not None:
        return f"adopted by {one.adopted_by.pid}"
    code = "" if one.exit_code is None else said_code(one.exit_code)
    if one.step is None or one.step == code:
        return code
    return f"{one.step}, {code}" if code else one.step


def _left(one: Measured) -> str:
    others = len(one.left) - (one.state == "alive")
    if not others:
        return ""
    return f"{others} process{'es' if others > 1 else ''}"


def _joined(words: Iterable[str]) -> str:
    return " / ".join(dict.fromkeys(word for word in words if word))


def _agreement(said: Prediction, same: Sequence[Measured]) -> str:
    wrong = [one for one in same if said.agrees(one) is False]
    return ", WRONG" if wrong else ""


def _notes(one: Measured, said: Prediction | None) -> list[str]:
    notes = []
    if one.reason:
        notes.append(
            one.reason if one.state != "alive" and one.state != "gone" else f"the server {one.reason}"
        )
    for process in one.left:
        alive = one.ending in LEAVES or one.ending is Ending.CLOSE
        notes.append(f"{'left' if alive else 'runs on'}: {process.pid} {_shortened(process.command)}")
    if one.busy:
        notes.append(f"it spins: {one.cpu:.1f} s of processor time in {one.watched:.1f} s")
    if one.stray_lines:
        lines = "a line" if one.stray_lines == 1 else f"{one.stray_lines} lines"
        notes.append(f"{lines} on stdout that is no message: {_shortened(one.first_stray)}")
    if said is not None and said.agrees(one) is False:
        notes.append(f"the source says that it {said.verdict}, as {said.reason}; measured: {_state(one)}")
    return notes


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}\N{HORIZONTAL ELLIPSIS}"
