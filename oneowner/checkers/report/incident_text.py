"""Incidents of recorded runs in full: a sentence, what to do with its commands, what happened when."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.orders import LASTS, Order, pressing_of
from oneowner.checkers.report.text import ALIKE, STYLES
from oneowner.checkers.times import after, iso, lasting
from oneowner.model.kernel.law import Severity

Json = Mapping[str, Any]
"""An incident, or a finding, as its JSON object."""

SHOWN: Final = 3
"""Incidents of a run that the text prints in full."""
MOMENTS: Final = 9
"""Moments of the worst incident that the text prints."""
FEWER: Final = 4
"""Those of any other incident."""
ALL: Final = 1_000
UNITS: Final = 4
"""Bundles of an incident that the text names."""
UNUSABLE, TWICE, DOUBTFUL = "clients could not use", "had two owners", "may have had two owners, or none"
STATES: Final = {UNUSABLE: ("Disturbed from", "Disturbed since"), DOUBTFUL: ("In doubt from", "In doubt since")}
"""The beginning of a sentence for an incident that is over, and for one that lasts."""
BROKEN: Final = ("Broken from", "Broken since")
"""The same where a violation is why clients could not use bundles; a valid run is disturbed, and not broken."""


def grouped(told: Sequence[Json]) -> list[Json]:
    """Join the incidents that lack a known cause and break one law at one moment."""
    found: list[Json] = []
    for one in told:
        place = next((number for number, other in enumerate(found) if _is_alike(other, one)), None)
        if place is None:
            found.append(one)
            continue
        other = found[place]
        both = {key: sorted({*other[key], *one[key]}) for key in ("units", "harmed", "consequences", "still")}
        ends = (other["to"], one["to"])
        until = None if None in ends else max(ends)
        longest = max(other["longest"], one["longest"])
        found[place] = {**other, **both, "from": min(other["from"], one["from"]), "to": until, "longest": longest}
    return found


def _is_alike(one: Json, other: Json) -> bool:
    since, until = one["from"], other["from"]
    is_alone = "finding" in one["root"] and one["root"]["kind"] == other["root"]["kind"]
    same = all(one[key] == other[key] for key in ("run", "severity", "ended"))
    is_near = since is not None and until is not None and abs(since - until) <= ALIKE
    return is_alone and same and is_near


def why_unknown(run: str, reasons: Sequence[str]) -> str:
    """Return the first reason that keeps a run with incidents from a verdict, such as a file that cannot be read."""
    words = (reason.removeprefix(f"{run}: ") for reason in reasons)
    return next((reason for reason in words if not reason.startswith("broken: ")), "").rstrip(".")


def sentence(told: Json) -> str:
    """Describe an incident in one sentence: when, what, which harm."""
    many = len(told["consequences"])
    alone = "" if "finding" not in told["root"] else f" ({many} such findings)" if many > 1 else ""
    harm = harm_of(told)
    return f"{_when(told)}: {told['root']['what'].rstrip('.')}{alone}{f'; {harm}' if harm else ''}."


def _when(told: Json) -> str:
    is_broken = told["harm"] in (UNUSABLE, TWICE) and told["severity"] == Severity.VIOLATION
    was, begins = BROKEN if is_broken else STATES.get(told["harm"], ("From", "Since"))
    since, until = told["from"], told["to"]
    if since is None:
        return "Once"
    if told["ended"] == LASTS:
        return f"{begins} {iso(since)}, and still when the recording ends"
    if until is None and told["harm"] in STATES:
        return f"{begins} {iso(since)}, the end is not recorded"
    if until is None or until <= since:
        return f"At {iso(since)}"
    return f"{was} {iso(since)} for {lasting(until - since)}"


def harm_of(told: Json) -> str:
    """Describe the harm of an incident to its bundles; return an empty text if it has none."""
    harmed = told["harmed"]
    many = f"{len(harmed)} bundle{'s' if len(harmed) > 1 else ''}"
    if told["harm"] == UNUSABLE:
        return f"clients could not use {many if harmed else 'some bundles'}, for up to {lasting(told['longest'])}"
    if told["harm"] == TWICE and harmed:
        return f"{many} had two owners, for up to {lasting(told['longest'])}"
    return f"{many} may have had two owners, or none" if told["harm"] == DOUBTFUL and harmed else ""


def incident_lines(
    told: Json, order: Order, brokers: BrokerNames, place: str = "", most: int = MOMENTS
) -> Iterator[Text]:
    """Yield an incident with *most* moments; *place* is its number. Commands keep the long names of brokers."""
    short = brokers.shortened
    said, when = short(sentence(told)), _when(told)
    yield Text.assemble(f"{place:3}", (when, STYLES.get(told["severity"], "")), said[len(when) :])
    if told["units"]:
        yield Text(f"   bundles: {some(told['harmed'] or told['units'])}")
    later = f"; {order.later}" if order.later else ""
    yield Text.assemble("   what to do: ", (short(f"{order.words}{later}"), "bold"))
    for line in order.commands:
        yield Text(f"     {line.text}")
    if order.more:
        yield Text(f"     ... and {order.more} more of the kind", style="dim")
    for like in told["like"]:
        yield Text(f"   {like}")
    yield from _chronology(told["moments"], short, most)


def _chronology(moments: Sequence[Json], short: Callable[[str], str], most: int) -> Iterator[Text]:
    """Yield the moments, the first with its time in full; of many, the first ones and the last one."""
    omitted = range(most - 1, len(moments) - 1) if len(moments) > most else range(0)
    for number, moment in enumerate(moments):
        if number in omitted[:1]:
            yield Text(f"   ... {len(omitted)} more moment{'s' if len(omitted) > 1 else ''}; --verbose", style="dim")
        if number not in omitted:
            time = f"{after(moments[0]['time'], moment['time']):>24}" if number else iso(moment["time"])
            yield Text(f"   {time}  {short(moment['what'])}")


def summary(incidents: Sequence[Json]) -> str:
    """Return the number of incidents, the worst with its time and harm, and the worst that lasts if it is another."""
    if not incidents:
        return "no incident"
    worst, many = incidents[0], len(incidents)
    last = sum(one["ended"] == LASTS for one in incidents)
    when = f" at {iso(worst['from'])[:19]}Z" if worst["from"] is not None else ""
    harm = harm_of(worst).replace(", for up to", " for up to")
    if many == 1:
        head = f"1 incident{when}{', which lasts' if last else ''}"
    else:
        head = f"{many} incidents" + (f", of which {last} last{'s' if last == 1 else ''}" if last else "")
        head += f"; the worst{when}" if when or harm else ""
    line = f"{head}: {harm}" if harm else head
    lasting_one = pressing_of(incidents)
    if lasting_one is worst:
        return line
    since = f" since {iso(lasting_one['from'])[:19]}Z" if lasting_one["from"] is not None else ""
    return f"{line}, which is over; what lasts{since}: {lasting_one['root']['what'].rstrip('.')}"


def followed(told: Json, findings: Mapping[int, Json]) -> Iterator[str]:
    """Yield the number of findings by law, and the laws that are still broken at the end."""
    found = [findings[number] for number in told["consequences"] if number in findings]
    counted = Counter((one["severity"], one["law"]) for one in found)
    rows = [f"{count} {law} ({severity})" for (severity, law), count in counted.items()]
    if rows:
        yield f"followed: {', '.join(rows)}"
    still = {findings[number]["law"] for number in told["still"] if number in findings}
    if still and told["ended"] != LASTS:
        yield f"still true when the recording ends: {', '.join(sorted(still))}"


def some(names: Sequence[str]) -> str:
    """
    Return the first of some names, and the number of the others.

    >>> some(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    return ", ".join(names[:UNITS]) + (f" and {len(names) - UNITS} more" if len(names) > UNITS else "")
