"""Crafted states and steps for the laws of ``spec/channel/ownership.py`` and ``spec/channel/recovery.py``."""

from __future__ import annotations

from oneowner.model.channel.parts import Message, Node, Run
from oneowner.model.channel.record import ASSIGNING, FREE, OWNED, RELEASING, Record
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import Sequence
from tests.spec.channel.crafted import (
    BROKEN,
    KEPT,
    MS,
    OWNED_2,
    RELEASING_1,
    Crafted,
    both_serve,
    breaks,
    cluster,
    edited,
    keeps,
    logged,
    publishing,
    state,
    taken,
)

TAKES_OVER = Record(OWNED, 2, 1, True, 3)  # names broker 1 as the loser
LOSES = Record(OWNED, 2, 1, True, 2)  # as well, but its version is refused

# ---- serve-implies-view ----


@breaks("serve-implies-view")
def a_broker_serves_what_its_view_gives_to_another() -> Crafted:
    at = cluster()
    at.serving[2, 1] = True
    return state(at)


@breaks("serve-implies-view")
def a_broker_serves_on_after_its_release_without_closing() -> Crafted:
    at = logged(RELEASING_1)
    at.cursor[1], at.view[1, 1] = 1, RELEASING_1
    return state(at)


@breaks("serve-implies-view")
def a_broker_serves_one_unit_while_it_closes_another() -> Crafted:
    at = cluster(units=2)
    at.view[1, 1] = OWNED_2
    at.closing[1] = Sequence([Message(2, RELEASING_1)])
    return state(at)


KEPT["serve-implies-view"] |= {
    "an owner serves": lambda: state(cluster()),
    "a former owner serves while it closes": lambda: taken(logged(RELEASING_1), "consume(broker=1)"),
}


# ---- single-server, single-server-always ----

BROKEN["single-server"] |= {"two brokers serve a unit that is not tainted": lambda: state(both_serve())}


@breaks("single-server")
def two_brokers_serve_the_one_of_two_units_that_is_not_tainted() -> Crafted:
    at = both_serve(units=2)
    at.tainted[2] = True
    return state(at)


KEPT["single-server"] |= {"one broker serves a unit that is not tainted": lambda: state(cluster())}


@keeps("single-server")
def two_brokers_serve_a_tainted_unit_beside_one_that_is_not() -> Crafted:
    at = both_serve(units=2)
    at.tainted[1] = True
    return state(at)


@breaks("single-server-always")
def two_brokers_serve_a_tainted_unit() -> Crafted:
    at = both_serve()
    at.tainted[1] = True
    return state(at)


@keeps("single-server-always")
def two_brokers_serve_a_unit_each() -> Crafted:
    at = cluster(units=2)
    at.serving[1, 2], at.serving[2, 2] = False, True
    return state(at)


# ---- dual-serving-explained ----


def overtaken(record: Record, cursor: int = 0, storage: str = "") -> State:
    """Both brokers serve; the log (or node) holds *record*, and broker 1 has read *cursor* records."""
    at = both_serve(**({"storage": MS} if storage else {}))
    if storage:
        at.base[1] = record
    else:
        at.log, at.cursor[1] = Sequence([Message(1, record)]), cursor
    return at


BROKEN["dual-serving-explained"] |= {
    "two serve and nobody will hear of it": lambda: state(both_serve()),
    "the record that names the loser is behind it": lambda: state(overtaken(TAKES_OVER, cursor=1)),
    "the record that names the loser will be refused": lambda: state(overtaken(LOSES)),
    "the record ahead names no loser": lambda: state(overtaken(Record(OWNED, 2, 0, True, 3))),
    "the node names the loser but no notification waits": lambda: state(
        overtaken(TAKES_OVER, storage="metadata-store")
    ),
}


@breaks("dual-serving-explained")
def a_third_server_is_explained_and_two_are_not() -> Crafted:
    at = both_serve(brokers=3)
    at.serving[3, 1] = True
    at.log = Sequence([Message(1, Record(OWNED, 2, 3, True, 3))])
    return state(at)


KEPT["dual-serving-explained"] |= {"the loser has the record that names it ahead": lambda: state(overtaken(TAKES_OVER))}


@keeps("dual-serving-explained")
def one_of_two_servers_is_closing() -> Crafted:
    at = both_serve()
    at.closing[1] = Sequence([Message(1, TAKES_OVER)])
    return state(at)


@keeps("dual-serving-explained")
def the_node_names_the_loser_and_a_notification_waits() -> Crafted:
    at = overtaken(TAKES_OVER, storage="metadata-store")
    at.changed[1, 1] = True
    return state(at)


# ---- quiescent-agreement ----


@breaks("quiescent-agreement")
def everything_is_quiet_and_another_broker_serves() -> Crafted:
    at = cluster()
    at.serving[1, 1], at.serving[2, 1] = False, True
    return state(at)


@breaks("quiescent-agreement")
def everything_is_quiet_and_a_free_unit_is_served() -> Crafted:
    at = cluster()
    at.base[1] = Record(FREE, 0, 1, version=4)
    return state(at)


@breaks("quiescent-agreement")
def only_a_dead_broker_has_not_consumed() -> Crafted:
    at = logged(TAKES_OVER, brokers=3)
    for broker in (1, 2):
        at.cursor[broker], at.view[broker, 1] = 1, TAKES_OVER
    at.run[3] = Run.DOWN
    return state(at)


KEPT["quiescent-agreement"] |= {"everything is quiet and the owner serves": lambda: state(cluster())}


# ---- override-names-the-gone ----


def overruled(record: Record, gone: int, **bounds: object) -> Crafted:
    """Leader 1, who holds *record*, overrides it in favour of broker 3; broker *gone* is dead and forgotten."""
    before = cluster(brokers=3, crashes=1, **bounds)
    before.view[1, 1] = record
    if gone:
        before.run[gone], before.node[gone], before.known[1, gone] = Run.DOWN, Node.ABSENT, False
    return edited(before, "override(broker=1, destination=3)", lambda after: None)


BROKEN["override-names-the-gone"] |= {
    "the owner is in the leaders cache": lambda: overruled(Record(OWNED, 2, version=2), 0),
    "only the broker that the unit came from is gone": lambda: overruled(Record(OWNED, 1, 2, version=5), 2),
    "the unit is free": lambda: overruled(Record(FREE, 0, 2, version=5), 2),
}


@breaks("override-names-the-gone")
def the_owner_is_missing_but_healthy() -> Crafted:
    made = overruled(Record(OWNED, 2, version=2), 0)
    made.before.known[1, 2] = False
    return made


@breaks("override-names-the-gone")
def the_owner_is_dead_but_still_in_the_leaders_cache() -> Crafted:
    made = overruled(Record(OWNED, 2, version=2), 2)
    made.before.known[1, 2] = True
    return made


KEPT["override-names-the-gone"] |= {
    "the owner is gone": lambda: overruled(Record(OWNED, 2, version=2), 2),
    "the source of a hand over is gone": lambda: overruled(Record(RELEASING, 1, 2, version=3), 2),
    "the destination of a hand over is gone": lambda: overruled(Record(ASSIGNING, 2, 1, version=4), 2),
}


# ---- no-lost-override ----


def beaten(winner: Record, gone: int) -> Crafted:
    """Broker 2 appends an override that comes too late: *winner* has its version; broker *gone* is dead."""
    before = publishing(Record(OWNED, 3, 2, True, winner.version), brokers=3, crashes=1)
    before.base[1] = winner
    if gone:
        before.run[gone], before.node[gone] = Run.DOWN, Node.ABSENT
    return taken(before, "append(broker=2)")


BROKEN["no-lost-override"] |= {
    "a dead broker owns the unit instead": lambda: beaten(Record(OWNED, 1, version=3), 1),
    "a dead broker is to hand the unit over instead": lambda: beaten(Record(RELEASING, 3, 1, version=3), 1),
}

KEPT["no-lost-override"] |= {
    "a living broker owns the unit instead": lambda: beaten(Record(OWNED, 1, version=3), 0),
    "the unit is free instead": lambda: beaten(Record(FREE, 0, 1, version=3), 1),
}
