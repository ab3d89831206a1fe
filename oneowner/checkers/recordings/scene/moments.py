"""Moments list the events of a cluster in order: silences, elections, changes of the role, unloads."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from oneowner.checkers.recordings.scene.explanations import why_forced
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.checkers.recordings.scene.happenings import happenings_of
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END

TOGETHER: Final = 1_000
"""Milliseconds within which records that were forced for one reason are reported as one."""
BACK: Final = {
    HappeningKind.PAUSED: "went on",
    HappeningKind.DIED: "started again",
    HappeningKind.EXITED: "started again",
    HappeningKind.STOPPED: "started again",
}
"""The words for the return of a broker."""


class Moment(NamedTuple):
    """One thing that happened at one time."""

    time: int
    words: str
    brokers: tuple[str, ...]
    """The brokers that it concerns; empty: all of the cluster."""


def moments(scene: Scene, more: Iterable[Happening] = ()) -> list[Moment]:
    """Return the proved events by time; *more* holds those that only laws find."""
    found = [
        *(moment for happening in happenings_of(scene).found.values() for moment in _of(happening)),
        *(Moment(one.cause.since, one.words, one.brokers) for one in more if one.cause.since),
        *_of_registry(scene),
        *_forced(scene),
    ]
    return sorted(set(found))


def _of(happening: Happening) -> Iterator[Moment]:
    cause, brokers = happening.cause, happening.brokers
    words = f"{cause.subject} fell silent" if cause.kind == HappeningKind.PAUSED else happening.words
    yield Moment(cause.since, words, brokers)
    if happening.until < END and cause.kind in BACK:
        yield Moment(happening.until, f"{cause.subject} {BACK[HappeningKind(cause.kind)]}", brokers)
    if happening.until < END and cause.kind == HappeningKind.OUTAGE:
        yield Moment(happening.until, "ZooKeeper was back", ())


def _of_registry(scene: Scene) -> Iterator[Moment]:
    registry = registry_of(scene)
    for broker in scene.brokers:
        for number, held in enumerate(registry.of(broker)):
            if number:
                yield Moment(held.since, f"{broker} was registered again", (broker,))
            if held.ended is not None:
                how = "unregistered" if held.is_given_up else "lost its registration: its session ended"
                yield Moment(held.until, f"{broker} {how}", (broker,))
    for led in registry.leaders:
        yield Moment(led.since, f"{led.broker} was elected leader", ())
    for line in scene.lines("plays-leader"):
        yield Moment(line.time, f"{line.broker} took the role of leader", ())


def _forced(scene: Scene) -> Iterator[Moment]:
    """Yield the forced records, with the brokers whose bundles they gave away: those of one reason together."""
    groups: dict[tuple[str, ...], list[int]] = {}

    def told(brokers: tuple[str, ...], times: list[int]) -> Moment:
        many = "a bundle was" if len(times) == 1 else f"{len(times)} bundles were"
        return Moment(times[0], f"{many} overridden by force, for {' and '.join(brokers)}", brokers)

    for step in scene.channel.at(scene.channel.columns.forced()):
        brokers = tuple(dict.fromkeys(cause.subject or "the outage" for cause in why_forced(scene, step)))
        if not step.is_accepted or not brokers:
            continue
        time, times = step.time, groups.get(brokers, [])
        if times and time - times[-1] > TOGETHER:
            yield told(brokers, groups.pop(brokers))
        groups.setdefault(brokers, []).append(time)
    for brokers, times in groups.items():
        yield told(brokers, times)
