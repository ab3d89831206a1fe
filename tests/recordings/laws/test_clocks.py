"""The law of clocks."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.laws.answers.clocks import SHORT, apart
from oneowner.checkers.recordings.read.observations import Poll
from oneowner.checkers.recordings.read.zookeeper import BROKERS
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.cases import LAWS, Case, case, each, note, warning
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    said,
    scene,
    write,
)
from tests.recordings.laws.recorded import recorded

LAW = "clocks-agree"
TOPIC = "persistent://t/n/a"
RECORD = printed("Owned", 1, B2, timestamp=5)
CONNECTION = "[id: 0x972c6ac0, L:/10.0.0.1:57258 - R:10.0.0.2/10.0.0.2:6650]"
LOAD_DATA = "non-persistent://pulsar/system/loadbalancer-broker-load-data"
OVERRIDE = printed("Owned", 2, B1, force=True, timestamp=9)


def handled_at(time: int, **fields: object) -> Scene:
    """A record is published at 10 s and handled at *time*."""
    lines = logs(said(1, time, "handle-request", UNIT, data=RECORD))
    return scene(channel=channel(message(0, 10_000, RECORD)), said=lines, **fields)


def registered(began: int, ended: int) -> Scene:
    """A broker's node is made at 1 s; its log has the time of its registration."""
    lines = logs(said(1, began, "registering"), said(2, ended, "registered"))
    return scene(said=lines, writes=[write(1, 1_000, "create", BROKERS + B1)])


def overridden(storage: Storage) -> Scene:
    """A broker logs an override at 13 s, and the record is stamped with 10 s."""
    line = said(1, 13_000, "override", UNIT, inactive="b2:8080", orphan=RECORD, override=OVERRIDE)
    records = channel(message(0, 9_000, RECORD), message(1, 10_000, OVERRIDE), storage=storage)
    made = scene(channel=records, said=logs(line))
    return replace(made, storage=storage)


CASES = {
    "record handled after it is published is well":
        case(LAW, handled_at(10_003), occasions=1),
    "record handled before it is published proves a skew":
        case(LAW, handled_at(9_500), note(B1, why="at least 500 ms behind")),
    "skew of which nothing shows the other end is a warning":
        case(LAW, handled_at(7_000), warning(B2, why="at least 2.995 s ahead of that of b1:8080: nothing shows how")),
    "wide skew that is known is a note":
        case(LAW, handled_at(7_000, limits=Limits(clock_skew=3_000)), note()),
    "skew with bounds is a warning with both":
        case(LAW, registered(3_000, 3_050), warning(B1, why="certainly 1.995 s to 2.055 s")),
    "registration said before its node is made is behind":
        case(LAW, registered(900, 950), note(why=" behind ")),
    "registration said after its node is made is ahead":
        case(LAW, registered(3_000, 3_050), warning(why=" ahead of that of ZooKeeper")),
    "registration said around its node is well":
        case(LAW, registered(999, 1_010)),
    "override said after its node is written proves a skew":
        case(LAW, overridden(Storage.METADATA_STORE), warning(why="at least 2.495 s ahead of that of ZooKeeper")),
    "override in a batch that waited carries the stamp of the broker that says it":
        case(LAW, overridden(Storage.SYSTEM_TOPIC), occasions=0),
    "registration detected by another broker before it is begun proves a skew":
        case(LAW, scene(said=logs(
                 said(1, 5_000, "registering"), said(1, 3_000, "registry-created", broker=B2, subject=B1)
             )),
             warning(B2, why="at least 1.995 s behind that of b1:8080"), occasions=0),
    "producer accepted before it is created is well":
        case(LAW, scene(said=logs(
                 said(1, 5_000, "producer-created", producer="p", connection=CONNECTION, topic=LOAD_DATA),
                 said(1, 4_999, "producer-accepted", broker=B2, producer="p", client="/10.0.0.1:57258"),
             )),
             occasions=0),
    "producer accepted after it is created proves a skew":
        case(LAW, scene(said=logs(
                 said(1, 5_000, "producer-created", producer="p", connection=CONNECTION, topic=LOAD_DATA),
                 said(1, 5_400, "producer-accepted", broker=B2, producer="p", client="/10.0.0.1:57258"),
             )),
             note(B1, why="at least 400 ms behind that of b2:8080"), occasions=0),
    "empty scene is no occasion":
        case(LAW, scene(), occasions=0),
}  # fmt: skip


@each(CASES)
def test_clock_is_judged_by_what_must_come_first(case: Case) -> None:
    case.check()


def answered(*askeds: str, at: int = 8_000, version: int = 1, polls: tuple[Poll, ...] = ()) -> Scene:
    """A bundle is B1's from 10 s on, and some brokers log that at another time."""
    given = channel(message(0, 10_000, printed("Owned", version, B1)))
    return scene(
        channel=given, lookups=[lookup(n, at - 10, at, one, B1, TOPIC) for n, one in enumerate(askeds)], polls=polls
    )


OWN_LIST = poll(1, 7_000, 7_500, B1, UNIT)


@pytest.mark.parametrize(
    ("told", "by"),
    [
        (answered(B1, B2), 2_000 + SHORT),
        (answered(B2, polls=(OWN_LIST,)), 0),  # one broker in each of two files
        (answered(B2, B2), 0),  # one broker alone may answer falsely
        (answered(B1, B2, at=10_000), 0),
        (answered(B1, B2, version=7), 0),  # what came before it is not known
    ],
)
def test_answers_before_their_record_show_how_far_clocks_are_apart(told: Scene, by: int) -> None:
    assert apart(told) == by


def test_observer_whose_clock_is_behind_accuses_nobody() -> None:
    law = LAWS["lookup-follows-the-log"]
    answers = answered(B1, B2)
    assert law.judge(answers).findings
    assert not law.judge(answers.with_limits(Limits(clock_skew=apart(answers)))).findings


@pytest.mark.parametrize("name", ["healthy", "metadata-store", "zombie"])
@pytest.mark.parametrize("shift", [3_000, -3_000])
def test_shifted_log_of_a_recording_is_found(name: str, shift: int) -> None:
    whole = recorded(name)
    broker = whole.brokers[0]
    lines = [line._replace(time=line.time + shift) for line in whole.said[broker]]
    lives = [life._replace(start=life.start + shift, end=life.end + shift) for life in whole.lives[broker]]
    shifted = replace(whole, said={**whole.said, broker: lines}, lives={**whole.lives, broker: lives})
    found = LAWS[LAW].judge(shifted).findings
    assert found
    assert {(one.severity, one.brokers) for one in found} == {(Severity.WARNING, (broker,))}
