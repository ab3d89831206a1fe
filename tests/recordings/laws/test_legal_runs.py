"""Runs in which nothing goes wrong are not accused: other ports and topics, one broker alone, slow stops."""

import json
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.laws.answers.clocks import SHORT
from oneowner.checkers.recordings.laws.scene_verdict import Evidence, judge_scene
from oneowner.checkers.recordings.laws.serving import answered_lookups, dual_serving, owner_answers
from oneowner.checkers.recordings.read.log_values import printed_of
from oneowner.checkers.recordings.scene.broker_processes import lives_of
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, UNIT, channel, logs, lookup, message, printed, said, scene, write

KEY = "t/n/0x00000000_0xffffffff"
TOPIC = "persistent://t/n/x"
MINUTE = 60_000


def record(number: int, time: int, key: str, version: int, broker: str) -> dict[str, Any]:
    state = "Assigning" if version == 1 else "Owned"
    value = {"state": state, "dstBroker": broker, "force": False, "timestamp": time, "versionId": version}
    return {"messageId": f"0:{number}", "publishTime": time, "key": key, "value": value}


RECORDS = [
    record(0, 0, KEY, 1, B1), record(1, 10, KEY, 2, B1), record(2, 20, "pulsar/system/0x00000000_0xffffffff", 1, B1),
    record(3, 30, "pulsar/system/0x00000000_0xffffffff", 2, B1), record(4, 90_000, "t/m/0x00000000_0xffffffff", 1, B2),
]  # fmt: skip


def audit_answers(folder: Path, broker: str, topic: str, **answer: str) -> Evidence:
    """Judge a run in which *broker* gives one answer every second for a minute."""
    lines = [
        {"t_start": 100 + at, "t_end": 105 + at, "asked": broker, "topic": topic,
         "status": 307 if "redirect" in answer else 200, **answer}
        for at in range(0, MINUTE, 1_000)
    ]  # fmt: skip
    for name, items in (("channel", RECORDS), ("lookups", lines)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    return judge_scene(gather(find_runs([str(folder)], Options())[0], Options())[0])


@pytest.mark.parametrize(
    ("broker", "topic", "answer"),
    [
        (B1, TOPIC, {"url": "https://b1:8443"}),
        ("http://b1:8080", TOPIC, {"url": "pulsar://b1:6650"}),
        ("b1:8443", TOPIC, {"url": "pulsar+ssl://b1:6651"}),
        (B2, TOPIC, {"redirect": "https://b1:8443"}),
        (B2, "persistent://pulsar/system/loadbalancer-service-unit-state", {"url": "http://b2:8080"}),
        (B2, "persistent://pulsar/b2:8080/healthcheck", {"url": "http://b2:8080"}),
    ],
)
def test_answer_by_another_port_or_outside_of_the_channel_is_well(
    tmp_path: Path, broker: str, topic: str, answer: dict[str, str]
) -> None:
    found = audit_answers(tmp_path, broker, topic, **answer)
    assert [one for one in found.findings if one.severity != Severity.NOTE] == []
    assert found.doubts == ()


@pytest.mark.parametrize("url", ["pulsar://ext.example.com:31000", "http://[::1:8080"])
def test_answer_that_is_no_brokers_id_is_a_doubt(tmp_path: Path, url: str) -> None:
    found = audit_answers(tmp_path, B1, TOPIC, url=url)
    assert [one for one in found.findings if one.severity == Severity.VIOLATION] == []
    assert "which is no broker's id" in found.doubts[0]


def test_owner_that_has_no_such_topic_answers() -> None:
    lookups = [lookup(at, at * 1_000, at * 1_000 + 5, B1, None, status=404) for at in range(1, 60)]
    lines = logs(said(1, 0, "handled"), said(2, 90_000, "handled"))
    run = scene(channel=channel(message(0, 10, printed("Owned", 1, B1), KEY)), lookups=lookups, said=lines, end=90_000)
    laws = (owner_answers.OWNER_ANSWERS, answered_lookups.LOOKUPS_ARE_ANSWERED)
    assert [law.judge(run).findings for law in laws] == [[], []]


@pytest.mark.parametrize(("skew", "found"), [(0, 1), (5_000, 0)])
def test_topics_that_may_have_been_loaded_one_after_the_other_are_well(skew: int, found: int) -> None:
    """The clock of the second broker is 5 s behind: it loaded the topic after the first one had closed it."""
    lines = logs(
        said(1, 10_000, "topic-created", topic=TOPIC),
        said(2, 10_600, "topic-closed", topic=TOPIC),
        said(1, 5_700, "topic-created", broker=B2, topic=TOPIC),
        said(2, 20_000, "topic-closed", broker=B2, topic=TOPIC),
    )
    records = channel(message(0, 9_000, printed("Owned", 1, B1), KEY), message(1, 10_700, printed("Owned", 2, B2), KEY))
    run = scene(channel=records, said=lines, end=30_000, limits=Limits(clock_skew=skew))
    assert sum(one.severity == Severity.VIOLATION for one in dual_serving.DUAL_SERVING.judge(run).findings) == found


def test_clocks_that_are_seen_to_differ_are_judged_by_as_they_are() -> None:
    record = printed("Owned", 1, B2)
    run = scene(
        channel=channel(message(0, 10_000, record)), said=logs(said(1, 7_000, "handle-request", UNIT, data=record))
    )
    assert f"crafted: clocks are {3_000 + SHORT} ms apart, 0 ms are allowed for" in judge_scene(run).doubts


BROKER = f"/loadbalance/brokers/{B1}"
LEADER = "/loadbalance/extension/leader"


def alone(*ends: Any, stop: int, start: int, again: int) -> Scene:
    """One broker alone, which registers anew at *again*; it is silent from *stop* to *start*."""
    data = json.dumps({"brokerId": B1})
    lines = logs(
        said(1, 0, "broker-starting"), said(2, 1_000, "registered"), said(3, stop, "handled"),
        said(4, start, "broker-starting"), said(5, again, "registered"), said(6, again + MINUTE, "handled"),
    )  # fmt: skip
    lives = {B1: lives_of(lines[B1])}
    writes = [
        write(1, 900, "create", BROKER, "0x1"), write(2, 900, "create", LEADER, "0x1", data), *ends,
        write(8, again, "create", BROKER, "0x2"), write(9, again, "create", LEADER, "0x2", data),
    ]  # fmt: skip
    owned = channel(message(0, 2_000, printed("Owned", 1, B1)))
    return scene(channel=owned, said=lines, lives=lives, writes=writes, brokers=(B1,), end=again + MINUTE)


def test_only_broker_that_stops_slowly_and_starts_slowly_is_not_accused() -> None:
    gone = [write(3, 100_000, "delete", BROKER, "0x1"), write(4, 100_001, "delete", LEADER, "0x1")]
    run = alone(*gone, stop=150_000, start=170_000, again=220_000)
    assert [one.law for one in judge_scene(run).findings if one.severity == Severity.VIOLATION] == []


def test_only_broker_that_is_dead_for_long_has_nobody_to_give_its_units_to() -> None:
    run = alone(write(3, 130_000, "closeSession", session="0x1"), stop=99_000, start=600_000, again=650_000)
    found = judge_scene(run).findings
    assert [one.law for one in found if one.severity == Severity.VIOLATION] == []
    assert "orphans-are-reassigned" in [one.law for one in found if one.severity == Severity.WARNING]


def test_session_that_comes_back_in_time_was_not_lost() -> None:
    lines = logs(
        said(1, 0, "broker-starting"),
        said(2, 1_000, "registered"),
        said(3, 100_000, "session-event")._replace(values={"event": "SessionLost"}),
        said(4, 103_000, "session-event")._replace(values={"event": "SessionReestablished"}),
        said(5, 900_000, "handled"),
    )
    present = scene().present - {source for source in scene().present if source.name == "ZOOKEEPER"}
    run = scene(said=lines, present=present, end=900_000)
    assert [one.law for one in judge_scene(run).findings if one.severity != Severity.NOTE] == []


def test_split_of_a_broker_with_an_address_of_version_6_is_read() -> None:
    split = "{0x00000000_0x40000000=Optional[[::1]:8080], 0x40000000_0x80000000=Optional.empty}"
    text = (
        "ServiceUnitStateData[state=Splitting, dstBroker=null, sourceBroker=[::1]:8080, "
        f"splitServiceUnitToDestBroker={split}, force=false, timestamp=5, versionId=3]"
    )
    found = printed_of(text)
    assert found is not None
    assert found.children == ("0x00000000_0x40000000", "0x40000000_0x80000000")
