"""The leader's override of an orphaned unit (P13): its conditions, its subject and its record."""

from typing import Any

import pytest

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.orphans import is_healthy, is_orphan
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import FREE, OWNED, SPLITTING, Record
from oneowner.model.channel.recovery import is_caught_up, naming
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.system import initial_states
from tests.model.channel.cluster import Cluster, start

OVERRIDE = "override(broker=1, destination=3)"


def orphaned(**bounds: Any) -> Cluster:
    """Broker 2 owned the unit, crashed, its session expired, and leader 1 has noticed."""
    cluster = start(**{"brokers": 3, "owner": 2, "crashes": 1, "closings": 2, **bounds})
    return cluster.do("crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)")


def test_override_gives_the_unit_of_a_dead_broker_to_another() -> None:
    cluster = orphaned().do(OVERRIDE)
    assert cluster.outbox(1) == ["Owned(3, from 2) v3 forced"]
    cluster.do("append(broker=1)").deliver().do("open(broker=3)")
    assert (cluster.servers, cluster.entry) == ([3], "Owned(3, from 2) v3 forced")
    assert cluster.state.tainted[1]


def test_override_needs_the_leader() -> None:
    cluster = orphaned().do("notice(observer=3, broker=2)")
    assert cluster.guard("override(broker=3, destination=3)") == "the broker is the leader"
    cluster.do("restart(broker=2)")
    assert cluster.guard("override(broker=2, destination=2)") == "the broker is the leader"


def test_override_needs_a_leader_that_has_consumed_the_whole_channel() -> None:
    """models.S43, the ``flush`` of doCleanup."""
    cluster = start(brokers=3, owner=2, unloads=1, crashes=1).do("unload(broker=3)", "append(broker=3)")
    cluster.do("crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)")
    assert cluster.guard(OVERRIDE) == "the leader has consumed the whole channel"
    cluster.do("consume(broker=1)", OVERRIDE)
    assert cluster.outbox(1) == ["Owned(3, from 2) v4 forced"]


def test_override_awaits_the_views_of_all_listed_brokers_where_it_is_proposed() -> None:
    cluster = start(brokers=3, owner=2, unloads=1, crashes=1, rules=Rules(override_awaits_views=True))
    cluster.do("unload(broker=3)", "append(broker=3)", "consume(broker=1)")
    cluster.do("crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)")
    assert cluster.guard(OVERRIDE) == "every broker of the leader's registry cache has consumed the whole channel"
    cluster.do("consume(broker=3)", OVERRIDE)
    assert cluster.outbox(1) == ["Owned(3, from 2) v4 forced"]


def test_override_is_not_repeated_while_one_is_under_way() -> None:
    cluster = orphaned(pending=2).do(OVERRIDE)
    assert cluster.guard(OVERRIDE) == "no publish of the leader for the unit is under way"


def test_override_of_one_unit_does_not_wait_for_another() -> None:
    cluster = orphaned(units=2, pending=2).do("override(broker=1, unit=1, destination=3)")
    assert cluster.guard("override(broker=1, unit=1, destination=3)") != ""
    cluster.do("override(broker=1, unit=2, destination=1)")
    assert cluster.outbox(1) == ["Owned(3, from 2) v3 forced", "Owned(1, from 2) v3 forced"]


@pytest.mark.parametrize("storage", Storage)
def test_leader_has_consumed_the_channel_when_nothing_waits_for_it(storage: Storage) -> None:
    cluster = start(storage=storage, brokers=3, owner=2, units=2, unloads=1).do("unload(broker=3, unit=2)")
    assert is_caught_up(cluster.state, 1)
    cluster.do("append(broker=3)")
    assert not is_caught_up(cluster.state, 1)
    cluster.do("consume(broker=1)" if storage == Storage.SYSTEM_TOPIC else "notify(broker=1, unit=2)")
    assert is_caught_up(cluster.state, 1)


def test_override_needs_a_destination_in_the_leaders_cache() -> None:
    assert orphaned().guard("override(broker=1, destination=2)") == "the leader's registry cache lists the destination"


def test_override_waits_until_the_leader_misses_the_broker() -> None:
    gone = "the entry names a broker that is gone for the leader"
    cluster = start(brokers=3, owner=2, crashes=1, expiries=1)
    assert cluster.guard(OVERRIDE) == gone
    cluster.do("crash(broker=2)")
    assert cluster.guard(OVERRIDE) == gone
    cluster.do("expire(broker=2)")
    assert cluster.guard(OVERRIDE) == gone
    cluster.do("notice(observer=1, broker=2)", OVERRIDE)


@pytest.mark.parametrize("health_check", [True, False])
def test_override_spares_a_broker_that_passes_the_health_check(health_check: bool) -> None:
    """bugs.R41: the notice of a deletion is out of date, the broker has registered again."""
    cluster = start(brokers=3, owner=2, expiries=1, rules=Rules(health_check=health_check))
    cluster.do("expire(broker=2)", "notice(observer=1, broker=2)")
    assert cluster.guard(OVERRIDE) == ""  # alive but not registered: the check does not find it
    cluster.do("reestablish(broker=2)", "register(broker=2)")
    gone = "the entry names a broker that is gone for the leader"
    assert cluster.guard(OVERRIDE) == (gone if health_check else "")


def test_health_check_needs_a_living_registered_broker() -> None:
    (state,) = initial_states(Bounds())
    assert is_healthy(state, 2)
    state.node[2] = Node.ABSENT
    assert not is_healthy(state, 2)
    state.node[2] = Node.LEFTOVER
    assert is_healthy(state, 2)
    state.run[2] = Run.DOWN
    assert not is_healthy(state, 2)


def without(gone: int, **switches: bool) -> State:
    """Broker *gone* is dead, and leader 1 has noticed."""
    (state,) = initial_states(Bounds(brokers=3, rules=Rules(**switches)))
    state.run[gone] = Run.DOWN
    state.node[gone] = Node.ABSENT
    state.known[1, gone] = False
    return state


def test_owned_entry_is_orphaned_by_its_source_before_23064_only() -> None:
    """bugs.R10, channel.B5."""
    owned, free = Record(OWNED, 2, 3), Record(FREE, 0, 3)
    assert is_orphan(without(3, owned_orphan_by_source=True), 1, owned)
    assert not is_orphan(without(3, owned_orphan_by_source=True), 1, free)
    assert not is_orphan(without(3), 1, owned)


def test_override_loses_to_a_record_that_came_first() -> None:
    """channel.D10: first in log order wins, the other is dropped."""
    cluster = orphaned(transfers=1).do("transfer(broker=3, destination=1)", OVERRIDE, "append(broker=3)")
    cluster.do("append(broker=1)").deliver()
    assert cluster.views[0] == "Releasing(1, from 2) v3"


def test_survivor_of_an_expired_session_serves_until_it_hears_of_the_override() -> None:
    """models.S23, run.G1: dual serving is real, has a window, and taints the unit."""
    cluster = start(brokers=3, owner=2, expiries=1, closings=2).do("expire(broker=2)", "notice(observer=1, broker=2)")
    cluster.do(OVERRIDE, "append(broker=1)", "consume(broker=3)", "open(broker=3)")
    assert cluster.servers == [2, 3]
    assert cluster.state.tainted[1]
    cluster.do("consume(broker=2)", "close(broker=2, number=1)")
    assert cluster.writers == [3]


def test_source_of_a_transfer_that_dies_leaves_an_orphan_in_flight() -> None:
    cluster = start(brokers=3, owner=2, transfers=1, crashes=1).do("transfer(broker=2, destination=3)")
    cluster.do("append(broker=2)").deliver()
    cluster.do(
        "crash(broker=2)", "expire(broker=2)", "notice(observer=1, broker=2)", "override(broker=1, destination=1)"
    )
    assert cluster.outbox(1) == ["Owned(1, from 2) v4 forced"]


def waiting(**switches: bool) -> Cluster:
    """A unit is assigned to broker 2, which is gone; the policies refuse it at the leader, the only broker left."""
    cluster = start(assigns=1, crashes=1, restarts=0, refused=1, rules=Rules(**switches)).do("look_up(broker=1)")
    assert "policies" in cluster.guard("assign(broker=1, destination=1)")
    cluster.do("assign(broker=1, destination=2)", "append(broker=1)", "consume(broker=1)", "crash(broker=2)")
    assert "refuse every broker" in cluster.guard("free_refused(broker=1)")
    return cluster.do("expire(broker=2)", "notice(observer=1, broker=2)")


def test_unit_that_the_policies_refuse_everywhere_becomes_free() -> None:
    """bugs.R6, #23349: the record names nobody."""
    cluster = waiting()
    assert "policies" in cluster.guard("override(broker=1, destination=1)")
    assert cluster.do("free_refused(broker=1)").outbox(1) == ["Free() v2 forced"]


def test_unit_is_not_freed_by_a_record_that_cannot_be_built() -> None:
    assert "can be built" in waiting(free_names_nobody=False).guard("free_refused(broker=1)")


def test_clean_up_that_breaks_off_at_the_system_bundles_overrides_none() -> None:
    """bugs.R18, #24196; the last unit is the system's."""
    cluster = orphaned(units=2, system_units=1, rules=Rules(system_units_overridden=False))
    assert "system bundles" in cluster.guard("override(broker=1, unit=2, destination=3)")
    cluster.do("override(broker=1, unit=1, destination=3)")


def test_split_is_taken_over_as_owned_until_19988() -> None:
    held = Record(SPLITTING, source=2, version=3)
    assert str(naming(held, 1, 2)) == "Splitting(from 1) v4 forced"
    assert str(naming(held, 1, 2, False)) == "Owned(1, from 2) v4 forced"


def test_clean_up_that_waits_overrides_an_owned_entry_again_since_26520() -> None:
    gone = ["expire(broker=2)", "notice(observer=1, broker=2)", "override(broker=1, destination=1)"]
    cluster = start(owner=2, expiries=1, pending=2, rules=Rules(overrides_again=True)).do(*gone)
    cluster.do("override(broker=1, destination=1)")
    assert cluster.state.outbox[1].length == 2
    assert cluster.state.outbox[1][1].record == cluster.state.outbox[1][2].record
    waiting = start(owner=2, expiries=1, pending=2).do(*gone)
    assert waiting.guard("override(broker=1, destination=1)") == "no publish of the leader for the unit is under way"
