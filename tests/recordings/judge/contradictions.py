"""
Contradictions between the audit of a recording and the audit of a part of its files.

Less evidence may say less: a verdict is unknown, a cause is not known, an end is not seen, a law is not judged. It may
not say anything else: neither a verdict, nor an accusation, an incident or an end that the whole takes back.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

Json = Mapping[str, Any]

NEAR: Final = 5_000
"""Milliseconds between two times of one event: sources of other kinds show it sooner or later."""
VIOLATION: Final = "violation"
OF_PROCESSES: Final = ("silent process", "process that died", "process that ended itself")
UNDECIDED: Final = "its log does not show which"
KNOWN: Final = ("over", "lasts")


class Contradiction(NamedTuple):
    """One statement of a part that the whole contradicts."""

    kind: str
    """Of what: verdict, accusation, root or end."""
    words: str


def contradictions(whole: Json, part: Json) -> list[Contradiction]:
    """Return the statements of *part* that *whole* contradicts: both are JSON results of ``oneowner audit``."""
    return [*_of_verdict(whole, part), *_of_accusations(whole, part), *_of_incidents(whole, part)]


def _of_verdict(whole: Json, part: Json) -> Iterator[Contradiction]:
    if {whole["verdict"], part["verdict"]} == {"valid", "invalid"}:
        yield Contradiction("verdict", f"{part['verdict']}, the whole is {whole['verdict']}")


def _of_accusations(whole: Json, part: Json) -> Iterator[Contradiction]:
    accused = [one for one in whole["findings"] if one["severity"] == VIOLATION]
    found = (one for one in part["findings"] if one["severity"] == VIOLATION)
    wrong = [one for one in found if not any(_accuses(other, one) for other in accused)]
    for one in {(one["law"], one["unit"], *one["brokers"]): one for one in wrong}.values():
        yield Contradiction("accusation", f"{one['law']} of {one['unit']} by {', '.join(one['brokers'])}: {one['why']}")


def _accuses(other: Json, one: Json) -> bool:
    """Return whether *other* accuses as *one* does: of its unit, or its brokers then, as of several units at once."""
    if one["law"] != other["law"]:
        return False
    is_of_unit = one["unit"] is not None and one["unit"] == other["unit"]
    return is_of_unit or (
        set(one["brokers"]) <= set(other["brokers"]) and _is_near(one["at"]["time"], other["at"]["time"])
    )


def _of_incidents(whole: Json, part: Json) -> Iterator[Contradiction]:
    for one in part["incidents"]:
        if "finding" in one["root"]:  # no cause is known; its accusation is compared
            continue
        same = [other for other in whole["incidents"] if _is_in(one["root"], other)]
        if not same:
            yield Contradiction("root", _named(one["root"]))
        elif not any(_ends_alike(one, other) for other in same):
            yield Contradiction("end", f"{_named(one['root'])}: {_end(one)}, in the whole {', '.join(map(_end, same))}")


def _is_in(root: Json, incident: Json) -> bool:
    """Return whether the root of an incident happened in another incident, too: as its root, or along with it."""
    happened = [incident["root"], *incident["along"]]
    return any(_is_same(root, one) for one in happened)


def _is_same(one: Json, other: Json) -> bool:
    """Return whether *other* of the whole is the event *one* of a part, which may lack signs of life before it."""
    if one["brokers"] and not any(broker in other["what"] for broker in one["brokers"]):
        return False
    if one["kind"] in OF_PROCESSES and other["kind"] in OF_PROCESSES:
        return one["kind"] == other["kind"] or UNDECIDED in one["what"]
    return one["kind"] == other["kind"] and _is_near(one["time"], other["time"])


def _is_near(time: int | None, other: int | None) -> bool:
    return time is None or other is None or abs(time - other) <= NEAR


def _ends_alike(one: Json, other: Json) -> bool:
    ends = {one["ended"], other["ended"]}
    return not ends <= set(KNOWN) or (len(ends) == 1 and _is_near(one["to"], other["to"]))


def _named(root: Json) -> str:
    return f"{root['kind']} of {', '.join(root['brokers'])} at {root['time']}"


def _end(incident: Json) -> str:
    return f"{incident['ended']} at {incident['to']}" if incident["to"] else str(incident["ended"])
