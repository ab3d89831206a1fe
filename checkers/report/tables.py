"""
An audit or a timeline as Parquet tables, for SQL: events, intervals, findings, refusals.

Rows are written some at a time, so that memory stays flat; all tables appear in the folder at once or none does. Times
are UTC. ``refusals`` names the events that were refused, by run and message id.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from checkers.audit.blocks import Block, Summary, read_chunk
from checkers.audit.columns import CODES, STATES, Array, Columns
from checkers.audit.events import MESSAGE_ID
from checkers.audit.runs import Run
from checkers.auditing.judgement import Judgement
from checkers.verdict import Misuse
from model.record import NOTHING

ROWS = 20_000
"""Rows of one group of a table: what is in memory at once."""

_TEXT, _TIME, _NUMBER = pa.string(), pa.timestamp("ms", tz="UTC"), pa.int64()
_RECORD = pa.struct(
    {"state": _TEXT, "dstBroker": _TEXT, "sourceBroker": _TEXT, "force": pa.bool_(), "versionId": _NUMBER}.items()
)
_CITE = pa.struct({"file": _TEXT, "line": _NUMBER, "messageId": _TEXT, "time": _TIME, "text": _TEXT}.items())
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
            "upstream": _TEXT, "waived": pa.struct({"reason": _TEXT, "expires": _TEXT}.items()),
        }
    ),
    "refusals": pa.schema({"run": _TEXT, "unit": _TEXT, "message_id": _TEXT, "rule": _TEXT, "why": _TEXT}),
}  # fmt: skip
"""The columns of every table; null where there is nothing to say (a tombstone has no state)."""

Rows = Iterator[dict[str, Any]]


def write_tables(directory: Path, judgement: Judgement) -> None:
    """Write all tables into *directory*, which is made if need be; raise Misuse if that fails."""
    made: dict[str, Callable[[Judgement], Iterator[pa.Table]]] = {
        "events": _events,
        "intervals": lambda judged: _grouped("intervals", _intervals(judged)),
        "findings": lambda judged: _grouped("findings", _findings(judged)),
        "refusals": lambda judged: _grouped("refusals", _refusals(judged)),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=directory, prefix=".tables-"))
        try:
            for name, tables in made.items():
                with pq.ParquetWriter(aside / f"{name}.parquet", SCHEMAS[name], compression="zstd") as writer:
                    for table in tables(judgement):
                        writer.write_table(table)
            for name in made:
                os.replace(aside / f"{name}.parquet", directory / f"{name}.parquet")
        finally:
            shutil.rmtree(aside)
    except OSError as error:
        raise Misuse(f"{directory}: cannot be written: {error.strerror or error}") from None


def _grouped(name: str, rows: Rows) -> Iterator[pa.Table]:
    while some := list(islice(rows, ROWS)):
        yield pa.Table.from_pylist(some, SCHEMAS[name])


class _Shown(dict[str, str]):
    """Names as they are shown; each is asked for once."""

    def __init__(self, show: Callable[[str], str]) -> None:
        super().__init__()
        self._show = show

    def __missing__(self, name: str) -> str:
        self[name] = self._show(name)
        return self[name]


def _events(judgement: Judgement) -> Iterator[pa.Table]:
    """Yield the events of all runs, read once more, as tables of some of them."""
    for number, result in enumerate(judgement.runs):
        run, shown, before = result.run, _Shown(judgement.show), dict[int, int]()
        for chunk in run.chunks(number):
            if chunk.kind != run.source:
                continue
            start = before.get(chunk.piece, 0)
            for part in read_chunk(chunk, buckets=1):
                if isinstance(part, Summary):
                    before[chunk.piece] = start + part.lines
                elif isinstance(part, Block) and part.bucket == 0:  # others hold the same events by their place
                    events = _asked(part.columns(), run)
                    yield _event_table(events, shown, run.name, shown[run.pieces[chunk.piece].path], start)


def _asked(events: Columns, run: Run) -> Columns:
    """Return those events that lie in the time range and belong to the unit that was asked for."""
    since, until, unit = run.question.scope.since, run.question.scope.until, run.question.unit
    table = events.table
    if since is not None:
        table = table[table["time"] >= since]
    if until is not None:
        table = table[table["time"] <= until]
    if unit is not None:
        table = table[[events.keys[code] == unit for code in table["key"]]]
    return events._replace(table=table)


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
        "message_id": _ids(events),
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
    return pa.array(names, _TEXT).take(pa.array(codes))


def _ids(events: Columns) -> pa.Array:
    """Return the message ids; all of a dump are mostly written alike."""
    table = events.table
    parts = table["parts"]
    if not len(table) or not parts[0] or (parts != parts[0]).any():
        return pa.array([row[MESSAGE_ID] for row in events.rows()], _TEXT)
    fields = ("ledger", "entry", "partition", "batch")[: parts[0]]
    return pc.binary_join_element_wise(*(pa.array(table[field]).cast(_TEXT) for field in fields), ":")


def _intervals(judgement: Judgement) -> Rows:
    for number, interval in judgement.lasted():
        until = interval["to"] or {"messageId": None, "time": None}
        yield {
            "run": judgement.runs[number].run.name,
            "namespace": interval["unit"].rpartition("/")[0],
            "unit": interval["unit"],
            "broker": interval["broker"],
            "state": interval["state"],
            "from_message_id": interval["from"]["messageId"],
            "from_time": interval["from"]["time"],
            "to_message_id": until["messageId"],
            "to_time": until["time"],
        }


def _findings(judgement: Judgement) -> Rows:
    for number, finding in judgement.found():
        at = finding["at"]
        place = {"file": at["file"], "line": at["line"], "message_id": at["messageId"], "time": at["time"]}
        yield {"run": judgement.runs[number].run.name, **place, **finding}


def _refusals(judgement: Judgement) -> Rows:
    for number, refusal in judgement.refused():
        named = {name: refusal[name] for name in ("unit", "rule", "why")}
        yield {"run": judgement.runs[number].run.name, "message_id": refusal["messageId"], **named}
