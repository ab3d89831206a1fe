"""
The moments of a log whose lines print no zone or no date are settled by the caller, or supposed with a note.

Without a zone the times are read as UTC. Without a date they are those of a given day, or of an unknown one, which is
printed as 1970-01-01: durations are right, and no comparison with another file is. A time that goes back by more than
half a day belongs to the next day.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from oneowner.checkers.recordings.read.clock_leads import Lead
from oneowner.checkers.verdict import Misuse

DAY = 86_400_000
"""Milliseconds."""
_DISORDER = 60_000
"""Milliseconds by which a line may be written late."""
_OFFSET = re.compile(r"([+-])(\d\d?)(?::?(\d\d))?")
_UNKNOWN_DAY = date(1970, 1, 1)


class Clock(NamedTuple):
    """The zone and the day of a log whose lines lack them, and the error of its times."""

    zone: str = ""
    """An offset such as +08:00, or a name such as Asia/Shanghai; empty: unknown."""
    day: str = ""
    """The day of the first line, such as 2024-05-01; empty: unknown."""
    day_by: str = "--date"
    """The source of the day."""
    zone_by: str = "--zone"
    """The source of the zone."""
    lead: Lead | None = None
    """The lead by which its times are corrected; None: they are right."""

    @property
    def tz(self) -> tzinfo:
        return _tz_of(self.zone)


@lru_cache
def _tz_of(zone: str) -> tzinfo:
    if zone.upper() in ("", "Z", "UTC", "GMT"):
        return UTC
    if (found := _OFFSET.fullmatch(zone)) is not None:
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(offset if found[1] == "+" else -offset)
    return ZoneInfo(zone)


def zone_of(text: str) -> str:
    """
    Return a zone that ``Clock`` reads; raise Misuse.

    >>> zone_of("+0800"), zone_of("Asia/Shanghai")
    ('+0800', 'Asia/Shanghai')
    """
    try:
        _tz_of(text).utcoffset(datetime(2024, 5, 1))
    except (ValueError, OSError, LookupError):
        text = ""
    if not text:
        raise Misuse("--zone refused: it is an offset such as +08:00, Z, or the name of a zone such as Asia/Shanghai")
    return text


def day_of(text: str) -> str:
    """Return a day that ``Clock`` reads; raise Misuse."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Misuse(f"--date refused: {text!r}; it is the day of the first line, such as 2024-05-01") from None


def clock_of(zone: str | None, day: str | None) -> Clock:
    """Return the clock of --zone and --date; raise Misuse."""
    return Clock("" if zone is None else zone_of(zone), "" if day is None else day_of(day))


class LogTimes:
    """The times of the lines of one file, in its order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._day = date.fromisoformat(clock.day) if clock.day else None
        self._passed = 0
        """The days that have passed since the first line."""
        self._latest: int | None = None
        """The time of day of the latest line without a date."""
        self.lacks_zone = self.lacks_day = self.lacks_time = False
        """True if a line lacked it."""

    def moment(self, day: str | None, clock: str, millis: int, zone: str | None) -> int:
        """
        Return epoch milliseconds; -1 for an impossible time.

        >>> times = LogTimes(Clock())
        >>> times.moment("2024-05-01", "00:00:01", 250, None), times.moment("2024-05-01", "08:00:01", 250, "+0800")
        (1714521601250, 1714521601250)
        >>> times.moment(None, "23:59:59", 0, None), times.moment(None, "00:00:01", 0, None)
        (86399000, 86401000)
        """
        try:
            if day is not None:
                self.lacks_zone |= zone is None
                return _second(day, clock, self._clock.zone if zone is None else zone) * 1000 + millis
            return self._of_day(clock, millis, zone)
        except (ValueError, OverflowError):  # the 31st of February
            return -1

    def none(self) -> int:
        """Return the moment of a line that prints no time: its place in the file is all that is known."""
        self.lacks_time = self.lacks_day = True
        return 0

    def _of_day(self, clock: str, millis: int, zone: str | None) -> int:
        self.lacks_day = True
        hours, minutes, seconds = map(int, clock.split(":"))
        if hours > 23 or minutes > 59 or seconds > 59:
            raise ValueError(clock)
        time = ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis
        late = 0 if self._latest is None else self._latest - time
        passed = self._passed + (late > DAY // 2) - (late < _DISORDER - DAY and self._passed > 0)
        if passed >= self._passed:  # else a line from before midnight that another thread wrote late
            self._passed, self._latest = passed, time
        if self._day is None:
            return passed * DAY + time
        self.lacks_zone |= zone is None
        day = (self._day + timedelta(days=passed)).isoformat()
        return _second(day, clock, self._clock.zone if zone is None else zone) * 1000 + millis

    @property
    def is_of_unknown_day(self) -> bool:
        """True if durations alone are right."""
        return self.lacks_time or (self.lacks_day and self._day is None)

    def notes(self) -> Iterator[str]:
        """Yield the suppositions about the lines so far."""
        if self.lacks_time:
            yield "its lines print no time: their order is right, and no duration"
        elif self.is_of_unknown_day:
            yield (
                f"its lines print no date: their day is unknown and printed as {_UNKNOWN_DAY}; "
                "--date 2024-05-01 sets the day of the first line"
            )
        elif self.lacks_day:
            yield f"its lines print no date: the first is of {self._clock.day}, by {self._clock.day_by}"
        if self.lacks_zone and self._clock.zone and self._clock.zone_by != Clock().zone_by:
            yield f"its lines print no zone: they are read as {self._clock.zone}, by {self._clock.zone_by}"
        if self.lacks_zone and not self._clock.zone:
            yield "its lines print no zone: they are read as UTC; --zone +08:00 sets another one"


@lru_cache(maxsize=1024)  # lines of one second stand together
def _second(day: str, clock: str, zone: str) -> int:
    return int(datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=_tz_of(zone)).timestamp())


def day_in(name: str) -> str:
    """
    Return the day in the name of a rotated log; empty if there is none.

    >>> day_in("b-11-21-2026-1.log.gz"), day_in("b.log.2026-11-21"), day_in("b-11.log")
    ('2026-11-21', '2026-11-21', '')
    """
    if (found := re.search(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)", name)) is not None:
        return found[1]
    found = re.search(r"(?<!\d)(\d\d)-(\d\d)-(\d{4})(?!\d)", name)
    return "" if found is None else f"{found[3]}-{found[1]}-{found[2]}"
