"""
The zone and the day of a log whose lines lack them, by the records of the channel that its lines print.

A record has the epoch milliseconds of its publication, and brokers print it some milliseconds after it. The difference
to the time of the line is the zone. So a log without zones, or without dates, is compared with its own records.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from oneowner.checkers.recordings.read.lines import FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.log_clock import DAY, Clock
from oneowner.checkers.recordings.read.log_lines import LINE

BY: Final = "the records that its lines print"
_RECORD: Final = re.compile(rb"\btimestamp=(\d{13}), versionId=\d")
_TIME: Final = re.compile(
    rb"(?:(\d{4}-\d\d-\d\d)[T ])?(?<![\d:])(\d\d):(\d\d):(\d\d)[.,](\d{3})\d*(\s?(?:Z|[+-]\d\d:?\d\d))?(?![\d:])"
)
_HEAD: Final = 300
"""The letters of a line in which its time is sought."""
_ENOUGH: Final = 200
"""Records that settle the clock of a log."""
_FEW: Final = 3
"""Records, of which fewer must be printed sooner, so that an old one is not taken for a zone."""
_STEP: Final = 15 * 60_000
"""Zones differ by quarters of an hour."""
_NEAR, _NEAREST = 30_000, 2_000
"""Milliseconds within which a record is printed after its publication; of few records."""
_EAST, _WEST = 14 * 3_600_000, -12 * 3_600_000


def clock_by_records(path: str, clock: Clock) -> Clock:
    """Return *clock* with the zone and the day of a log, where it lacks them and the log's records show them."""
    if clock.zone and clock.day:
        return clock
    first: int | None = None
    """The time of day of the log's first line."""
    pairs: list[tuple[int, int, bool]] = []
    """The local time of lines in milliseconds, with the publication of their record, and whether they have a date."""
    for text in _texts(path):
        if first is None:
            head = _TIME.search(text)
            if head is None or LINE.search(text) is not None:
                return clock
            first = _local(head)[0] % DAY
        pairs += islice(_pairs(text), _ENOUGH - len(pairs))
        if len(pairs) >= _ENOUGH:
            break
    shift = _shift(pairs)
    if first is None or shift is None:
        return clock
    settled = clock if clock.zone else clock._replace(zone=_offset(shift), zone_by=BY)
    local, published, is_dated = pairs[0]
    if clock.day or is_dated:
        return settled
    moment = datetime.fromtimestamp(published / 1000, UTC).astimezone(settled.tz)
    day = moment.date() - timedelta(days=int(first - local % DAY > DAY // 2))
    return settled._replace(day=day.isoformat(), day_by=BY)


def _texts(path: str) -> Iterator[bytes]:
    for chunk in chunks_of(0, 0, path, FileKind.LOG):
        yield from (text for text in read_texts(chunk) if isinstance(text, bytes))


def _pairs(text: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield the local time of each line that prints a record and no zone, with the record's publication."""
    for found in _RECORD.finditer(text):
        begin = text.rfind(b"\n", 0, found.start()) + 1
        head = _TIME.search(text, begin, min(begin + _HEAD, found.start()))
        if head is not None and head[6] is None:
            local, is_dated = _local(head)
            yield local, int(found[1]), is_dated


def _local(head: re.Match[bytes]) -> tuple[int, bool]:
    """Return the milliseconds that a line prints, as if they were of UTC, and whether it prints a date."""
    hour, minute, second, millis = map(int, head.groups()[1:5])
    time = ((hour * 60 + minute) * 60 + second) * 1000 + millis
    if head[1] is None:
        return time, False
    try:
        day = datetime.fromisoformat(head[1].decode()).replace(tzinfo=UTC)
    except ValueError:  # the 31st of February
        return time, False
    return int(day.timestamp()) * 1000 + time, True


def _shift(pairs: list[tuple[int, int, bool]]) -> int | None:
    """
    Return the milliseconds by which lines are ahead of UTC, by most of their records; None if these do not show it.

    >>> _shift([(28_800_012, 0, True)]), _shift([(28_820_012, 0, True)])
    (28800000, None)
    """
    near = _NEAR if len(pairs) >= _FEW else _NEAREST
    shifts = Counter[int]()
    for local, published, is_dated in pairs:
        ahead = local - published
        if not is_dated:  # east of Greenwich up to noon, else west of it
            ahead = (ahead + DAY // 2) % DAY - DAY // 2
        shift = round(ahead / _STEP) * _STEP
        if abs(ahead - shift) <= near and _WEST <= shift <= _EAST:
            shifts[shift] += 1
    shift, number = shifts.most_common(1)[0] if shifts else (0, 0)
    return shift if number and 2 * number >= len(pairs) else None


def _offset(shift: int) -> str:
    """
    Return a shift as a zone.

    >>> _offset(28_800_000), _offset(-12_600_000)
    ('+08:00', '-03:30')
    """
    hours, minutes = divmod(abs(shift) // 60_000, 60)
    return f"{'-' if shift < 0 else '+'}{hours:02}:{minutes:02}"
