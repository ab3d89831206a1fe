"""``Sizes`` holds the numbers of a model: how many there are of what, what is modelled, how often what may happen."""

from __future__ import annotations

from dataclasses import dataclass

from oneowner.model.channel.rules import Storage
from oneowner.model.kernel import bounds
from oneowner.model.kernel.bounds import budget, choice, limit, size, word

__traced__ = False  # declares bounds


@dataclass(frozen=True, slots=True)
class Sizes(bounds.Bounds):
    """
    The numbers of a model, and where its channel lies.

    Perturbations (commands of operators and clients, crashes, lost sessions, lost acknowledgements)
    are budgeted; what the cluster does to heal itself is not.
    """

    brokers: int = size(2, "How many brokers there are", least=1)
    units: int = size(1, "How many service units there are", least=1)
    owner: int = size(0, "The broker that owns and serves every unit at the start; 0: nothing was ever written")
    storage: Storage = word(Storage.SYSTEM_TOPIC, "Where the channel lies")
    assigns: int = budget("How many lookups may assign a unit")
    unloads: int = budget("How many unloads may be asked for")
    transfers: int = budget("How many transfers may be asked for")
    removals: int = budget(
        "How many units may be given up by force, because their namespace or they themselves are deleted"
    )
    crashes: int = budget("How many brokers may crash")
    restarts: int = limit(
        9, "How many of the brokers that crashed may start again; a limit, no budget: no cell counts it"
    )
    newcomers: int = limit(0, "How many brokers, the last ones, have yet to start for the first time")
    slow_starts: int = budget("How many starts may be seen by others before the broker has read the channel")
    failed_starts: int = budget("How many of the starts of brokers that crashed may fail in the load manager")
    listeners: int = choice("1: who listens to a broker owning units, and is told, is modelled; 0: nobody listens")
    expiries: int = budget("How many sessions of living brokers may expire; those of dead ones always may")
    tombstones: int = budget("How many entries the leader's monitor may delete")
    unplaced: int = budget("How many overrides may find no broker that the policies allow")
    early_flushes: int = budget("How many flushes of the leader may end before its view has applied the last record")
    failed_flushes: int = budget("How many flushes of the leader may fail, after which it cleans up all the same")
    refused: int = limit(0, "The broker that the policies refuse for every unit; 0: none")
    pauses: int = budget("How many times a broker's process may stand still; its session may expire meanwhile")
    channel_host: int = choice(
        "1: the channel's topic lies at one broker, and publishes wait while that one stands still; 0: anywhere"
    )
    flight_timer: int = choice(
        "1: the leader's monitor overrides a hand-over that takes too long, and any may; 0: none does"
    )
    split_time_outs: int = budget("How many splits the leader's monitor may find too old; needs flight_timer")
    slow_closes: int = budget("How many closes of topics may outlast their time-out")
    late_loads: int = budget("How many topics may load while a close of their unit is under way")
    outages: int = budget("How many times ZooKeeper may go down; needs safe_mode")
    safe_mode: int = choice(
        "1: session events, and clean-ups as jobs that are scheduled, delayed, called off; 0: an override is one step"
    )
    late_call_offs: int = choice(
        "1: the health check of a broker that is back ends, and calls its clean-up off, in its own step; 0: at once"
    )
    beliefs: int = choice("1: who leads and who plays the leader are two things; 0: they are one")
    leader_caches: int = choice("1: a broker reads who leads from a cache, which is told of changes later; 0: it knows")
    load_topics: int = choice(
        "1: the topic of load data lies at who plays the leader, and every broker reports there; needs beliefs"
    )
    sheddings: int = budget("How many rounds of shedding the leader may begin: one transfer each")
    role_races: int = budget("How many changes of role may meet a handler that writes load data")
    channel_losses: int = budget(
        "How often the channel's topic may be closed at its host by a change of roles; needs channel_host"
    )
    migrations: int = budget("How often ZooKeeper's data may be moved to another metadata store (PIP-454)")
    old_managers: int = limit(
        0, "How many brokers, the last ones, run an older load manager, which takes units by locks and no channel"
    )
    multi_phase: int = choice(
        "1: which connections the source of a transfer keeps once it has closed (PIP-307); 0: nobody looks at them"
    )
    policies: int = choice(
        "1: a broker opens topics once it has read the namespace's policies, which lie in unit 1; 0: it knows them"
    )
    splits: int = budget(
        "How often a split of unit 1, the parent, into units 2 and 3 may be asked for; else no units overlap"
    )
    nested_splits: int = budget("How often a split of unit 2, the first child, into units 4 and 5 may be asked for")
    other_splits: int = budget("How many other bundles of the namespace may be split meanwhile")
    failed_splits: int = budget("How many splits may give up moving boundaries that have changed")
    resends: int = budget("How many publishes may be appended although their publisher never learns it")
    sequence_ids: int = choice("1: the topic knows which publish it has taken before; 0: nobody asks")
    operators: int = choice(
        "1: who asked for an unload, a transfer or a split waits until told that it is done; 0: nobody waits"
    )
    late_callbacks: int = choice(
        "1: a lookup or an operator is told of the end of its wait before the wait is off its list; 0: both at once"
    )
    overtakes: int = budget(
        "How many publishes may reach the topic before the one that the same broker handed over earlier"
    )
    lookups: int = budget(
        "How many lookups may be opened that are followed to their answer (assigns counts those that are not)"
    )
    shutdowns: int = budget("How many brokers may be told to shut down")
    late_handlers: int = budget(
        "How many clean-ups at a shutdown may scan before what a handler publishes is in the channel"
    )
    short_waits: int = budget(
        "How many brokers that shut down may unregister while they own a unit, as their 5 s are over (needs #26520)"
    )
    system_units: int = choice(
        "1: the last unit is a bundle of pulsar/system, to which a clean-up comes last; 0: none is"
    )
    recreations: int = budget(
        "How often the namespace may be deleted, once its parent is split, and created anew with its first boundaries"
    )
    compactions: int = budget("How many compactions of the channel may start; if any may, the window is the whole log")
    failed_writes: int = budget("How many compactions may fail while they write what they keep")
    failed_closes: int = budget("How many ledgers of kept records may fail to close")
    lost_cursors: int = budget("How often a host may find the compaction cursor unreadable")
    stale_resets: int = budget("How many resets of the compaction cursor may save the properties of before")
    early_acks: int = budget("How many readers may acknowledge what is trimmed while they are given what was kept")
    trims: int = choice("1: the log is trimmed up to the compaction cursor that was saved; 0: it keeps its beginning")
    window: int = size(3, "How many records the slowest living broker may lag behind (system topic only)", least=1)
    pending: int = size(1, "How many publishes of one broker may be under way", least=1)
    closings: int = limit(
        1, "How many closes of topics may be under way at one broker; 0: a close leaves the search undecided"
    )
    versions: int = size(9, "The highest version; a step that needs a higher one leaves the search undecided", least=1)
    synced: int = limit(
        0,
        "How many brokers, the last ones, keep the channel in the metadata store, while the others still use the topic",
    )
    syncs: int = budget("How often the syncer between the two storages may be started again")
    syncer_gaps: int = choice(
        "1: a syncer that starts listens some time after it has copied, and then compares; 0: it listens at once"
    )
    wraps: int = choice(
        "1: the highest version is followed by the lowest, as Long.MAX_VALUE is; a unit is owned at the start with the"
        " version before the highest"
    )
