"""Who may publish what."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.views.publishers import CATALOGUE, publisher_is_entitled
from oneowner.checkers.recordings.read.observations import Printed, Said
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import B1, B2, B3, channel, logs, message, printed, recorded, said, scene, write

TOPIC = "persistent://pulsar/system/loadbalancer-service-unit-state"
PRODUCERS = {B1: "p-1", B2: "p-2", B3: "p-3"}


def created(broker: str, topic: str = TOPIC) -> Said:
    return said(1, 1, "producer-created", broker=broker, topic=topic, producer=PRODUCERS[broker])


def published(broker: str, *records: Printed | None, leader: str = B3) -> Scene:
    """Records of one unit; all but the last come from a producer that is not known."""
    lines = [created(name) for name in PRODUCERS] + [said(2, 5, "plays-leader", broker=leader)]
    messages = [message(number, 10 + number, record, producer="?") for number, record in enumerate(records)]
    messages[-1] = messages[-1]._replace(producer=PRODUCERS[broker])
    return scene(channel=channel(*messages), said=logs(*lines))


OWNED = printed("Owned", 2, B1)
SPLIT_END = printed("Deleted", 4, source=B1)
ROWS = [
    ("P2", [printed("Owned", 2, B1, B2)], {B1}),
    ("P5", [printed("Assigning", 4, B2, B1)], {B1}),
    ("P6", [printed("Free", 4, source=B1)], {B1}),
    ("P9", [SPLIT_END], {B1}),
    ("P13", [printed("Releasing", 3, B2, B1, force=True)], {B1}),
    ("P13", [OWNED, printed("Owned", 3, B2, B1, force=True)], {B1, B3}),
    ("P13", [OWNED, printed("Free", 3, source=B1, force=True)], {B1, B3}),
    ("P10-P12", [SPLIT_END, None], {B1, B3}),
    ("P10-P12", [printed("Free", 4, source=B1, force=True), None], {B1, B3}),
    ("P10-P12", [OWNED, None], {B3}),
]


@pytest.mark.parametrize(("row", "records", "entitled"), ROWS, ids=[f"{n}-{row[0]}" for n, row in enumerate(ROWS)])
@pytest.mark.parametrize("broker", [B1, B2, B3])
def test_row_of_the_catalogue_entitles_its_publishers(
    row: str, records: list[Printed | None], entitled: set[str], broker: str
) -> None:
    judged = publisher_is_entitled(published(broker, *records))
    assert judged.exercised == 1
    if broker in entitled:
        assert judged.findings == []
    else:
        [found] = judged.findings
        assert (found.severity, found.guard) == (Severity.VIOLATION, f"ServiceUnitStateChannelImpl, channel.5 {row}")
        assert found.brokers[0] == broker
        assert "Created producer" in found.evidence[-1].text or "producer-created" in found.evidence[-1].text


@pytest.mark.parametrize(
    "record",
    [
        printed("Assigning", 1, B1),
        printed("Releasing", 3, source=B1),
        printed("Releasing", 3, B2, B1),
        printed("Releasing", 3, source=B1, force=True),
        printed("Splitting", 3, source=B1),
    ],
    ids=["P1", "P3", "P4", "deletion", "P7"],
)
def test_anybody_may_publish_what_a_lookup_or_an_admin_call_asks_for(record: Printed) -> None:
    judged = publisher_is_entitled(published(B2, record))
    assert (judged.exercised, judged.findings) == (0, [])


def test_refused_records_count_too() -> None:
    found = published(B2, OWNED, printed("Owned", 2, B1, B2))
    assert found.channel.timeline[1].refused
    assert len(publisher_is_entitled(found).findings) == 1


def test_former_leader_may_end_what_it_began() -> None:
    found = published(B2, OWNED, printed("Owned", 3, B2, B1, force=True), leader=B2)
    found.said[B3].append(said(3, 6, "plays-leader", broker=B3))
    assert publisher_is_entitled(found).findings == []


def test_overrides_give_no_occasion_while_nobody_is_known_to_lead() -> None:
    found = published(B2, OWNED, printed("Owned", 3, B2, B1, force=True))
    found.said[B3].pop()
    assert publisher_is_entitled(found).exercised == 0


def test_many_records_of_one_broker_are_one_finding() -> None:
    records = [message(n, n, printed("Owned", n, B1), producer="p-2") for n in range(1, 9)]
    [found] = publisher_is_entitled(scene(channel=channel(*records), said=logs(created(B2)))).findings
    assert "and 7 more" in found.why
    assert len(found.evidence) == 5


def test_producer_of_another_topic_is_not_looked_at() -> None:
    other = created(B2, "non-persistent://pulsar/system/loadbalancer-broker-load-data")
    found = scene(channel=channel(message(0, 1, OWNED, producer="p-2")), said=logs(other))
    assert publisher_is_entitled(found).exercised == 0


def test_producer_in_two_logs_is_a_doubt() -> None:
    lines = [created(B1), created(B2)._replace(values={"topic": TOPIC, "producer": "p-1"})]
    judged = publisher_is_entitled(scene(channel=channel(message(0, 1, OWNED, producer="p-1")), said=logs(*lines)))
    assert (judged.exercised, judged.findings, len(judged.doubts)) == (0, [], 1)


def test_session_that_registered_a_broker_is_that_broker() -> None:
    writes = [write(1, 1, "create", f"/loadbalance/brokers/{B1}", "0xa", ephemeral=True)]
    writes += [write(2, 2, "setData", f"/loadbalance/brokers/{B2}", "0xb", ephemeral=True)]
    messages = [
        message(0, 10, printed("Assigning", 1, B1), producer="0xa"),
        message(1, 11, OWNED, producer="0xa"),
        message(2, 12, printed("Owned", 1, B1), "t/n/0x80000000_0xffffffff", producer="0xb"),
    ]
    found = scene(channel=channel(*messages), writes=writes)
    found.storage = Storage.METADATA_STORE
    judged = publisher_is_entitled(found)
    assert judged.exercised == 2
    assert [one.message_id for one in judged.findings] == ["0:2"]


def test_every_row_of_the_catalogue_is_put_to_the_test() -> None:
    assert {label for label, *_ in CATALOGUE} == {row for row, *_ in ROWS}


@pytest.mark.parametrize(
    ("name", "exercised"),
    [
        ("healthy", 12), ("healthy-quiet", 124), ("transfer", 775), ("shedding", 13), ("split", 88),
        ("kill-owner", 75), ("kill-mid-transfer", 657), ("compaction", 427), ("delete-decommission", 85),
        ("metadata-store", 264), ("zombie", 38), ("leader-hang", 18), ("zk-partition", 34),
        ("zk-partition-metadata", 35), ("zk-restart", 159), ("zk-restart-metadata", 29), ("rolling-restart", 63),
    ],
)  # fmt: skip
def test_recorded_records_come_from_brokers_that_may_publish_them(name: str, exercised: int) -> None:
    judged = publisher_is_entitled(recorded(name))
    assert judged.exercised == exercised
    assert (judged.findings, judged.doubts) == ([], [])


def test_recorded_producers_that_are_exchanged_are_found() -> None:
    found = recorded("split")
    one, other = found.brokers[:2]
    log = {one: found.said[other], other: found.said[one]}
    lines = {broker: [line._replace(broker=broker) for line in own] for broker, own in log.items()}
    swapped = scene(channel=found.channel, said=lines, writes=found.writes)
    assert publisher_is_entitled(swapped).findings


def test_leader_may_publish_copies_where_a_syncer_is_configured() -> None:
    told = published(B3, printed("Owned", 2, B1, B2))
    assert [one.guard for one in publisher_is_entitled(told).findings] == ["ServiceUnitStateChannelImpl, channel.5 P2"]
    told.is_synced = True
    judged = publisher_is_entitled(told)
    assert judged.exercised == 1
    assert not judged.findings
    other = published(B2, printed("Owned", 2, B1, B2))
    other.is_synced = True
    assert [one.guard for one in publisher_is_entitled(other).findings] == ["ServiceUnitStateChannelImpl, channel.5 P2"]


def test_election_is_one_of_the_lines_that_tell_a_leader() -> None:
    told = published(B3, printed("Owned", 2, B1), printed("Owned", 3, B2, B1, force=True))
    lines = [line for lines in told.said.values() for line in lines if line.event != "plays-leader"]
    told.said = logs(*lines, said(3, 5, "elected", broker=B3, path="/loadbalance/extension/leader", leader=B3))
    judged = publisher_is_entitled(told)
    assert judged.exercised == 1
    assert not judged.findings
