"""A topic lies in a unit by its hash and by the boundaries of that time."""

import json

import pytest

from oneowner.checkers.recordings.scene.topics import Topics, namespace_of
from tests.recordings.laws.crafted import B1, OTHER, UNIT, channel, message, printed, scene, write
from tests.recordings.laws.recorded import recorded

TOPIC = "persistent://t/n/topic"
HALVES = (0, 0x80000000, 0xFFFFFFFF)
POLICIES = "/admin/local-policies/t/n"


def boundaries(*cuts: int) -> str:
    return json.dumps({"bundles": {"boundaries": [f"0x{cut:08x}" for cut in cuts]}})


@pytest.mark.parametrize(
    ("topic", "namespace"),
    [
        ("persistent://t/n/topic", "t/n"),
        ("non-persistent://t/c/n/a/b", "t/c/n"),
        ("persistent://t/n/topic-partition-3", "t/n"),
    ],
)
def test_namespace_is_the_first_two_names_of_a_topic_and_three_of_an_old_one(topic: str, namespace: str) -> None:
    assert namespace_of(topic) == namespace


def test_topic_lies_by_the_final_boundaries_where_nothing_else_is_known() -> None:
    topics = Topics(scene(boundaries={"t/n": HALVES}))
    assert topics.unit(TOPIC, 5) == OTHER
    assert topics.unit("persistent://t/unknown/topic", 5) is None


def test_topic_lies_by_what_the_channel_says_without_boundaries() -> None:
    records = [message(n, n, printed("Owned", 1, B1), unit) for n, unit in enumerate((UNIT, OTHER))]
    by_channel, by_end = Topics(scene(channel=channel(*records))), Topics(scene(boundaries={"t/n": HALVES}))
    assert by_channel.unit(TOPIC, 5) == by_end.unit(TOPIC, 5)


def test_topic_moves_to_a_child_when_the_written_boundaries_do() -> None:
    writes = [
        write(1, 10, "create", POLICIES, data=boundaries(*HALVES)),
        write(2, 20, "setData", POLICIES, data=boundaries(0, 0x40000000, 0x80000000, 0xC0000000, 0xFFFFFFFF)),
    ]
    topics = Topics(scene(writes=writes))
    before, after = topics.unit(TOPIC, 15), topics.unit(TOPIC, 25)
    assert (before, after) == (OTHER, "t/n/0x80000000_0xc0000000")
    assert topics.unit(TOPIC, 15, 25) is None, "an answer that took so long may mean either"


def test_topic_stays_with_the_parent_until_that_is_deleted() -> None:
    parent, low, high = "t/n/0x00000000_0xffffffff", UNIT, OTHER
    topics = Topics(
        scene(
            channel=channel(
                message(0, 10, printed("Owned", 1, B1), parent),
                message(1, 20, printed("Splitting", 2, "", B1), parent),
                message(2, 21, printed("Owned", 1, B1), low),
                message(3, 22, printed("Owned", 1, B1), high),
                message(4, 30, printed("Deleted", 3, "", B1), parent),
                message(5, 31, None, parent),
            )
        )
    )
    assert topics.unit(TOPIC, 25) == parent
    assert topics.unit(TOPIC, 35) == high


def test_policies_that_cannot_be_read_are_passed_over() -> None:
    writes = [write(1, 10, "create", POLICIES, data="{"), write(2, 11, "setData", POLICIES, data='{"bundles": null}')]
    assert Topics(scene(writes=writes)).unit(TOPIC, 20) is None


def test_every_topic_of_a_recording_has_a_unit_that_its_channel_knows() -> None:
    for name in ("healthy", "split", "metadata-store"):
        run = recorded(name)
        topics = Topics(run)
        units = {topics.unit(lookup.topic, lookup.start) for lookup in run.lookups}
        assert units <= set(run.channel.units), name
