"""Registrations that stay, caches that keep what was, a migration that leaves somebody out, locks of an old manager."""

from oneowner.model.channel.parts import Node
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.cluster import Cluster, start

AGAIN = ("expire(broker=2)", "notice(observer=1, broker=2)", "reestablish(broker=2)", "register(broker=2)")


def test_refresh_that_ends_late_uses_the_notice_up_until_the_node_changes_again() -> None:
    cluster = start(owner=2, expiries=2, rules=Rules(refresh_before_invalidate=True)).do(*AGAIN)
    cluster.do("keep_old_entry(observer=1, broker=2)")
    assert not cluster.state.known[1, 2]
    assert cluster.guard("notice(observer=1, broker=2)") == "the watch of the broker's node has not fired in vain"
    cluster.do("expire(broker=2)", "reestablish(broker=2)", "register(broker=2)", "notice(observer=1, broker=2)")
    assert cluster.state.known[1, 2]


def test_cached_list_of_brokers_misses_one_that_registers() -> None:
    cluster = start(owner=2, expiries=1, rules=Rules(children_miss_cached=True)).do(*AGAIN)
    assert cluster.guard("notice(observer=1, broker=2)").startswith("the node was deleted")


def test_persistent_registration_outlives_its_broker_and_only_the_lead_ends() -> None:
    cluster = start(owner=2, crashes=2, rules=Rules(ephemeral_registration=False)).do("crash(broker=2)")
    assert cluster.guard("expire(broker=2)").startswith("a session of the broker holds the leader's node")
    cluster.do("crash(broker=1)", "expire(broker=1)")
    assert cluster.state.leader == 0
    assert [cluster.state.node[broker] for broker in (1, 2)] == [Node.LEFTOVER] * 2


def reconnected(again: bool) -> Cluster:
    cluster = start(owner=2, expiries=1, safe_mode=1, rules=Rules(registers_with_session=again))
    return cluster.do("expire(broker=2)", "lose_session(broker=2)", "reconnect(broker=2)")


def test_broker_registers_with_its_session_only_since_it_listens_to_that() -> None:
    assert reconnected(again=False).state.node[2] == Node.ABSENT
    assert reconnected(again=True).state.node[2] == Node.PRESENT
    assert reconnected(again=True).state.known[2, 2]


def test_migration_waits_for_every_living_broker() -> None:
    cluster = start(migrations=1).do("start_migration", "prepare(broker=1)")
    assert cluster.guard("cut_over") == "every living broker is prepared"
    cluster.do("prepare(broker=2)", "cut_over")
    assert [cluster.state.node[broker] for broker in (1, 2)] == [Node.PRESENT] * 2
    assert not any(cluster.state.acknowledged)


def test_migration_that_does_not_wait_loses_the_nodes_of_who_was_not_prepared() -> None:
    cluster = start(migrations=1, rules=Rules(migration_awaits_all=False))
    cluster.do("start_migration", "prepare(broker=2)", "cut_over")
    assert [cluster.state.node[broker] for broker in (1, 2)] == [Node.ABSENT, Node.PRESENT]
    assert cluster.state.leader == 0
    assert cluster.state.known[1, 1]


def test_older_load_manager_takes_a_lock_once_and_knows_no_channel() -> None:
    cluster = start(owner=1, assigns=2, old_managers=1, rules=Rules(managers_redirect=False)).do("acquire")
    assert cluster.state.serving[2, 1]
    assert cluster.state.serving[1, 1]
    assert cluster.guard("acquire") == "nobody holds the unit's lock"


def test_overtaken_put_lands_only_while_its_writer_has_not_heard_of_the_other() -> None:
    bounds = {"storage": Storage.METADATA_STORE, "owner": 1, "unloads": 2, "rules": Rules(put_gives_up=False)}
    race = ("unload(broker=1)", "unload(broker=2)", "append(broker=1)")
    assert start(**bounds).do(*race, "append(broker=2)").entry == "Releasing(from 1) v3"
    larger = {**bounds, "unloads": 1, "transfers": 1}
    cluster = start(**larger).do("unload(broker=1)", "transfer(broker=2, destination=2)", "append(broker=1)")
    assert cluster.do("append(broker=2)").entry == "Releasing(2, from 1) v3"
    heard = start(**larger).do("unload(broker=1)", "transfer(broker=2, destination=2)", "append(broker=1)")
    assert heard.do("notify(broker=2)", "append(broker=2)").entry == "Releasing(from 1) v3"
