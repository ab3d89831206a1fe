"""Crafted states and steps for the laws of sessions and safe mode, and of the flush."""

from __future__ import annotations

from oneowner.model.channel.lookup_parts import Stage
from oneowner.model.channel.parts import Message, Metadata, Node
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import BROKEN, KEPT, RELEASING_1, Crafted, breaks, cluster, edited, keeps, state, taken

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


BROKEN["one-elected"] |= {
    "a node vanishes without its session": lambda: edited(
        cluster(expiries=1), "expire(broker=2)", lambda after: after.node.__setitem__(1, Node.ABSENT)
    ),
    "a leader is elected while there is one": lambda: edited(
        cluster(expiries=1), "elect(broker=2)", lambda after: setattr(after, "leader", 2)
    ),
}


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


KEPT["one-elected"] |= {
    "the leaders session ends": lambda: taken(cluster(expiries=1), "expire(broker=1)"),
    "a leader that restarts deletes its old node": lambda: taken(
        taken(cluster(crashes=1), "crash(broker=1)").after, "restart(broker=1)"
    ),
}


# ---- two-believers ----


@breaks("two-believers")
def two_brokers_play_the_leader() -> Crafted:
    at = cluster(expiries=1, beliefs=1)
    at.believes[2] = True
    return state(at)


KEPT["two-believers"] |= {"one broker plays the leader": lambda: state(cluster(expiries=1, beliefs=1))}

BROKEN["registry-owner"] |= {
    "a new process is listed by the session of the old one": lambda: state(
        taken(taken(cluster(crashes=1), "crash(broker=2)").after, "restart(broker=2)").after
    )
}

KEPT["registry-owner"] |= {
    "a dead broker is still listed": lambda: state(taken(cluster(crashes=1), "crash(broker=2)").after)
}


# ---- clean-only-by-leader, safe-mode-quiet, leader-caught-up ----


@breaks("clean-only-by-leader")
def another_broker_leads_when_the_clean_up_fires() -> Crafted:
    at = leading()
    at.leader = 3
    return taken(at, OVERRIDE)


KEPT["clean-only-by-leader"] |= {"the leader cleans up": lambda: taken(leading(), OVERRIDE)}

BROKEN["safe-mode-quiet"] |= {
    "an unstable broker overrides": lambda: taken(leading(metadata=Metadata.UNSTABLE), OVERRIDE),
    "a jittery broker overrides": lambda: taken(leading(metadata=Metadata.JITTERY), OVERRIDE),
}

KEPT["safe-mode-quiet"] |= {"a stable broker overrides": lambda: taken(leading(), OVERRIDE)}


@breaks("leader-caught-up")
def the_leader_has_a_record_ahead_of_it() -> Crafted:
    at = leading()
    at.log = Sequence([Message(1, Record(OWNED, 3, 2, True, 3))])
    return edited(at, OVERRIDE, nothing)


KEPT["leader-caught-up"] |= {"the leader has read everything": lambda: taken(leading(), OVERRIDE)}


# ---- outage-no-interrupt ----


def closing_in_an_outage(record: Record) -> State:
    at = cluster(**{**SAFE, "owner": 1})
    at.zookeeper_down = True
    at.closing[1] = Sequence([Message(1, record)])
    return at


BROKEN["outage-no-interrupt"] |= {
    "a living broker closes for an override": lambda: taken(
        closing_in_an_outage(Record(OWNED, 2, 1, True, 3)), "close(broker=1, number=1)"
    )
}


@breaks("outage-no-interrupt")
def a_broker_stops_serving_because_zookeeper_is_down() -> Crafted:
    at = closing_in_an_outage(RELEASING_1)
    return edited(at, "lose_session(broker=1)", lambda after: after.serving.__setitem__((1, 1), False))


KEPT["outage-no-interrupt"] |= {
    "a broker closes for a transfer": lambda: taken(closing_in_an_outage(RELEASING_1), "close(broker=1, number=1)")
}


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


BROKEN["suspect-grace"] |= {
    "the clean up of a broker that is back stays scheduled": lambda: edited(
        back(), "notice(observer=1, broker=2)", nothing
    )
}

KEPT["suspect-grace"] |= {
    "the clean up of a broker that is back is called off": lambda: taken(back(), "notice(observer=1, broker=2)")
}
