"""
Lines of a log about sheds and splits are parsed; numbers that contradict a decision are reported.

Shedders and split strategies print the numbers by which they decided, and the limits. Rates are printed with two
digits, so a rate within that precision of its limit is left open. Lines are those of 3.0 to 4.2; of the 5.0 line those
are read that it prints in the same words.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.log_lines import LogLine
from oneowner.checkers.recordings.read.logged_placements import LOGGERS, Placement

NUMBER: Final = r"(-?[\d.]+(?:E-?\d+)?)"
"""As Java prints one; where a locale has a comma in it, the line is not judged."""
ROUNDED: Final = 0.005
"""The tolerance of a number that is printed with two digits: its distance from the compared value."""
PRECISE: Final = 1e-9
"""The same of one that is printed whole, times its size: it was multiplied by 100 after it was compared."""
NUMBERS: Final = (
    rf"Topics: {NUMBER}/{NUMBER}, Sessions: \({NUMBER}\+{NUMBER}\)/{NUMBER}, "
    rf"Message Rate: {NUMBER}/{NUMBER} \(msgs/s\), Message Throughput: {NUMBER}/{NUMBER} \(MB/s\)"
)
PACKAGE: Final = "org.apache.pulsar.broker.loadbalance."


class Decision(NamedTuple):
    """A line with a decision and its numbers."""

    origin: Origin
    time: int
    words: str
    bundle: str | None
    broker: str | None
    why: str
    """The contradiction in the numbers; empty if there is none."""


class Decided(NamedTuple):
    """The decisions in one log."""

    piece: int
    placements: list[Placement]
    decisions: list[Decision]


class Form(NamedTuple):
    """A form of lines with a decision: the logger, the words, and the check of the numbers."""

    logger: str
    words: re.Pattern[str]
    judge: Callable[[list[float]], str | None]
    """Returns the contradiction in the numbers, empty if there is none, None if they are too coarse to decide."""


def exceeded(told: list[float], digits: float = ROUNDED) -> bool | None:
    """
    Return whether one of the numbers of a bundle exceeds its limit; None if they are too coarse to decide.

    >>> exceeded([2, 1000, 1, 3, 1000, 4.0, 30000, 0.0, 100]), exceeded([2, 1, 1, 3, 1000, 4.0, 30000, 0.0, 100])
    (False, True)
    """
    topics, most_topics, producers, consumers, most_sessions, rate, most_rate, throughput, most_throughput = told
    if topics > most_topics or (most_sessions > 0 and producers + consumers > most_sessions):
        return True
    rates = ((rate, most_rate), (throughput, most_throughput))
    if any(number > limit + digits for number, limit in rates):
        return True
    return None if any(number >= limit - digits for number, limit in rates) else False


def split(told: list[float]) -> str | None:
    """Return the contradiction of numbers to a split."""
    is_hit = exceeded(told)
    return None if is_hit is None else "" if is_hit else "none of its numbers exceeds its limit"


def no_split(told: list[float]) -> str | None:
    """Return the contradiction of numbers to the absence of a split: hits, their limit, and the bundle's numbers."""
    hits, most, *numbers = told
    is_hit = exceeded(numbers)
    if hits > most:
        return f"{hits:g} hits are more than {most:g}"
    if is_hit is None or is_hit == (hits > 0):
        return None if is_hit is None else ""
    return "a number exceeds its limit, and none is counted" if is_hit else "none exceeds its limit, and it is counted"


def at_least(told: list[float]) -> str | None:
    """Return the contradiction if a usage is below the sum of the others."""
    usage, limit = told[0], sum(told[1:])
    if abs(usage - limit) <= PRECISE * max(1.0, abs(limit)):
        return None
    return "" if usage > limit else f"{usage:g} is below {limit:g}"


def at_most(told: list[float]) -> str | None:
    """Return the contradiction if a number is above the other one."""
    return "" if told[0] <= told[1] else f"{told[0]:g} is above {told[1]:g}"


def forms(logger: str, words: str, judge: Callable[[list[float]], str | None]) -> Form:
    """Return a form of a class of the load balancer; ``(?P<bundle>)`` and ``(?P<broker>)`` name its subjects."""
    return Form(PACKAGE + logger, re.compile(words), judge)


FORMS: Final = (
    forms("extensions.strategy.DefaultNamespaceBundleSplitStrategyImpl",
          rf"Splitting bundle: (?P<bundle>\S+)\. {NUMBERS}", split),
    forms("extensions.strategy.DefaultNamespaceBundleSplitStrategyImpl",
          rf"Can't split broker:(?P<bundle>\S+)\. Split condition hit count: {NUMBER} is less than or equal to "
          rf"threshold: {NUMBER}\. {NUMBERS}", no_split),
    forms("impl.BundleSplitterTask", rf"The bundle (?P<bundle>\S+) is considered to be unload\. {NUMBERS}", split),
    forms("impl.ThresholdShedder", r"Attempting to shed load on (?P<broker>\S+), which has max resource usage above "
          rf"avgUsage +and threshold {NUMBER}% > {NUMBER}% \+ {NUMBER}%", at_least),
    forms("impl.OverloadShedder", rf"Attempting to shed load on (?P<broker>\S+), which has resource usage {NUMBER}% "
          rf"above threshold {NUMBER}%", at_least),
    forms("extensions.scheduler.TransferShedder",
          rf"Shedding condition hit count:{NUMBER} is less than or equal to the threshold:{NUMBER}\.", at_most),
    forms("extensions.scheduler.TransferShedder",
          rf"overall cluster load meets the target, std:{NUMBER} <= targetStd:{NUMBER}\.?minBroker", at_most),
)  # fmt: skip
DECIDING: Final = LOGGERS | {form.logger for form in FORMS}
"""Loggers of decisions, placements among them: all have the load balancer's package in their name."""


def decision_of(line: LogLine) -> Decision | None:
    """Return the decision in a line; None if it has none, or its numbers are too coarse."""
    for form in FORMS:
        if line.logger == form.logger and (found := form.words.search(line.message)) is not None:
            named: Mapping[str, str] = found.groupdict()
            texts = [text for text in found.groups() if text not in named.values()]
            why = form.judge([float(text.rstrip(".")) for text in texts])
            if why is None:
                return None
            return Decision(line.origin, line.time, line.message, named.get("bundle"), named.get("broker"), why)
    return None
