"""
A report on re-sent messages: no message is in the channel topic twice (run.G8).

Deduplication is off on this topic. A message is identified by its producer's number, or, where the dump has none, by
its whole content, its times included. The second copy is refused by its version, unless a tombstone came between: from
an absent entry any version is accepted (channel.D1), and the old record takes effect once more.
"""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.views.publishers import CHANNEL_TOPIC
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import Citable
from oneowner.checkers.recordings.scene.numbered_messages import alike, numbered
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity

RE_SENDS: Final = "producer-re-sends"
MOST_SHOWN: Final = 4

Pair = tuple[Step, Step]


def sent_once(scene: Scene) -> LawOutcome:
    """Every message is in the topic once: no producer's sequence number comes twice, nor a message without one."""
    sent, steps = numbered(scene.channel), scene.channel.timeline
    judged = LawOutcome(sum(len(one.rows) for one in sent))
    pairs: list[Pair] = []
    for row, first in sorted([*(pair for one in sent for pair in one.again()), *alike(scene.channel)]):
        before, step = steps[first], steps[row]
        if before.message_id == step.message_id:
            judged.doubts.append(f"the dump repeats message {step.message_id}")
        else:
            pairs.append((before, step))
    lines = [said for said in scene.lines(RE_SENDS) if CHANNEL_TOPIC in str(said.values.get("topic"))]
    judged.findings += [_twice(group, lines) for group in _happenings(pairs)]
    return judged


def _happenings(pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs that were sent again together: of one producer and kind, with consecutive or missing numbers."""
    group: list[Pair] = []
    for pair in pairs:
        if group and not _goes_on(group[-1], pair):
            yield group
            group = []
        group.append(pair)
    if group:
        yield group


def _goes_on(before: Pair, pair: Pair) -> bool:
    one, other = before[1], pair[1]
    is_next = other.sequence == (None if one.sequence is None else one.sequence + 1)
    return (
        one.producer == other.producer
        and is_next
        and _is_same(before) == _is_same(pair)
        and one.is_accepted == other.is_accepted
    )


def _is_same(pair: Pair) -> bool:
    one, other = pair
    return one.key == other.key and one.printed == other.printed


def _twice(group: list[Pair], lines: list[LogEvent]) -> Finding:
    first, second = group[0]
    told = [said for said in lines if said.values.get("producer") == second.producer and said.time >= first.time][:1]
    ids = f"{first.message_id} and {second.message_id}"
    more = f" (and {len(group) - 1} more after it)" if len(group) > 1 else ""
    what = "a tombstone" if second.is_tombstone else str(second.record)
    severity, end = _judged(group)
    number = "a message without a number" if second.sequence is None else f"message {second.sequence}"
    why = f"producer {second.producer} sent {number}{more} twice, as {ids}: "
    why += f"{what} of {second.key}{end}"
    shown: list[Citable] = [step for pair in group[:MOST_SHOWN] for step in pair]
    return finding(
        "sent-once", severity, why, [*shown, *told], unit=second.key,
        brokers=[said.broker for said in told], step=second, repair="turn deduplication on for the channel topic",
    )  # fmt: skip


def _judged(group: list[Pair]) -> tuple[Severity, str]:
    """Return its severity, and the end of the sentence."""
    first, second = group[0]
    if not _is_same(group[0]):
        return Severity.WARNING, f", but first {first.record} of {first.key}: no client does that"
    if second.refused is not None:
        return Severity.NOTE, f"; the second was refused by rule {second.refused.rule}"
    if second.is_tombstone:
        harm = "" if second.held == second.record else f", and removed {second.held}"
        return (Severity.WARNING if harm else Severity.NOTE), f"; a tombstone is always accepted{harm}"
    return Severity.WARNING, f"; the second was accepted too, as the unit was {second.held}: an old record is back"


LAWS: Final = (
    SceneLaw(
        "sent-once",
        "No message is in the channel topic twice.",
        "ProducerImpl.resendMessages; seen in traces/real/kill-mid-transfer",
        order=45,
        needs=(Source.CHANNEL,),
        judge=sent_once,
        uses=(Source.LOGS,),
        severity=Severity.WARNING,
    ),
)
