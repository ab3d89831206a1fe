"""
A report on sequence ids: a producer numbers its messages without holes, and goes back only to send again what it sent.

``ProducerImpl`` counts from 0 and adds one for each message; its names come from one counter of the cluster, so a new
process has a new name. What is not confirmed when a connection breaks is sent again, all of it and in its order
(``resendMessages``), and its log says so. Innocent: a number that is missing because its send failed (the publisher's
log tells of records that were not published), numbers before the dump begins, and repeats of the same message that the
log tells of, or that no log can tell of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from oneowner.checkers.recordings.fold.numbering import SEQUENCES
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.laws.views.publishers import CHANNEL_TOPIC, CREATED
from oneowner.checkers.recordings.laws.views.resent_messages import RE_SENDS
from oneowner.checkers.recordings.read.observations import Said, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

LAW: Final = SEQUENCES
FAILED: Final = ("publish-failed", "tombstone-failed", "record-not-published")


def _no_sequence_is_broken(scene: Scene) -> LawOutcome:
    timeline = scene.channel.timeline
    numbered: dict[str, list[Step]] = {}
    for step in timeline:
        if step.producer and step.sequence is not None:
            numbered.setdefault(step.producer, []).append(step)
    created = _of_the_channel(scene, CREATED)
    exercised = sum(map(len, numbered.values()))
    if scene.is_partial or not numbered:
        return LawOutcome()
    return told(LAW, exercised, _broken(scene, numbered, created))


def _of_the_channel(scene: Scene, event: str) -> dict[str, Said]:
    """Return the first such line of every producer of the channel."""
    found: dict[str, Said] = {}
    for said in scene.lines(event):
        if CHANNEL_TOPIC in str(said.values.get("topic")) and said.values.get("producer") is not None:
            found.setdefault(str(said.values["producer"]), said)
    return found


def _broken(scene: Scene, numbered: dict[str, list[Step]], created: dict[str, Said]) -> Iterator[Contradiction]:
    begin = scene.channel.timeline[0].time
    resent = [said for said in scene.lines(RE_SENDS) if CHANNEL_TOPIC in str(said.values.get("topic"))]
    failing = {said.broker for said in scene.lines(*FAILED)}
    ends = {broker: lines[-1].time for broker, lines in scene.said.items()}
    for producer, steps in numbered.items():
        maker = created.get(producer)
        is_told = maker is not None and maker.broker not in failing and ends[maker.broker] >= steps[-1].time
        brokers = () if maker is None else (maker.broker,)
        if maker is not None and maker.time > begin and _number(steps[0]):
            numbers = _numbers(-1, _number(steps[0]))
            why = f"producer {producer} begins with {numbers} missing, at {steps[0].message_id}"
            yield Contradiction(why, (maker, steps[0]), brokers, steps[0].key, is_told)
        yield from _of_producer(producer, steps, brokers, is_told, [s for s in resent if _is_by(s, producer)])


def _is_by(said: Said, producer: str) -> bool:
    return said.values.get("producer") == producer


def _of_producer(
    producer: str, steps: Sequence[Step], brokers: tuple[str, ...], is_told: bool, resent: Sequence[Said]
) -> Iterator[Contradiction]:
    first: dict[int, Step] = {}
    for before, step in zip([None, *steps], steps, strict=False):
        number = _number(step)
        earlier = first.setdefault(number, step)
        if before is None:
            continue
        last, place = _number(before), f"{before.message_id} and {step.message_id}"
        if number > last + 1:
            why = f"{_numbers(last, number)} of producer {producer} missing between {place}"
            yield Contradiction(why, (before, step), brokers, step.key, is_told)
        elif earlier is step and number < last:
            why = f"producer {producer} goes back from {last} to {number}, which it never sent, between {place}"
            yield Contradiction(why, (before, step), brokers, step.key)
        elif earlier is not step and not _is_same(earlier, step):
            why = (
                f"producer {producer} sent two messages with number {number}, "
                f"{earlier.message_id} and {step.message_id}"
            )
            yield Contradiction(why, (earlier, step), brokers, step.key)
        elif earlier is not step and is_told and not any(said.time >= earlier.time for said in resent):
            why = (
                f"producer {producer} sent {number} twice, {earlier.message_id} and {step.message_id}, and "
                f"no line of {brokers[0]} says that it sends again"
            )
            yield Contradiction(why, (earlier, step), brokers, step.key)


def _number(step: Step) -> int:
    return step.sequence or 0


def _numbers(last: int, following: int) -> str:
    """Return in words what is between two numbers."""
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
