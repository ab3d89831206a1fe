"""
Findings become incidents: each with its root, consequences, time, bundles and end.

Two findings belong to one incident if their laws name one cause, or causes of which one lies behind the other. Nothing
is joined for its time alone, and a finding of unknown cause is an incident of its own. The first incident is that of
the greatest harm: how bad, how certain, and whether it lasts (``harm_times.py``); of equal ones that of twice the time
for all units together, and then the first. An incident lasts while a violation of it does, though clients may be served
again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.fold.time_range import DAMAGE
from oneowner.checkers.recordings.judge.harm_times import (
    CERTAINTY,
    HARMS,
    WEIGHTS,
    HarmTime,
    extent_of,
    grade_of,
    time_of_hit,
    times_of,
    worst_harm,
)
from oneowner.checkers.recordings.judge.roots import ABSENCES, rank, root_of, with_state
from oneowner.checkers.recordings.judge.shared_causes import SHARED, with_shared
from oneowner.checkers.recordings.laws.registry import OF_FILES
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.laws.units_hit import Hit
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.moments import Moment
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity


class End(StrEnum):
    """The end of an incident for the units."""

    OVER = "over"
    LASTS = "lasts"
    NOT_SEEN = "not seen"


MOST_ALONE: Final = 1_000
"""The number of findings without a known cause that are incidents of their own; further ones of a law are grouped."""


class Numbered(NamedTuple):
    """A finding and its place in the list of all findings."""

    number: int
    finding: Finding


@dataclass(slots=True)
class Incident:
    """A happening and its consequences."""

    root: Happening | None
    """None: no cause is known, only the first finding."""
    along: tuple[Happening, ...] = ()
    """The other happenings with it, by time."""
    found: list[Numbered] = field(default_factory=list)
    more: array[int] = field(default_factory=lambda: array("q"))
    """Places of further findings of the same law, which the incident only counts."""
    since: int | None = None
    until: int | None = None
    """The time at which the last of its units was served again; None: not seen."""
    units: tuple[str, ...] = ()
    """All units that it concerned."""
    harmed: tuple[str, ...] = ()
    """The worst affected of them."""
    harm: Harm = Harm.NONE
    grade: int = 0
    extent: int = 0
    """Its place among incidents: how bad, certain and lasting it is; then for how long units were harmed, together."""
    longest: int = 0
    """The longest time that a unit could not be used, in milliseconds."""
    end: End = End.NOT_SEEN
    moments: tuple[Moment, ...] = ()
    still: tuple[Numbered, ...] = ()
    """Findings of conditions that persist when the recording ends."""

    @property
    def severity(self) -> Severity:
        """The severity of the worst finding; a note if no law of its findings has a higher one."""
        found = {one.finding.severity for one in self.found}
        return next((one for one in (Severity.VIOLATION, Severity.WARNING) if one in found), Severity.NOTE)


def incidents(found: Iterable[Numbered], background: Background) -> list[Incident]:
    """
    Return the incidents of one run, the worst first; *found* are its findings in their order.

    A defect of the files alone, such as an unreadable line, is no incident of a cluster: the reasons name it.
    """
    known = {happening.cause: happening for happening in background.happenings}
    groups, alone = _Groups(), _Alone()
    caused: dict[Cause, list[Numbered]] = {}
    shared = [happening for happening in known.values() if happening.cause.kind in SHARED]
    for one in (_linked(one, background, shared) for one in found):
        causes = one.finding.causes
        if causes:
            groups.join(causes)
            caused.setdefault(causes[0], []).append(one)
        elif one.finding.severity != Severity.NOTE and one.finding.law not in OF_FILES | DAMAGE:
            alone.add(one)
    hits = list(background.hits)
    for happening in known.values():
        groups.join((happening.cause, *happening.behind))
    for same in _of_one_wait(hits):
        groups.join([hit.cause for hit in same])
    made = [_incident(group, known, caused, hits, background) for group in groups.all()]
    made = [
        one
        for one in made
        if one.units or one.harm != Harm.NONE or any(n.finding.severity != Severity.NOTE for n in one.found)
    ]
    return sorted([*made, *(_finished(one, background) for one in alone.found)], key=_order)


def _linked(one: Numbered, background: Background, shared: Sequence[Happening]) -> Numbered:
    """Return a finding with additions from the scene, if the fold could not have them."""
    finding = one.finding
    link = background.links.get((finding.law, finding.position, finding.unit))
    if link is not None:
        finding = finding._replace(causes=link.causes, window=finding.window or link.window)
    return one._replace(finding=with_shared(finding, shared, background.end))


def _order(incident: Incident) -> tuple[int, int, int, int, int]:
    first = incident.found[0].number if incident.found else -1
    harm, extent = WEIGHTS[incident.harm], incident.extent.bit_length()
    return -incident.grade, -harm, -extent, incident.since or 0, first


class _Alone:
    """Incidents of findings whose cause is unknown: one for each, or for all that the same brokers harm at once."""

    def __init__(self) -> None:
        self.found: list[Incident] = []
        self._last: dict[tuple[str, tuple[str, ...]], Incident] = {}

    def add(self, one: Numbered) -> None:
        law, key = one.finding.law, (one.finding.law, one.finding.brokers)
        before = self._last.get(key)
        if before is not None and _are_at_once(before.found[0].finding, one.finding):
            before.found.append(one)
            return
        same = next((incident for incident in self.found[MOST_ALONE:] if incident.found[0].finding.law == law), None)
        if same is not None:  # there can be millions: the findings have their content
            same.more.append(one.number)
            return
        self.found.append(Incident(None, found=[one]))
        if HARMS.get(law, Harm.NONE) != Harm.NONE and one.finding.brokers:
            self._last[key] = self.found[-1]


def _are_at_once(one: Finding, other: Finding) -> bool:
    """Return whether the times of two findings have a moment in common."""
    windows = one.window, other.window
    if windows[0] is None or windows[1] is None:
        return False
    return max(each.possible_since for each in windows if each) <= min(each.possible_until for each in windows if each)


class _Groups:
    """Groups of related causes."""

    def __init__(self) -> None:
        self._of: dict[Cause, set[Cause]] = {}

    def join(self, causes: Sequence[Cause]) -> None:
        joined: set[Cause] = set()
        for cause in causes:
            joined |= self._of.get(cause, {cause})
        for cause in joined:
            self._of[cause] = joined

    def all(self) -> Iterator[list[Cause]]:
        """Yield each group, by the time of its first cause."""
        groups = {id(group): sorted(group, key=rank) for group in self._of.values()}
        yield from sorted(groups.values(), key=lambda group: (min(cause.since for cause in group), group))


def _of_one_wait(hits: Iterable[Hit]) -> Iterator[list[Hit]]:
    """Yield the happenings that hit a unit together."""
    waits: dict[tuple[str, int, int | None], list[Hit]] = {}
    for hit in hits:
        waits.setdefault((hit.unit, hit.since, hit.until), []).append(hit)
    yield from waits.values()


def _incident(
    group: list[Cause],
    known: dict[Cause, Happening],
    caused: dict[Cause, list[Numbered]],
    hits: Iterable[Hit],
    background: Background,
) -> Incident:
    happened, of_group = [known[cause] for cause in group if cause in known], set(group)
    found = sorted((one for cause in group for one in caused.get(cause, ())), key=lambda one: one.number)
    return _finished(Incident(None, found=found), background, happened, [hit for hit in hits if hit.cause in of_group])


def _finished(
    made: Incident, background: Background, happened: Sequence[Happening] = (), hits: Sequence[Hit] = ()
) -> Incident:
    """Compute the root, the units that it concerned, its time, and its end for them."""
    times, still = [time_of_hit(hit) for hit in hits], list[Numbered]()
    for numbered in made.found:
        if numbered.finding.severity != Severity.NOTE:
            own = list(times_of(numbered.finding, background.end, background.clients))
            still += [numbered] if any(time.until == END for time in own) else []
            times += own
    made.still = tuple(still)
    if happened:
        root = root_of(happened, times)
        made.along = tuple(one for one in happened if one.cause != root.cause)
        times = list(_after_causes(times, root, happened))
        made.root = with_state(root, (one.finding for one in still))
    made.harm = worst_harm(times)
    worst = [time for time in times if time.harm == made.harm]
    made.grade, made.extent = grade_of(times) or CERTAINTY[made.severity], extent_of(worst)
    made.since = _first_moment(made, worst)
    made.units = tuple(sorted({time.unit for time in times if time.unit}))
    made.harmed = tuple(sorted({time.unit for time in worst if time.unit}))
    grave = [time for time in times if time.harm != Harm.NONE] or times
    if any(time.until == END for time in grave) or any(one.finding.severity == Severity.VIOLATION for one in still):
        made.end = End.LASTS
    elif grave and all(time.is_seen for time in grave):
        made.end, made.until = End.OVER, max(time.until for time in worst)
    made.longest = max((time.lasted for time in worst), default=0)
    made.moments = tuple(_told(made, background.moments))
    return made


def _first_moment(made: Incident, worst: Sequence[HarmTime]) -> int | None:
    """
    Return the first moment of the harm and of its root.

    A process that is gone has been so for an unknown time after its last sign of life, and a connection for some part
    of the time in which nothing was answered: then the clients show it.
    """
    root, harmed = made.root, [time.since for time in worst]
    is_inexact = root is not None and root.cause.kind in (*ABSENCES, HappeningKind.UNCONNECTED)
    if root is None or not root.since or (is_inexact and made.harm == Harm.UNUSABLE):
        return min(harmed, default=None)
    if made.harm == Harm.NONE:
        most = grade_of(worst)
        harmed = [time.since for time in worst if time.grade == most and root.cause in time.causes]
    return min([root.since, *harmed])


def _after_causes(times: Iterable[HarmTime], root: Happening, happened: Sequence[Happening]) -> Iterator[HarmTime]:
    """Yield each time from its first cause on."""
    since = {one.cause: min([one.since, *(cause.since for cause in one.behind)]) for one in happened if one.since}
    for time in times:
        first = min((since[cause] for cause in time.causes if cause in since), default=time.since)
        yield time.after(min(first, root.since or first))


def _told(made: Incident, moments: Iterable[Moment]) -> list[Moment]:
    """Return the happenings of its brokers meanwhile."""
    happened = [one for one in (made.root, *made.along) if one is not None]
    brokers = {broker for one in happened for broker in one.brokers}
    found: list[Moment] = []
    if made.since is None or not happened:
        return found
    first = min(made.since, *(one.cause.since or made.since for one in happened))
    ends = [made.until, *(one.until for one in happened)]
    last = None if made.end == End.LASTS else max((time for time in ends if time not in (None, END)), default=None)
    for moment in moments:
        is_then = first <= moment.time and (last is None or moment.time <= last)
        if is_then and (not moment.brokers or brokers & set(moment.brokers)):
            found.append(moment)
    if made.until is not None and made.harm == Harm.UNUSABLE and made.harmed:
        many = "the bundle" if len(made.harmed) == 1 else f"all {len(made.harmed)} bundles"
        found.append(Moment(made.until, f"clients could use {many} again", ()))
    return sorted(found)
