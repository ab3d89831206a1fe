"""
Crafted states for the laws on enabled actions: a guard that is stricter, or looser, than the law has it.

A switch of the rules, or a state that no run comes to, makes the model's guard another one than Pulsar 4.0.6 has.
"""

from dataclasses import replace
from typing import Any

from oneowner.model.channel.parts import Message, Node, Phase, Publish, Run, SplitJob, Stage
from oneowner.model.channel.record import FREE, RELEASING, SPLITTING, Record
from oneowner.model.channel.rules import RELEASE_4_0_6, Storage
from oneowner.model.channel.state import State
from tests.cells import where
from tests.spec.channel.crafted import BROKEN, KEPT, OWNED_1, SILENT, after, cluster, state

SPLITTING_1 = Record(SPLITTING, 0, 1, version=3)


def ruled(*, switches: dict[str, bool], **bounds: Any) -> State:
    """Return a cluster whose rules differ from those of 4.0.6."""
    return cluster(rules=replace(RELEASE_4_0_6, **switches), **bounds)


def asking(at: State) -> State:
    """Broker 1 selects an owner of a unit that nobody owns; broker 2 is dead, and listed."""
    return where(at, asking={(1, 1): True}, run={2: Run.DOWN})


def orphaned(at: State, **cells: Any) -> State:
    """Broker 2 owned the unit; it is gone, and leader 1 has noticed."""
    gone: dict[str, Any] = {"node": {2: Node.ABSENT}, "known": {(1, 2): False}, "run": {2: Run.DOWN}}
    return where(at, **gone, **cells)


def playing_on(at: State, **cells: Any) -> State:
    """Broker 1 plays the leader, and 3 is elected; the owner, broker 2, is not registered, and 1 has noticed."""
    return where(at, **{"leader": 3, "node": {2: Node.ABSENT}, **cells}, known={(1, 2): False})


GONE: dict[str, Any] = {"owner": 2, "crashes": 1, "brokers": 3}
ROLES: dict[str, Any] = {"owner": 2, "expiries": 1, "beliefs": 1, "brokers": 3}


def splitting(at: State) -> State:
    """Broker 1 splits its unit, and has not moved the boundaries."""
    return where(at, splitting={1: [SplitJob(SPLITTING_1, False)]}, view={(1, 1): SPLITTING_1})


BROKEN["lookups-go-on"] |= {
    "a dead broker is not selected": lambda: state(
        asking(ruled(switches={"selection_checks_health": True}, owner=0, assigns=1))
    )
}
KEPT["lookups-go-on"] |= {"a dead broker is selected": lambda: state(asking(cluster(owner=0, assigns=1)))}

BROKEN["commands-are-served"] |= {
    "a bundle that is split by nobody is not split once more": lambda: state(
        cluster(splits=1, units=3, pending=2), view={(1, 1): Record(SPLITTING, version=3)}
    )
}
SILENT["commands-are-served"] |= {"no command is left": lambda: state(cluster(unloads=1), unloads_left=0)}

BROKEN["clients-are-served"] |= {
    "an owner that does not find itself registered opens topics": lambda: state(
        ruled(switches={"wait_for_registered_owner": False}, expiries=1),
        known={(1, 1): False},
        serving={(1, 1): False},
    )
}
KEPT["clients-are-served"] |= {
    "an owner may open topics": lambda: state(cluster(), serving={(1, 1): False}),
}

BROKEN["orphans-are-taken"] |= {
    "the leader overrides what it has not read": lambda: state(
        orphaned(
            after(
                ruled(switches={"override_when_caught_up": False}, unloads=1, **GONE),
                "unload(broker=3, unit=1)",
                "append(broker=3)",
            )
        )
    ),
    "a leader that waits to follow one that opens no topics overrides": lambda: state(
        playing_on(ruled(switches={"follower_opens_topics": False}, **ROLES), node={2: Node.ABSENT, 3: Node.ABSENT})
    ),
    "a leader plays on and overrides while nobody is elected": lambda: state(
        playing_on(ruled(switches={"clean_up_needs_leader": False}, **ROLES), leader=0)
    ),
}
KEPT["orphans-are-taken"] |= {
    "the leader overrides": lambda: state(orphaned(cluster(**GONE))),
    "a leader plays on and overrides while another one is elected": lambda: state(playing_on(cluster(**ROLES))),
}

BROKEN["monitor-runs"] |= {
    "the monitor deletes what is owned": lambda: state(
        ruled(switches={"tombstones_inactive_only": False}, tombstones=1)
    )
}
KEPT["monitor-runs"] |= {
    "the monitor deletes what is free": lambda: state(
        cluster(tombstones=1), view={(1, 1): Record(FREE, 0, 1, version=4)}
    )
}

BROKEN["roles-follow"] |= {
    "a broker does not register again": lambda: state(
        ruled(switches={"re_registration": False}, expiries=1), node={1: Node.ABSENT}, known={(1, 1): False}
    )
}
KEPT["roles-follow"] |= {
    "a view is not emptied where the bounds have no room for all its closes": lambda: state(
        cluster(storage=Storage.METADATA_STORE, units=2, owner=2, expiries=1, safe_mode=1),
        session_ended={2: True},
        node={2: Node.ABSENT},
    ),
}

BROKEN["channel-goes-on"] |= {
    "a record arrives where the log has no room": lambda: state(
        ruled(switches={"deduplication": True}, unloads=1, resends=1, window=3, sequence_ids=1),
        log=[Message(1, OWNED_1)] * 3,
        outbox={1: [Publish(1, Record(RELEASING, 0, 1, version=3), OWNED_1)]},
        resent={1: True},
        cursor={1: 3, 2: 0},
    )
}
KEPT["channel-goes-on"] |= {
    "a record may arrive": lambda: state(
        cluster(unloads=1), outbox={1: [Publish(1, Record(RELEASING, 0, 1, version=3), OWNED_1)]}
    )
}


def draining(at: State, **cells: Any) -> State:
    return where(at, stage={2: Stage.DRAINING}, **cells)


SHUTDOWN: dict[str, Any] = {"shutdowns": 1, "owner": 2}
BROKEN["shutdowns-go-on"] |= {
    "a clean up waits for a health check of its own broker": lambda: state(
        draining(ruled(switches={"drains_unchecked": False}, **SHUTDOWN))
    )
}
KEPT["shutdowns-go-on"] |= {"a broker gives its unit away": lambda: state(draining(cluster(**SHUTDOWN)))}
SILENT["shutdowns-go-on"] |= {"nobody may be stopped": lambda: state(cluster(**SHUTDOWN), shutdowns_left=0)}

PAUSE: dict[str, Any] = {"pauses": 1, "channel_host": 1, "beliefs": 1}
BROKEN["starts-go-on"] |= {
    "the topic stays with a host that stands still": lambda: state(
        ruled(switches={"keep_alive": False}, **PAUSE), leader=2, host=1, run={1: Run.PAUSED}
    )
}
KEPT["starts-go-on"] |= {
    "the topic moves to the leader": lambda: state(cluster(**PAUSE), leader=2, host=1, run={1: Run.PAUSED})
}

BROKEN["splits-go-on"] |= {
    "a parent is deleted before the boundaries are moved": lambda: state(
        splitting(ruled(switches={"deleted_last": False}, splits=1, units=3, pending=2))
    )
}
KEPT["splits-go-on"] |= {"the boundaries may be moved": lambda: state(splitting(cluster(splits=1, units=3, pending=2)))}

BROKEN["compactions-go-on"] |= {
    "a ledger that is written is saved before it is shown": lambda: state(
        ruled(switches={"horizon_before_cursor": False}, compactions=1), phase=Phase.WRITTEN
    )
}
KEPT["compactions-go-on"] |= {
    "a ledger that is written may be shown": lambda: state(cluster(compactions=1), phase=Phase.WRITTEN)
}

BROKEN["disturbances-as-allowed"] |= {
    "ZooKeeper is back from an outage that never was": lambda: state(
        cluster(outages=1, safe_mode=1), zookeeper_down=True, outages_left=1
    )
}
