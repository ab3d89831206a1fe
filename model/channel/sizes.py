"""How big a model is, as numbers: how many there are of what, what is modelled, how often what may happen."""

from __future__ import annotations

from dataclasses import dataclass

from oneowner.model.channel.rules import Storage

BUDGETS = tuple(
    """
    assigns unloads transfers removals lookups splits nested_splits other_splits shutdowns recreations compactions
    failed_writes syncs crashes failed_starts expiries pauses outages resends overtakes slow_closes late_handlers
    sheddings channel_losses migrations tombstones unplaced
    """.split()
)
"""The perturbations, commands first: a state has a cell ``.._left`` for each."""

CHOICES = tuple(
    """
    safe_mode beliefs channel_host flight_timer multi_phase trims wraps system_units listeners leader_caches
    load_topics sequence_ids operators
    """.split()
)
"""What is 0 or 1: not modelled, or modelled."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """
    The numbers of a model, and where its channel lies.

    Perturbations (commands of operators and clients, crashes, lost sessions, lost acknowledgements)
    are budgeted; what the cluster does to heal itself is not.
    """

    brokers: int = 2
    units: int = 1
    owner: int = 0
    """The broker that owns and serves every unit at the start; 0: nothing was ever written."""
    storage: Storage = Storage.SYSTEM_TOPIC
    assigns: int = 0
    """How many lookups may assign a unit."""
    unloads: int = 0
    transfers: int = 0
    removals: int = 0
    """How many units may be given up by force, because their namespace or they themselves are deleted."""
    crashes: int = 0
    restarts: int = 9
    """How many of the brokers that crashed may start again; a limit, no budget: no cell counts it."""
    failed_starts: int = 0
    """How many of the starts of brokers that crashed may fail in the load manager."""
    listeners: int = 0
    """1: who listens to a broker owning units, and is told, is modelled; 0: nobody listens."""
    expiries: int = 0
    """How many sessions of living brokers may expire; those of dead ones always may."""
    tombstones: int = 0
    """How many entries the leader's monitor may delete."""
    unplaced: int = 0
    """How many overrides may find no broker that the policies allow."""
    refused: int = 0
    """The broker that the policies refuse for every unit; 0: none."""
    pauses: int = 0
    """How many times a broker's process may stand still; its session may expire meanwhile."""
    channel_host: int = 0
    """1: the channel's topic lies at one broker, and publishes wait while that one stands still; 0: anywhere."""
    flight_timer: int = 0
    """1: the leader's monitor overrides a hand-over that takes too long, and any may; 0: none does."""
    slow_closes: int = 0
    """How many closes of topics may outlast their time-out."""
    outages: int = 0
    """How many times ZooKeeper may go down; needs ``safe_mode``."""
    safe_mode: int = 0
    """1: session events, and clean-ups as jobs that are scheduled, delayed, called off; 0: an override is one step."""
    beliefs: int = 0
    """1: who leads and who plays the leader are two things; 0: they are one."""
    leader_caches: int = 0
    """1: a broker reads who leads from a cache, which is told of changes later; 0: it knows."""
    load_topics: int = 0
    """1: the topic of load data lies at who plays the leader, and every broker reports there; needs ``beliefs``."""
    sheddings: int = 0
    """How many rounds of shedding the leader may begin: one transfer each."""
    channel_losses: int = 0
    """How often the channel's topic may be closed at its host by a change of roles; needs ``channel_host``."""
    migrations: int = 0
    """How often ZooKeeper's data may be moved to another metadata store (PIP-454)."""
    old_managers: int = 0
    """How many brokers, the last ones, run an older load manager, which takes units by locks and no channel."""
    multi_phase: int = 0
    """1: which connections the source of a transfer keeps once it has closed (PIP-307); 0: nobody looks at them."""
    splits: int = 0
    """How often a split of unit 1, the parent, into units 2 and 3 may be asked for; else no units overlap."""
    nested_splits: int = 0
    """How often a split of unit 2, the first child, into units 4 and 5 may be asked for."""
    other_splits: int = 0
    """How many other bundles of the namespace may be split meanwhile."""
    resends: int = 0
    """How many publishes may be appended although their publisher never learns it."""
    sequence_ids: int = 0
    """1: the topic knows which publish it has taken before; 0: nobody asks."""
    operators: int = 0
    """1: who asked for an unload, a transfer or a split waits until told that it is done; 0: nobody waits."""
    overtakes: int = 0
    """How many publishes may reach the topic before the one that the same broker handed over earlier."""
    lookups: int = 0
    """How many lookups may be opened that are followed to their answer (``assigns`` counts those that are not)."""
    shutdowns: int = 0
    """How many brokers may be told to shut down."""
    late_handlers: int = 0
    """How many clean-ups at a shutdown may scan before what a handler publishes is in the channel."""
    system_units: int = 0
    """1: the last unit is a bundle of pulsar/system, to which a clean-up comes last; 0: none is."""
    recreations: int = 0
    """How often the namespace may be deleted, once its parent is split, and created anew with its first boundaries."""
    compactions: int = 0
    """How many compactions of the channel may start; if any may, the window is the whole log."""
    failed_writes: int = 0
    """How many compactions may fail while they write what they keep."""
    trims: int = 0
    """1: the log is trimmed up to the compaction cursor that was saved; 0: it keeps its beginning."""
    window: int = 3
    """How many records the slowest living broker may lag behind (system topic only)."""
    pending: int = 1
    """How many publishes of one broker may be under way."""
    closings: int = 1
    """How many closes of topics may be under way at one broker; 0: a close leaves the search undecided."""
    versions: int = 9
    """The highest version; a step that needs a higher one leaves the search undecided."""
    synced: int = 0
    """How many brokers, the last ones, keep the channel in the metadata store, while the others still use the topic."""
    syncs: int = 0
    """How often the syncer between the two storages may be started again."""
    wraps: int = 0
    """1: the highest version is followed by the lowest, as Long.MAX_VALUE is; a unit is owned at the start with the one
    before the highest."""

    def check_ranges(self) -> None:
        """Raise ValueError for a number that no model has."""
        for name in ("brokers", "units", "window", "pending", "versions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} refused: {getattr(self, name)}; at least 1 is needed")
        for name in ("owner", "closings", "restarts", "synced", "old_managers", *BUDGETS):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 is the least")
        for name in CHOICES:
            if getattr(self, name) not in (0, 1):
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 or 1 is allowed")
