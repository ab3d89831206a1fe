"""Crafted steps for the laws on changes by sessions, lookups and a broker's work."""

from typing import Any

from oneowner.model.channel.parts import (
    Message,
    Metadata,
    Node,
    Order,
    Outcome,
    Phase,
    Progress,
    Publish,
    Reply,
    Request,
    Ring,
    Run,
    Stage,
)
from oneowner.model.channel.record import ASSIGNING, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import (
    BROKEN,
    FREE_1,
    KEPT,
    MS,
    OWNED_1,
    RELEASING_1,
    SILENT,
    UNLOADED_1,
    Crafted,
    cluster,
    edited,
    logged,
    model_step,
    state,
)
from tests.spec.channel.crafted_owed import FORCED_FREE, SPLIT, closing

# ---- processes, sessions, roles ----

CRASHES = "crash(broker=2)"
BROKEN["ends-altogether"] |= {
    "a process dies and its memory stays": lambda: edited(cluster(crashes=1), CRASHES, node={2: Node.LEFTOVER}),
    "a session ends with its process": lambda: edited(
        cluster(owner=0, crashes=1), "crash(broker=1)", run={1: Run.DOWN}, node={1: Node.ABSENT}
    ),
    "a leader leads on without a session": lambda: edited(
        cluster(expiries=1), "expire(broker=1)", node={1: Node.ABSENT}, session_ended={1: True}
    ),
    "who unregisters takes itself for registered": lambda: edited(
        where(cluster(shutdowns=2), stage={2: Stage.DRAINING}, drained={(2, 1): True}),
        "unregister(broker=2)",
        node={2: Node.ABSENT},
        stage={2: Stage.UNREGISTERED},
    ),
    "a compaction outlives its host": lambda: edited(
        where(cluster(owner=0, crashes=1, compactions=1), phase=Phase.READ),
        "crash(broker=1)",
        run={1: Run.DOWN},
        node={1: Node.LEFTOVER},
        known={(1, 1): False, (1, 2): False},
    ),
    "who unregisters hurries on": lambda: edited(
        where(
            cluster(shutdowns=2, late_handlers=1), stage={2: Stage.DRAINING}, drained={(2, 1): True}, hurried={2: True}
        ),
        "unregister(broker=2)",
        node={2: Node.ABSENT},
        stage={2: Stage.UNREGISTERED},
        unregistered={2: True},
        known={(2, 2): False},
        drained={(2, 1): False},
    ),
    "who unregisters looks at nothing again": lambda: edited(
        where(cluster(shutdowns=2), stage={2: Stage.DRAINING}, drained={(2, 1): True}),
        "unregister(broker=2)",
        node={2: Node.ABSENT},
        stage={2: Stage.UNREGISTERED},
        unregistered={2: True},
        known={(2, 2): False},
    ),
}


def restarted(listeners: int = 0, **cells: Any) -> Crafted:
    before = where(
        cluster(crashes=1, listeners=listeners), run={2: Run.DOWN}, node={2: Node.ABSENT}, view={(2, 1): TOMBSTONE}
    )
    before = where(before, known={(2, 1): False, (2, 2): False})
    return edited(before, "restart(broker=2)", run={2: Run.UP}, **cells)


READ_ALL: dict[str, Any] = {"view": {(2, 1): OWNED_1}, "known": {(2, 1): True, (2, 2): True}, "node": {2: Node.PRESENT}}
BROKEN["begins-with-what-is-there"] |= {
    "a broker starts without the channel": lambda: restarted(**{**READ_ALL, "view": {}}),
    "a broker starts without the registry": lambda: restarted(**{**READ_ALL, "known": {(2, 2): True}}),
    "a broker starts unregistered": lambda: restarted(**{**READ_ALL, "node": {}}),
    "who listens hears at a start of a unit of another broker": lambda: restarted(1, loaded={(2, 1): True}, **READ_ALL),
    "a broker with a new session keeps its cache": lambda: edited(
        where(cluster(expiries=1), session_ended={1: True}, node={2: Node.ABSENT}),
        "reestablish(broker=1)",
        session_ended={1: False},
    ),
    "a broker registers and does not know it": lambda: edited(
        where(cluster(expiries=1), node={1: Node.ABSENT}, known={(1, 1): False}),
        "register(broker=1)",
        node={1: Node.PRESENT},
    ),
}
KEPT["begins-with-what-is-there"] |= {"a broker starts with all of it": lambda: restarted(**READ_ALL)}

NOTICES = "notice(observer=1, broker=2)"
SAFE: dict[str, Any] = {"brokers": 3, "owner": 2, "expiries": 1, "outages": 1, "safe_mode": 1, "closings": 2}


def one_is_gone(**cells: Any) -> State:
    """Broker 2 has lost its registration, of which broker 1, the leader, has yet to hear."""
    return where(cluster(**SAFE), node={2: Node.ABSENT}, **cells)


BROKEN["hears-that-alone"] |= {
    "a leader schedules no clean up": lambda: edited(one_is_gone(), NOTICES, known={(1, 2): False}),
    "another broker hears it too": lambda: edited(
        one_is_gone(), NOTICES, known={(1, 2): False, (3, 2): False}, cleaning={(1, 2): True}
    ),
    "a clean up of one that stands still is called off": lambda: edited(
        where(cluster(**SAFE), known={(1, 2): False}, cleaning={(1, 2): True}, run={2: Run.DOWN}),
        NOTICES,
        known={(1, 2): True},
        cleaning={(1, 2): False},
    ),
    "nothing is heard": lambda: edited(one_is_gone(), NOTICES),
}

BELIEFS: dict[str, Any] = {"expiries": 1, "beliefs": 1}
LEADS_ALONE: dict[str, Any] = {"node": {1: Node.ABSENT}, "known": {(1, 1): False}}
BROKEN["ends-altogether"] |= {
    "a leader that is not registered loses its session, and the lead stays": lambda: edited(
        where(cluster(**BELIEFS), **LEADS_ALONE), "expire(broker=1)", leader=1
    ),
    "a leader that is not registered loses its session, and has one": lambda: edited(
        where(cluster(**BELIEFS), **LEADS_ALONE), "expire(broker=1)", session_ended={1: False}
    ),
}
BROKEN["role-steps-are-whole"] |= {
    "a leader that gives its role up plays it": lambda: edited(
        where(cluster(**BELIEFS), leader=2), "play_follower(broker=1)"
    ),
    "a leader gives its role up to one at which no topic is found": lambda: edited(
        where(cluster(**BELIEFS, load_topics=1), leader=2, node={2: Node.ABSENT}, believes={1: True}),
        "play_follower(broker=1)",
        believes={1: False},
        load_open={1: False},
        reports_to={1: 0, 2: 0},
    ),
    "who takes the role does not play it": lambda: edited(where(cluster(**BELIEFS), leader=2), "play_leader(broker=2)"),
    "a clean up that ends is scheduled": lambda: edited(
        where(cluster(**SAFE), cleaning={(1, 2): True}), "end_clean_up(broker=1, gone=2)"
    ),
    "an override publishes nothing": lambda: edited(
        where(cluster(**SAFE), cleaning={(1, 2): True}, node={2: Node.ABSENT}), "override(broker=1, destination=3)"
    ),
    "an override names another broker than the one that is selected": lambda: edited(
        where(cluster(**SAFE), cleaning={(1, 2): True}, node={2: Node.ABSENT}),
        "override(broker=1, destination=3)",
        outbox={1: [Publish(1, Record(OWNED, 1, 2, True, 3), Record(OWNED, 2, version=2))]},
    ),
}

BROKEN["roles-change-by-their-steps"] |= {
    "an unload elects a leader": lambda: edited(cluster(unloads=1), "unload(broker=1, unit=1)", leader=2),
    "an unload deletes a registration": lambda: edited(
        cluster(unloads=1, crashes=1), "unload(broker=1, unit=1)", node={2: Node.ABSENT}
    ),
    "an unload takes a role": lambda: edited(
        cluster(unloads=1, **BELIEFS), "unload(broker=1, unit=1)", believes={2: True}
    ),
    "a split moves the boundaries when it is asked for": lambda: edited(
        cluster(**SPLIT), "split(broker=1)", ring=Ring(True)
    ),
}

# ---- lookups ----

LOOKUP: dict[str, Any] = {"lookups": 1, "transfers": 1, "brokers": 3, "closings": 2}
OPENS = "open_lookup(broker=2, unit=1)"


def waiting(record: Record, request: Request = Request.WAITING) -> State:
    return where(logged(record, **LOOKUP), request={(2, 1): request})


BROKEN["lookups-go-by-rule"] |= {
    "a lookup of an owned unit selects": lambda: edited(cluster(**LOOKUP), OPENS, request={(2, 1): Request.SELECTING}),
    "a lookup is answered with another than the owner": lambda: edited(
        cluster(**LOOKUP), OPENS, reply={(2, 1): Reply(Outcome.OWNER, 3, 2)}
    ),
    "a lookup waits on though its unit is free": lambda: edited(
        waiting(FREE_1), "consume(broker=2)", view={(2, 1): FREE_1}
    ),
    "a lookup that times out waits on": lambda: edited(
        where(cluster(**LOOKUP), request={(2, 1): Request.WAITING}), "time_out(broker=2, unit=1)"
    ),
}

# ---- a broker's own work ----

BROKEN["work-goes-on"] |= {
    "a unit is given away and looked at again": lambda: edited(
        where(cluster(shutdowns=1), stage={1: Stage.DRAINING}),
        "drain(broker=1, unit=1, destination=2)",
        outbox={1: [Publish(1, Record(RELEASING, 2, 1, True, 3), OWNED_1)]},
    ),
    "a selection goes on when it has ended": lambda: edited(
        where(cluster(owner=0, assigns=1), asking={(1, 1): True}),
        "assign(broker=1, unit=1, destination=2)",
        outbox={1: [Publish(1, Record(ASSIGNING, 2, version=1), TOMBSTONE)]},
    ),
    "a selection ends with another broker": lambda: edited(
        where(cluster(owner=0, assigns=1), asking={(1, 1): True}),
        "assign(broker=1, unit=1, destination=2)",
        asking={(1, 1): False},
        outbox={1: [Publish(1, Record(ASSIGNING, 1, version=1), TOMBSTONE)]},
    ),
    "a unit is given away without force": lambda: edited(
        where(cluster(shutdowns=1), stage={1: Stage.DRAINING}),
        "drain(broker=1, unit=1, destination=2)",
        drained={(1, 1): True},
        outbox={1: [Publish(1, Record(RELEASING, 2, 1, False, 3), OWNED_1)]},
    ),
    "what is left is unloaded by force": lambda: edited(
        where(cluster(shutdowns=2), stage={1: Stage.UNREGISTERED}),
        "unload_leftover(broker=1, unit=1)",
        drained={(1, 1): True},
        outbox={1: [Publish(1, Record(RELEASING, 0, 1, True, 3), OWNED_1)]},
    ),
    "a round of shedding moves nothing": lambda: edited(
        where(cluster(sheddings=1), shedding={1: True}), "shed(broker=1, unit=1, destination=2)"
    ),
}


def cut() -> State:
    """The namespace is cut, and may be deleted."""
    at = cluster(recreations=1, **SPLIT)
    return where(at, ring=Ring(True), boundaries={1: Ring(True)}, serving={(1, 1): False})


BROKEN["topics-change-by-rule"] |= {
    "topics are opened and nobody is served": lambda: edited(
        where(cluster(), serving={(1, 1): False}), "open(broker=1, unit=1)"
    ),
    "policies are read where nobody serves them": lambda: edited(
        where(cluster(policies=1, units=2), serving={(1, 1): False}),
        "read_policies(broker=1, other=1)",
        initialized={1: True},
    ),
    "ledgers linger for good": lambda: edited(closing(RELEASING_1, lingering={(1, 1): True}), "end_close(broker=1)"),
    "a close times out and leaves nothing open": lambda: edited(
        closing(RELEASING_1), "time_out_close(broker=1, number=1)", closing={1: []}
    ),
    "boundaries that are moved lose a cut": lambda: edited(
        where(cluster(other_splits=1, **SPLIT), ring=Ring(False, 1), boundaries={1: Ring(False, 1)}),
        "move_boundaries(broker=1)",
        ring=Ring(True, 0),
        boundaries={1: Ring(True, 0)},
    ),
}
BROKEN["topics-change-by-rule"] |= {
    "a namespace is deleted without force": lambda: edited(
        where(cut(), view={(1, 1): TOMBSTONE, (1, 2): OWNED_1, (1, 3): OWNED_1}),
        "delete_namespace(broker=1)",
        ring=Ring(True, deleted=True),
        boundaries={1: Ring(True, deleted=True)},
        outbox={1: [Publish(2, UNLOADED_1, OWNED_1), Publish(3, UNLOADED_1, OWNED_1)]},
    )
}
SILENT["topics-change-by-rule"] |= {
    "an unload is served": lambda: model_step(cluster(unloads=1), "unload(broker=1, unit=1)")
}

STORE: dict[str, Any] = {"storage": MS, "expiries": 1, "outages": 1, "safe_mode": 1, "closings": 2}
LOSES = "lose_session(broker=1)"
BROKEN["storages-are-read"] |= {
    "a lost session leaves the view": lambda: edited(
        where(cluster(**STORE), zookeeper_down=True), LOSES, metadata={1: Metadata.UNSTABLE}
    ),
    "a lost session leaves the topics open": lambda: edited(
        where(cluster(**STORE), zookeeper_down=True),
        LOSES,
        metadata={1: Metadata.UNSTABLE},
        view={(1, 1): TOMBSTONE},
        listed={(1, 1): True},
    ),
    "a publish that failed is sent again": lambda: edited(
        where(cluster(**STORE), metadata={1: Metadata.UNSTABLE}, outbox={1: [Publish(1, RELEASING_1, OWNED_1)]}),
        "fail(broker=1)",
    ),
    "a reader handles what it knows once more": lambda: edited(
        where(
            cluster(compactions=1),
            horizon=1,
            log=[Message(1, UNLOADED_1)],
            view={(1, 1): UNLOADED_1},
            ledger={1: UNLOADED_1},
        ),
        "jump(broker=1)",
        cursor={1: 1},
        outbox={1: [Publish(1, FREE_1, UNLOADED_1)]},
    ),
    "a reader that jumps stays before the horizon": lambda: edited(
        where(cluster(compactions=1), horizon=1, log=[Message(1, RELEASING_1)]), "jump(broker=1)"
    ),
}

# ---- operators ----

ASKED: dict[str, Any] = {"operators": 1, "unloads": 1, "transfers": 1}
SENT = Order(Progress.SENT, False, 0)
WAITS = Order(Progress.WAITING, True, 0)
BROKEN["orders-are-under-way"] |= {
    "an operator asked for what nobody publishes": lambda: state(cluster(**ASKED), unloading={(1, 1): SENT})
}
KEPT["orders-are-under-way"] |= {
    "the record is under way": lambda: state(
        cluster(**ASKED), unloading={(1, 1): SENT}, outbox={1: [Publish(1, UNLOADED_1, OWNED_1)]}
    )
}


def notification(record: Record, order: Order = WAITS) -> Crafted:
    before = where(logged(record, **ASKED), unloading={(2, 1): order})
    return edited(
        before, "consume(broker=2)", view={(2, 1): record}, unloading={(2, 1): Order(Progress.NONE, False, 0)}
    )


BROKEN["told-by-its-kind-of-end"] |= {
    "an unload is told by a forced free": lambda: notification(FORCED_FREE),
    "an unload is told before it is in the topic": lambda: notification(FREE_1, SENT),
    "an unload is told by an owner from nobody": lambda: notification(Record(OWNED, 2, version=3)),
}
KEPT["told-by-its-kind-of-end"] |= {"an unload is told by a free": lambda: notification(FREE_1)}
