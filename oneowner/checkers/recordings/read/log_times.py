"""
Times are found in lines of logs, as text layouts and JSON layouts of Log4j write them, and become milliseconds.

A time without a zone is none: its moment is unknown.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache

TIME = rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)[.,](\d{3})(Z|[+-]\d\d:?\d\d)"
"""A time with milliseconds and a zone, in three groups."""

_NAMES = rb'"(?:@timestamp|[Tt]imestamp|time|ts|timeMillis)"\s*:\s*'
STAMP = re.compile(
    _NAMES + rb'"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)"'
    rb'|"epochSecond"\s*:\s*(\d{1,11})\s*,\s*"nanoOfSecond"\s*:\s*(\d{1,9})'
    rb"|" + _NAMES + rb"(?:(\d{13})(?![\d.])|(\d{10})(?:\.(\d{1,9})\d*)?(?![\d.]))"
)
"""A time in a JSON object: a text, Log4j's ``instant``, milliseconds, or seconds."""


def time_in(stamp: re.Match[bytes]) -> int:
    """
    Return the epoch milliseconds of a match of ``STAMP``, or of a match that begins with the groups of ``TIME``.

    >>> time_in(STAMP.search(b'"instant":{"epochSecond":1795220299,"nanoOfSecond":896000000}'))
    1795220299896
    >>> time_in(STAMP.search(b'{"timestamp": 1795220299.896}')), time_in(STAMP.search(b'{"timeMillis":1795220299896}'))
    (1795220299896, 1795220299896)
    """
    if stamp.re is not STAMP or stamp[1] is not None:
        return time_of(stamp[1], _millis(stamp[2]), stamp[3])
    if stamp[4] is not None:
        return int(stamp[4]) * 1000 + int(stamp[5]) // 1_000_000
    return int(stamp[6]) if stamp[6] is not None else int(stamp[7]) * 1000 + int(_millis(stamp[8]))


def _millis(fraction: bytes | None) -> bytes:
    """Return the first three digits of a fraction."""
    return (fraction or b"")[:3].ljust(3, b"0")


def time_of(second: bytes, millis: bytes, offset: bytes) -> int:
    """
    Return epoch milliseconds; less than 0 for an impossible time.

    >>> time_of(b"2026-11-21T01:18:19", b"896", b"+0100")
    1795220299896
    """
    return _second(second, offset) + int(millis)


@lru_cache(maxsize=1024)  # lines of one second stand together
def _second(second: bytes, offset: bytes) -> int:
    zone = offset.decode()
    try:
        if zone == "Z":
            return int(datetime.fromisoformat(second.decode()).replace(tzinfo=UTC).timestamp()) * 1000
        return int(datetime.fromisoformat(second.decode() + zone).timestamp()) * 1000
    except ValueError:  # the 31st of February
        return -1_000
