"""Crafted states for the laws of the metadata store: a view that was emptied, a channel kept in two storages."""

from __future__ import annotations

from oneowner.model.channel.record import OWNED, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.spec.channel.crafted import BROKEN, KEPT, MS, OWNED_1, Crafted, breaks, cluster, keeps, state, taken

SAFE = {"storage": MS, "expiries": 1, "safe_mode": 1, "closings": 2}


def cut(broker: int) -> State:
    """Broker 1 owns the unit, and *broker* has heard that its session is lost."""
    at = taken(cluster(**SAFE), f"expire(broker={broker})").after
    return taken(at, f"lose_session(broker={broker})").after


BROKEN["listed-is-owned"] |= {"a broker without session lists what another owns": lambda: state(cut(2))}


@breaks("listed-is-owned")
def a_broker_without_session_lists_what_was_given_away_since() -> Crafted:
    at = cut(1)
    at.base[1] = Record(OWNED, 2, 1, True, 3)
    return state(at)


@breaks("listed-is-owned")
def a_broker_lists_what_was_deleted_while_it_had_no_session() -> Crafted:
    at = taken(cut(2), "reconnect(broker=2)").after
    at.base[1] = TOMBSTONE
    return state(taken(at, "fill(broker=2)").after)


KEPT["listed-is-owned"] |= {"a broker without session lists what it owned and owns": lambda: state(cut(1))}


@breaks("stores-agree")
def two_storages_name_two_owners() -> Crafted:
    at = cluster(synced=1)
    at.nodes[1] = at.view[2, 1] = Record(OWNED, 2, version=2)
    return state(at)


@keeps("stores-agree")
def two_storages_name_one_owner() -> Crafted:
    at = cluster(synced=1)
    assert at.nodes[1] == OWNED_1
    return state(at)
