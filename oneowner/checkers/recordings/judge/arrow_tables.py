"""
Events, intervals, findings and refusals of recorded runs as Arrow tables, some rows at a time.

Memory stays flat. Where Spark judged, it reads the events a second time, too. Times are UTC. ``refusals`` names the
refused events by run and message id.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from oneowner.checkers.recordings.fold.blocks import Block, read_chunk
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.intervals import Intervals
from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.judge.anonymise import Pseudonyms
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.event_columns import CODES, STATES, Columns
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.record import NOTHING

ROWS = 20_000
"""The number of rows in one group of a table, which is in memory at once."""

PIECES = 200
"""The number of pieces of intervals, each of one unit, that become rows together."""

_TEXT, _TIME, _NUMBER = pa.string(), pa.timestamp("ms", tz="UTC"), pa.int64()
_RECORD = pa.struct(
    {"state": _TEXT, "dstBroker": _TEXT, "sourceBroker": _TEXT, "force": pa.bool_(), "versionId": _NUMBER}.items()
)
_CITE = pa.struct({"file": _TEXT, "line": _NUMBER, "messageId": _TEXT, "time": _TIME, "text": _TEXT}.items())
_BUG = pa.struct(dict.fromkeys(("name", "release", "since", "fixedIn"), _TEXT).items())
_MODEL = pa.struct({"law": _TEXT, "step": _NUMBER, "action": _TEXT, "unit": _TEXT, "save": _TEXT}.items())
_WINDOW = pa.struct({"since": _TIME, "until": _TIME, "possibleSince": _TIME, "possibleUntil": _TIME}.items())

SCHEMAS = {
    "events": pa.schema(
        {
            "run": _TEXT, "file": _TEXT, "line": _NUMBER, "message_id": _TEXT, "time": _TIME, "namespace": _TEXT,
            "unit": _TEXT, "state": _TEXT, "destination": _TEXT, "source": _TEXT, "force": pa.bool_(),
            "version": _NUMBER, "children": pa.list_(_TEXT), "producer": _TEXT, "write": _TEXT,
        }
    ),
    "intervals": pa.schema(
        {
            "run": _TEXT, "namespace": _TEXT, "unit": _TEXT, "broker": _TEXT, "state": _TEXT, "from_message_id": _TEXT,
            "from_time": _TIME, "to_message_id": _TEXT, "to_time": _TIME,
        }
    ),
    "findings": pa.schema(
        {
            "run": _TEXT, "law": _TEXT, "severity": _TEXT, "unit": _TEXT, "file": _TEXT, "line": _NUMBER,
            "message_id": _TEXT, "time": _TIME, "brokers": pa.list_(_TEXT), "why": _TEXT, "held": _RECORD,
            "proposed": _RECORD, "guard": _TEXT, "repair": _TEXT, "evidence": pa.list_(_CITE), "window": _WINDOW,
            "upstream": _TEXT, "bug": _BUG, "waived": pa.struct({"reason": _TEXT, "expires": _TEXT}.items()),
            "model": _MODEL,
        }
    ),
    "refusals": pa.schema({"run": _TEXT, "unit": _TEXT, "message_id": _TEXT, "rule": _TEXT, "why": _TEXT}),
}  # fmt: skip
"""The columns of every table; null where a row has no value (a tombstone has no state)."""

Rows = Iterator[dict[str, Any]]


def tables(judgement: Judgement) -> dict[str, Iterator[pa.Table]]:
    """Return the rows of every table by its name, some thousand at a time; findings and refusals as in the JSON."""
    return {
        "events": _events(judgement),
        "intervals": _regrouped(_intervals(judgement)),
        "findings": _grouped("findings", _findings(judgement)),
        "refusals": _grouped("refusals", _refusals(judgement)),
    }


def _grouped(name: str, rows: Rows) -> Iterator[pa.Table]:
    while some := list(islice(rows, ROWS)):
        yield pa.Table.from_pylist(some, SCHEMAS[name])


class _Shown(dict[str, str]):
    """Displayed names; each is looked up once."""

    def __init__(self, show: Callable[[str], str]) -> None:
        super().__init__()
        self._show = show

    def __missing__(self, name: str) -> str:
        self[name] = self._show(name)
        return self[name]


def _regrouped(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the same rows in groups of one size, whatever the sizes of *tables*."""
    rest: pa.Table | None = None
    for table in tables:
        rows = pa.concat_tables([rest, table]) if rest is not None else table
        whole = len(rows) - len(rows) % ROWS
        yield from (rows.slice(first, ROWS).combine_chunks() for first in range(0, whole, ROWS))
        rest = rows.slice(whole)
    if rest is not None and len(rest):
        yield rest.combine_chunks()


class _Piece(NamedTuple):
    """A chunk that is read a second time for its events, with the summary of when it was *judged*."""

    judged: Summary
    lines_before: int
    run: str
    file: str
    question: Question


def _events(judgement: Judgement) -> Iterator[pa.Table]:
    """Yield the events of all runs, read a second time."""
    before = judgement.outcomes.lines_before()
    pieces = [
        _Piece(
            judged,
            before[number, judged.chunk.piece, judged.chunk.number],
            result.run.name,
            judgement.show(result.run.pieces[judged.chunk.piece].path),
            result.run.question,
        )
        for number, result in enumerate(judgement.runs)
        for judged in judgement.outcomes.chunks(number)
        if judged.chunk.kind == result.run.source
    ]
    events: Iterator[Any] = judgement.executor(partial(_events_of, names=judgement.names), pieces)
    return events


def _events_of(piece: _Piece, names: Pseudonyms | None) -> Iterator[pa.Table]:
    shown = _Shown(names.show if names is not None else lambda name: name)
    once_more = piece.judged.chunk._replace(is_one_of_many=False)  # repeated ids were reported by the first reading
    for part in read_chunk(once_more, buckets=1):
        if isinstance(part, Block):
            events = _in_question(part.columns(), piece)
            yield _event_table(events, shown, piece.run, piece.file, piece.lines_before)
        elif isinstance(part, Summary) and _has_lost(part, piece.judged):
            raise EngineError(f"{piece.file}: lines have disappeared since it was judged")


def _has_lost(now: Summary, judged: Summary) -> bool:
    """Return whether a chunk has fewer lines than were judged, or has become unreadable; more lines are no loss."""
    torn = now.unreadable if now.unreadable != judged.unreadable else None
    return now.lines < judged.lines or (torn is not None and torn[0] <= judged.lines)


def _in_question(events: Columns, piece: _Piece) -> Columns:
    """Return the events that were judged and lie in the time range and the unit of the question."""
    since, until, unit = piece.question.scope.since, piece.question.scope.until, piece.question.unit
    table = events.table
    table = table[table["line"] <= piece.judged.lines]  # a file may have grown meanwhile
    if since is not None:
        table = table[table["time"] >= since]
    if until is not None:
        table = table[table["time"] <= until]
    if unit is not None:
        table = table[[events.keys[code] == unit for code in table["key"]]]
    return events.with_rows(table)


def _event_table(events: Columns, shown: _Shown, run: str, file: str, start: int) -> pa.Table:
    table, number = events.table, len(events.table)
    keys = [shown[key] for key in events.keys]
    brokers = [shown[str(broker)] if broker else None for broker in events.brokers]
    producers = [shown[producer] if producer else None for producer in events.producers]
    states = [None if state == NOTHING else state.value for state in STATES]
    is_there = pa.array(table["state"] != CODES[NOTHING])
    columns = {
        "run": pa.repeat(run, number),
        "file": pa.repeat(file, number),
        "line": pa.array(table["line"] + start),
        "message_id": _ids(table, [extra[0] for extra in events.extras]),
        "time": pa.array(table["time"]).cast(_TIME),
        "namespace": _named([key.rpartition("/")[0] for key in keys], table["key"]),
        "unit": _named(keys, table["key"]),
        "state": _named(states, table["state"]),
        "destination": _named(brokers, table["destination"]),
        "source": _named(brokers, table["source"]),
        "force": pa.array(table["force"]),
        "version": pc.if_else(is_there, pa.array(table["version"]), None),
        "children": pa.array([extra[1] for extra in events.extras], pa.list_(_TEXT)).take(pa.array(table["extra"])),
        "producer": _named(producers, table["producer"]),
        "write": _named([extra[2] or None for extra in events.extras], table["extra"]),
    }
    return pa.table(columns, SCHEMAS["events"])


def _named(names: list[str | None] | list[str], codes: Array) -> pa.Array:
    return pa.array(names, _TEXT).take(_numbers(codes))


def _ids(table: Array, odd: list[str]) -> pa.Array:
    """Return the message ids of rows of numbers; *odd* are those in another form."""
    written = _named(odd, table["extra"])
    for parts in np.unique(table["parts"][table["parts"] > 0]).tolist():
        fields = ("ledger", "entry", "partition", "batch")[:parts]
        plain = pc.binary_join_element_wise(*(_numbers(table[field]).cast(_TEXT) for field in fields), ":")
        written = pc.if_else(pa.array(table["parts"] == parts), plain, written)
    return written


def _numbers(column: Array) -> pa.Array:
    return pa.array(np.ascontiguousarray(column))


def _intervals(judgement: Judgement) -> Iterator[pa.Table]:
    """Yield the intervals of all runs."""
    shown = _Shown(judgement.show)
    for number, pieces in groupby(judgement.outcomes.intervals(), key=itemgetter(0)):
        while some := list(islice(pieces, PIECES)):
            yield _interval_table(Intervals.joined(one for _, one in some), shown, judgement.runs[number].run.name)


def _interval_table(intervals: Intervals, shown: _Shown, run: str) -> pa.Table:
    table, since, until = intervals.table, intervals.table["since"], intervals.table["until"]
    keys = [shown[unit] for unit in intervals.units]
    is_over = pa.array(~table["is_open"])
    columns = {
        "run": pa.repeat(run, len(table)),
        "namespace": _named([key.rpartition("/")[0] for key in keys], table["unit"]),
        "unit": _named(keys, table["unit"]),
        "broker": _named([shown[str(broker)] if broker else None for broker in intervals.brokers], table["broker"]),
        "state": _named([state.value for state in STATES], table["state"]),
        "from_message_id": _ids(since, intervals.ids),
        "from_time": _numbers(since["time"]).cast(_TIME),
        "to_message_id": pc.if_else(is_over, _ids(until, intervals.ids), None),
        "to_time": pc.if_else(is_over, _numbers(until["time"]).cast(_TIME), None),
    }
    return pa.table(columns, SCHEMAS["intervals"])


def _findings(judgement: Judgement) -> Rows:
    for number, finding in judgement.found():
        at = finding["at"]
        place = {"file": at["file"], "line": at["line"], "message_id": at["messageId"], "time": at["time"]}
        yield {"run": judgement.runs[number].run.name, **place, **finding}


def _refusals(judgement: Judgement) -> Rows:
    for number, refusal in judgement.refused():
        named = {name: refusal[name] for name in ("unit", "rule", "why")}
        yield {"run": judgement.runs[number].run.name, "message_id": refusal["messageId"], **named}
