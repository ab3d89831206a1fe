"""
Contradictions between the audit of a recording and the audit of a part of its files.

Less evidence may say less: a verdict is unknown, a cause is not known, an end is not seen, a law is not judged. It may
say nothing else: no verdict, accusation, root or end that the whole takes back.
"""

import re
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, Final, NamedTuple

Json = Mapping[str, Any]

NEAR: Final = 10_000
"""Milliseconds between two times of one event."""
QUIET: Final = 60_000
"""
Milliseconds by which the last sign of life of a process comes earlier where fewer sources show any; a loss of its
session, which is seen when it goes on, may come twice as late.
"""
SAME_END: Final = 5_000
"""Milliseconds between two times of one end."""
OF_PROCESSES: Final = ("silent process", "process that died", "process that ended itself", "process that was stopped")
SESSION: Final = 25_000
"""Milliseconds between a loss of the store and its line, by 5/6 of the default timeout where no other is known."""
LOSS: Final = "lost session"
OUTAGE: Final = "outage of the metadata store"
UNDECIDED: Final = re.compile("does not show which|shows which|as if it stood still|only their logs show")
"""Words about a process that was silent, or lost its session: it may have stood still, died, or been cut off."""


class Contradiction(NamedTuple):
    """One statement of a part that the whole contradicts."""

    kind: str
    """The kind of the statement: verdict, accusation, root or end."""
    what: str
    """The verdict, the law and its unit, or the kind of the root."""
    words: str


def contradictions(whole: Json, part: Json) -> list[Contradiction]:
    """Return the statements of *part* that *whole* contradicts: both are JSON results of ``oneowner audit``."""
    return [*_of_verdict(whole, part), *_of_accusations(whole, part), *_of_incidents(whole, part)]


def _of_verdict(whole: Json, part: Json) -> Iterator[Contradiction]:
    if {whole["verdict"], part["verdict"]} == {"valid", "invalid"}:
        yield Contradiction("verdict", part["verdict"], f"the whole is {whole['verdict']}")


def _of_accusations(whole: Json, part: Json) -> Iterator[Contradiction]:
    accused = list(_violations(whole))
    for one in _violations(part):
        if not any(_accuses(other, one) for other in accused):
            yield Contradiction("accusation", f"{one['law']} of {one['unit']}", one["why"])


def _violations(result: Json) -> Iterator[Json]:
    return (one for one in result["findings"] if one["severity"] == "violation")


def _accuses(other: Json, one: Json) -> bool:
    """Return whether *other* accuses as *one* does: of its unit, or its brokers at that time, as of several units."""
    if one["law"] != other["law"]:
        return False
    if one["unit"] is not None and one["unit"] == other["unit"]:
        return True
    since, until, first, last = *_span(one), *_span(other)
    return set(one["brokers"]) <= set(other["brokers"]) and since <= last + NEAR and first <= until + NEAR


def _span(finding: Json) -> tuple[float, float]:
    """Return the time of a violation, which may last."""
    window, time = finding.get("window") or {}, finding["at"]["time"] or 0
    since, until = window.get("since", time), window.get("until", time)
    return time if since is None else since, inf if until is None else until


def _of_incidents(whole: Json, part: Json) -> Iterator[Contradiction]:
    for one in part["incidents"]:
        if "finding" in one["root"]:  # no cause is known; its accusation is compared
            continue
        kind, place = one["root"]["kind"], f"of {', '.join(one['root']['brokers'])} at {one['root']['time']}"
        if not any(_is_same(one["root"], root) for other in whole["incidents"] for root in _happened(other)):
            yield Contradiction("root", kind, place)
        alike = [other for other in whole["incidents"] if _is_same(one["root"], other["root"])]
        same = min(alike, key=lambda other: abs((other["root"]["time"] or 0) - (one["root"]["time"] or 0)), default=one)
        is_kind = same["root"]["kind"] == kind
        if is_kind and same["harm"] == one["harm"] and not _ends_alike(one, same):
            yield Contradiction("end", kind, f"{place}: {_end(one)}, in the whole {_end(same)}")


def _happened(incident: Json) -> list[Json]:
    return [incident["root"], *incident["along"]]


def _is_same(one: Json, other: Json) -> bool:
    """
    Return whether *other* of a whole is the event *one* of its part.

    Where signs of life are missing, a process seems to have been gone for longer; its session ends later.
    """
    is_open = UNDECIDED.search(one["what"]) is not None
    if is_open and other["kind"] == OUTAGE:  # that cut it off
        return _is_within(one["time"], other["time"], QUIET)
    named = set(other.get("brokers", ())) | {broker for broker in one["brokers"] if broker in other["what"]}
    if one["brokers"] and one["kind"] != OUTAGE and not named.intersection(one["brokers"]):
        return False
    if other["kind"] in OF_PROCESSES and (is_open or one["kind"] == other["kind"]):
        return _is_within(one["time"], other["time"], 2 * QUIET if is_open else QUIET)
    limit = SESSION if one["kind"] in (LOSS, OUTAGE) else NEAR
    return bool(one["kind"] == other["kind"]) and _is_within(one["time"], other["time"], limit)


def _is_within(time: int | None, other: int | None, limit: int) -> bool:
    return time is None or other is None or abs(time - other) <= limit


def _ends_alike(one: Json, other: Json) -> bool:
    if "not seen" in (one["ended"], other["ended"]):
        return True
    return one["ended"] == other["ended"] and _is_within(one["to"], other["to"], SAME_END)


def _end(incident: Json) -> str:
    return f"{incident['ended']} at {incident['to']}" if incident["to"] else str(incident["ended"])
