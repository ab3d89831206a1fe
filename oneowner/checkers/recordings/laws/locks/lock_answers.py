"""Answers about the owners of bundles, and their explanations where the named broker does not hold the lock."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from oneowner.checkers.recordings.fold.recorded_law import excuse
from oneowner.checkers.recordings.laws.serving.observed_serving import away_of, is_own
from oneowner.checkers.recordings.read.observations import Lookup, Poll
from oneowner.checkers.recordings.scene.absences import awake
from oneowner.checkers.recordings.scene.lock_nodes import is_held, known_since, locks_of
from oneowner.checkers.recordings.scene.registry_nodes import Held
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.recordings.scene.topics import Topics

LAG: Final = 1_000
"""Milliseconds by which a cache may be behind the store without a word."""


class Sign(NamedTuple):
    """One answer or claim of a broker that it owns a bundle, and from when to when it can have been made."""

    unit: str
    broker: str
    since: int
    until: int
    seen: Lookup | Poll


def signs_of(scene: Scene) -> Iterator[Sign]:
    """Yield the answers and claims of brokers about themselves, those of a paused one from the end of its pause on."""
    topics, away = Topics(scene), away_of(scene)
    for lookup in scene.lookups:
        if is_own(lookup) and (unit := topics.unit(lookup.topic, lookup.start, lookup.end)) is not None:
            since = awake(lookup.start, lookup.end, away.get(lookup.asked, ()))
            yield Sign(unit, lookup.asked, since, lookup.end, lookup)
    for poll in scene.polls:
        since = awake(poll.start, poll.end, away.get(poll.asked, ()))
        if poll.status == 200:
            yield from (Sign(unit, poll.asked, since, poll.end, poll) for unit in poll.claims)


def answers_about(scene: Scene) -> Iterator[Sign]:
    """Yield the answers of other brokers than the owner; ``broker`` is the one that they name."""
    topics = Topics(scene)
    for lookup in scene.lookups:
        if lookup.status == 200 and lookup.answer is not None and lookup.answer != lookup.asked:
            unit = topics.unit(lookup.topic, lookup.start, lookup.end)
            if unit is not None:
                yield Sign(unit, lookup.answer, lookup.start, lookup.end, lookup)


def holds(scene: Scene, sign: Sign) -> bool:
    skew = scene.limits.clock_skew
    since = sign.until - under_way.of(scene, sign)
    times = locks_of(scene).held.get(sign.unit, [])
    return is_held(times, sign.broker, since - cache_lag.of(scene) - skew, sign.until + skew)


def history_end(scene: Scene) -> int:
    """
    Return the end of the history, if it is certainly older than the files beside it; else a time that never comes.

    It is if a broker and others agree after its last write that it owns a bundle whose lock it does not hold.
    """
    last = scene.writes[-1].time if scene.writes else END
    late = last + LAG + scene.limits.clock_skew
    own, told = ({(one.unit, one.broker) for one in signs(scene) if one.since > late and not holds(scene, one)}
                 for signs in (signs_of, answers_about))  # fmt: skip
    return last if own & told else END


@excuse("a free lock that the broker may have acquired after the last write, which is a doubt")
def free_lock(scene: Scene, sign: Sign) -> bool:
    """Return whether the broker may have acquired, after the last write, a lock that it never had and that is free."""
    times = locks_of(scene).held.get(sign.unit, [])
    is_free = all(held.broker != sign.broker and held.until < sign.since for held in times)
    return is_free and sign.since > scene.writes[-1].time + scene.limits.clock_skew


@excuse("a cache that lags behind the store by less than a second")
def cache_lag(scene: Scene) -> int:
    """Return for how many milliseconds a cache may lag behind the store."""
    return LAG


@excuse("an answer under way when the lock was released or acquired")
def under_way(scene: Scene, sign: Sign) -> int:
    """Return for how many milliseconds an answer was under way."""
    return sign.until - sign.since


@excuse("a history that begins late: a missing lock of a broker registered before it is a doubt")
def late_begin(scene: Scene, sign: Sign) -> bool:
    """Return whether the history may lack the lock, as the broker had registered before its beginning."""
    return sign.since < scene.once(known_since).get(sign.broker, END)


@excuse("a history that ends before the answer, by brokers that agree on an owner")
def older_history(scene: Scene, sign: Sign) -> bool:
    """Return whether the answer comes after the end of a history that is certainly older."""
    return sign.until > scene.once(history_end)


@excuse("a split: one broker owns parent and children until the parent's lock is released")
def have_one_owner(scene: Scene, one: Held, other: Held) -> bool:
    """Return whether one broker holds both locks."""
    return one.broker == other.broker
