"""Times, durations and sizes are read and written as people write them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from oneowner.checkers.verdict import Misuse

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


def duration_ms(text: str) -> int:
    """
    Return a duration in milliseconds.

    >>> duration_ms("120s"), duration_ms("1500ms"), duration_ms("2m")
    (120000, 1500, 120000)
    """
    match = re.fullmatch(r"([0-9]{1,12})(ms|s|m|h)", text.strip())
    if match is None:
        raise Misuse(f"duration refused: {text}; such as 120s, 1500ms, 2m or 1h is allowed")
    return int(match.group(1)) * _UNITS[match.group(2)]


def size_of(text: str) -> int:
    """
    Return a size in bytes.

    >>> size_of("512M"), size_of("8G")
    (536870912, 8589934592)
    """
    match = re.fullmatch(r"([0-9]{1,9})([KMGT])", text.strip().upper().removesuffix("IB").removesuffix("B"))
    if match is None:
        raise Misuse(f"size refused: {text}; such as 512M or 8G is allowed")
    return int(match.group(1)) << 10 * ("KMGT".index(match.group(2)) + 1)


def moment_ms(text: str) -> int:
    """
    Return a moment in epoch milliseconds, from milliseconds or ISO 8601 (UTC without a zone).

    >>> moment_ms("1795218600000"), moment_ms("2026-11-20T23:50:00Z"), moment_ms("2026-11-20 23:50:00.5")
    (1795218600000, 1795218600000, 1795218600500)
    """
    if re.fullmatch(r"[0-9]{10}", text.strip()):
        raise Misuse(f"time refused: {text}; it looks like seconds, and milliseconds are {text.strip()}000")
    if re.fullmatch(r"-?[0-9]{1,18}", text.strip()):
        return int(text)
    try:
        moment = datetime.fromisoformat(text.strip())
        since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
        return since // timedelta(milliseconds=1)  # downwards: a later record is not seen yet
    except (ValueError, OverflowError):
        raise Misuse(
            f"time refused: {text}; epoch milliseconds or ISO 8601 is allowed, such as 2026-11-20T23:50:00Z"
        ) from None


def iso(milliseconds: int) -> str:
    """
    Return a moment in ISO 8601, UTC; one that no calendar has stays a number.

    >>> iso(1795218600500), iso(10**18)
    ('2026-11-20T23:50:00.500Z', '1000000000000000000')
    """
    try:
        moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return str(milliseconds)
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


def seconds(milliseconds: int) -> str:
    """
    Format a duration for a sentence.

    >>> seconds(81104), seconds(300)
    ('81.1 s', '0.3 s')
    """
    return f"{milliseconds / 1000:.1f} s"


def lasting(duration: int) -> str:
    """
    Return milliseconds in the words of an operator.

    >>> lasting(34), lasting(19486)
    ('34 ms', '19.5 s')
    """
    return f"{duration} ms" if duration < 1000 else f"{duration / 1000:.1f} s"


def clock(milliseconds: int, before: int | None) -> str:
    """
    Return a moment below another one in a list: without the day if that is the same.

    >>> clock(1795218600500, 1795218600000), clock(1795218600500, None)
    ('           23:50:00.500Z', '2026-11-20T23:50:00.500Z')
    """
    day, _, time = iso(milliseconds).partition("T")
    return f"{time:>24}" if time and before is not None and iso(before).startswith(f"{day}T") else iso(milliseconds)


def after(first: int, moment: int) -> str:
    """
    Return the time from a first moment to another, to the millisecond for ten seconds.

    >>> after(1_000, 13_345), after(1_000, 901)
    ('+12.3 s', '-0.099 s')
    """
    between = moment - first
    return f"{between / 1000:+.3f} s" if abs(between) < 10_000 else f"{between / 1000:+.1f} s"


def quantile(ordered: Sequence[int], percent: int) -> int:
    """
    Return the value of *ordered* below or at which so many percent lie.

    >>> quantile([1, 2, 3, 4], 50), quantile([1, 2, 3, 4], 99)
    (2, 4)
    """
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
