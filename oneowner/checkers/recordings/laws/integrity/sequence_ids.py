"""
A report on sequence ids: a producer numbers its messages without holes, and goes back only to resend.

``ProducerImpl`` counts from 0 and adds one for each message; its names come from one counter of the cluster, so a new
process has a new name. All messages without confirmation when a connection breaks are sent again in order
(``resendMessages``), and its log has a line about it. Innocent: a number that is missing because its send failed (the
publisher's log names records that were not published), numbers before the dump begins, and repeats of the same message
that the log has, or that no log can have.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.numbering import SEQUENCES
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.laws.views.publishers import CHANNEL_TOPIC, CREATED
from oneowner.checkers.recordings.laws.views.resent_messages import RE_SENDS
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.numbered_messages import Numbered, numbered
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAW: Final = SEQUENCES
FAILED: Final = ("publish-failed", "tombstone-failed", "record-not-published")


def _no_sequence_is_broken(scene: Scene) -> LawOutcome:
    sent = numbered(scene.channel)
    if scene.is_partial or not sent:
        return LawOutcome()
    return told(LAW, sum(len(one.rows) for one in sent), _broken(scene, sent, _of_the_channel(scene, CREATED)))


def _of_the_channel(scene: Scene, event: str) -> dict[str, LogEvent]:
    """Return the first such line of every producer of the channel."""
    found: dict[str, LogEvent] = {}
    for said in scene.lines(event):
        if CHANNEL_TOPIC in str(said.values.get("topic")) and said.values.get("producer") is not None:
            found.setdefault(str(said.values["producer"]), said)
    return found


def _broken(scene: Scene, sent: Sequence[Numbered], created: dict[str, LogEvent]) -> Iterator[Contradiction]:
    timeline = scene.channel.timeline
    begin = timeline[0].time
    resent = [said for said in scene.lines(RE_SENDS) if CHANNEL_TOPIC in str(said.values.get("topic"))]
    failing = {said.broker for said in scene.lines(*FAILED)}
    ends = {broker: lines[-1].time for broker, lines in scene.said.items()}
    for one in sent:
        maker, first, last = created.get(one.producer), timeline[one.rows[0]], timeline[one.rows[-1]]
        is_told = maker is not None and maker.broker not in failing and ends[maker.broker] >= last.time
        brokers = () if maker is None else (maker.broker,)
        if maker is not None and maker.time > begin and one.numbers[0]:
            numbers = _numbers(-1, int(one.numbers[0]))
            why = f"producer {one.producer} begins with {numbers} missing, at {first.message_id}"
            yield Contradiction(why, (maker, first), brokers, first.key, is_told)
        own = [said for said in resent if said.values.get("producer") == one.producer]
        yield from _of_producer(timeline, one, brokers, is_told, own)


def _of_producer(
    timeline: Sequence[Step], sent: Numbered, brokers: tuple[str, ...], is_told: bool, resent: Sequence[LogEvent]
) -> Iterator[Contradiction]:
    numbers, producer, places = sent.numbers, sent.producer, np.arange(1, len(sent.numbers))
    for at in places[(numbers[1:] != numbers[:-1] + 1) | (sent.firsts[1:] != places)].tolist():
        before, step, earlier = (timeline[sent.rows[place]] for place in (at - 1, at, sent.firsts[at]))
        last, number, is_first = int(numbers[at - 1]), int(numbers[at]), sent.firsts[at] == at
        if number > last + 1:
            why = f"{_numbers(last, number)} of producer {producer} missing between {_both(before, step)}"
            yield Contradiction(why, (before, step), brokers, step.key, is_told)
        elif is_first and number < last:
            back = f"producer {producer} goes back from {last} to {number}, which it never sent"
            why = f"{back}, between {_both(before, step)}"
            yield Contradiction(why, (before, step), brokers, step.key)
        elif not is_first and not _is_same(earlier, step):
            why = (
                f"producer {producer} sent two messages with number {number}, "
                f"{earlier.message_id} and {step.message_id}"
            )
            yield Contradiction(why, (earlier, step), brokers, step.key)
        elif not is_first and is_told and not any(said.time >= earlier.time for said in resent):
            why = (
                f"producer {producer} sent {number} twice, {earlier.message_id} and {step.message_id}, and "
                f"no line of {brokers[0]} says that it sends again"
            )
            yield Contradiction(why, (earlier, step), brokers, step.key)


def _both(before: Step, step: Step) -> str:
    return f"{before.message_id} and {step.message_id}"


def _numbers(last: int, following: int) -> str:
    """Return the gap between two numbers, in words."""
    return f"number {last + 1} is" if following == last + 2 else f"numbers {last + 1} to {following - 1} are"


def _is_same(one: Step, other: Step) -> bool:
    return (one.key, one.printed) == (other.key, other.printed)


LAWS: Final = (
    SceneLaw(
        LAW,
        "A producer's messages are numbered without holes, and a number that comes again is the same step.",
        "ProducerImpl.sendAsync, ProducerImpl.resendMessages",
        needs=(Source.CHANNEL,),
        judge=_no_sequence_is_broken,
        uses=(Source.LOGS,),
        severity=Severity.WARNING,
    ),
)
