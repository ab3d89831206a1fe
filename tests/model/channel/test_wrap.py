"""Versions that wrap around: behind the last comes the lowest, and everything from before is above it."""

import pytest

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import place_of, places
from oneowner.model.channel.record import MAX_VERSION, RELEASING, Record
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Storage
from tests.model.channel.cluster import Cluster, start


def wrapping(**bounds: int) -> Cluster:
    return start(**{"owner": 1, "unloads": 2, "wraps": 1, "versions": 5, **bounds})


def test_unit_is_owned_close_to_the_last_version_and_freed_with_the_lowest() -> None:
    cluster = wrapping()
    assert cluster.entry == "Owned(1) v4"
    cluster.do("unload(broker=1)", "append(broker=1)", "consume(broker=1)", "close(broker=1)")
    assert cluster.outbox(1) == ["Free(from 1) v-6"]
    assert cluster.do("append(broker=1)").entry == "Free(from 1) v-6"


@pytest.mark.parametrize(("storage", "entry"), [(Storage.SYSTEM_TOPIC, "v5"), (Storage.METADATA_STORE, "v-6")])
def test_record_from_before_the_wrap_is_accepted_behind_a_gap_by_the_topic_alone(storage: Storage, entry: str) -> None:
    cluster = (
        wrapping().do("unload(broker=2)")
        if storage == Storage.SYSTEM_TOPIC
        else start(owner=1, unloads=2, wraps=1, versions=5, storage=storage).do("unload(broker=2)")
    )
    cluster.do("unload(broker=1)", "append(broker=1)")
    if storage == Storage.SYSTEM_TOPIC:
        cluster.do("consume(broker=1)")
    cluster.do("close(broker=1)", "append(broker=1)", "append(broker=2)")
    assert cluster.entry.endswith(entry)


def test_every_version_has_a_place_of_its_own_in_the_order_of_use() -> None:
    bounds = Bounds(versions=3, wraps=1)
    used = [1, 2, 3, -4, -3, -2, -1]
    assert [place_of(bounds, version) for version in used] == list(range(1, places(bounds) + 1))


def test_last_version_is_that_of_a_long_unless_bounds_say_otherwise() -> None:
    assert Bounds().last_version == MAX_VERSION
    held, next_one = Record(RELEASING, 2, 1, version=5), Record(RELEASING, 2, 1, True, -6)
    assert refusal(held, next_one, last=5) is None
    assert refusal(held, next_one) is not None
