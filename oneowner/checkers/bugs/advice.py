"""The subject of a text that shows no known bug, and the evidence to collect so that the question can be answered."""

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

from oneowner.checkers.bugs.answer import Answer
from oneowner.checkers.bugs.events import has_date
from oneowner.checkers.bugs.hits import Extent

_MARGIN: Final = 120_000
"""Milliseconds before and after the lines of a client for which brokers' logs are asked."""
_DAY: Final = 86_400_000
_BROKER: Final = re.compile(
    r"instance:([\w.-]+)|brokerUrl\"?[:=]\"?pulsar(?:\+ssl)?://([\w.-]+)|pulsar(?:\+ssl)?://([\w.-]+)"
)
_A_LOG: Final = "collect a broker's log with the lines around the trouble, a minute before and after"
_BROKERS_LOGS: Final = "the brokers' whole logs"


class Advice(NamedTuple):
    """The answer without a bug."""

    headline: str
    collect: tuple[str, ...] = ()
    is_conclusive: bool = False
    """True if the question is answered: the text is not about ownership."""


def advice_of(answer: Answer) -> Advice:
    """Return the answer for a text that shows no known bug, and for a client's log beside a bug."""
    reading = answer.reading
    if answer.suspects:
        return Advice(_client_note(answer)) if reading.is_client else Advice("", is_conclusive=True)
    if answer.is_about_owners:
        return Advice(
            "no log: one broker's answer about owners; whether it is wrong, the other brokers show",
            (
                "pulsar-admin --admin-url http://BROKER:8080 topics lookup TOPIC, asked of each broker; answers that "
                "differ for more than some seconds are a conflict",
                "collect the brokers' logs of these minutes, and the channel (oneowner script dump_channel)",
                "then: oneowner why TOPIC FOLDER, and oneowner audit FOLDER; oneowner record asks all brokers for you",
            ),
        )
    if answer.is_for_others:
        reads = (f"{name}: {one.name}; oneowner {' '.join(one.verb)} reads it" for name, one in answer.inputs.items())
        return Advice("no log: another verb reads this", (*reads, _A_LOG))
    if reading.is_client and reading.is_about_ownership:
        return Advice(
            f"a client's log: collect {_BROKERS_LOGS} of {span_of(answer)}",
            (
                *([f"start with these brokers: {', '.join(brokers_in(answer))}"] if brokers_in(answer) else []),
                "pulsar-admin topics lookup TOPIC, asked of each broker, during the trouble",
                "then: oneowner bugs --like FOLDER",
            ),
        )
    is_whole = bool(reading.of_brokers) and not answer.is_excerpt
    if not is_whole and not reading.is_about_ownership and reading.other:
        return Advice(
            f"not about ownership: it is about {reading.other}", reading.advice(reading.other), is_conclusive=True
        )
    if is_whole or (reading.is_about_ownership and not answer.is_excerpt):
        other = reading.first or ("" if reading.is_about_ownership else reading.other)
        words = "look first at" if reading.first else "most warnings are about"
        return Advice(
            f"no known bug in {sum(one.lines for one in answer.extents)} lines"
            + (f"; {words} {other}" if other else ""),
            (
                *(reading.advice(other) if other else ()),
                "oneowner audit FOLDER judges the logs beyond known bugs",
                "collect the channel too (oneowner script dump_channel), and timed lookups (oneowner record)",
            ),
        )
    if reading.is_about_ownership:
        return Advice(
            "no known bug: some lines are about ownership, but no signature is complete",
            (
                f"collect {_BROKERS_LOGS} of {span_of(answer)}, and their release",
                "pulsar-admin brokers list CLUSTER; pulsar-admin brokers leader-broker",
                "pulsar-admin topics lookup TOPIC, asked of each broker",
                "then: oneowner bugs --like FOLDER, and oneowner audit FOLDER",
            ),
        )
    if reading.of_brokers:
        return Advice(
            "no known bug: lines of Pulsar are there, and their subject is not recognised",
            (
                "of a stack trace, collect its first line too, which names the exception, and the log around it",
                "of a thread that hangs: three thread dumps (jstack), ten seconds apart",
                "then: oneowner bugs --like FILE",
            ),
        )
    return Advice(
        "nothing is recognised: no line comes from Pulsar, or from another known product",
        (_A_LOG, "then: oneowner bugs --like FILE"),
    )


def _client_note(answer: Answer) -> str:
    brokers = brokers_in(answer)
    of = f" (of {', '.join(brokers)} first)" if brokers else ""
    return f"a client's log: {_BROKERS_LOGS} of {span_of(answer)}{of} would decide"


def brokers_in(answer: Answer) -> list[str]:
    """Return the brokers that a text names, in order."""
    found = dict.fromkeys(
        next(group for group in named.groups() if group)
        for one in answer.events
        for named in _BROKER.finditer("\n".join(one.event.lines))
    )
    return list(found)[:6]


def span_of(answer: Answer) -> str:
    """Return the time that a text is about, with some minutes around it."""
    timed = [one for one in answer.extents if one.first is not None and one.last is not None]
    if not timed:
        return "the minutes around it"
    first, last = min(_first(one) for one in timed), max(_last(one) for one in timed)
    return f"{_shown(first - _MARGIN)} to {_shown(last + _MARGIN)}"


def _first(extent: Extent) -> int:
    return extent.first or 0


def _last(extent: Extent) -> int:
    return extent.last or 0


def _shown(moment: int) -> str:
    if not has_date(moment):
        return datetime.fromtimestamp((moment % _DAY) / 1000, UTC).strftime("%H:%M")
    return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
