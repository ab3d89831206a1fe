"""Crafted states and steps for the laws of sessions and safe mode, and of the flush."""

from __future__ import annotations

from oneowner.model.channel.lookup_parts import Stage
from oneowner.model.channel.parts import Message, Metadata, Node
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import RELEASING_1, Crafted, breaks, cluster, edited, keeps, state, taken

SAFE = {"brokers": 3, "owner": 2, "expiries": 1, "outages": 1, "safe_mode": 1, "closings": 2}
OVERRIDE = "override(broker=1, destination=3)"


def leading(**cells: object) -> State:
    """Leader 1 has scheduled a clean-up of broker 2, whose session has ended; some of its own *cells* are set."""
    at = cluster(**SAFE)
    at.node[2], at.known[1, 2], at.cleaning[1, 2] = Node.ABSENT, False, True
    for name, value in cells.items():
        getattr(at, name)[1] = value
    return at


def nothing(after: State) -> None:
    """Change nothing: the step alone is looked at."""


# ---- one-elected ----


@breaks("one-elected")
def a_node_vanishes_without_its_session() -> Crafted:
    return edited(cluster(expiries=1), "expire(broker=2)", lambda after: after.node.__setitem__(1, Node.ABSENT))


@breaks("one-elected")
def a_leader_is_elected_while_there_is_one() -> Crafted:
    return edited(cluster(expiries=1), "elect(broker=2)", lambda after: setattr(after, "leader", 2))


@breaks("one-elected")
def a_node_vanishes_when_another_broker_shuts_down() -> Crafted:
    at = cluster(shutdowns=2)
    at.stage[2], at.drained[2, 1] = Stage.DRAINING, True
    return edited(at, "unregister(broker=2)", lambda after: after.node.__setitem__(1, Node.ABSENT))


@keeps("one-elected")
def a_leader_that_shuts_down_deletes_its_nodes() -> Crafted:
    at = cluster(shutdowns=2)
    at.stage[1], at.drained[1, 1] = Stage.DRAINING, True
    return taken(at, "unregister(broker=1)")


@keeps("one-elected")
def the_leaders_session_ends() -> Crafted:
    return taken(cluster(expiries=1), "expire(broker=1)")


@keeps("one-elected")
def a_leader_that_restarts_deletes_its_old_node() -> Crafted:
    return taken(taken(cluster(crashes=1), "crash(broker=1)").after, "restart(broker=1)")


# ---- two-believers ----


@breaks("two-believers")
def two_brokers_play_the_leader() -> Crafted:
    at = cluster(expiries=1, beliefs=1)
    at.believes[2] = True
    return state(at)


@keeps("two-believers")
def one_broker_plays_the_leader() -> Crafted:
    return state(cluster(expiries=1, beliefs=1))


# ---- registry-owner ----


@breaks("registry-owner")
def a_new_process_is_listed_by_the_session_of_the_old_one() -> Crafted:
    return state(taken(taken(cluster(crashes=1), "crash(broker=2)").after, "restart(broker=2)").after)


@keeps("registry-owner")
def a_dead_broker_is_still_listed() -> Crafted:
    return state(taken(cluster(crashes=1), "crash(broker=2)").after)


# ---- clean-only-by-leader, safe-mode-quiet, leader-caught-up ----


@breaks("clean-only-by-leader")
def another_broker_leads_when_the_clean_up_fires() -> Crafted:
    at = leading()
    at.leader = 3
    return taken(at, OVERRIDE)


@keeps("clean-only-by-leader")
def the_leader_cleans_up() -> Crafted:
    return taken(leading(), OVERRIDE)


@breaks("safe-mode-quiet")
def an_unstable_broker_overrides() -> Crafted:
    return taken(leading(metadata=Metadata.UNSTABLE), OVERRIDE)


@breaks("safe-mode-quiet")
def a_jittery_broker_overrides() -> Crafted:
    return taken(leading(metadata=Metadata.JITTERY), OVERRIDE)


@keeps("safe-mode-quiet")
def a_stable_broker_overrides() -> Crafted:
    return taken(leading(), OVERRIDE)


@breaks("leader-caught-up")
def the_leader_has_a_record_ahead_of_it() -> Crafted:
    at = leading()
    at.log = Sequence([Message(1, Record(OWNED, 3, 2, True, 3))])
    return edited(at, OVERRIDE, nothing)


@keeps("leader-caught-up")
def the_leader_has_read_everything() -> Crafted:
    return taken(leading(), OVERRIDE)


# ---- outage-no-interrupt ----


def closing_in_an_outage(record: Record) -> State:
    at = cluster(**{**SAFE, "owner": 1})
    at.zookeeper_down = True
    at.closing[1] = Sequence([Message(1, record)])
    return at


@breaks("outage-no-interrupt")
def a_living_broker_closes_for_an_override() -> Crafted:
    return taken(closing_in_an_outage(Record(OWNED, 2, 1, True, 3)), "close(broker=1, number=1)")


@breaks("outage-no-interrupt")
def a_broker_stops_serving_because_zookeeper_is_down() -> Crafted:
    at = closing_in_an_outage(RELEASING_1)
    return edited(at, "lose_session(broker=1)", lambda after: after.serving.__setitem__((1, 1), False))


@keeps("outage-no-interrupt")
def a_broker_closes_for_a_transfer() -> Crafted:
    return taken(closing_in_an_outage(RELEASING_1), "close(broker=1, number=1)")


@keeps("outage-no-interrupt")
def a_broker_dies_in_the_outage() -> Crafted:
    at = cluster(crashes=1, outages=1, safe_mode=1)
    at.zookeeper_down = True
    return taken(at, "crash(broker=1)")


# ---- suspect-grace ----


def back() -> State:
    """The leader has yet to hear that broker 2 is registered again."""
    at = leading()
    at.node[2] = Node.PRESENT
    return at


@breaks("suspect-grace")
def the_clean_up_of_a_broker_that_is_back_stays_scheduled() -> Crafted:
    return edited(back(), "notice(observer=1, broker=2)", nothing)


@keeps("suspect-grace")
def the_clean_up_of_a_broker_that_is_back_is_called_off() -> Crafted:
    return taken(back(), "notice(observer=1, broker=2)")
