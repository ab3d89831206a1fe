"""The permitted publishers of each record."""

from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.laws.views.publishers import CATALOGUE
from oneowner.checkers.recordings.read.observations import LogEvent, Printed
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.cases import LAWS, Case, case, each, violation
from tests.recordings.laws.crafted import B1, B2, B3, OTHER, channel, logs, message, printed, said, scene, write
from tests.recordings.laws.recorded import recorded

LAW = "publisher-is-entitled"
TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"
BROKER_LOAD = "non-persistent://pulsar/system/loadbalancer-broker-load-data"
PRODUCERS = {B1: "p-1", B2: "p-2", B3: "p-3"}


def created(broker: str, topic: str = TOPIC, producer: str | None = None) -> LogEvent:
    return said(
        1, 1, "producer-created", broker=broker, topic=topic, producer=producer or PRODUCERS[broker],
    )  # fmt: skip


def leads(broker: str, time: int = 5) -> LogEvent:
    return said(2, time, "plays-leader", broker=broker)


ELECTED = said(3, 5, "elected", broker=B3, path="/loadbalance/extension/leader", leader=B3)


def published(
    broker: str, *records: Printed | None, leaders: tuple[LogEvent, ...] = (leads(B3),), **fields: Any
) -> Scene:
    """Records of one unit; all but the last come from a producer that is not known."""
    messages = [message(number, 10 + number, record, producer="?") for number, record in enumerate(records)]
    messages[-1] = messages[-1]._replace(producer=PRODUCERS[broker])
    return scene(channel=channel(*messages), said=logs(*map(created, PRODUCERS), *leaders), **fields)


OWNED = printed("Owned", 2, B1)
MOVED = printed("Owned", 2, B1, B2)
FORCED = printed("Owned", 3, B2, B1, force=True)
SPLIT_END = printed("Deleted", 4, source=B1)

ROWS: list[tuple[str, list[Printed | None], set[str]]] = [
    ("P2", [MOVED], {B1}),
    ("P5", [printed("Assigning", 4, B2, B1)], {B1}),
    ("P6", [printed("Free", 4, source=B1)], {B1}),
    ("P9", [SPLIT_END], {B1}),
    ("P13", [printed("Releasing", 3, B2, B1, force=True)], {B1}),
    ("P13", [OWNED, FORCED], {B1, B3}),
    ("P13", [OWNED, printed("Free", 3, source=B1, force=True)], {B1, B3}),
    ("P10-P12", [SPLIT_END, None], {B1, B3}),
    ("P10-P12", [printed("Free", 4, source=B1, force=True), None], {B1, B3}),
    ("P10-P12", [OWNED, None], {B3}),
]
"""Rows of the catalogue, records of which the last falls under it, and which of three may publish that; B3 leads."""


@pytest.mark.parametrize(("row", "records", "entitled"), ROWS, ids=[f"{n}-{row[0]}" for n, row in enumerate(ROWS)])
@pytest.mark.parametrize("broker", [B1, B2, B3])
def test_row_of_the_catalogue_entitles_its_publishers(
    row: str, records: list[Printed | None], entitled: set[str], broker: str
) -> None:
    expected = violation(guard=f"ServiceUnitStateChannelImpl, channel.5 {row}")
    found = () if broker in entitled else (expected,)
    judged = case(LAW, published(broker, *records), *found, occasions=1)
    judged.check()
    for one in judged.judged().findings:
        assert one.brokers[0] == broker
        assert "producer-created" in one.evidence[-1].text


def test_every_row_of_the_catalogue_is_put_to_the_test() -> None:
    assert {label for label, *_ in CATALOGUE} == {row for row, *_ in ROWS}


ANYBODYS = {
    "P1": printed("Assigning", 1, B1),
    "P3": printed("Releasing", 3, source=B1),
    "P4": printed("Releasing", 3, B2, B1),
    "deletion": printed("Releasing", 3, source=B1, force=True),
    "P7": printed("Splitting", 3, source=B1),
}
"""The request of a lookup or an admin call."""
SAME_PRODUCER = logs(created(B1), created(B2, producer="p-1"))
EIGHT = channel(*(message(n, n, printed("Owned", n, B1), producer="p-2") for n in range(1, 9)))
REGISTERED_BY_SESSION = [
    write(1, 1, "create", f"/loadbalance/brokers/{B1}", "0xa", ephemeral=True),
    write(2, 2, "setData", f"/loadbalance/brokers/{B2}", "0xb", ephemeral=True),
]
WRITTEN_BY_SESSION = channel(
    message(0, 10, printed("Assigning", 1, B1), producer="0xa"),
    message(1, 11, OWNED, producer="0xa"),
    message(2, 12, printed("Owned", 1, B1), OTHER, producer="0xb"),
)
NOT_THE_OWNER = violation(guard="ServiceUnitStateChannelImpl, channel.5 P2")

CASES = {
    **{f"anybody may publish {row}": case(LAW, published(B2, record), occasions=0) for row, record in ANYBODYS.items()},
    **{f"tombstone with which a dump begins is anybody's, even of {broker}":
        case(LAW, published(broker, None), occasions=0) for broker in PRODUCERS},
    "leader that is elected within the clocks' difference may override":
        case(LAW, published(B2, OWNED, FORCED, leaders=(leads(B2, 20),), limits=Limits(clock_skew=9))),
    "refused record counts too": case(LAW, published(B2, OWNED, MOVED), violation(at="0:1")),
    "former leader may end what it began":
        case(LAW, published(B2, OWNED, FORCED, leaders=(leads(B2), leads(B3, 6)))),
    "override is no occasion while nobody is known to lead":
        case(LAW, published(B2, OWNED, FORCED, leaders=()), occasions=0),
    "election is one of the lines that tell a leader":
        case(LAW, published(B3, OWNED, FORCED, leaders=(ELECTED,)), occasions=1),
    "many records of one broker are one finding":
        case(LAW, scene(channel=EIGHT, said=logs(created(B2))), violation(why="and 7 more", lines=5)),
    "producer of another topic is not looked at":
        case(LAW,
             scene(channel=channel(message(0, 1, OWNED, producer="p-2")), said=logs(created(B2, BROKER_LOAD))),
             occasions=0),
    "producer in two logs is a doubt":
        case(LAW, scene(channel=channel(message(0, 1, OWNED, producer="p-1")), said=SAME_PRODUCER),
             occasions=0, doubts=1),
    "session that registered a broker is that broker":
        case(LAW,
             replace(scene(channel=WRITTEN_BY_SESSION, writes=REGISTERED_BY_SESSION), storage=Storage.METADATA_STORE),
             violation(at="0:2"), occasions=2),
    "leader may not publish for others": case(LAW, published(B3, MOVED), NOT_THE_OWNER),
    "leader may publish copies where a syncer is configured":
        case(LAW, published(B3, MOVED, is_synced=True), occasions=1),
    "broker that does not lead may publish no copies": case(LAW, published(B2, MOVED, is_synced=True), NOT_THE_OWNER),
}  # fmt: skip


@each(CASES)
def test_publisher_is_known_by_its_producer(case: Case) -> None:
    case.check()


def test_refused_record_is_refused() -> None:
    assert CASES["refused record counts too"].given.channel.timeline[1].refused


def test_recorded_producers_that_are_exchanged_are_found() -> None:
    found = recorded("split")
    one, other = found.brokers[:2]
    log = {one: found.said[other], other: found.said[one]}
    lines = {broker: [line._replace(broker=broker) for line in own] for broker, own in log.items()}
    assert LAWS[LAW].judge(scene(channel=found.channel, said=lines, writes=found.writes)).findings
