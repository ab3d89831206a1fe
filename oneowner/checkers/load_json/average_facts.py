"""Averages that only a long row of empty reports leaves: such a broker is measured at 0, whatever it does."""

import math
from collections.abc import Iterator, Mapping
from typing import Final

from oneowner.checkers.load_json.pulsar_values import TRAFFIC, Fields

SHORT: Final = 10
LONG: Final = 1000
"""The samples of an average: each report counts as one of so many (``TimeAverageMessageData``)."""
FEW: Final = 60
"""Reports of 0 in a row that are no news: with one a minute, an hour."""


def silent_brokers(averages: Mapping[str, Fields]) -> Iterator[str]:
    """Yield the brokers whose averages show a long row of reports of 0, and its length."""
    for name, told in averages.items():
        rows = {}
        for key in TRAFFIC:
            term = f"{key[0].upper()}{key[1:]}"
            short, long = told.number(f"shortTerm{term}"), told.number(f"longTerm{term}")
            if 0 < short < long:
                rows[key] = zeros(short, long)
        if rows and len(rows) == len(TRAFFIC) and min(rows.values()) >= FEW:
            long = told.number("longTermMsgThroughputIn")
            yield (
                f"{name} has reported 0 B/s and 0 messages in some {min(rows.values())} reports in a row, after"
                f" {long:.0f} B/s in: its reports are stale or empty, and a shedder considers it idle (near #23125);"
                f" compare /loadbalance/brokers/{name}"
            )


def zeros(short: float, long: float) -> int:
    """
    Return the number of samples of 0 that leave these averages, if both were the same before.

    >>> zeros(0.9, 0.999), zeros(3.84e-20, 2.516e7)
    (1, 592)
    """
    return round(math.log(short / long) / math.log((1 - 1 / SHORT) / (1 - 1 / LONG)))
