"""Amounts in the reasons of a shedder, as an operator reads them, and as Pulsar logs them."""

from collections.abc import Callable
from typing import Final

MIB: Final = 1024 * 1024.0
"""Bytes of a megabyte in Pulsar's settings and logs (``ThresholdShedder.MB``)."""
KIB: Final = 1024.0


def share(part: float) -> str:
    """
    Return a part of a resource in percent.

    >>> share(0.4271), share(float("nan"))
    ('42.7 %', 'nan %')
    """
    return f"{part * 100:.1f} %"


def rate(amount: float) -> str:
    """
    Return bytes a second.

    >>> rate(30_666_667), rate(8_000), rate(0)
    ('29.2 MB/s', '7.8 kB/s', '0 B/s')
    """
    size = abs(amount)
    if size >= MIB:
        return f"{amount / MIB:.1f} MB/s"
    return f"{amount / KIB:.1f} kB/s" if size >= KIB else f"{amount:.0f} B/s"


def messages(amount: float) -> str:
    """
    Return messages a second.

    >>> messages(1780.4)
    '1780 messages/s'
    """
    return f"{amount:.0f} messages/s"


def of(by_rate: bool) -> Callable[[float], str]:
    """Return the format of messages a second, or else of bytes a second."""
    return messages if by_rate else rate
