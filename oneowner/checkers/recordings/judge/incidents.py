"""
Findings become incidents: each with its root, consequences, time, bundles and end.

Two findings belong to one incident if their laws name one cause, or causes of which one lies behind the other. Nothing
is joined for its time alone, and a finding of unknown cause is an incident of its own. Of several causes the root is
the one of the kind that comes first (``HappeningKind``). Incidents of units that clients could not use come first,
those of most units before the others.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.fold.time_range import DAMAGE
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.laws.units_hit import Hit
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.scene.happenings import Happening, HappeningKind
from oneowner.checkers.recordings.scene.moments import Moment
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity


class End(StrEnum):
    """The end of an incident for the units."""

    OVER = "over"
    LASTS = "lasts"
    NOT_SEEN = "not seen"


HARMS: Final = {law.name: law.harm for law in RECORDING_LAWS}
"""The harm that a finding means for its units, by law."""
RANK: Final = {kind.value: number for number, kind in enumerate(HappeningKind)}
AT_THE_END: Final = 5_000
"""Milliseconds before the last observation: an incident that lasts until then counts as lasting."""
AT_ONCE: Final = 1_000
"""Milliseconds within which brokers are stopped together."""
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

    Damage of a file alone, such as an unreadable line, is no incident of a cluster: the reasons name it.
    """
    known = {happening.cause: happening for happening in background.happenings}
    groups, alone = _Groups(), list[Incident]()
    caused: dict[Cause, list[Numbered]] = {}
    for one in (_linked(one, background) for one in found):
        causes = one.finding.causes
        if causes:
            groups.join(causes)
            caused.setdefault(causes[0], []).append(one)
        elif one.finding.severity != Severity.NOTE and one.finding.law not in DAMAGE:
            _add_alone(alone, one)
    hits = list(background.hits)
    for happening in known.values():
        groups.join((happening.cause, *happening.behind))
    for same in _of_one_wait(hits):
        groups.join([hit.cause for hit in same])
    made = [_incident(group, known, caused, hits, background) for group in groups.all()]
    made = [one for one in made if one.units or any(n.finding.severity != Severity.NOTE for n in one.found)]
    return sorted([*made, *(_finished(one, background.end) for one in alone)], key=_order)


def _linked(one: Numbered, background: Background) -> Numbered:
    """Return a finding with additions from the scene, if the fold could not have them."""
    link = background.links.get((one.finding.law, one.finding.position, one.finding.unit))
    if link is None:
        return one
    window = one.finding.window or link.window
    return one._replace(finding=one.finding._replace(causes=link.causes, window=window))


def _order(incident: Incident) -> tuple[int, bool, int, int, int]:
    first = incident.found[0].number if incident.found else -1
    is_mere = incident.harm == Harm.NONE and incident.severity != Severity.VIOLATION
    return [*Harm].index(incident.harm), is_mere, -len(incident.units), incident.since or 0, first


def _add_alone(alone: list[Incident], one: Numbered) -> None:
    if len(alone) < MOST_ALONE:
        alone.append(Incident(None, found=[one]))
        return
    law = one.finding.law
    same = next((incident for incident in alone[MOST_ALONE:] if incident.found[0].finding.law == law), None)
    if same is None:
        alone.append(Incident(None, found=[one]))
    else:  # there can be millions: the findings have their content
        same.more.append(one.number)


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
        groups = {id(group): sorted(group, key=_rank) for group in self._of.values()}
        yield from sorted(groups.values(), key=lambda group: (min(cause.since for cause in group), group))


def _rank(cause: Cause) -> tuple[int, int, str]:
    return RANK.get(cause.kind, len(RANK)), cause.since, cause.subject


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
    happened = [known[cause] for cause in group if cause in known]
    root = _together(happened) if happened else None
    made = Incident(root, tuple(sorted(happened[1:], key=lambda one: one.cause.since)))
    made.found = sorted((one for cause in group for one in caused.get(cause, ())), key=lambda one: one.number)
    of_group = set(group)
    return _finished(made, background.end, [hit for hit in hits if hit.cause in of_group], background.moments)


def _together(happened: Sequence[Happening]) -> Happening:
    """Return the first happening; brokers that are stopped at one moment are reported together."""
    root = happened[0]
    if root.cause.kind != HappeningKind.STOPPED:
        return root
    alike = [
        one for one in happened if one.cause.kind == root.cause.kind and one.cause.since - root.cause.since <= AT_ONCE
    ]
    brokers = tuple(sorted({one.cause.subject for one in alike}))
    words = f"{' and '.join(brokers)} were stopped at once" if len(brokers) > 1 else root.words
    return root._replace(words=words, brokers=brokers)


class _Time(NamedTuple):
    harm: Harm
    unit: str
    since: int
    until: int
    """END: it lasts when the recording ends."""
    lasted: int
    """Milliseconds for which it is known to have lasted."""
    is_seen: bool = True
    """True if its end was seen."""

    def after(self, first: int) -> _Time:
        """Return the part of it after *first*: no effect precedes its cause."""
        before = max(0, first - self.since)
        return self._replace(since=self.since + before, lasted=max(0, self.lasted - before))


def _finished(made: Incident, end: int | None, hits: Sequence[Hit] = (), moments: Sequence[Moment] = ()) -> Incident:
    """Compute the units that it concerned, its time, and its end for them."""
    happened = [one.cause.since for one in (made.root, *made.along) if one is not None and one.cause.since]
    times = [_Time(hit.harm, hit.unit, hit.since, hit.until, hit.lasted) for hit in hits]
    still: list[Numbered] = []
    for numbered in made.found:
        own = [] if numbered.finding.severity == Severity.NOTE else list(_times(numbered.finding, end))
        still += [numbered] if any(time.until == END for time in own) else []
        times += own
    times = [time.after(min(happened)) for time in times] if happened else times
    made.harm = min((time.harm for time in times), key=[*Harm].index, default=Harm.NONE)
    worst = [time for time in times if time.harm == made.harm]
    root = [made.root.cause.since] if made.root is not None and made.root.cause.since else []
    made.since = min([*root, *(time.since for time in worst)], default=None)
    made.units = tuple(sorted({time.unit for time in times if time.unit}))
    made.harmed = tuple(sorted({time.unit for time in worst if time.unit}))
    grave = [time for time in times if time.harm != Harm.NONE] or times
    if any(time.until == END for time in grave):
        made.end = End.LASTS
    elif grave and all(time.is_seen for time in grave):
        made.end, made.until = End.OVER, max(time.until for time in worst)
    made.longest, made.still = max((time.lasted for time in worst), default=0), tuple(still)
    made.moments = tuple(_told(made, moments))
    return made


def _times(one: Finding, end: int | None) -> Iterator[_Time]:
    """Yield the interval in which a finding's units were in violation; for a record it is a moment."""
    units, harm = one.units or ((one.unit,) if one.unit else ("",)), HARMS.get(one.law, Harm.NONE)
    window = one.window
    if window is None:
        yield from (_Time(harm, unit, one.time, one.time, 0, False) for unit in units if one.time is not None)
        return
    since = window.since if window.since is not None else window.possible_since
    until = window.possible_until if harm == Harm.DOUBTFUL or window.until is None else window.until
    if window.possible_until == END or (end is not None and until > end - AT_THE_END):
        until = END
    last = until if window.until is None else window.until
    lasted = 0 if last == END else max(0, last - since)
    yield from (_Time(harm, unit, since, until, lasted) for unit in units)


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
    if made.until is not None and made.harm == Harm.UNUSABLE:
        many = "the bundle" if len(made.harmed) == 1 else f"all {len(made.harmed)} bundles"
        found.append(Moment(made.until, f"clients could use {many} again", ()))
    return sorted(found)
