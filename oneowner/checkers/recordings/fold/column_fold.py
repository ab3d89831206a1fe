"""
The fold on columns takes thousands of events at once, to the same outcomes as event by event.

Plain units are judged by the traced resolver and laws (``batches``); counts and memories of them are computed here, by
columns. Refused records still go to ``refusal``, which gives the reason. All other units go to ``Fold.take``, event
by event, as if there were no columns.
"""

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.batches import Batch
from oneowner.checkers.recordings.fold.channel_law import ChannelLaw
from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS, IN_FLIGHT
from oneowner.checkers.recordings.fold.column_formulas import FIELDS, Formulas, among, traced
from oneowner.checkers.recordings.fold.columns_between_batches import UNKNOWN
from oneowner.checkers.recordings.fold.findings import holder, lost
from oneowner.checkers.recordings.fold.fold import Fold
from oneowner.checkers.recordings.fold.intervals import LASTED, Intervals, mark_of, set_marks
from oneowner.checkers.recordings.fold.notes import PING_PONG_WITHIN, begins_surely, published_as
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.unit_memory import Moves, Unit
from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.event_columns import CODES, Columns
from oneowner.checkers.recordings.read.events import STATE, Event, Row
from oneowner.model.channel.record import NOBODY, NOTHING, OWNED, Broker, Record, ServiceUnitState
from oneowner.model.channel.resolver import ownerless, refusal

FEW: Final = 1_000
"""Fewer events than that are not worth the columns."""

_PLACE: Final = itemgetter(slice(6))
"""Place in the topic, then origin, of a row."""

_ABSENT, _OWNED = CODES[NOTHING], CODES[OWNED]
_IS_IN_FLIGHT = among(*IN_FLIGHT)


def _by_state(broker_of: Callable[[Record], Broker]) -> Iterator[Array]:
    """Yield two tables: of the states in which it is the destination, and of those in which it is the source."""
    for broker in (1, 2):
        yield among(*(state for state in ServiceUnitState if broker_of(Record(state, 1, 2)) == broker))


_SHOWS_DESTINATION, _SHOWS_SOURCE = _by_state(holder)
_BY_DESTINATION, _BY_SOURCE = _by_state(published_as)


class ColumnFold(Fold):
    """The fold of one part of a run, which takes columns."""

    def __init__(
        self, question: Question, formulas: Formulas | None = None, laws: tuple[ChannelLaw, ...] = CHANNEL_LAWS
    ) -> None:
        super().__init__(question, laws)
        self._formulas = formulas
        """None: they are traced here, if they are needed at all."""
        self._keys, self._brokers, self._producers = Codes(), Codes(NOBODY), Codes("")
        self._known: list[Unit] = []
        self._ended: list[Intervals] = []
        is_narrowed = not question.scope.is_all_time or question.vocabulary
        self._needs_rows = question.is_history or question.at is not None or is_narrowed

    def take_columns(self, columns: Columns, few: int = FEW) -> None:
        """Judge some events, in topic order; findings and refusals are added to ``out``."""
        if self._needs_rows or len(columns.table) < few:
            self.take(columns.rows())
            return
        batch = Batch(columns, self._met(columns.keys)[columns.table["key"]], self._known, self._brokers)
        batch.judge(self.question, self.laws, self._formulas or traced(self.question.storage, self.laws))
        if not batch.is_plain.all():
            self.take(columns.rows(np.sort(batch.order[~batch.is_plain])))
        if batch.is_plain.any():
            self._count_plain(batch)
            self._refuse(batch, columns)
            if self.question.intervals:
                self._end(batch, columns)
            self._remember(batch, columns)
            self._see_owners(batch, columns)
            self._see_publishers(batch, columns)

    def _met(self, keys: list[str]) -> Array:
        """Return the numbers of units; those that are new are met."""
        numbers = self._keys.of(keys)
        for key in self._keys.names[len(self._known) :]:
            self._known.append(self.units.by_key.get(key) or self.units.meet(key))
        return numbers

    def _count_plain(self, batch: Batch) -> None:
        tally, plain = self.tally, batch.is_plain
        for law, rows in batch.occasions.items():
            number = int(np.count_nonzero(plain[rows]))
            if number:
                tally.exercised[law] += number
        tally.events += int(np.count_nonzero(plain))
        tally.accepted += int(np.count_nonzero(plain & batch.accepted))
        latest = int(batch.now["time"][plain].max())
        tally.last_time = latest if tally.last_time is None else max(latest, tally.last_time)

    def _refuse(self, batch: Batch, columns: Columns) -> None:
        """Report the reason for each refusal."""
        storage, at = self.question.storage, np.flatnonzero(batch.is_plain & batch.refused)
        rows, found = columns.rows(batch.order[at]), batch.held_records(at, self._brokers.names)
        for row, held in zip(rows, found, strict=True):
            proposed = Record(*row[STATE : STATE + len(FIELDS)])  # type: ignore[arg-type]  # the fields of a record
            refused = refusal(held, proposed, storage) or ownerless(held, proposed, storage)
            assert refused is not None, (held, proposed)
            self.tally.refused[refused.rule] += 1
            self.out.append(lost(row, refused))

    def _end(self, batch: Batch, columns: Columns) -> None:
        """Note the intervals of plain units that end: an accepted record ends the one that it finds."""
        rows = np.flatnonzero(batch.is_plain & batch.accepted & (batch.old != _ABSENT))
        wanted = self.question.unit
        if wanted is not None:
            rows = rows[np.array([unit.key == wanted for unit in batch.units])[batch.unit[rows]]]
        if not len(rows):
            return
        held = batch.held[rows]
        state, to, by = (batch.all[name][held] for name in ("state", "destination", "source"))
        table = np.zeros(len(rows), LASTED)
        table["unit"], table["state"] = batch.unit[rows], state
        table["broker"] = np.where(_SHOWS_DESTINATION[state], to, np.where(_SHOWS_SOURCE[state], by, 0))
        ids = Codes("")
        extras = ids.of([extra[0] for extra in columns.extras])
        set_marks(table["until"], np.arange(len(rows)), columns.table[batch.order[rows]], extras)
        here = np.flatnonzero(held < len(batch.unit))
        set_marks(table["since"], here, columns.table[batch.order[held[here]]], extras)
        for at in np.flatnonzero(held >= len(batch.unit)).tolist():
            written = batch.units[held[at] - len(batch.unit)].written
            assert written is not None
            table["since"][at] = mark_of(written, ids)
        self._ended.append(Intervals(table, [unit.key for unit in batch.units], self._brokers.names, ids.names))

    def ended(self) -> Iterator[Intervals]:
        """Yield the intervals since the last call, those of a unit at once, units and intervals in order."""
        parts = self._ended + ([Intervals.of(self.intervals)] if self.intervals else [])
        self._ended, self.intervals = [], []
        if parts:
            yield from Intervals.joined(parts).by_unit()

    def _remember(self, batch: Batch, columns: Columns) -> None:
        """Update every plain unit by the last of its accepted records."""
        last = batch.latest[batch.ends]
        some = np.flatnonzero((last >= batch.begins) & batch.is_plain[batch.begins])
        last, begins = last[some], batch.begins[some]
        in_flight, since = _IS_IN_FLIGHT[batch.now["state"][last]], batch.entered[last]
        created = np.logical_or.reduceat(batch.accepted & (batch.now["state"] != _ABSENT), batch.begins)[some]
        several = np.add.reduceat(batch.accepted, batch.begins, dtype=np.int64)[some] > 1
        went = np.flatnonzero(in_flight & (since >= begins))
        entered = dict(zip(went.tolist(), columns.rows(batch.order[since[went]]), strict=True))
        rows = columns.rows(batch.order[last])
        for place, (number, row) in enumerate(zip(some.tolist(), rows, strict=True)):
            unit = batch.units[number]
            record = Event(*row).record
            if not unit.sure:
                unit.sure = unit.written is not None or bool(several[place]) or begins_surely(record)
            unit.held, unit.written = record, row
            if not in_flight[place]:
                unit.entered = None
            elif place in entered:
                unit.entered = entered[place]
            if created[place]:
                unit.created = True

    def _see_owners(self, batch: Batch, columns: Columns) -> None:
        """Track the owners of plain units, to detect those that go back and forth."""
        rows = np.flatnonzero(batch.is_plain & batch.accepted & (batch.now["state"] == _OWNED))
        owner, unit, before = batch.now["destination"][rows], batch.unit[rows], batch.before
        same = np.append(False, unit[1:] == unit[:-1])
        moved = owner != np.where(same, np.roll(owner, 1), before.owner[unit])
        rows, owner, unit = rows[moved], owner[moved], unit[moved]
        if not len(rows):
            return
        time, same = batch.now["time"][rows], np.append(False, unit[1:] == unit[:-1])
        left = np.where(same, np.roll(owner, 1), before.owner[unit])
        since = np.where(same, np.roll(time, 1), before.owned_since[unit])
        former = np.where(same, np.roll(left, 1), before.owner_before[unit])
        returns = (owner == former) & (time - since <= PING_PONG_WITHIN)
        names, firsts = self._brokers.names, list[tuple[Moves, int]]()
        begins = np.flatnonzero(~same)
        ends = np.append(begins[1:], len(rows)) - 1
        counts = np.add.reduceat(returns, begins, dtype=np.int64)
        for begin, end, count in zip(begins.tolist(), ends.tolist(), counts.tolist(), strict=True):
            moves = batch.units[unit[end]].moves
            moves.now, moves.since = str(names[owner[end]]), int(time[end])
            moves.before = None if left[end] == UNKNOWN else str(names[left[end]])
            if count and moves.first is None:
                firsts.append((moves, begin + int(np.argmax(returns[begin : end + 1]))))
            moves.count += count
        for (moves, _), row in zip(
            firsts, columns.rows(batch.order[rows[np.array([at for _, at in firsts], np.intp)]]), strict=True
        ):
            moves.first = row

    def _see_publishers(self, batch: Batch, columns: Columns) -> None:
        """Remember the first record that each producer published as each broker, by namespace."""
        now = batch.now
        by_destination, by_source = _BY_DESTINATION[now["state"]], _BY_SOURCE[now["state"]]
        broker = np.where(by_destination, now["destination"], now["source"])
        is_one = batch.is_plain & batch.accepted & (by_destination | by_source)
        rows = np.flatnonzero(is_one & ~now["force"] & (now["producer"] != 0) & (broker != 0))
        rows = rows[np.argsort(batch.order[rows])]  # in topic order
        home = Codes().of([unit.namespace for unit in batch.units])[batch.unit[rows]].astype(np.int64)
        pairs = (home * len(columns.producers) + now["producer"][rows]) * len(self._brokers.names) + broker[rows]
        rows = rows[np.unique(pairs, return_index=True)[1]]
        new: list[tuple[int, dict[tuple[str, str], Row], tuple[str, str]]] = []
        for row in rows.tolist():
            published = batch.units[batch.unit[row]].namespace.publishers
            pair = columns.producers[now["producer"][row]], str(self._brokers.names[broker[row]])
            if pair not in published or not batch.is_plain.all():  # then a later one of this batch may be there
                new.append((row, published, pair))
        if new:
            found = columns.rows(batch.order[[row for row, *_ in new]])
            for (_, published, pair), event in zip(new, found, strict=True):
                published[pair] = min(event, published.get(pair, event), key=_PLACE)
