"""Laws of liveness require that splits, shutdowns, lookups, compactions and starts of a syncer end once they begin."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Phase, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import DELETED, NOBODY, is_active, is_in_flight, owner
from oneowner.model.channel.ring import PARENT, is_cut, is_in_ring
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, Status, eventually_always, leads_to
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


@leads_to(
    "split-ends",
    "PIP-192, Split; ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry, handleExisting",  # channel.D4
    when=the_parent_outlives_its_split,
    status=Status.GUARDED,
    kind=LawKind.PURPOSE,
)
def no_parent_outlives_its_split(state: State) -> bool:
    """
    Once the boundaries cut a parent in two, it is deleted in the end, unless a broker has started, none lives, or it
    was revived.
    """
    return not the_parent_outlives_its_split(state) or living(state) == 0 or a_broker_has_started(state)


# ---- models.L8 ----


def some_broker_shuts_down(state: State) -> bool:
    return any(state.stage[broker] != Stage.RUNNING and state.run[broker] != Run.PAUSED for broker in brokers(state))


@leads_to(
    "shutdown-ends",
    "ExtensibleLoadManagerImpl.disableBroker, PulsarService.closeAsync",  # bugs.L7
    when=some_broker_shuts_down,
    kind=LawKind.PURPOSE,
)
def none_shuts_down(state: State) -> bool:
    """A graceful shutdown ends: the process of the broker is gone, or stands still."""
    return not some_broker_shuts_down(state)


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


@eventually_always("lookup-served", "follows from PIP-192, Own", status=Status.GUARDED, kind=LawKind.PURPOSE)
def lookups_would_go_on_or_one_restarted(state: State) -> bool:
    """
    In the end every living broker names an owner that lives and is registered, or knows that there is none: a lookup
    that is tried again is served (unless a broker has started, or lost its session in the metadata store, or two
    storages have parted, or a compaction carried one over a tombstone: see flight-ends; or the elected leader cannot
    take its role, see leader-plays).
    """
    if a_broker_has_started(state) or a_tombstone_was_missed(state):
        return True
    return lookups_would_go_on(state) or the_leader_is_stuck(state)


# ---- models.L10 ----


def a_compaction_runs(state: State) -> bool:
    return state.phase != Phase.IDLE


@leads_to("compaction-ends", "StrategicTwoPhaseCompactor", when=a_compaction_runs, kind=LawKind.PURPOSE)
def none_runs_or_no_broker_lives(state: State) -> bool:
    """A compaction ends: its result is shown and saved, or its host is replaced or dead."""
    return state.phase == Phase.IDLE or living(state) == 0


# ---- channel.11 ----


@leads_to(
    "syncer-start-ends",
    "ServiceUnitStateTableViewSyncer.start, waitUntilSynced",
    when=a_syncer_starts,
    kind=LawKind.PURPOSE,
)
def no_syncer_starts(state: State) -> bool:
    """In the end a syncer that starts copies both ways, and finds that both storages hold equally many entries."""
    return not a_syncer_starts(state)


# ---- PIP-307 ----


@leads_to(
    "connections-end",
    "PIP-307; ServiceUnitStateChannelImpl.handleOwnEvent",  # bugs.H7, bugs.H9, channel.6
    when=some_connections_are_kept,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def no_connections_are_kept(state: State) -> bool:
    """
    Clients whose connections the source of a transfer keeps are disconnected in the end.

    (They are not when the unit comes back to the source by force, or a notification passes over Owned: its topics stay
    closed, and what clients send is ignored.)
    """
    return not some_connections_are_kept(state)


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


@leads_to(
    "bundle-usable", "apache/pulsar#22743", when=some_bundle_is_deleted_for_a_broker, kind=LawKind.PURPOSE
)  # bugs.L6
def no_bundle_is_deleted_for_a_broker(state: State) -> bool:
    """
    A bundle that a broker knows by its boundaries does not stay Deleted in its view: while it is Deleted, its lookups
    get no answer, and no split of it begins.

    (A namespace that is created anew may have a bundle of the name of one that was split.)
    """
    return not some_bundle_is_deleted_for_a_broker(state)
