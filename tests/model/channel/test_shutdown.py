"""Graceful shutdown: the units that a broker gives away, the events that it misses meanwhile, and its end."""

import pytest

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Node, Outcome, Request, Run, Stage
from oneowner.model.channel.record import ASSIGNING, NOBODY, OWNED, RELEASING, Record
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.rules import RELEASE_4_0_6, Rules, Storage
from oneowner.model.channel.shutdown import giving_up
from oneowner.model.kernel.system import actions
from tests.model.channel.cluster import Cluster, start

DRAIN = "drain(broker=1, destination=2)"


def stopping(**bounds: int) -> Cluster:
    """Return a cluster whose broker 1 has been asked to shut down."""
    return start(**{"owner": 1, "shutdowns": 1, **bounds}).do("disable(broker=1)")


def hold(cluster: Cluster, record: Record) -> Cluster:
    """Set *record* in the channel and all views."""
    cluster.state.base[1] = cluster.state.view[1, 1] = cluster.state.view[2, 1] = record
    return cluster


def test_unit_is_owned_elsewhere_before_the_broker_unregisters() -> None:
    """recordings, delete-decommission: no bundle unowned at the next poll."""
    cluster = stopping().do(DRAIN)
    assert cluster.outbox(1) == ["Releasing(2, from 1) v3 forced"]
    cluster.deliver().do("close(broker=1)").deliver()
    assert (cluster.entry, cluster.writers) == ("Owned(2, from 1) v5", [])
    assert not cluster.state.tainted[1]
    cluster.do("unregister(broker=1)", "stop(broker=1)")
    assert (cluster.state.run[1], cluster.state.node[1], cluster.state.leader) == (Run.DOWN, Node.ABSENT, NOBODY)
    assert cluster.state.stage[1] == Stage.RUNNING
    cluster.do("restart(broker=1)")
    assert cluster.state.node[1] == Node.PRESENT


@pytest.mark.parametrize(
    ("held", "given"),
    [
        (Record(OWNED, 1, 3, version=5), "Releasing(2, from 1) v6 forced"),
        (Record(ASSIGNING, 1, 3, version=5), "Owned(2, from 3) v6 forced"),
        (Record(RELEASING, 2, 1, version=5), "Owned(2, from 1) v6 forced"),
        (Record(RELEASING, 1, 2, version=5), "Owned(2) v6 forced"),
    ],
    ids=str,
)
def test_entry_is_given_up_by_releasing_if_it_is_owned_and_by_owned_if_it_is_in_flight(
    held: Record, given: str
) -> None:
    """channel.9.4, the table of ``overrideOwnership`` for graceful clean-ups."""
    assert str(giving_up(stopping().state, held, 2)) == given


def test_each_unit_is_looked_at_once() -> None:
    """bugs.R5: a unit assigned to the broker after that stays with it until the leader cleans up."""
    cluster = hold(stopping(), Record(OWNED, 2, version=2)).do("pass_over(broker=1)")
    hold(cluster, Record(ASSIGNING, 1, version=5))
    assert cluster.guard(DRAIN) == "the clean-up has not come to the unit"
    cluster.do("unregister(broker=1)")
    assert cluster.entry == "Assigning(1) v5"


def test_broker_drains_what_names_it_and_passes_over_the_rest() -> None:
    cluster = stopping()
    assert cluster.guard("pass_over(broker=1)") == "the entry does not name the broker"
    hold(cluster, Record(OWNED, 2, 1, version=5))
    assert cluster.guard(DRAIN) == "the entry names the broker"
    assert cluster.guard("unregister(broker=1)") == "its clean-up is over"


def test_unforced_record_is_read_but_not_handled_while_disabled() -> None:
    """channel.6: the source goes on serving the unit that it was asked to release."""
    cluster = start(owner=1, shutdowns=1, transfers=1).do("transfer(broker=2, destination=2)", "append(broker=2)")
    cluster.do("disable(broker=1)", "consume(broker=1)")
    assert cluster.views[0] == "Releasing(2, from 1) v3"
    assert (cluster.servers, cluster.closing(1), cluster.outbox(1)) == ([1], [], [])


def test_lookup_that_waits_fails_when_its_broker_reads_a_record_while_disabled() -> None:
    cluster = start(owner=2, shutdowns=1, transfers=1, lookups=1)
    cluster.do("transfer(broker=2, destination=1)", "append(broker=2)", "consume(broker=1)", "open_lookup(broker=1)")
    assert cluster.state.request[1, 1] == Request.WAITING
    cluster.do("disable(broker=1)", "consume(broker=2)", "close(broker=2)", "append(broker=2)", "consume(broker=1)")
    assert cluster.state.reply[1, 1].outcome == Outcome.FAILED


def test_broker_that_shuts_down_cleans_nobody_else_up() -> None:
    cluster = stopping(owner=2)
    cluster.state.node[2], cluster.state.known[1, 2] = Node.ABSENT, False
    assert cluster.guard("override(broker=1, destination=1)") == "the broker is not shutting down"


def test_broker_that_finds_no_leader_gives_nothing_away() -> None:
    cluster = stopping()
    cluster.state.leader = NOBODY
    assert cluster.guard(DRAIN) == "there is a leader"
    cluster.do("unregister(broker=1)")
    assert cluster.entry == "Owned(1) v2"


def test_broker_unloads_what_it_is_left_with_once_and_does_not_handle_it() -> None:
    cluster = stopping(shutdowns=2)
    cluster.state.leader = NOBODY
    cluster.do("unregister(broker=1)", "unload_leftover(broker=1)")
    assert cluster.outbox(1) == ["Releasing(from 1) v3"]
    assert cluster.guard("unload_leftover(broker=1)") == "it has not unloaded the unit yet"
    cluster.deliver()
    assert (cluster.entry, cluster.servers, cluster.closing(1)) == ("Releasing(from 1) v3", [1], [])


@pytest.mark.parametrize(
    ("rules", "guard"),
    [
        (Rules(), "the broker finds an owner although it is not registered"),
        (Rules(disabled_asks_registry=False), ""),
        (Rules(unregistered_lookup_fails=False), ""),
    ],
)
def test_broker_unloads_its_leftovers_in_the_metadata_store_only_if_it_still_finds_their_owner(
    rules: Rules, guard: str
) -> None:
    """apache/pulsar#24478, #24770."""
    cluster = start(owner=1, shutdowns=2, storage=Storage.METADATA_STORE, rules=rules).do("disable(broker=1)")
    cluster.state.leader = NOBODY
    assert cluster.do("unregister(broker=1)").guard("unload_leftover(broker=1)") == guard


def test_last_broker_does_not_shut_down() -> None:
    cluster = stopping(shutdowns=2)
    assert cluster.guard("disable(broker=2)") == "another broker stays"


@pytest.mark.parametrize(("drains", "there"), [(True, False), (False, True)])
def test_single_broker_that_shuts_down_has_leftovers_only_if_it_does_not_drain(drains: bool, there: bool) -> None:
    bounds = Bounds(owner=2, shutdowns=1, rules=Rules(drain_at_shutdown=drains))
    assert ("unload_leftover" in {action.name for action in actions(bounds)}) is there


def test_broker_of_3_0_0_unregisters_and_gives_nothing_away() -> None:
    cluster = start(owner=1, shutdowns=1, rules=RELEASES["3.0.0"]).do("disable(broker=1)")
    assert cluster.guard(DRAIN) == "a broker that shuts down gives its units away"
    assert cluster.do("unregister(broker=1)").state.node[1] == Node.ABSENT


RACING = ("look_up(broker=2)", "assign(broker=2, destination=1)", "append(broker=2)", "consume(broker=1)")


def late(rules: Rules = RELEASE_4_0_6, **bounds: int) -> Cluster:
    """Return a cluster whose broker 1 is about to own a unit and shuts down; its scan has passed that handler."""
    cluster = start(assigns=1, shutdowns=1, late_handlers=1, pending=2, rules=rules, **bounds)
    return cluster.do(*RACING, "disable(broker=1)", "hurry(broker=1)")


def test_scan_that_passes_a_handler_gives_the_unit_away_too_late() -> None:
    """bugs.R4, #26520: the broker's own Owned has the same version, and comes first."""
    cluster = late().do(DRAIN).deliver().do("unregister(broker=1)")
    assert cluster.entry == "Owned(1) v2"


def test_scan_waits_for_publishes_of_handlers_unless_a_flush_passes_them() -> None:
    cluster = start(assigns=1, shutdowns=1, late_handlers=1, pending=2).do(*RACING, "disable(broker=1)")
    assert "its publishes are in the channel" in cluster.guard(DRAIN)


def test_broker_that_tries_again_leaves_nothing_that_it_owns() -> None:
    cluster = late(Rules(shutdown_retries=True)).do(DRAIN).deliver()
    assert "owns no unit" in cluster.guard("unregister(broker=1)")
    cluster.do("retry(broker=1, destination=2)").deliver().do("unregister(broker=1)")
    assert cluster.entry == "Owned(2, from 1) v5"


def test_broker_that_tries_again_leaves_what_it_owns_when_its_5_s_are_over() -> None:
    """`waitForCleanups` of 5.0.1 tries again until OWNERSHIP_CLEAN_UP_MAX_WAIT_TIME_IN_MILLIS, and goes on."""
    cluster = late(Rules(shutdown_retries=True), short_waits=1).do(DRAIN).deliver().do("unregister(broker=1)")
    assert (cluster.entry, cluster.state.short_waits_left) == ("Owned(1) v2", 0)


TOLD = Rules(shutdown_retries=True, shutdown_is_registered=True)
"""Repair of ``shutdown_together``."""
LEAVES = "the destination does not shut down"


@pytest.mark.parametrize(("rules", "guard"), [(RELEASE_4_0_6, ""), (TOLD, LEAVES)], ids=["4.0.6", "repaired"])
def test_broker_that_says_that_it_leaves_is_given_nothing_by_another(rules: Rules, guard: str) -> None:
    cluster = start(brokers=3, owner=1, shutdowns=2, rules=rules).do("disable(broker=1)", "disable(broker=2)")
    assert cluster.guard(DRAIN) == guard
    assert cluster.guard("drain(broker=1, destination=3)") == ""


@pytest.mark.parametrize(("rules", "guard"), [(RELEASE_4_0_6, ""), (TOLD, LEAVES)], ids=["4.0.6", "repaired"])
def test_broker_that_says_that_it_leaves_is_given_nothing_by_the_leader(rules: Rules, guard: str) -> None:
    cluster = start(brokers=3, owner=3, shutdowns=2, rules=rules).do("disable(broker=2)")
    cluster.state.run[3], cluster.state.node[3], cluster.state.known[1, 3] = Run.DOWN, Node.ABSENT, False
    assert cluster.guard("override(broker=1, destination=2)") == guard
    assert cluster.guard("override(broker=1, destination=1)") == ""
    flying = start(owner=1, shutdowns=1, transfers=1, flight_timer=1, rules=rules)
    flying.do("transfer(broker=1, destination=2)").deliver().do("disable(broker=2)")
    assert flying.guard("end_flight(broker=1, destination=2)") == guard
    assert flying.guard("end_flight(broker=1, destination=1)") == ""


def test_broker_that_says_that_it_leaves_unregisters_once_nothing_names_it() -> None:
    """The Assigning comes after its clean-up has passed the unit; it does not answer, as it is Disabled."""
    cluster = start(assigns=1, shutdowns=1, rules=TOLD).do(
        "look_up(broker=2)", "disable(broker=1)", "pass_over(broker=1)"
    )
    cluster.do("assign(broker=2, destination=1)").deliver()
    assert cluster.guard("unregister(broker=1)") == "it owns no unit by what it has read, and is to own none"
    cluster.do("retry(broker=1, destination=2)").deliver().do("unregister(broker=1)")
    assert cluster.entry == "Owned(2) v2 forced"


@pytest.mark.parametrize(
    ("read_again", "given"), [(False, "Owned(2) v2 forced"), (True, "Releasing(2, from 1) v3 forced")]
)
def test_system_bundle_is_given_away_by_what_was_read_of_it_at_first(read_again: bool, given: str) -> None:
    """bugs.R15, #26634."""
    cluster = late(Rules(system_units_read_again=read_again), system_units=1)
    assert "set aside" in cluster.guard(DRAIN)
    cluster.do("set_aside(broker=1)").deliver().do(DRAIN)
    assert cluster.outbox(1) == [given]


def test_system_bundle_comes_last() -> None:
    cluster = stopping(units=2, system_units=1, pending=2).do("set_aside(broker=1, unit=2)")
    assert "every unit that is none" in cluster.guard("drain(broker=1, unit=2, destination=2)")
    cluster.do("drain(broker=1, unit=1, destination=2)").deliver().do("close(broker=1)").deliver()
    cluster.do("drain(broker=1, unit=2, destination=2)")


def test_lookup_of_a_broker_that_shuts_down_assigns_until_26520() -> None:
    """apache/pulsar#26520; bugs.R5."""
    for assigns in (True, False):
        cluster = start(lookups=1, shutdowns=1, rules=Rules(disabled_assigns=assigns))
        cluster.do("open_lookup(broker=1)", "disable(broker=1)", "select(broker=1, destination=1)")
        assert cluster.outbox(1) == (["Assigning(1) v1"] if assigns else [])
        assert cluster.state.request[1, 1] == (Request.PUBLISHED if assigns else Request.NONE)
        assert cluster.state.reply[1, 1].outcome == (Outcome.NONE if assigns else Outcome.FAILED)


def test_broker_that_is_closing_first_cannot_publish_once_its_connection_is_lost() -> None:
    """apache/pulsar#22573."""
    cluster = start(owner=1, shutdowns=1, rules=Rules(unloads_before_closing=False))
    assert cluster.guard("cut_off(broker=1)") == "the broker shuts down"
    cluster.do("disable(broker=1)", "drain(broker=1, destination=2)", "cut_off(broker=1)")
    assert cluster.guard("append(broker=1)") == "the broker's producer is connected"
    assert cluster.guard("unregister(broker=1)") == "its publishes are in the channel"


def test_broker_that_checks_its_own_health_gives_nothing_away() -> None:
    """apache/pulsar#23433."""
    cluster = start(owner=1, shutdowns=1, rules=Rules(drains_unchecked=False)).do("disable(broker=1)")
    assert cluster.guard("drain(broker=1, destination=2)") == "it does not wait for a health check of itself"
    assert cluster.guard("unregister(broker=1)") == "its clean-up is over"
