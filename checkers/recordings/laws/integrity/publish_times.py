"""
A report on publish times: a record is made before it is published, and a producer publishes in the order of its clock.

The time of a record (``ServiceUnitStateData.timestamp``) and its publish time are read off one clock, that of its
publisher, in this order; so are the publish times of one producer's messages. A batch has the publish time of its first
message. Innocent: a clock that was set back by more than a second, which is why it is said as such; a message that is
sent again keeps its first time; a record may wait for its producer, which only warns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.fold.numbering import TIMES, WAITED
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.integrity.message_ids import place_of
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import seconds
from oneowner.model.kernel.law import Severity

LAW: Final = TIMES


def _publish_time_is_the_publishers(scene: Scene) -> LawOutcome:
    steps = [step for step in scene.channel.timeline if place_of(step) is not None]
    found = [one for one in _apart(steps) if one.is_proof or not scene.is_synced]  # a syncer copies old records
    return told(LAW, len(steps), [*found, *_back(steps)])


def _apart(steps: Sequence[Step]) -> Iterator[Contradiction]:
    """Yield records that were published before they were made, or long after; and entries with two publish times."""
    first: Step | None = None
    for step in steps:
        place, time = place_of(step), step.time
        is_later = place is not None and place[2] > 0 and first is not None and _entry(first) == place[:2]
        if is_later and first is not None:
            if first.time != time:
                why = (
                    f"{first.message_id} and {step.message_id} are one entry, and their publish times are "
                    f"{seconds(abs(time - first.time))} apart"
                )
                yield Contradiction(why, (first, step), unit=step.key)
            continue
        first = step
        made = step.made
        if made and made > time + STEP:
            why = f"{step.message_id} was published {seconds(made - time)} before its record was made"
            yield Contradiction(f"{why}: its publisher's clock was set back, or the time is not its own", (step,),
                                unit=step.key)  # fmt: skip
        elif made and made < time - WAITED:
            why = f"{step.message_id} was published {seconds(time - made)} after its record was made"
            yield Contradiction(why, (step,), unit=step.key, is_proof=False)


def _entry(step: Step) -> tuple[int, int] | None:
    place = place_of(step)
    return None if place is None else place[:2]


def _back(steps: Sequence[Step]) -> Iterator[Contradiction]:
    """Yield where a producer's publish times go back, but for what it sends again."""
    latest: dict[str, Step] = {}
    for step in steps:
        time = step.time
        before = latest.get(step.producer)
        is_again = before is not None and (step.sequence or 0) <= (before.sequence or 0)
        if before is not None and not is_again and time < before.time - STEP:
            why = (
                f"producer {step.producer} published {step.message_id} after {before.message_id}, by its "
                f"own clock {seconds(before.time - time)} before it"
            )
            yield Contradiction(why, (before, step), unit=step.key)
        if not is_again:
            latest[step.producer] = step


LAWS: Final = (
    SceneLaw(
        LAW,
        "A record is published after it was made, and a producer's messages in the order of its clock.",
        "ServiceUnitStateData, ProducerImpl.sendAsync",
        needs=(Source.CHANNEL,),
        judge=_publish_time_is_the_publishers,
        severity=Severity.WARNING,
    ),
)
