"""
The harm of findings in time: which unit, from when to when, how bad, how certain, and whether it lasts.

Clients decide: a unit whose sends were confirmed meanwhile was usable, whatever look-ups and records say.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS
from oneowner.checkers.recordings.laws.units_hit import Clients, Hit
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.model.kernel.law import Severity

HARMS: Final = {law.name: law.harm for law in RECORDING_LAWS}
"""The harm that a finding means for its units, by law."""
AT_THE_END: Final = 5_000
"""Milliseconds before the last observation: a time that lasts until then counts as lasting."""
WEIGHTS: Final = {Harm.UNUSABLE: 3, Harm.TWICE: 3, Harm.DOUBTFUL: 2, Harm.NONE: 1}
CERTAINTY: Final = {Severity.VIOLATION: 7, Severity.WARNING: 2, Severity.NOTE: 1}
STILL: Final = 2
"""The factors of a time's grade: its harm, its certainty, and that it lasts. A violation, which decides, leads."""


class HarmTime(NamedTuple):
    """The time for which one unit, or none in particular, was harmed."""

    harm: Harm
    unit: str
    since: int
    until: int
    """END: it lasts when the recording ends."""
    lasted: int
    """Milliseconds for which it is known to have lasted."""
    causes: tuple[Cause, ...] = ()
    severity: Severity = Severity.WARNING
    is_seen: bool = True
    """True if its end was seen."""

    @property
    def grade(self) -> int:
        """The product of its harm, its certainty and its being still so: the first incident has the highest."""
        return WEIGHTS[self.harm] * CERTAINTY[self.severity] * (STILL if self.until == END else 1)

    @property
    def is_violation_of_record(self) -> bool:
        """Return whether it is the moment of a record that breaks a law, whose end no record shows."""
        return self.severity == Severity.VIOLATION and not self.is_seen

    def after(self, first: int) -> "HarmTime":
        """Return the part of it after *first*: no effect precedes its cause, but one whose true time is unknown."""
        if self.until <= first:
            return self
        before = max(0, first - self.since)
        return self._replace(since=self.since + before, lasted=max(0, self.lasted - before))


def times_of(one: Finding, end: int | None, clients: Mapping[str, Clients]) -> Iterator[HarmTime]:
    """Yield the time of each of a finding's units; for a record it is a moment. *end* is the last observation."""
    units, harm = one.units or ((one.unit,) if one.unit else ("",)), HARMS.get(one.law, Harm.NONE)
    is_doubtful = harm in (Harm.DOUBTFUL, Harm.TWICE)
    if harm == Harm.TWICE and one.severity != Severity.VIOLATION:
        harm = Harm.DOUBTFUL
    window = one.window
    if window is None:
        for unit in units:
            if one.time is not None:
                yield HarmTime(harm, unit, one.time, one.time, 0, one.causes, one.severity, is_seen=False)
        return
    since = window.since if window.since is not None else window.possible_since
    until = window.possible_until if is_doubtful or window.until is None else window.until
    if window.possible_until == END or (end is not None and until > end - AT_THE_END):
        until = END
    last = until if window.until is None else window.until
    lasted = 0 if last == END else max(0, last - since)
    for unit in units:
        yield from seen_by_clients(HarmTime(harm, unit, since, until, lasted, one.causes, one.severity), clients)


def time_of_hit(hit: Hit) -> HarmTime:
    """Return the time for which a unit was hit by a happening."""
    return HarmTime(hit.harm, hit.unit, hit.since, hit.until, hit.lasted, (hit.cause,))


def seen_by_clients(time: HarmTime, clients: Mapping[str, Clients]) -> Iterator[HarmTime]:
    """Yield the parts of *time* in which clients waited, if they tried to send then; else *time* itself."""
    own = clients.get(time.unit)
    if time.harm == Harm.UNUSABLE and any(cause.kind == HappeningKind.DELETED_NAMESPACE for cause in time.causes):
        yield time._replace(harm=Harm.NONE)  # as somebody ordered
        return
    if time.harm != Harm.UNUSABLE or own is None or not own.tried_between(time.since, time.until):
        yield time
        return
    waits = own.waits_between(time.since, time.until)
    for wait in waits:
        since = max(time.since, wait.since)
        until = END if time.until == END and not wait.is_over else min(time.until, wait.until)
        yield time._replace(since=since, until=until, lasted=max(0, min(time.until, wait.until) - since))
    if not waits:
        yield time._replace(harm=Harm.NONE)


def worst_harm(times: Iterable[HarmTime]) -> Harm:
    """Return the harm to report: one that lasts, then the worst, then that of the most units for longest."""
    by_harm: dict[Harm, list[HarmTime]] = {}
    for time in times:
        by_harm.setdefault(time.harm, []).append(time)
    by_harm.pop(Harm.NONE, None)

    def order(harm: Harm) -> tuple[bool, int, int]:
        lasts = any(time.until == END for time in by_harm[harm])
        return lasts, WEIGHTS[harm], extent_of(by_harm[harm])

    return max(by_harm, key=order, default=Harm.NONE)


def grade_of(times: Iterable[HarmTime]) -> int:
    return max((time.grade for time in times), default=0)


def extent_of(times: Iterable[HarmTime]) -> int:
    """Return for how many milliseconds units were harmed: the longest time of each, all together."""
    longest: dict[str, int] = {}
    for time in times:
        longest[time.unit] = max(longest.get(time.unit, 0), time.lasted)
    return sum(longest.values())
