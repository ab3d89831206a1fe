"""
A batch holds events of many units as columns, and separates refused events, and plain units from others.

A unit is *plain* in a batch if nothing happens to it that a law could object to, or would have to look at another unit
for, by the formulas of ``column_formulas``. All others are for the fold, event by event.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from oneowner.checkers.recordings.fold.channel_law import ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import STUCK, is_stuck
from oneowner.checkers.recordings.fold.column_formulas import (
    FIELDS,
    HIGHEST,
    HOLDS,
    LOOKS_FURTHER,
    MAY_BREAK,
    Formula,
    Formulas,
    LawFormula,
    among,
)
from oneowner.checkers.recordings.fold.columns_between_batches import carried, needs_others
from oneowner.checkers.recordings.fold.notes import begins_late, goes_back
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.settling import settle
from oneowner.checkers.recordings.fold.unit_memory import Unit
from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.event_columns import STATES, Columns
from oneowner.model.channel.record import DELETED, FREE, SPLITTING, Record

_IS_OF_SPLIT: Final = among(SPLITTING, DELETED)
"""The condition that makes a unit remember a split; only the fold remembers."""
_IS_FREE: Final = among(FREE)
"""A forced Free is remembered by its unit until the tombstone; only the fold remembers."""


class Batch:
    """
    Some events, sorted by unit and then by place in the topic.

    A row is the number of an event in this order; behind the rows comes, for each unit, its entry before them.
    """

    def __init__(self, columns: Columns, keyed: Array, known: Sequence[Unit], brokers: Codes) -> None:
        table = columns.table
        few = np.min_scalar_type(len(known))  # numbers of two bytes are sorted by their digits
        self.order = np.argsort(keyed.astype(few), kind="stable")
        """The position of each row among the events in topic order."""
        keyed = keyed[self.order]
        starts = np.append(True, keyed[1:] != keyed[:-1])
        self.begins = np.flatnonzero(starts)
        """The first row of each unit."""
        self.ends = np.append(self.begins[1:], len(keyed)) - 1
        self.unit = np.cumsum(starts) - 1
        """The unit of each row."""
        self.units = [known[number] for number in keyed[self.begins].tolist()]
        self.before = carried(self.units, brokers)
        broker = brokers.of(columns.brokers)
        fields = {name: table[name][self.order] for name in ("state", "force", "version", "time", "producer")}
        fields |= {name: broker[table[name][self.order]] for name in ("destination", "source")}
        self.now = fields
        """The fields of each row; ``all`` also has those of the units' entries before."""
        self.all = {
            name: np.append(fields[name], getattr(self.before, name)) for name in (*(f[0] for f in FIELDS), "time")
        }

    def judge(self, question: Question, laws: Sequence[ChannelLaw], formulas: Formulas) -> None:
        """Compute the refused records, the occasions of laws, and the plain units."""
        self._settle(formulas.refused)
        self._follow_states()
        self.occasions: dict[str, Array] = {}
        """The rows at which each law could have failed."""
        self.is_plain = ~self._odd_units(question, laws, formulas.laws)[self.unit]

    def held_records(self, rows: Array, brokers: Sequence[Any]) -> Iterator[Record]:
        """Yield the record that each of some rows finds; *brokers* has the names."""
        fields = (self.all[name][self.held[rows]].tolist() for name, *_ in FIELDS)
        for state, destination, source, force, version in zip(*fields, strict=True):
            yield Record(STATES[state], brokers[destination], brokers[source], force, version)

    def _settle(self, resolver: Formula) -> None:
        """Compute the refused records, and the row or unit that holds the entry each record finds."""
        found = settle(self.unit, self.begins, lambda rows, held: self._answers(resolver, rows, held))
        self.refused, self.held, self.latest, self._unsettled = found
        self.accepted = ~self.refused

    def _answers(self, formula: Formula, rows: Array, held: Array) -> Array:
        """Return the answers of a formula for some rows and the entries that they find."""

        def column(number: int) -> Array:
            side, field = divmod(number, len(FIELDS))
            column: Array = self.all[FIELDS[field][0]][rows if side else held]
            return column

        return formula.of(column, len(rows))

    def _follow_states(self) -> None:
        """Find out since when units are in their states."""
        self.old, new = self.all["state"][self.held], self.now["state"]
        changes = self.accepted & (new != self.old)
        self.entered = np.maximum.accumulate(np.where(changes, np.arange(len(new)), -1))
        """The last row that changed a state; one before the unit's first if that was before the batch."""

    def _odd_units(self, question: Question, laws: Sequence[ChannelLaw], formulas: Sequence[LawFormula]) -> Array:
        """Mark every unit with an event that is for the fold."""
        count, held, time = len(self.unit), self.held, self.now["time"]
        is_written = np.append(np.ones(count, bool), self.before.is_written)[held]
        rows = self.accepted & np.where(
            is_written, goes_back(self.all["time"][held], time), begins_late(self.now["version"])
        )
        odd = is_big(self.before.entered) | is_big(self.before.owned_since)
        whose = np.append(self.unit, np.arange(len(odd)))
        odd[whose[is_big(self.all["version"]) | is_big(self.all["time"])]] = True
        odd[self.unit[rows]] = True
        odd[self._unsettled] = True
        freed = self.accepted & self.now["force"].astype(bool) & _IS_FREE[self.now["state"]]
        odd[self.unit[freed]] = True
        odd |= np.array([unit.freed is not None for unit in self.units])
        splits, overlaps = needs_others(self.units, laws)
        odd[overlaps] = True
        further = [np.array(splits, np.intp), self.unit[self.accepted & _IS_OF_SPLIT[self.now["state"]]]]
        for law in formulas:
            rows = np.flatnonzero(self.accepted & law.states[self.now["state"]])
            said = self._answers(law.said, rows, self.held[rows])
            self.occasions[law.law] = rows[said >= HOLDS]
            odd[self.unit[rows[said == MAY_BREAK]]] = True
            further.append(self.unit[rows[said == LOOKS_FURTHER]])
        landed = self.occasions[STUCK.name]
        odd[self.unit[landed[is_stuck(self._since(landed), time[landed], question.in_flight_limit)]]] = True
        spoilt = {self.units[number].namespace.name for number in np.unique(np.concatenate(further)).tolist()}
        if spoilt:
            odd |= np.array([unit.namespace.name in spoilt for unit in self.units])
        return odd

    def _since(self, rows: Array) -> Array:
        """Return when the units of some rows entered the states that the rows find."""
        held, unit = self.held[rows], self.unit[rows]
        entered = np.where(held < len(self.unit), self.entered[np.minimum(held, len(self.unit) - 1)], -1)
        since: Array = np.where(entered >= self.begins[unit], self.now["time"][entered], self.before.entered[unit])
        return since


def is_big(numbers: Array) -> Array:
    """Mark the numbers so big that their differences may not fit into 64 bits."""
    answer: Array = (numbers > HIGHEST) | (numbers < -HIGHEST)
    return answer
