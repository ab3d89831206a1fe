"""Repairs of recorded faults of a real cluster, each at its guard: the step without it is in the stories."""

from oneowner.model.channel.lookup import KNOWN
from oneowner.model.channel.parts import Metadata, Node, Run
from oneowner.model.channel.rules import Rules, Storage
from tests.model.channel.cluster import start


def test_selection_that_checks_health_passes_over_a_dead_broker() -> None:
    """run.G7."""
    cluster = start(assigns=1, crashes=1, rules=Rules(selection_checks_health=True))
    cluster.do("look_up(broker=1)", "crash(broker=2)")
    assert cluster.guard("assign(broker=1, destination=2)") == KNOWN


def test_topic_that_knows_sequence_ids_drops_a_second_copy() -> None:
    """run.G8."""
    cluster = start(owner=1, unloads=1, resends=1, sequence_ids=1, rules=Rules(deduplication=True))
    cluster.do("unload(broker=2)", "append_unacknowledged(broker=2)")
    assert cluster.state.resent[2]
    log = cluster.log
    cluster.do("append(broker=2)")
    assert cluster.log == log
    assert (cluster.outbox(2), cluster.state.resent[2]) == ([], False)


def test_watch_that_is_not_set_again_leaves_a_broker_unstable_after_an_outage_only() -> None:
    """run.G9."""
    rules = Rules(watch_set_again=False)
    cluster = start(owner=2, expiries=1, outages=1, safe_mode=1, closings=2, rules=rules)
    cluster.do("expire(broker=1)", "lose_session(broker=1)", "reconnect(broker=1)")
    cluster.do("stop_zookeeper", "lose_session(broker=1)", "start_zookeeper")
    assert cluster.guard("reconnect(broker=1)") == "no outage has left the broker without its watch"
    assert cluster.state.metadata[1] == Metadata.UNSTABLE


def test_long_pause_ends_a_process_and_a_short_one_does_not() -> None:
    """run.G1."""
    rules = Rules(long_pause_ends_process=True)
    short = start(owner=2, pauses=1, rules=rules).do("pause(broker=2)", "resume(broker=2)")
    assert short.state.run[2] == Run.UP
    long = start(owner=2, pauses=1, rules=rules).do("pause(broker=2)", "expire(broker=2)", "resume(broker=2)")
    assert (long.state.run[2], long.servers) == (Run.DOWN, [])


def test_channel_that_follows_the_election_leaves_a_hung_leader() -> None:
    """run.G3."""
    rules = Rules(channel_follows_election=True)
    cluster = start(owner=1, pauses=1, channel_host=1, beliefs=1, rules=rules)
    assert cluster.do("pause(broker=1)", "expire(broker=1)", "elect(broker=2)").state.host == 2


def test_emptied_list_names_no_unit() -> None:
    """run.G4."""
    rules = Rules(session_loss_empties_list=True)
    cluster = start(storage=Storage.METADATA_STORE, owner=2, expiries=1, safe_mode=1, closings=2, rules=rules)
    assert not any(cluster.do("expire(broker=1)", "lose_session(broker=1)").state.listed)


def test_start_that_replaces_the_old_node_is_registered_by_its_own_session() -> None:
    """run.G10."""
    cluster = start(crashes=1, rules=Rules(start_replaces_node=True)).do("crash(broker=1)", "restart(broker=1)")
    assert cluster.state.node[1] == Node.PRESENT
