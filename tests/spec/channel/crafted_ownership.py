"""Crafted states and steps for the laws of ownership, recovery, transfer, equal tables and brokers that stand still."""

from typing import Any

from oneowner.model.channel.parts import Message, Node, Run, Stage
from oneowner.model.channel.record import FREE, OWNED, RELEASING, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    ASSIGNING_2,
    BROKEN,
    FORCED_2,
    FREE_1,
    HANDED_OVER,
    KEPT,
    MS,
    OWNED_1,
    OWNED_2,
    RELEASING_1,
    SILENT,
    Crafted,
    after,
    both_serve,
    cluster,
    edited,
    logged,
    model_step,
    publishing,
    state,
)

BROKEN["serve-implies-view"] |= {
    "a broker serves what its view gives to another": lambda: state(cluster(), serving={(2, 1): True}),
    "a broker serves on after its release without closing": lambda: state(
        logged(RELEASING_1), cursor={1: 1}, view={(1, 1): RELEASING_1}
    ),
    "a former owner serves while it closes": lambda: state(
        cluster(), view={(1, 1): RELEASING_1}, closing={1: [Message(1, RELEASING_1)]}
    ),
}
KEPT["serve-implies-view"] |= {
    "a former owner serves while it shuts down": lambda: state(
        cluster(shutdowns=1), view={(1, 1): RELEASING_1}, stage={1: Stage.DRAINING}
    ),
}
SILENT["serve-implies-view"] |= {"nobody serves": lambda: state(cluster(), serving={(1, 1): False})}

BROKEN["single-server"] |= {
    "two brokers serve a unit that is not tainted": lambda: state(both_serve()),
    "two brokers serve the one of two units that is not tainted": lambda: state(both_serve(units=2), tainted={2: True}),
}
KEPT["single-server"] |= {
    "two brokers serve a tainted unit beside one that is not": lambda: state(both_serve(units=2), tainted={1: True}),
}
SILENT["single-server"] |= {
    "only a tainted unit is served": lambda: state(both_serve(units=2), serving={(1, 2): False}, tainted={1: True})
}

BROKEN["single-server-always"] |= {"two brokers serve a tainted unit": lambda: state(both_serve(), tainted={1: True})}
KEPT["single-server-always"] |= {
    "two brokers serve a unit each": lambda: state(cluster(units=2), serving={(1, 2): False, (2, 2): True})
}
SILENT["single-server-always"] |= {"no unit is served": lambda: state(cluster(owner=0))}


def handing_over(**cells: Any) -> State:
    """Broker 2 serves a unit that broker 1, which keeps the clients of units that it closes, has handed over."""
    return where(cluster(multi_phase=1, closings=2), **{"serving": {(1, 1): False, (2, 1): True}, **cells})


FIRST, SECOND = Message(1, RELEASING_1), Message(1, HANDED_OVER)

BROKEN["single-writer"] |= {
    "two brokers serve a unit that is not tainted": lambda: state(both_serve()),
    "a broker serves what another has yet to close": lambda: state(
        cluster(), serving={(1, 1): False, (2, 1): True}, closing={1: [Message(1, RELEASING_1)]}
    ),
    "the first close of the source is under way": lambda: state(
        handing_over(kept={(1, 1): True}, closing={1: [FIRST, SECOND]})
    ),
}
KEPT["single-writer"] |= {
    "a broker closes what nobody serves": lambda: state(
        cluster(), serving={(1, 1): False}, closing={1: [Message(1, RELEASING_1)]}
    ),
    "a broker serves what another has closed and keeps": lambda: state(handing_over(kept={(1, 1): True})),
    "a broker serves while another disconnects": lambda: state(
        handing_over(kept={(1, 1): True}, closing={1: [SECOND]})
    ),
    "the second close has overtaken the first": lambda: state(handing_over(closing={1: [FIRST]})),
}
SILENT["single-writer"] |= {
    "only a tainted unit is open": lambda: state(both_serve(units=2), serving={(1, 2): False}, tainted={1: True})
}

BROKEN["single-writer-always"] |= {
    "a broker serves a tainted unit that another has yet to close": lambda: state(
        cluster(slow_closes=1), serving={(1, 1): False, (2, 1): True}, lingering={(1, 1): True}, tainted={1: True}
    )
}
KEPT["single-writer-always"] |= {
    "two brokers close a unit each": lambda: state(
        cluster(units=2),
        serving={(1, 1): False, (1, 2): False},
        closing={1: [Message(1, RELEASING_1)], 2: [Message(2, RELEASING_1)]},
    )
}
SILENT["single-writer-always"] |= {"no ledger is open": lambda: state(cluster(owner=0))}


LOSES = Record(OWNED, 2, 1, True, 2)  # names broker 1 as the loser, as FORCED_2 does, but its version is refused


def overtaken(record: Record, cursor: int = 0) -> State:
    """Both brokers serve; the log holds *record*, and broker 1 has read *cursor* records."""
    return where(both_serve(), log=[Message(1, record)], cursor={1: cursor})


BROKEN["dual-serving-explained"] |= {
    "two serve and nobody will hear of it": lambda: state(both_serve()),
    "the record that names the loser is behind it": lambda: state(overtaken(FORCED_2, cursor=1)),
    "the record that names the loser will be refused": lambda: state(overtaken(LOSES)),
    "the record ahead names no loser": lambda: state(overtaken(Record(OWNED, 2, 0, True, 3))),
    "the node names the loser but no notification waits": lambda: state(both_serve(storage=MS), base={1: FORCED_2}),
    "a third server is explained and two are not": lambda: state(
        both_serve(brokers=3), serving={(3, 1): True}, log=[Message(1, Record(OWNED, 2, 3, True, 3))]
    ),
}
KEPT["dual-serving-explained"] |= {
    "the loser has the record that names it ahead": lambda: state(overtaken(FORCED_2)),
    "one of two is closing": lambda: state(both_serve(), serving={(1, 1): False}, closing={1: [Message(1, FORCED_2)]}),
    "the node names the loser and a notification waits": lambda: state(
        both_serve(storage=MS), base={1: FORCED_2}, changed={(1, 1): True}
    ),
}
SILENT["dual-serving-explained"] |= {
    "two brokers serve a unit each": lambda: state(both_serve(units=2), serving={(1, 1): False}),
}

BROKEN["quiescent-agreement"] |= {
    "everything is quiet and another broker serves": lambda: state(cluster(), serving={(1, 1): False, (2, 1): True}),
    "everything is quiet and a free unit is served": lambda: state(cluster(), base={1: FREE_1}),
    "only a dead broker has not consumed": lambda: state(
        logged(FORCED_2, brokers=3), cursor={1: 1, 2: 1}, view={(1, 1): FORCED_2, (2, 1): FORCED_2}, run={3: Run.DOWN}
    ),
}
SILENT["quiescent-agreement"] |= {
    "a publish is under way": lambda: state(publishing(RELEASING_1)),
    "a record is unread": lambda: state(logged(RELEASING_1)),
    "a close is under way": lambda: state(after(logged(RELEASING_1), "consume(broker=1)")),
    "a notification waits": lambda: state(cluster(storage=MS), changed={(2, 1): True}),
    "all is quiet and nobody serves": lambda: state(
        cluster(), base={1: FREE_1}, view={(1, 1): FREE_1, (2, 1): FREE_1}, serving={(1, 1): False}
    ),
}


def overruled(record: Record, **cells: Any) -> Crafted:
    """Leader 1, which holds *record*, overrides it in favour of broker 3."""
    at = where(cluster(brokers=3, crashes=1), view={(1, 1): record}, **cells)
    return edited(at, "override(broker=1, destination=3)")


GONE = {"run": {2: Run.DOWN}, "node": {2: Node.ABSENT}}
FORGOTTEN = {"known": {(1, 2): False}}

BROKEN["override-names-the-gone"] |= {
    "the owner is in the leaders cache": lambda: overruled(Record(OWNED, 2, version=2)),
    "only the broker that the unit came from is gone": lambda: overruled(
        Record(OWNED, 1, 2, version=5), **GONE, **FORGOTTEN
    ),
    "the unit is free": lambda: overruled(Record(FREE, 0, 2, version=5), **GONE, **FORGOTTEN),
    "the owner is missing but healthy": lambda: overruled(Record(OWNED, 2, version=2), **FORGOTTEN),
    "the owner is dead but still in the leaders cache": lambda: overruled(Record(OWNED, 2, version=2), **GONE),
}
KEPT["override-names-the-gone"] |= {
    "the owner is gone": lambda: overruled(Record(OWNED, 2, version=2), **GONE, **FORGOTTEN),
    "the source of a hand over is gone": lambda: overruled(Record(RELEASING, 1, 2, version=3), **GONE, **FORGOTTEN),
    "the destination of a hand over is gone": lambda: overruled(ASSIGNING_2, **GONE, **FORGOTTEN),
}


def beaten(winner: Record, gone: bool) -> Crafted:
    """Broker 2 appends an override that comes too late: *winner* has its version; broker 1 may be dead."""
    before = publishing(Record(OWNED, 3, 2, True, winner.version), brokers=3, crashes=1)
    if gone:
        before = where(before, run={1: Run.DOWN}, node={1: Node.ABSENT})
    return model_step(where(before, base={1: winner}), "append(broker=2)")


BROKEN["no-lost-override"] |= {
    "a dead broker owns the unit instead": lambda: beaten(Record(OWNED, 1, version=3), gone=True),
    "a dead broker is to hand the unit over instead": lambda: beaten(Record(RELEASING, 3, 1, version=3), gone=True),
}
KEPT["no-lost-override"] |= {
    "a living broker owns the unit instead": lambda: beaten(Record(OWNED, 1, version=3), gone=False),
    "the unit is free instead": lambda: beaten(Record(FREE, 0, 1, version=3), gone=True),
}


def opening(record: Record, **cells: Any) -> Crafted:
    """Broker 2 opens the unit because its view holds *record*; broker 1 serves it by default."""
    return model_step(where(cluster(), view={(2, 1): record}, **cells), "open(broker=2)")


BROKEN["transfer-handshake"] |= {
    "the destination opens while the source serves": lambda: opening(HANDED_OVER),
    "the destination opens while the source closes": lambda: opening(
        HANDED_OVER, serving={(1, 1): False}, closing={1: [FIRST]}
    ),
}
KEPT["transfer-handshake"] |= {
    "the destination opens after the source has closed": lambda: opening(HANDED_OVER, serving={(1, 1): False})
}
SILENT["transfer-handshake"] |= {
    "an owner opens what it was assigned": lambda: opening(Record(OWNED, 2, version=4)),
    "an owner opens what it got by force": lambda: opening(FORCED_2),
    "a tainted unit is opened": lambda: opening(HANDED_OVER, tainted={1: True}),
}


def overriding(cursor: int) -> Crafted:
    """Leader 1 overrides, with *cursor* of the one record in the log read."""
    at = where(logged(RELEASING_1, brokers=3, owner=2, crashes=1), cursor={1: cursor})
    return edited(at, "override(broker=1, destination=3)")


BROKEN["leader-caught-up"] |= {"the leader overrides with a record unread": lambda: overriding(0)}
KEPT["leader-caught-up"] |= {"the leader overrides with everything read": lambda: overriding(1)}

BROKEN["same-tables"] |= {
    "two that read the same hold different records": lambda: state(cluster(), view={(2, 1): OWNED_2}),
    "two that name the same owner hold different versions": lambda: state(
        cluster(), view={(2, 1): OWNED_1._replace(version=4)}
    ),
}

GIVEN_TO_1 = Record(OWNED, 1, 2, True, 3)


def after_a_pause(cursor: int, units: int = 1) -> State:
    """Broker 2 has stood still, and its unit is given to broker 1; broker 2 has read *cursor* records since."""
    at = logged(GIVEN_TO_1, owner=2, pauses=1, units=units)
    return where(at, pauses_left=0, view={(1, 1): GIVEN_TO_1}, cursor={1: 1, 2: cursor})


BROKEN["one-claimant"] |= {"two answer as owner when one goes on": lambda: state(after_a_pause(0))}
KEPT["one-claimant"] |= {"one of two stands still": lambda: state(after_a_pause(0), run={2: Run.PAUSED})}
SILENT["one-claimant"] |= {"nobody has stood still": lambda: state(after_a_pause(0), pauses_left=1)}

BROKEN["second-claimant-lags"] |= {
    "two answer as owner and have read everything": lambda: state(after_a_pause(1)),
    "what is left to read is of another unit": lambda: state(
        after_a_pause(1, units=2), log=[Message(1, GIVEN_TO_1), Message(2, Record(OWNED, 1, version=2))]
    ),
}
KEPT["second-claimant-lags"] |= {"one of two has a record to read": lambda: state(after_a_pause(0))}
SILENT["second-claimant-lags"] |= {"one alone answers as owner": lambda: state(after_a_pause(0), run={2: Run.PAUSED})}

BROKEN["elected-can-publish"] |= {
    "the channel stays with one that stands still": lambda: state(
        cluster(pauses=1, channel_host=1), run={1: Run.PAUSED}, leader=2
    )
}
KEPT["elected-can-publish"] |= {
    "the channel has moved": lambda: state(cluster(pauses=1, channel_host=1), run={1: Run.PAUSED}, leader=2, host=2)
}
SILENT["elected-can-publish"] |= {
    "nobody is elected": lambda: state(cluster(pauses=1, channel_host=1), run={1: Run.PAUSED}, leader=0)
}
