"""Incidents are told: the first line says whether it is broken, since when, and why; then each with what followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from oneowner.checkers.report.text import ALIKE, SOME, styled
from oneowner.checkers.times import iso, lasting
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.law import Severity

Told = Mapping[str, Any]
"""An incident, or a finding, as its JSON object."""

SHOWN: Final = 5
"""Incidents that the text tells whole."""
MOMENTS: Final = 16
"""Moments of an incident that the text shows."""
UNUSABLE, DOUBTFUL = "clients could not use", "may have had two owners, or none"
STATES: Final = {UNUSABLE: ("Was disturbed from", "Disturbed since"), DOUBTFUL: ("Was in doubt from", "In doubt since")}
"""How a sentence begins, of what is over and of what lasts; what harmed no bundle just was."""
BROKEN: Final = ("Was broken from", "Broken since")
"""The same where clients could not use bundles and a violation says why: what a valid run has is no worse than that."""


def grouped(told: Sequence[Told]) -> list[Told]:
    """Return incidents as they are told: those without a known cause of one law at one moment as one."""
    found: list[Told] = []
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


def _is_alike(one: Told, other: Told) -> bool:
    since, until = one["from"], other["from"]
    is_alone = "finding" in one["root"] and one["root"]["kind"] == other["root"]["kind"]
    same = all(one[key] == other[key] for key in ("run", "severity", "ended"))
    is_near = since is not None and until is not None and abs(since - until) <= ALIKE
    return is_alone and same and is_near


def headline(run: str, verdict: str, told: Sequence[Told], reasons: Sequence[str]) -> str:
    """
    Return in one line whether a run is broken, since when, and why.

    A valid run may have incidents, such as the death of a broker, which breaks no law. An unknown one says after its
    incident what keeps it from a verdict, such as the file that cannot be read.

    >>> headline("night", "valid", [], [])
    'night: valid. No incident.'
    """
    if not told:
        doubt = f": {reasons[0].removeprefix(f'{run}: ')}" if reasons and verdict != "valid" else ""
        return f"{run}: {verdict}{doubt}{'' if doubt.endswith('.') else '.'} No incident."
    more = f" {len(told) - 1} more incident{'s' if len(told) > 2 else ''} below." if len(told) > 1 else ""
    harmless = ", without a violation" if verdict == "valid" else ""
    why = _why_unknown(run, reasons) if verdict == Verdict.UNKNOWN else ""
    return f"{run}: {verdict}{harmless}. {sentence(told[0])}{more}{why}"


def _why_unknown(run: str, reasons: Sequence[str]) -> str:
    words = (reason.removeprefix(f"{run}: ") for reason in reasons)
    why = next((reason for reason in words if not reason.startswith("broken: ")), "")
    return f" Unknown: {why.rstrip('.')}." if why else ""


def sentence(told: Told) -> str:
    """Return an incident in one sentence: when, what, which harm."""
    is_broken = told["harm"] == UNUSABLE and told["severity"] == Severity.VIOLATION
    was, begins = BROKEN if is_broken else STATES.get(told["harm"], ("From", "Since"))
    since, until = told["from"], told["to"]
    if since is None:
        when = "Once"
    elif told["ended"] == "lasts":
        when = f"{begins} {iso(since)}, and still so when the recording ends"
    elif until is None and told["harm"] in STATES:
        when = f"{begins} {iso(since)}, and nothing tells until when"
    elif until is None or until <= since:
        when = f"At {iso(since)}"
    else:
        when = f"{was} {iso(since)} to {iso(until)} ({lasting(until - since)})"
    many = len(told["consequences"])
    alone = "" if "finding" not in told["root"] else f" ({many} such findings)" if many > 1 else ""
    return f"{when}: {told['root']['what'].rstrip('.')}{alone}{_harm(told)}."


def _harm(told: Told) -> str:
    harmed = told["harmed"]
    many = f"{len(harmed)} bundle{'s' if len(harmed) > 1 else ''}"
    if told["harm"] == UNUSABLE:
        which = many if harmed else "some bundles"
        return f"; clients could not use {which}, for up to {lasting(told['longest'])}"
    return f"; {many} may have had two owners, or none" if told["harm"] == DOUBTFUL and harmed else ""


def print_incidents(out: Console, told: Sequence[Told], findings: Mapping[int, Told]) -> None:
    """Print the first incidents, each with what is to be done, what happened when, and what its findings say."""
    for number, one in enumerate(told[:SHOWN], 1):
        out.print()
        if len(told) > 1:  # else the first line has said it
            out.print(Text.assemble(f"{number}. ", styled(one["severity"]), f" {sentence(one)}"))
        if "finding" in one["root"]:
            out.print("   why: no cause is known", style="dim")
        if one["units"]:
            out.print(f"   bundles: {_some(one['harmed'] or one['units'])}")
        if one["repair"]:
            out.print(f"   {'would be right' if 'finding' in one['root'] else 'what to do'}: {one['repair']}")
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


def _followed(told: Told, findings: Mapping[int, Told]) -> Iterator[str]:
    """Yield what followed: the laws of the findings, and how many there are of each."""
    found = [findings[number] for number in told["consequences"] if number in findings]
    counted = Counter((one["severity"], one["law"]) for one in found)
    rows = [f"{count} {law} ({severity})" for (severity, law), count in counted.items()]
    if rows:
        yield f"followed: {', '.join(rows)}"
    still = {findings[number]["law"] for number in told["still"] if number in findings}
    if still and told["ended"] != "lasts":
        yield f"still so when the recording ends: {', '.join(sorted(still))}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SOME]) + (f" and {len(names) - SOME} more" if len(names) > SOME else "")
