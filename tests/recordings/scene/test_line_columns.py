"""Columns of a log agree with its lines, however it is kept, cut and put together."""

from collections.abc import Sequence
from typing import Any

import pytest

from oneowner.checkers.recordings.read.line_columns import NO_NUMBER, NO_RECORD, NOTHING, LineColumns
from oneowner.checkers.recordings.read.observations import LogEvent
from oneowner.checkers.recordings.scene import packed_logs
from oneowner.checkers.recordings.scene.packed_logs import PackedLog, columns_of
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, printed, said

OWNED = printed("Owned", 2, B1, timestamp=20)
SPLIT = printed("Splitting", 3, source=B1, timestamp=30)._replace(children=("0x4_0x8", "0x0_0x4"))
LINES = [
    said(1, 5, "handle-request", UNIT, data=OWNED, handled=7),
    said(2, 4, "handle-request", OTHER, data=None, handled=1),
    said(3, 6, "elected"),
    said(4, 7, "skipped", UNIT, value=SPLIT, prev=OWNED),
    said(5, 8, "handle-request", None, data=OWNED, handled=8),
    said(6, 9, "handled", UNIT, cur=OWNED, next=SPLIT, handled=None)._replace(thread="other"),
    said(7, 9, "handled", UNIT, cur="no record"),
    said(8, 9, "session-event", UNIT, broker=B2),
]
RECORDS: Sequence[Any] = [(OWNED, 7), (None, 1), "", (SPLIT, None), ("", 8), (OWNED, None), "", ""]


def rows_of(columns: LineColumns) -> list[tuple[Any, ...]]:
    """The columns of each line, in names."""
    rows = []
    for row in columns.table:
        kind = int(row["kind"])
        of_record = ("", "tombstone")[kind - NO_RECORD] if kind < 0 else columns.kinds[kind]
        numbers = () if kind < 0 else (int(row["version"]), int(row["made"]))
        counter = None if row["counter"] == NO_NUMBER else int(row["counter"])
        names = columns.events[row["event"]], columns.threads[row["thread"]], columns.units[row["unit"]]
        rows.append((int(row["time"]), *names, of_record, numbers, counter, (row["piece"], row["chunk"], row["line"])))
    return rows


def expected(line: LogEvent, record: Any) -> tuple[Any, ...]:
    shown: Any
    shown, counter = record or ("", None)
    kind: Any = "tombstone" if shown is None else shown
    numbers: tuple[int, ...] = ()
    if shown:
        children = None if shown.children is None else tuple(sorted(shown.children))
        kind, numbers = (*shown.record[:-1], children), (shown.record.version, shown.timestamp)
    return line.time, line.event, line.thread, line.unit, kind, numbers, counter, tuple(line.origin)


EXPECTED = [expected(line, record) for line, record in zip(LINES, RECORDS, strict=True)]


def test_columns_say_what_lines_say() -> None:
    assert NO_RECORD + 1 == NOTHING
    assert rows_of(LineColumns.of(LINES)) == EXPECTED
    assert rows_of(LineColumns.of([])) == []


def test_slices_of_a_packed_log_have_columns_as_lists_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_logs, "BLOCK", 3)
    log = PackedLog.of(LINES)
    for first in range(len(LINES) + 1):
        for last in range(first, len(LINES) + 1):
            assert (
                rows_of(columns_of(log[first:last])) == EXPECTED[first:last] == rows_of(columns_of(LINES[first:last]))
            )


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_numbers_that_no_broker_prints_are_those_of_no_record(number: int) -> None:
    strange = OWNED._replace(timestamp=number)
    columns = LineColumns.of([said(1, 5, "handle-request", UNIT, data=strange, handled=number)])
    assert columns.kinds == [()]
    assert columns.table["counter"].tolist() == [NO_NUMBER]
