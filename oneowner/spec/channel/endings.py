"""Laws of liveness require that splits, shutdowns, lookups, compactions and starts of a syncer end once they begin."""

from __future__ import annotations

from oneowner.model.channel.channel import entry
from oneowner.model.channel.lookup_parts import Stage
from oneowner.model.channel.parts import Phase, Run
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import DELETED, NOBODY, is_active, is_in_flight, owner
from oneowner.model.channel.ring import PARENT, is_cut, is_in_ring
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import Status, eventually_always, leads_to
from oneowner.spec.channel.brokers import is_registered
from oneowner.spec.channel.connections import some_connections_are_kept
from oneowner.spec.channel.liveness import a_broker_has_started, a_tombstone_was_missed, living, the_leader_is_stuck
from oneowner.spec.channel.quiescence import a_syncer_starts
from oneowner.spec.channel.split import parents

# ---- models.L6 ----


def the_parent_outlives_its_split(state: State) -> bool:
    return any(
        is_cut(state, parent) and is_active(entry(state, parent)) for parent in range(PARENT, parents(state.bounds) + 1)
    )


def no_parent_outlives_its_split(state: State) -> bool:
    return not the_parent_outlives_its_split(state) or living(state) == 0 or a_broker_has_started(state)


SPLIT_ENDS = leads_to(
    "split-ends",
    "Once the boundaries cut a parent in two it comes to be deleted, unless a broker has started, none lives, or it"
    " was revived.",
    "PIP-192, Split; ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry, handleExisting",  # channel.D4
    from_=the_parent_outlives_its_split,
    to=no_parent_outlives_its_split,
    status=Status.GUARDED,
)


# ---- models.L8 ----


def some_broker_shuts_down(state: State) -> bool:
    return any(state.stage[broker] != Stage.RUNNING for broker in brokers(state))


def none_shuts_down(state: State) -> bool:
    return not some_broker_shuts_down(state)


SHUTDOWN_ENDS = leads_to(
    "shutdown-ends",
    "A graceful shutdown ends: the process of the broker is gone.",
    "ExtensibleLoadManagerImpl.disableBroker, PulsarService.closeAsync",  # bugs.L7
    from_=some_broker_shuts_down,
    to=none_shuts_down,
)


# ---- models.L1' ----


def lookups_would_go_on(state: State) -> bool:
    """Return whether every living broker would answer a lookup, or select a broker, without waiting."""
    return all(
        not would_wait(state, broker, unit)
        for broker in brokers(state)
        for unit in units(state)
        if state.run[broker] == Run.UP
    )


def would_wait(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    if owner(held) != NOBODY:
        return not is_registered(state, owner(held)) or not state.known[broker, owner(held)]
    return is_in_flight(held)


def lookups_would_go_on_or_one_restarted(state: State) -> bool:
    if a_broker_has_started(state) or a_tombstone_was_missed(state):
        return True
    return lookups_would_go_on(state) or the_leader_is_stuck(state)


LOOKUP_SERVED = eventually_always(
    "lookup-served",
    "In the end every living broker names an owner that lives and is registered, or knows that there is none: a lookup"
    " that is tried again is served (unless a broker has started, or lost its session in the metadata store, or"
    " two storages have parted, or a compaction carried one over a tombstone: see flight-ends; or the elected leader"
    " cannot take its role, see leader-plays).",
    "follows from PIP-192, Own",
    good=lookups_would_go_on_or_one_restarted,
    status=Status.GUARDED,
)


# ---- models.L10 ----


def a_compaction_runs(state: State) -> bool:
    return state.phase != Phase.IDLE


def none_runs_or_no_broker_lives(state: State) -> bool:
    return state.phase == Phase.IDLE or living(state) == 0


COMPACTION_ENDS = leads_to(
    "compaction-ends",
    "A compaction ends: what it kept is shown and saved, or its host is another or dead.",
    "StrategicTwoPhaseCompactor",
    from_=a_compaction_runs,
    to=none_runs_or_no_broker_lives,
)


# ---- channel.11 ----


def no_syncer_starts(state: State) -> bool:
    return not a_syncer_starts(state)


SYNCER_START_ENDS = leads_to(
    "syncer-start-ends",
    "A syncer that starts comes to copy both ways, and to find that both storages hold equally many entries.",
    "ServiceUnitStateTableViewSyncer.start, waitUntilSynced",
    from_=a_syncer_starts,
    to=no_syncer_starts,
)


# ---- PIP-307 ----


def no_connections_are_kept(state: State) -> bool:
    return not some_connections_are_kept(state)


CONNECTIONS_END = leads_to(
    "connections-end",
    "Clients whose connections the source of a transfer keeps are disconnected in the end. (They are not when the unit"
    " comes back to the source by force, or a notification passes over Owned: its topics stay closed, and what clients"
    " send is ignored.)",
    "PIP-307; ServiceUnitStateChannelImpl.handleOwnEvent",  # bugs.H7, bugs.H9, channel.6
    from_=some_connections_are_kept,
    to=no_connections_are_kept,
    status=Status.DOCUMENTED,
)

# ---- bugs.R9 ----


def some_bundle_is_deleted_for_a_broker(state: State) -> bool:
    """Return whether a live broker has, in its boundaries, a bundle that is Deleted by its view."""
    return any(
        state.run[broker] == Run.UP
        and state.view[broker, parent].state == DELETED
        and is_in_ring(state, broker, parent)
        for broker in brokers(state)
        for parent in range(PARENT, parents(state.bounds) + 1)
    )


def no_bundle_is_deleted_for_a_broker(state: State) -> bool:
    return not some_bundle_is_deleted_for_a_broker(state)


BUNDLE_USABLE = leads_to(
    "bundle-usable",
    "A bundle that a broker knows by its boundaries does not stay Deleted in its view: of what is Deleted no lookup is"
    " answered, and no split begins. (A namespace that is created anew may have a bundle of the name of one that was"
    " split.)",
    "apache/pulsar#22743",  # bugs.L6
    from_=some_bundle_is_deleted_for_a_broker,
    to=no_bundle_is_deleted_for_a_broker,
)

LIVENESS_OF_WORK = (
    SPLIT_ENDS,
    SHUTDOWN_ENDS,
    LOOKUP_SERVED,
    COMPACTION_ENDS,
    SYNCER_START_ENDS,
    CONNECTIONS_END,
    BUNDLE_USABLE,
)
