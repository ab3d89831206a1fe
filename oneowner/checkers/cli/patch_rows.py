"""The defects, switches and methods of a broker's jar as the JSON has them, and as lines of text."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from oneowner.checkers.real_classes.changes import Change, Kind
from oneowner.checkers.real_classes.defects import Decision, Has
from oneowner.checkers.real_classes.switches import Switch
from oneowner.model.channel.rules import Rules

OUT: Final = "out of reach"
WORDS: Final = ("gained", "has", "lost", "lacks", "undecided")
EXTENSIBLE: Final = "/loadbalance/extensions/"
CHANNEL: Final = f"{EXTENSIBLE}channel/"
"""The packages whose methods are printed first."""
SHOWN: Final = 20
"""Methods that are printed; the JSON has them all."""


def defect_row(mine: Decision, other: Decision | None, is_run: bool) -> dict[str, Any]:
    """Return a defect as the JSON has it (``result.schema.json``, defect_decided)."""
    claim = Has.HAS if mine.claimed else Has.LACKS
    there = (other.has if other is not None else Has.UNDECIDED) if is_run else claim
    why = mine.why or (other.why if other is not None else "")
    if mine.decided_by.run is None or (other is not None and other.decided_by.run is None):
        change = OUT
    elif Has.UNDECIDED in (mine.has, there):
        change = "undecided"
    else:
        before, now = there == Has.HAS, mine.has == Has.HAS
        change = ("has" if before else "gained") if now else ("lost" if before else "lacks")
    outcome = mine.outcome
    return {
        "defect": mine.decided_by.defect.name,
        "title": mine.decided_by.defect.title,
        "law": mine.decided_by.defect.law,
        "change": change,
        "here": str(mine.has),
        "there": str(there),
        "claimed": mine.claimed,
        "at": mine.decided_by.parting.at,
        "action": outcome.action if outcome is not None else "",
        "why": why,
    }


def defect_lines(rows: Sequence[Mapping[str, Any]], is_run: bool) -> Iterator[str]:
    """Yield the defects by what changed, those out of reach as counts by reason; *is_run*: beside other classes."""
    for word in WORDS:
        for row in rows:
            if row["change"] == word:
                is_plain = word == "undecided" or (word in ("gained", "lost") and not is_run)
                wrong = "" if is_plain or (row["here"] == "has") == row["claimed"] else "; not as claimed"
                yield f"  {word:9} {row['defect']}: {row['why'] or row['title']}{wrong}"
    reasons = Counter(_kind(row["why"]) for row in rows if row["change"] == OUT)
    for reason, count in reasons.most_common():
        yield f"  {OUT}: {count} {'defect' if count == 1 else 'defects'}: {reason}"


def _kind(why: str) -> str:
    if why.startswith("no call"):
        return "an action of its run has no call"
    if why.startswith("the script decides"):
        return "the script decides where its run and the repaired one part"
    return why


def switch_rows(mine: Iterable[Switch], other: Iterable[Switch], rules: Rules) -> list[dict[str, Any]]:
    """Return the decided switches as the JSON has them; *rules* are the claims of the nearest release."""
    there = {one.name: one.value for one in other}
    return [
        {
            "switch": one.name,
            "here": one.value,
            "there": there.get(one.name),
            "claimed": getattr(rules, one.name),
            "defects": list(one.defects),
        }
        for one in mine
    ]


def switch_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the values of all switches in a line, then those that are not as claimed."""
    if rows:
        yield "  switches  " + " ".join(f"{row['switch']}={_word(row['here'])}" for row in rows)
    for row in rows:
        if row["here"] != row["claimed"]:
            yield f"            {row['switch']} is claimed to be {_word(row['claimed'])}"


def _word(value: bool | None) -> str:
    return "undecided" if value is None else str(value).lower()


def method_rows(found: Iterable[Change], entered: Collection[str]) -> list[dict[str, Any]]:
    """Return the methods that differ as the JSON has them."""
    return [
        {
            "change": str(one.kind),
            "class": one.type.replace("/", "."),
            "method": one.method,
            "missed": one.missed(entered),
        }
        for one in found
    ]


def method_lines(found: Sequence[Change], entered: Collection[str], against: str) -> Iterator[str]:
    """Yield how many methods differ, those that were entered, and those with a change that was not."""
    counts = Counter(one.kind for one in found)
    words = ", ".join(f"{counts[kind]} {kind}" for kind in Kind if counts[kind]) or "none differs"
    yield f"  methods   of the load balancer, against {against}: {words}"
    ours = (one for one in found if one.kind != Kind.REMOVED)
    there = sorted(ours, key=lambda one: (CHANNEL not in one.type, EXTENSIBLE not in one.type))
    reached = [one for one in there if not one.missed(entered)]
    missed = [one for one in there if one.missed(entered)]
    for title, wanted in (("entered", reached), ("not entered", missed)):
        if names := list(dict.fromkeys(one.short for one in wanted)):
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            yield f"    {title}: {', '.join(names[:SHOWN])}{more}"
