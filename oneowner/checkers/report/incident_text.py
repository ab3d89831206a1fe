"""Incidents of recorded runs in full: a sentence, what to do, what followed, what happened when."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from oneowner.checkers.report.text import ALIKE, SOME, styled
from oneowner.checkers.times import iso, lasting
from oneowner.model.kernel.law import Severity

Json = Mapping[str, Any]
"""An incident, or a finding, as its JSON object."""

SHOWN: Final = 5
"""Incidents that the text prints in full."""
MOMENTS: Final = 16
"""Moments of an incident that the text prints."""
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
    is_broken = told["harm"] in (UNUSABLE, TWICE) and told["severity"] == Severity.VIOLATION
    was, begins = BROKEN if is_broken else STATES.get(told["harm"], ("From", "Since"))
    since, until = told["from"], told["to"]
    if since is None:
        when = "Once"
    elif told["ended"] == "lasts":
        when = f"{begins} {iso(since)}, and still when the recording ends"
    elif until is None and told["harm"] in STATES:
        when = f"{begins} {iso(since)}, the end is not recorded"
    elif until is None or until <= since:
        when = f"At {iso(since)}"
    else:
        when = f"{was} {iso(since)} to {iso(until)} ({lasting(until - since)})"
    many = len(told["consequences"])
    alone = "" if "finding" not in told["root"] else f" ({many} such findings)" if many > 1 else ""
    return f"{when}: {told['root']['what'].rstrip('.')}{alone}{_harm(told)}."


def _harm(told: Json) -> str:
    harmed = told["harmed"]
    many = f"{len(harmed)} bundle{'s' if len(harmed) > 1 else ''}"
    if told["harm"] == UNUSABLE:
        which = many if harmed else "some bundles"
        return f"; clients could not use {which}, for up to {lasting(told['longest'])}"
    if told["harm"] == TWICE and harmed:
        return f"; {many} had two owners, for up to {lasting(told['longest'])}"
    return f"; {many} may have had two owners, or none" if told["harm"] == DOUBTFUL and harmed else ""


def print_incidents(out: Console, told: Sequence[Json], findings: Mapping[int, Json]) -> None:
    """Print the first incidents in full: what to do, what happened when, and the laws of the findings."""
    for number, one in enumerate(told[:SHOWN], 1):
        if len(told) > 1:
            out.print()
        place = f"{number}. " if len(told) > 1 else "   "
        out.print(Text.assemble(place, styled(one["severity"]), f" {sentence(one)}"))
        if "finding" in one["root"]:
            out.print("   why: unknown cause", style="dim")
        if one["units"]:
            out.print(f"   bundles: {_some(one['harmed'] or one['units'])}")
        if one["repair"]:
            out.print(f"   {'expected' if 'finding' in one['root'] else 'what to do'}: {one['repair']}")
        for like in one["like"]:
            out.print(f"   {like}")
        for line in _followed(one, findings):
            out.print(f"   {line}", style="dim")
        for moment in one["moments"][:MOMENTS]:
            out.print(f"   {iso(moment['time'])}  {moment['what']}")
        if len(one["moments"]) > MOMENTS:
            out.print(f"   ... and {len(one['moments']) - MOMENTS} more moments; --json lists them all", style="dim")
    if len(told) > SHOWN:
        out.print()
        out.print(f"... and {len(told) - SHOWN} more incidents; --json lists them all", style="dim")


def _followed(told: Json, findings: Mapping[int, Json]) -> Iterator[str]:
    """Yield the number of findings by law, and the laws that are still broken at the end."""
    found = [findings[number] for number in told["consequences"] if number in findings]
    counted = Counter((one["severity"], one["law"]) for one in found)
    rows = [f"{count} {law} ({severity})" for (severity, law), count in counted.items()]
    if rows:
        yield f"followed: {', '.join(rows)}"
    still = {findings[number]["law"] for number in told["still"] if number in findings}
    if still and told["ended"] != "lasts":
        yield f"still true when the recording ends: {', '.join(sorted(still))}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")
