"""
Lines that print a record of the channel, as 3.0 to 4.0.x do, are read at once, head and all, for what laws go by.

Nearly all lines of a log in debug mode are of three statements. One expression takes such a line as it is usual: in
ASCII, with a record that is no split. Any other line is read by the table of patterns, which also finds the words for
what is wrong; what is taken here it understands as the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_lines import HEAD, LogLine, name_of, text_of
from oneowner.checkers.recordings.read.log_patterns import Table, Understood
from oneowner.checkers.recordings.read.log_times import TIME, time_of
from oneowner.checkers.recordings.read.observations import Said
from oneowner.model.channel.record import NOBODY, ServiceUnitState

EVENTS: Final = ("handle-request", "handled", "skipped")
"""The statements, in the order of the alternatives below."""

_UNIT = rb"((?:[!-.0-~]+/)+0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8})"
_BROKER = rb"(?!null |Optional)([!-+\--:<-~]+)"
_RECORD = (
    rb"(?:null|ServiceUnitStateData\[state=(Init|Free|Owned|Assigning|Releasing|Splitting|Deleted), "
    rb"dstBroker=([!-+\--~]*), sourceBroker=([!-+\--~]*), splitServiceUnitToDestBroker=null, force=(true|false), "
    rb"timestamp=(-?\d{1,18}), versionId=(-?\d{1,18})\])"
)
_OTHER = re.sub(rb"\((?!\?)", b"(?:", _RECORD)
_COUNT = rb"(-?\d{1,18})"
_PACKAGE = rb"org\.apache\.pulsar\."
_CHANNEL = rb"broker\.loadbalance\.extensions\.channel\.ServiceUnitStateChannelImpl"
RECORD_LINE: Final = re.compile(
    TIME + rb" \[([^\]]*)\] (INFO) +(?:"
    rb"(" + _PACKAGE + _CHANNEL + rb") - " + _BROKER + rb" (?:"
    rb"received a handle request for serviceUnit:" + _UNIT + rb", data:" + _RECORD + rb"\. totalHandledRequests:"
    + _COUNT
    + rb"|handled [!-~]+ event for serviceUnit:" + _UNIT + rb", cur:" + _RECORD + rb", next:" + _OTHER
    + rb", totalHandledRequests:" + _COUNT + rb", totalFailedRequests:-?\d+)"
    rb"|(" + _PACKAGE + rb"client\.impl\.TableViewImpl) - Skipped the message from topic "
    rb"persistent://pulsar/system/loadbalancer-service-unit-state\. key=" + _UNIT + rb" value=" + _RECORD + rb" prev="
    + _OTHER + rb")",
)  # fmt: skip
"""First the groups of ``HEAD``, then the broker; then of each statement its unit, its record and its counter."""


class RecordLine(NamedTuple):
    """Such a line: what laws go by, and its bytes, from which all else can be read again."""

    origin: Origin
    number: int
    """Its line within the file."""
    time: int
    event: str
    thread: str
    unit: str
    kind: tuple[Any, ...] | None
    """What its record says but for its version (``line_columns.Kind``); None: a tombstone."""
    version: int
    made: int
    counter: int | None
    """How many requests its process has handled, if it says so."""
    broker: str | None
    """Who says so, if it does."""
    raw: bytes


def record_line(found: re.Match[bytes], origin: Origin, number: int) -> RecordLine | None:
    """Return what was *found* of the line that was read there; None if there is no such time."""
    event, first = _BEGINS[found.lastindex or 0]
    second, millis, zone, thread, unit, state, destination, source, force, made, version = found.group(
        1, 2, 3, 4, *range(first, first + 7)
    )
    time = time_of(second, millis, zone)
    if time < 0:
        return None
    broker = found[7]
    return RecordLine(
        origin, number, time, EVENTS[event], name_of(thread), name_of(unit),
        None if state is None else _kind(state, destination, source, force),
        int(version or 0), int(made or 0), None if broker is None else int(found[first + 7]),
        None if broker is None else name_of(broker), found.string,
    )  # fmt: skip


_BEGINS: Final = {15: (0, 8), 23: (1, 16), 25: (2, 25), 31: (2, 25)}
"""By the last group that took part: which statement it is, and its first group."""


@lru_cache(maxsize=4_096)
def _kind(state: bytes, destination: bytes, source: bytes, force: bytes) -> tuple[Any, ...]:
    parties = (NOBODY if name in (b"", b"null") else name_of(name) for name in (destination, source))
    return ServiceUnitState(name_of(state)), *parties, force == b"true", None


def has_usual_forms(patterns: Table) -> bool:
    """Say whether a table knows these statements."""
    return {pattern.id for pattern in patterns} >= {*EVENTS}


def said_of(raw: bytes, origin: Origin, patterns: Table) -> Said:
    """Return all that such a line says."""
    head = HEAD.match(raw)
    assert head is not None, "it was read as a line with a head"
    level, logger, message = (text_of(text) for text in (head[5], head[6], raw[head.end() :]))
    line = LogLine(origin, 0, time_of(*head.group(1, 2, 3)), level, logger, name_of(head[4]), message, None, [])
    found = patterns.understand(line)
    assert isinstance(found, Understood), "what is read at once, the table understands"
    return Said(origin, line.time, "", found.pattern.id, line.thread, found.values.get("unit"), found.values, message)
