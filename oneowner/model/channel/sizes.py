"""``Sizes`` holds the numbers of a model: how many things there are, which are modelled, how often they may happen."""

from __future__ import annotations

from dataclasses import dataclass

from oneowner.model.channel.rules import Storage
from oneowner.model.kernel import bounds
from oneowner.model.kernel.bounds import choice, limit, size, word

__traced__ = False  # declares bounds


@dataclass(frozen=True, slots=True)
class Sizes(bounds.Bounds):
    """
    The numbers of a model, and where its channel lies.

    Perturbations (commands of operators and clients, crashes, lost sessions, lost acknowledgements)
    are budgeted; what the cluster does to heal itself is not. A number that has only a name here is declared in the
    module of its mechanism, with its meaning and the bounds that it needs: model code is typed by the name.
    """

    brokers: int = size(2, "How many brokers there are", least=1)
    units: int = size(1, "How many service units there are", least=1)
    owner: int = size(0, "The broker that owns and serves every unit at the start; 0: nothing was ever written")
    storage: Storage = word(Storage.SYSTEM_TOPIC, "Where the channel lies")
    assigns: int = 0
    unloads: int = 0
    transfers: int = 0
    removals: int = 0
    crashes: int = 0
    restarts: int = 9
    newcomers: int = 0
    slow_starts: int = 0
    failed_starts: int = 0
    listeners: int = 0
    expiries: int = 0
    tombstones: int = 0
    unplaced: int = 0
    early_flushes: int = 0
    failed_flushes: int = 0
    refused: int = 0
    pauses: int = 0
    channel_host: int = 0
    flight_timer: int = 0
    split_time_outs: int = 0
    slow_closes: int = 0
    late_loads: int = 0
    outages: int = 0
    safe_mode: int = 0
    late_call_offs: int = 0
    beliefs: int = 0
    leader_caches: int = 0
    load_topics: int = 0
    sheddings: int = 0
    role_races: int = 0
    channel_losses: int = 0
    migrations: int = 0
    old_managers: int = 0
    multi_phase: int = 0
    policies: int = 0
    splits: int = 0
    nested_splits: int = 0
    other_splits: int = 0
    failed_splits: int = 0
    resends: int = 0
    sequence_ids: int = 0
    operators: int = 0
    late_callbacks: int = 0
    overtakes: int = 0
    lookups: int = 0
    shutdowns: int = 0
    late_handlers: int = 0
    short_waits: int = 0
    system_units: int = 0
    recreations: int = 0
    compactions: int = 0
    failed_writes: int = 0
    failed_closes: int = 0
    lost_cursors: int = 0
    stale_resets: int = 0
    early_acks: int = 0
    trims: int = 0
    window: int = size(3, "How many records the slowest living broker may lag behind (system topic only)", least=1)
    pending: int = size(1, "How many publishes of one broker may be under way", least=1)
    closings: int = limit(
        1, "How many closes of topics may be under way at one broker; 0: a close leaves the search undecided"
    )
    versions: int = size(9, "The highest version; a step that needs a higher one leaves the search undecided", least=1)
    synced: int = 0
    syncs: int = 0
    syncer_gaps: int = 0
    wraps: int = choice(
        "1: the highest version is followed by the lowest, as Long.MAX_VALUE is; a unit is owned at the start with the"
        " version before the highest"
    )
