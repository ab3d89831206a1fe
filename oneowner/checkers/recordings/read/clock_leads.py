"""
The lead of one machine's clock before those of the others, by which its times are corrected while they are read.

Logs are corrected by file, records of the channel by producer, and companion files by kind. A time of the making of a
record (``ServiceUnitStateData.timestamp``) stays as it is printed: it identifies the record in logs and channel.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from oneowner.checkers.recordings.read.events import END, Finding
from oneowner.checkers.recordings.read.log_times import STAMP, TIME, time_in, time_of

if TYPE_CHECKING:
    # A command line that reads no run needs no NumPy.
    from oneowner.checkers.recordings.read.coded_table import Array
    from oneowner.checkers.recordings.read.event_columns import Columns

T = TypeVar("T")

ZOOKEEPER: Final = "zookeeper"
_HEAD: Final = re.compile(rb"^" + TIME, re.MULTILINE)
_OBJECT: Final = re.compile(rb"^\{.*$", re.MULTILINE)


class Lead(NamedTuple):
    """The lead of a clock before the common one, in milliseconds; below 0: it is behind."""

    by: int
    """The lead at the moment *at*."""
    rate: float = 0.0
    """The growth of the lead in each millisecond."""
    at: int = 0
    """A moment by the clock itself."""

    def common(self, time: int) -> int:
        """Return the moment *time* of this clock by the common one."""
        return time - self.by - round(self.rate * (time - self.at))

    def of_column(self, times: "Array") -> "Array":
        """Return a column of moments of this clock by the common one."""
        corrected: Array = times - self.by
        return corrected if not self.rate else corrected - (self.rate * (times - self.at)).round().astype(times.dtype)

    def of_lines(self, text: bytes) -> bytes:
        """Return lines of a log in a usual layout, each with its time by the common clock."""
        text = _HEAD.sub(self._of_head, text)
        return _OBJECT.sub(lambda line: STAMP.sub(self._of_stamp, line[0], count=1), text) if b"{" in text else text

    def _of_head(self, head: re.Match[bytes]) -> bytes:
        time = time_of(*head.groups())
        if time < 0:
            return head[0]
        second, millis = divmod(self.common(time), 1000)
        return b"%s%s%03d%s" % (_printed(second, head[3]), head[0][19:20], millis, head[3])

    def _of_stamp(self, stamp: re.Match[bytes]) -> bytes:
        time, whole = time_in(stamp), stamp[0]
        if time < 0:
            return whole
        second, millis = divmod(self.common(time), 1000)
        if stamp[1] is not None:
            name = whole[: stamp.start(1) - stamp.start()]
            printed = _printed(second, stamp[3]).replace(b"T", stamp[1][10:11])
            return b"%s%s.%03d%s" % (name, printed, millis, stamp[3])
        if stamp[4] is not None:
            return b'"epochSecond":%d,"nanoOfSecond":%d' % (second, millis * 1_000_000)
        name = whole[: whole.index(b":") + 1]
        return b"%s%d" % (name, second * 1000 + millis) if stamp[6] is not None else b"%s%d.%03d" % (
            name, second, millis,
        )  # fmt: skip


@lru_cache(maxsize=1024)  # lines of one second stand together
def _printed(second: int, zone: bytes) -> bytes:
    if zone == b"Z":
        return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()
    apart = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    there = timezone(apart if zone[:1] == b"+" else -apart)
    return datetime.fromtimestamp(second, there).strftime("%Y-%m-%dT%H:%M:%S").encode()


class ClockLeads(NamedTuple):
    """The clocks of a run that are corrected, each with its lead."""

    logs: Mapping[str, Lead]
    """By the path of a broker's log."""
    producers: Mapping[str, Lead]
    """By the name of a producer of the channel."""
    brokers: Mapping[str, Lead]
    """By broker, for the times in its records that logs print."""
    files: Mapping[str, Lead]
    """By the kind of a companion file, such as lookups or zookeeper."""
    apart: int = 0
    """
    Milliseconds by which a corrected clock may be wrong, half of what its bounds allow: no shorter duration on two
    clocks accuses anybody.
    """
    found: tuple[Finding, ...] = ()
    """The findings about these clocks."""
    doubts: tuple[str, ...] = ()
    """The reasons why durations on these clocks are not judged."""

    def correct(self, events: "Columns", is_history: bool) -> None:
        """Put events of the channel, of a history or of a topic, on the common clock."""
        time = events.table["time"]
        if is_history:
            if (lead := self.files.get(ZOOKEEPER)) is not None:
                time[:] = lead.of_column(time)
            return
        for code, name in enumerate(events.producers):
            if (lead := self.producers.get(name)) is not None:
                own = events.table["producer"] == code
                time[own] = lead.of_column(time[own])

    def corrected(self, kind: str, found: Iterator[T]) -> Iterator[T]:
        """Yield observations of the files of one kind by the common clock."""
        lead = self.files.get(kind)
        return found if lead is None else (_moved(one, lead) for one in found)


def _moved(one: Any, lead: Lead) -> Any:
    if one is None:
        return None
    if hasattr(one, "time"):
        return one._replace(time=lead.common(one.time))
    return one._replace(start=lead.common(one.start), end=one.end if one.end == END else lead.common(one.end))


NO_LEADS: Final = ClockLeads({}, {}, {}, {})
