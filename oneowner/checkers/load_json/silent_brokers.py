"""Brokers whose averages show that they have reported no traffic for long: their reports are stale or empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any, Final

from oneowner.checkers.load_json.pulsar_values import Fields

SHORT: Final = 10
"""Samples of the short-term average: each sample of 0 leaves nine tenths of it (``TimeAverageMessageData``)."""
LEAST: Final = 50
"""Samples of 0 in a row, below which traffic may just have ended."""
WAYS: Final = ("In", "Out")


def silent_brokers(averages: Mapping[str, Any]) -> Iterator[str]:
    """Yield a remark on each broker whose short-term throughput has decayed to nothing beside the long-term one."""
    for name, one in averages.items():
        told = Fields(one.value, one.where)
        short, long = (
            sum(told.number(f"{term}MsgThroughput{way}") for way in WAYS) for term in ("shortTerm", "longTerm")
        )
        if short <= 0 < long:
            yield f"{name} has a short-term throughput of 0 B/s, a long-term one of {long:.3g} B/s: {advice(name)}"
        elif 0 < short < long and (samples := zeros(short, long)) >= LEAST:
            yield (
                f"{name} has reported 0 B/s in some {samples} samples in a row, after {long:.3g} B/s (its short-term"
                f" throughput is {short:.3g}): {advice(name)}"
            )


def advice(name: str) -> str:
    """Return the consequence of such averages, and what to look at."""
    return (
        "its reports are stale or empty, so that nothing is unloaded from it; compare its node"
        f" /loadbalance/brokers/{name}, and ask which broker leads (#23125)"
    )


def zeros(short: float, long: float) -> int:
    """
    Return how many samples of 0 bring a short-term average from *long* to *short*.

    >>> zeros(0.9**100, 1.0)
    100
    """
    return round(log(long / short) / log(SHORT / (SHORT - 1)))
