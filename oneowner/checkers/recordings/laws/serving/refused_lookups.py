"""The lookups of a unit are split into the times in which all of them failed."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import Lookup, Poll
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.session_losses import NEAR
from oneowner.checkers.recordings.scene.time_spans import Spans

T = TypeVar("T")

CALLERS_FAULT: Final = (401, 403, 404, 412)
"""
Statuses of a lookup that was refused because of its question: no permission, no such topic.

They prove nothing about the owner. 412: the namespace is of other clusters, or the redirect goes to a broker that has
no port of the requested kind (``TopicLookupBase.internalLookupTopicAsync``,
``PulsarWebResource.validateGlobalNamespaceOwnershipAsync``).
"""


def is_callers_fault(scene: Scene, lookup: Lookup) -> bool:
    """Return whether *lookup* was refused because of its question."""
    return lookup.status in CALLERS_FAULT


CALLER: Final = Excuse("a refusal of the caller (401, 403, 404, 412)", is_callers_fault)


class Sign(NamedTuple):
    """One thing that was asked about a unit, when, and whether it went well."""

    since: int
    until: int
    is_good: bool
    seen: Lookup | Poll


class RefusedLookup(NamedTuple):
    """Some time in which all that was asked about a unit went wrong."""

    unit: str
    since: int
    until: int
    signs: tuple[Sign, ...]
    after: Sign | None
    """The first that went well again."""

    @property
    def lasted(self) -> int:
        """From the first failure's start to the last one's end."""
        return self.until - self.since

    @property
    def is_unanswered(self) -> bool:
        """Return whether no lookup was answered, even with another broker, and no list of the owner lacked the unit."""
        lookups = [sign.seen for sign in self.signs if isinstance(sign.seen, Lookup)]
        is_named = any(lookup.status == 200 or lookup.redirect is not None for lookup in lookups)
        return len(lookups) == len(self.signs) and not is_named


def refusals(unit: str, signs: list[Sign], since: int, until: int) -> Iterator[RefusedLookup]:
    """Yield the times within *since* .. *until* in which no sign was good, from the first bad one to the last."""
    good = sorted((sign for sign in signs if sign.is_good), key=lambda sign: sign.since)
    bad = Spans([sign for sign in signs if not sign.is_good])
    ends = [since, *(sign.until for sign in good)]
    for number, end in enumerate(ends):
        after = good[number] if number < len(good) else None
        low, high = max(since, end), min(until, after.since if after else until)
        within = tuple(sign for sign in bad.meeting(low, high) if sign.since < high and sign.until > low)
        if low < high and within:
            first, last = max(low, min(s.since for s in within)), min(high, max(s.until for s in within))
            yield RefusedLookup(unit, first, last, within, after)


def outages_of(scene: Scene, refused: RefusedLookup) -> tuple[Cause, ...]:
    """
    Return the outage in which all of *refused* began, while no broker had a session, if it is what they waited for.

    A lookup that waits for the metadata store may wait on for the time of a recovery when the store is back.
    """
    return tuple(
        outage.cause
        for outage in happenings_of(scene).outages
        if {*outage.brokers} >= scene.lives.keys()
        and all(outage.since - NEAR <= sign.since <= outage.until for sign in refused.signs)
        and refused.until - scene.limits.recovery <= outage.until
    )


OUTAGE: Final = Excuse("an outage of the metadata store: lookups that began while no broker had a session", outages_of)


def together(found: list[T], time: Callable[[T], RefusedLookup]) -> Iterator[list[T]]:
    """Yield failures that overlap as one happening."""
    group: list[T] = []
    for one in sorted(found, key=lambda item: time(item).since):
        if group and time(one).since > max(time(other).until for other in group):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def outcome(seen: Lookup | Poll) -> str:
    if isinstance(seen, Poll):
        return "not in its own list"
    if seen.status == 200:
        return f"named {seen.answer}"
    return "no answer" if seen.status is None else f"status {seen.status}"


def count_of(units: list[str]) -> str:
    return units[0] if len(units) == 1 else f"{len(units)} units"
