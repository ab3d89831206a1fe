"""Laws of lookups against prefixes of the channel."""

from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.answers.views_by_prefix import StagesByTopic
from oneowner.checkers.recordings.read.events import Cause
from oneowner.checkers.recordings.read.observations import LogEvent, Lookup
from oneowner.checkers.recordings.scene.happening import HappeningKind
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.kernel.law import Severity
from oneowner.model.pulsar.boundaries import includes, topic_hash
from tests.recordings.laws.cases import LAWS, Case, case, each, violation
from tests.recordings.laws.crafted import B1, B2, B3, OTHER, UNIT, channel, logs, lookup, message, printed, said, scene
from tests.recordings.laws.recorded import recorded

FOLLOWS, MONOTONE = "lookup-follows-the-log", "lookups-are-monotone"
TOPIC = next(name for name in map("persistent://t/n/t{}".format, range(99)) if topic_hash(name) < 0x80000000)
OWNED_BY_B2 = printed("Owned", 5, B2, B1, timestamp=5)
CHANNEL = (
    message(0, 1_000, printed("Assigning", 1, B1, timestamp=1)),
    message(1, 1_100, printed("Owned", 2, B1, timestamp=2)),
    message(2, 5_000, printed("Releasing", 3, B2, B1, timestamp=3)),
    message(3, 5_100, printed("Assigning", 4, B2, B1, timestamp=4)),
    message(4, 5_200, OWNED_BY_B2),
)


def _holds(unit: str) -> bool:
    return includes(channel(message(0, 0, None, unit)).units[unit].range, topic_hash(TOPIC))


CHILD = next(half for half in ("t/n/0x00000000_0x40000000", "t/n/0x40000000_0x80000000") if _holds(half))


def polls(*lookups: Lookup, **fields: Any) -> Scene:
    """B1 owns the topic's unit from 1.1 s and B2 from 5.2 s; all brokers live throughout and show what they take."""
    lives = logs(
        *(said(1, 0, "channel-started", broker=broker) for broker in (B1, B2, B3)),
        *(said(2, 99_000, "owner-returned", broker=broker) for broker in (B1, B2, B3)),
    )
    return scene(**{"channel": channel(*CHANNEL), "lookups": list(lookups), "said": lives, **fields})


def at(start: int, answer: str, broker: str = B3, end: int | None = None, number: int = 1) -> Lookup:
    """The broker that a broker names, within 10 ms by default."""
    return lookup(number, start, start + 10 if end is None else end, broker, answer, TOPIC)


def log_of_b3(*lines: LogEvent) -> dict[str, list[LogEvent]]:
    return logs(*lines, said(9, 99_000, "owner-returned", broker=B3))


def without_debug(found: Scene) -> Scene:
    lives = {broker: [life._replace(debug_since=None) for life in own] for broker, own in found.lives.items()}
    return replace(found, lives=lives)


DEBUG_UNTIL_6_000 = logs(
    said(1, 0, "channel-started", broker=B3), said(2, 6_000, "owner-returned", broker=B3),
    said(3, 99_000, "topic-created", broker=B3, topic="persistent://t/n/other"),
)  # fmt: skip
STILL_TO_69_000 = log_of_b3(said(1, 4_000, "x", broker=B3), said(2, 69_000, "x", broker=B3))
HANDLED_AT_5_300 = log_of_b3(
    said(1, 0, "channel-started", broker=B3),
    said(2, 5_300, "handle-request", UNIT, broker=B3, data=OWNED_BY_B2),
)
STARTED_AT_12_000 = log_of_b3(
    said(1, 10_000, "broker-starting", broker=B3), said(2, 12_000, "channel-started", broker=B3)
)
STALLED_TO_45_000 = STARTED_AT_12_000 | logs(
    said(1, 0, "channel-started", broker=B2),
    *(said(n, 45_000 + n, "handle-request", UNIT, broker=B2, data=CHANNEL[n].printed) for n in (2, 3, 4)),
    said(9, 99_000, "owner-returned", broker=B2),
)
AGAIN = printed("Owned", 2, B1, timestamp=8)
DELETED = (
    *CHANNEL, message(5, 6_000, None), message(6, 7_000, printed("Assigning", 1, B1, timestamp=7)),
    message(7, 8_000, AGAIN), message(8, 8_100, AGAIN, OTHER),
)  # fmt: skip
HANDLED_THE_NEXT_LIFE = log_of_b3(
    said(1, 0, "channel-started", broker=B3),
    said(2, 8_200, "handle-request", OTHER, broker=B3, data=AGAIN),
)
BEGUN_BEFORE = message(0, 5_200, printed("Owned", 5, B2, B1), OTHER)
NOTHING_OF_THE_TOPIC = scene(channel=channel(message(0, 0, printed("Owned", 1, B1), OTHER)))

CASES = {
    # lookup-follows-the-log
    "answer of a laggard is well": case(FOLLOWS, polls(at(3_000, B1), at(20_000, B1), at(21_000, B2)), occasions=3),
    "answer before its record is a violation":
        case(FOLLOWS, polls(at(3_000, B2)),
             violation(B3, B2, unit=UNIT, why="no record published by then names it",
                       repair="the channel allows b1:8080")),
    "answer less than a second before its record may be of another clock":
        case(FOLLOWS, polls(at(4_200, B2)), occasions=1),
    "answer after debug mode was switched off may be of a record that the dump has not":
        case(FOLLOWS, polls(at(9_000, B3), said=DEBUG_UNTIL_6_000), doubts=1),
    "answer of a laggard that lags by more than a lookup may wait is a doubt":
        case(FOLLOWS, polls(at(6_000, B2, broker=B1), at(40_200, B1)),
             doubts=f"{B3} gave 1 answers by what the channel had replaced, up to 35.2 s before"),
    "answer of a laggard that stood still counts from when it went on":
        case(FOLLOWS, polls(at(6_000, B2, broker=B1), at(40_200, B1, end=70_000), said=STILL_TO_69_000), occasions=2),
    "answer of a laggard by a record that nothing shows to have been in the topic is well":
        case(FOLLOWS, polls(at(40_200, B1)), occasions=1),
    "answer that no record ever names is one violation":
        case(FOLLOWS, polls(at(9_000, B3), at(9_500, B3)), violation()),
    "answer after the end of the dump is a doubt": case(FOLLOWS, without_debug(polls(at(9_000, B3))), doubts=1),
    "answer that waits for its record is well": case(FOLLOWS, polls(at(900, B1, end=1_150))),
    "answer within the uncertainty of clocks is well":
        case(FOLLOWS, polls(at(4_000, B2), limits=Limits(clock_skew=2_000))),
    "answer older than what was handled long before is a violation":
        case(FOLLOWS, polls(at(40_000, B1), said=HANDLED_AT_5_300), violation(why="it had consumed more")),
    "answer that may have waited since before a record was handled is well":
        case(FOLLOWS, polls(at(30_000, B1), said=HANDLED_AT_5_300)),
    "answer by an entry that was deleted long before has that as its cause":
        case(FOLLOWS, polls(at(40_000, B2), channel=channel(*DELETED), said=HANDLED_THE_NEXT_LIFE),
             violation(B3, B2, causes=(Cause(HappeningKind.CARRIED_OVER, B3, 6_000),))),
    "process that starts reads all that is there":
        case(FOLLOWS, polls(at(50_000, B1), said=STARTED_AT_12_000), violation()),
    "process that starts reads nothing that a bookie held back":
        case(FOLLOWS, polls(at(50_000, B1), said=STALLED_TO_45_000)),
    "answer of a dump that begins later is unknown and well":
        case(FOLLOWS, polls(at(1_000, B1), channel=channel(message(0, 5_200, printed("Owned", 5, B2, B1))))),
    "answer before a unit begins, in a dump that begins later with another one, is unknown and well":
        case(FOLLOWS, polls(at(1_000, B1), channel=channel(BEGUN_BEFORE, message(1, 6_000, printed("Owned", 1, B2))))),
    "answer before a unit begins, in a dump that begins with all units, is a violation":
        case(FOLLOWS, polls(at(1_000, B1), channel=channel(message(0, 6_000, printed("Owned", 1, B1)))), violation()),
    "answer about a namespace that the channel lacks is a doubt":
        case(FOLLOWS, polls(lookup(1, 100, 200, B1, B2, "persistent://t/other/t0")), occasions=0, doubts=1),
    "answer about a split topic may follow parent or child":
        case(FOLLOWS,
             polls(at(9_000, B3), at(9_000, B2),
                   channel=channel(*CHANNEL, message(5, 8_000, printed("Owned", 1, B3), CHILD)))),
    "answer that names no broker's id may be a listener":
        case(FOLLOWS, polls(at(9_000, "b2:8443")), occasions=0, doubts=1),
    "channel without the topic's unit is no occasion": case(FOLLOWS, NOTHING_OF_THE_TOPIC, occasions=0),
    # lookups-are-monotone
    "answers that go back are a violation with three lines":
        case(MONOTONE, polls(at(6_000, B2), at(7_000, B1, number=2), at(8_000, B1, number=3)),
             violation(B3, B2, B1, unit=UNIT, cites=[None, "0:2", None, None], why="(2 times")),
    "answers after the end of the dump need not agree":
        case(MONOTONE, without_debug(polls(at(6_000, B2), at(7_000, B1, number=2))), doubts=1),
    "answers that overlap may come in any order":
        case(MONOTONE, polls(at(6_000, B2, end=7_005), at(7_000, B1)), occasions=0),
    "answers of two brokers need not agree":
        case(MONOTONE, polls(at(6_000, B2, B1), at(7_000, B1, B3)), occasions=0),
    "answers that go on are well": case(MONOTONE, polls(at(2_000, B1), at(6_000, B1), at(7_000, B2)), occasions=2),
    "channel without the topic's unit has no order": case(MONOTONE, NOTHING_OF_THE_TOPIC, occasions=0),
}  # fmt: skip


@each(CASES)
def test_answer_is_judged_by_prefixes_of_the_channel(case: Case) -> None:
    case.check()


def test_stages_name_destinations_and_the_source_of_a_split() -> None:
    whole = channel(*CHANNEL, message(5, 6_000, printed("Splitting", 6, "", B2)), message(6, 7_000, None))
    found = scene(channel=whole)
    stages = StagesByTopic(found).stages(TOPIC)
    assert stages is not None
    assert [sorted(stage.names) for stage in stages.stages] == [[], [B1], [B1], [B2], [B2], [B2], [B2], []]


@pytest.mark.parametrize("name", ["healthy", "zombie"])
def test_forged_answer_in_a_recording_is_found(name: str) -> None:
    whole = recorded(name)
    number = len(whole.lookups) // 2
    forged = whole.lookups[number]
    other = next(broker for broker in whole.brokers if broker not in (forged.answer, forged.redirect))
    lookups = [*whole.lookups[:number], forged._replace(answer=other), *whole.lookups[number + 1 :]]
    found = [one for law in (FOLLOWS, MONOTONE) for one in LAWS[law].judge(replace(whole, lookups=lookups)).findings]
    assert found
    assert {one.severity for one in found} == {Severity.VIOLATION}
    assert all(other in one.brokers for one in found)


def test_recorded_views_whose_watches_are_gone_answer_by_what_was_replaced() -> None:
    """After the outage two brokers name an owner that had let go of the unit 45 s before (run.G9)."""
    outcome = LAWS[FOLLOWS].judge(recorded("zk-restart-metadata"))
    assert [doubt[:31] for doubt in outcome.doubts] == [f"127.0.0.1:{port} gave 20 answers" for port in (18081, 18083)]
    assert outcome.findings == []
