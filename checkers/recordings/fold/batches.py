"""
A batch holds events of many units as columns, and tells which are refused and which units are plain.

A unit is *plain* in a batch if nothing happens to it that a law could object to, or would have to look at another unit
for. All others are for the fold, event by event.

Which records are refused depends on what is held, and so on what was refused before. A guess that agrees with itself
(each record judged by the last one before it that is not refused) is what the fold would say, by induction over the
records of the unit. It is found by judging again where the guess was wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.fold.channel_laws import IN_FLIGHT
from oneowner.checkers.recordings.fold.columnar_resolver import FIELDS, HIGHEST, Formula
from oneowner.checkers.recordings.fold.columns_between_batches import carried, needs_others
from oneowner.checkers.recordings.fold.fold import Question
from oneowner.checkers.recordings.fold.notes import CLOCK_SKEW_LIMIT
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read.event_columns import CODES, STATES, Array, Codes, Columns
from oneowner.model.channel.record import DELETED, FIRST_VERSION, NOTHING, OWNED, SPLITTING, Record

ROUNDS: Final = 12
"""Guesses at what is refused; units that need more are not plain."""


def among(*states: Any) -> Array:
    """Return a table that says of the code of a state whether it is one of these."""
    return np.isin(np.arange(len(STATES)), [CODES[state] for state in states])


_ABSENT: Final = CODES[NOTHING]
_IS_IN_FLIGHT, _IS_ACTIVE, _IS_OF_SPLIT = among(*IN_FLIGHT), among(OWNED, *IN_FLIGHT), among(SPLITTING, DELETED)


class Batch:
    """
    Some events, sorted by unit and then by place in the topic.

    A row is the number of an event in this order; behind the rows come, one for each unit, what the units held before.
    """

    def __init__(self, columns: Columns, keyed: Array, known: Sequence[Unit], brokers: Codes) -> None:
        table = columns.table
        few = np.min_scalar_type(len(known))  # numbers of two bytes are sorted by their digits
        self.order = np.argsort(keyed.astype(few), kind="stable")
        """Where each row is among the events in topic order."""
        keyed = keyed[self.order]
        starts = np.append(True, keyed[1:] != keyed[:-1])
        self.begins = np.flatnonzero(starts)
        """The first row of each unit."""
        self.ends = np.append(self.begins[1:], len(keyed)) - 1
        self.unit = np.cumsum(starts) - 1
        """Whose each row is."""
        self.units = [known[number] for number in keyed[self.begins].tolist()]
        self.before = carried(self.units, brokers)
        broker = brokers.of(columns.brokers)
        fields = {name: table[name][self.order] for name in ("state", "force", "version", "time", "producer")}
        fields |= {name: broker[table[name][self.order]] for name in ("destination", "source")}
        self.now = fields
        """The fields of each row; ``all`` has those of what the units held before, too."""
        self.all = {
            name: np.append(fields[name], getattr(self.before, name)) for name in (*(f[0] for f in FIELDS), "time")
        }

    def judge(self, question: Question, resolver: Formula) -> None:
        """Find out what is refused, and which units are plain."""
        self._settle(resolver)
        self._follow_states()
        self.is_plain = ~self._odd_units(question)[self.unit]

    def held_records(self, rows: Array, brokers: Sequence[Any]) -> Iterator[Record]:
        """Yield the record that each of some rows finds; *brokers* has the names."""
        fields = (self.all[name][self.held[rows]].tolist() for name, *_ in FIELDS)
        for state, destination, source, force, version in zip(*fields, strict=True):
            yield Record(STATES[state], brokers[destination], brokers[source], force, version)

    def _settle(self, resolver: Formula) -> None:
        """Find out which records are refused, and which row or unit holds what each finds."""
        records = [self.all[name] for name, *_ in FIELDS]
        self.refused = np.zeros(len(self.unit), bool)
        self.held = self._found()
        waiting = np.arange(len(self.unit))
        for _ in range(ROUNDS):
            held = self.held[waiting]
            here = [field[waiting] for field in records]
            self.refused[waiting] = resolver.refuses([field[held] for field in records], here)
            found = self._found()
            waiting = np.flatnonzero(found != self.held)
            self.held = found
            if not len(waiting):
                break
        self._unsettled = self.unit[waiting]
        self.accepted = ~self.refused

    def _found(self) -> Array:
        """Return what each row finds: the last accepted row of its unit before it, else what the unit held before."""
        rows = np.arange(len(self.unit))
        self.latest = np.maximum.accumulate(np.where(self.refused, -1, rows))
        previous = np.append(-1, self.latest[:-1])
        return np.where(previous >= self.begins[self.unit], previous, len(rows) + self.unit)

    def _follow_states(self) -> None:
        """Find out where units go from one state into another, and since when they are in theirs."""
        self.old, new = self.all["state"][self.held], self.now["state"]
        self.replaces = self.accepted & (new != _ABSENT) & (self.old != _ABSENT)
        self.deletes = self.accepted & (new == _ABSENT) & (self.old != _ABSENT)
        changes = self.accepted & (new != self.old)
        self.entered = np.maximum.accumulate(np.where(changes, np.arange(len(new)), -1))
        """The last row that changed a state; one before the unit's first if that was before the batch."""
        self.lands = changes & _IS_IN_FLIGHT[self.old]

    def _odd_units(self, question: Question) -> Array:
        """Say of every unit whether something happens to it that is for the fold."""
        count, held, time, version = len(self.unit), self.held, self.now["time"], self.now["version"]
        since = np.where(held < count, self.entered[np.minimum(held, count - 1)], -1)
        since = np.where(since >= self.begins[self.unit], time[since], self.before.entered[self.unit])
        is_written = np.append(np.ones(count, bool), self.before.is_written)[held]
        step = time - self.all["time"][held]
        rows = (
            (self.replaces & (version - self.all["version"][held] != 1))
            | (self.deletes & _IS_ACTIVE[self.old])
            | (self.accepted & ~is_written & (version > FIRST_VERSION))
            | (self.accepted & is_written & (step < -CLOCK_SKEW_LIMIT))
            | (self.lands & (time - since > question.in_flight_limit))
        )
        odd = is_big(self.before.entered) | is_big(self.before.owned_since)
        whose = np.append(self.unit, np.arange(len(odd)))
        odd[whose[is_big(self.all["version"]) | is_big(self.all["time"])]] = True
        odd[self.unit[rows]] = True
        odd[self._unsettled] = True
        splits, overlaps = needs_others(self.units)
        odd[overlaps] = True
        of_split = np.append(self.unit[self.accepted & _IS_OF_SPLIT[self.now["state"]]], np.array(splits, np.intp))
        spoilt = {self.units[number].namespace.name for number in of_split.tolist()}
        if spoilt:
            odd |= np.array([unit.namespace.name in spoilt for unit in self.units])
        return odd


def is_big(numbers: Array) -> Array:
    """Say which numbers are so big that their differences may not fit into 64 bits."""
    answer: Array = (numbers > HIGHEST) | (numbers < -HIGHEST)
    return answer
