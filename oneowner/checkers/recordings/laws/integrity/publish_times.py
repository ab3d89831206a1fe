"""
A report on publish times: a record is made before it is published, and a producer publishes in the order of its clock.

The time of a record (``ServiceUnitStateData.timestamp``) and its publish time are read off one clock, that of its
publisher, in this order; so are the publish times of one producer's messages. A batch has the publish time of its first
message. Innocent: a clock that was set back by more than a second, which the finding names as such; a message that is
sent again keeps its first time; a record may wait for its producer, which only warns.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.fold.numbering import TIMES, WAITED
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.coded_table import Array
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.making_times import making_times
from oneowner.checkers.recordings.scene.numbered_messages import Placed, by_producer, placed
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import seconds
from oneowner.model.kernel.law import Severity

LAW: Final = TIMES


def _publish_time_is_the_publishers(scene: Scene) -> LawOutcome:
    lie = placed(scene.channel)
    found = [one for one in _apart(scene, lie) if one.is_proof or not scene.is_synced]  # it copies old ones
    rows = lie.rows
    del lie  # long columns that the rest does not need
    return told(LAW, len(rows), [*found, *_back(scene.channel, rows)])


def _apart(scene: Scene, lie: Placed) -> Iterator[Contradiction]:
    """Yield records that were published before they were made, or long after; and entries with two publish times."""
    channel = scene.channel
    rows, ledger, entry, batch = lie
    time, made = lie.of(channel.columns.array("time")), lie.of(making_times(scene))
    is_later = np.zeros(len(rows), bool)
    is_later[1:] = (batch[1:] > 0) & (ledger[1:] == ledger[:-1]) & (entry[1:] == entry[:-1])
    later, begins = np.flatnonzero(is_later), np.flatnonzero(~is_later)
    firsts = begins[np.searchsorted(begins, later) - 1]
    """Of each that is not the first message of its batch, that one."""
    is_odd = (made != 0) & ((made > time + STEP) | (made < time - WAITED))
    is_odd[later] = time[later] != time[firsts]
    first_of = dict(zip(later[is_odd[later]].tolist(), firsts[is_odd[later]].tolist(), strict=True))
    for at in np.flatnonzero(is_odd).tolist():
        step = channel.timeline[int(rows[at])]
        if at in first_of:
            first = channel.timeline[int(rows[first_of[at]])]
            why = (
                f"{first.message_id} and {step.message_id} are one entry, and their publish times are "
                f"{seconds(abs(step.time - first.time))} apart"
            )
            yield Contradiction(why, (first, step), unit=step.key)
        elif made[at] > time[at]:
            why = f"{step.message_id} was published {seconds(int(made[at] - time[at]))} before its record was made"
            yield Contradiction(f"{why}: its publisher's clock was set back, or the time is not its own", (step,),
                                unit=step.key)  # fmt: skip
        else:
            why = f"{step.message_id} was published {seconds(int(time[at] - made[at]))} after its record was made"
            yield Contradiction(why, (step,), unit=step.key, is_proof=False)


def _back(channel: Channel, rows: Array) -> Iterator[Contradiction]:
    """Yield the places where a producer's publish times go back, except for messages that it sends again."""
    sequence, time = channel.columns.array("sequence"), channel.columns.array("time")
    pairs = list[tuple[int, int]]()
    for own in by_producer(channel, rows):
        numbers = np.maximum(sequence[own], 0)  # one without a number sends nothing anew
        is_new = np.concatenate([[True], numbers[1:] > np.maximum.accumulate(numbers)[:-1]])
        new = own[is_new]
        back = np.flatnonzero(time[new[1:]] < time[new[:-1]] - STEP)
        pairs += zip(new[back + 1].tolist(), new[back].tolist(), strict=True)
    for row, last in sorted(pairs):
        before, step = channel.timeline[last], channel.timeline[row]
        why = (
            f"producer {step.producer} published {step.message_id} after {before.message_id}, by its "
            f"own clock {seconds(before.time - step.time)} before it"
        )
        yield Contradiction(why, (before, step), unit=step.key)


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
