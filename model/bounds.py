"""How big a model is, and which release it follows: what is concrete while it runs."""

from __future__ import annotations

from dataclasses import dataclass

from model.record import MAX_VERSION
from model.rules import RELEASE_4_0_6, Dialect, Rules, Storage

BUDGETS = (
    "assigns",
    "unloads",
    "transfers",
    "removals",
    "lookups",
    "splits",
    "nested_splits",
    "other_splits",
    "shutdowns",
    "compactions",
    "syncs",
    "crashes",
    "expiries",
    "pauses",
    "outages",
    "resends",
    "overtakes",
    "slow_closes",
    "tombstones",
    "unplaced",
)
"""The perturbations, commands first: a state has a cell ``.._left`` for each."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """
    The size of a model: everything here is concrete while the model runs.

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
    """How many of the brokers that crashed may start again."""
    expiries: int = 0
    """How many sessions of living brokers may expire; those of dead ones always may."""
    tombstones: int = 0
    """How many entries the leader's monitor may delete."""
    unplaced: int = 0
    """How many overrides may find no broker that the policies allow."""
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
    overtakes: int = 0
    """How many publishes may reach the topic before the one that the same broker handed over earlier."""
    lookups: int = 0
    """How many lookups may be opened that are followed to their answer (``assigns`` counts those that are not)."""
    shutdowns: int = 0
    """How many brokers may be told to shut down."""
    compactions: int = 0
    """How many compactions of the channel may start; if any may, the window is the whole log."""
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
    dialect: Dialect = Dialect.RELEASED
    """The protocol that the brokers speak, and by which the channel is folded."""
    upgraded: int = 0
    """How many brokers, from 1 on, speak the protocol of the releases already, and not ``dialect``."""
    rules: Rules = RELEASE_4_0_6

    def dialect_of(self, broker: int) -> Dialect:
        """Return the protocol that *broker* speaks."""
        return Dialect.RELEASED if broker <= self.upgraded else self.dialect

    @property
    def units_of_splits(self) -> int:
        """How many units a parent, its children and, if a child may be split, its grandchildren are."""
        return 5 if self.nested_splits else 3

    def storage_of(self, broker: int) -> Storage:
        """Return where *broker* keeps the channel."""
        return Storage.METADATA_STORE if broker > self.brokers - self.synced else self.storage

    @property
    def last_version(self) -> int:
        """The version that the lowest one follows."""
        return self.versions if self.wraps else MAX_VERSION

    @property
    def owned_version(self) -> int:
        """The version by which a unit is owned at the start."""
        return self.versions - 1 if self.wraps else 2

    def __post_init__(self) -> None:
        for name in ("brokers", "units", "window", "pending", "versions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} refused: {getattr(self, name)}; at least 1 is needed")
        for name in ("owner", "upgraded", "closings", "restarts", "synced", *BUDGETS):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 is the least")
        for name in ("safe_mode", "beliefs", "channel_host", "flight_timer", "multi_phase", "wraps"):
            if getattr(self, name) not in (0, 1):
                raise ValueError(f"{name} refused: {getattr(self, name)}; 0 or 1 is allowed")
        if self.outages < 0 or (self.outages and not self.safe_mode):
            raise ValueError(f"outages refused: {self.outages}; they are modelled with safe_mode: 1 only")
        if self.beliefs and self.crashes:
            raise ValueError("bounds refused: crashes with beliefs; roles of processes that die are not modelled yet")
        if self.owner > self.brokers:
            raise ValueError(f"owner refused: {self.owner}; there are {self.brokers} brokers")
        if self.owner and self.versions < 2:
            raise ValueError(f"versions refused: {self.versions}; a unit that is owned at the start has version 2")
        if self.splits and (self.units != self.units_of_splits or self.pending < 2):
            raise ValueError(
                f"splits refused: {self.splits}; a parent and two children are 3 units (units), and the children are"
                " published together (pending 2); with nested_splits there are 5 units"
            )
        if self.nested_splits and not self.splits:
            raise ValueError(f"nested_splits refused: {self.nested_splits}; without splits there is no child")
        if self.other_splits and not self.splits:
            raise ValueError(f"other_splits refused: {self.other_splits}; without splits nobody knows boundaries")
        if self.multi_phase and (self.splits or self.compactions or self.dialect != Dialect.RELEASED):
            raise ValueError("bounds refused: multi_phase with splits, compactions or a dialect; not modelled yet")
        if self.storage == Storage.METADATA_STORE and self.compactions:
            raise ValueError("bounds refused: compactions in the metadata store; only a topic is compacted")
        if self.storage == Storage.METADATA_STORE and self.overtakes:
            raise ValueError(f"overtakes refused: {self.overtakes}; on the topic only")
        if self.overtakes and self.pending < 2:
            raise ValueError(f"overtakes refused: {self.overtakes}; two publishes have to be under way (pending 2)")
        if self.storage == Storage.METADATA_STORE and self.expiries and not self.safe_mode:
            raise ValueError(
                f"expiries refused: {self.expiries}; in the metadata store they need safe_mode: 1, because a view is"
                " emptied there when its broker hears that its session is lost"
            )
        if self.shutdowns and (self.crashes or self.expiries or self.outages or self.beliefs or self.pauses):
            raise ValueError(
                "bounds refused: shutdowns with crashes, expiries, outages, beliefs or pauses; what meets there is not"
                " modelled yet"
            )
        self._check_pauses_and_timers()
        if self.slow_closes and self.multi_phase:
            raise ValueError("bounds refused: slow_closes with multi_phase; what meets there is not modelled yet")
        if self.wraps and (self.versions < 3 or self.lookups):
            raise ValueError("wraps refused: 1; versions: 3 or more are needed, and lookups are not followed over it")
        self._check_syncer()
        if self.lookups and self.units > 1:
            raise ValueError("bounds refused: lookups of several units; which broker was named is kept for one only")
        if self.dialect != Dialect.RELEASED:
            self._check_dialect()
        elif self.upgraded:
            raise ValueError("upgraded refused: every broker speaks the protocol of the releases; set dialect too")

    def _check_pauses_and_timers(self) -> None:
        if self.storage == Storage.METADATA_STORE and (self.pauses or self.channel_host):
            raise ValueError(
                "bounds refused: pauses or channel_host in the metadata store; what a lost session does to a view there"
                " is not modelled yet, and only a topic has a host"
            )
        if self.channel_host and (self.compactions or self.crashes or self.shutdowns):
            raise ValueError("channel_host refused: with crashes, shutdowns or compactions the leader is the host")
        if self.slow_closes and self.splits:
            raise ValueError(
                "slow_closes refused: with splits; topics that lie in two units and linger are not modelled"
            )
        if self.flight_timer and self.splits:
            raise ValueError("flight_timer refused: with splits; one that is timed out begins again without end")

    def _check_syncer(self) -> None:
        if self.syncs and not self.synced:
            raise ValueError(f"syncs refused: {self.syncs}; without synced there is no syncer")
        if self.synced:
            others = (
                "crashes expiries outages removals tombstones unplaced resends overtakes compactions splits shutdowns"
                " lookups wraps"
            )
            used = [name for name in others.split() if getattr(self, name)]
            if used or self.storage != Storage.SYSTEM_TOPIC or self.dialect != Dialect.RELEASED:
                raise ValueError(f"synced refused: {self.synced}; it goes with commands alone, not {', '.join(used)}")
            if self.synced >= self.brokers:
                raise ValueError(f"synced refused: {self.synced}; of {self.brokers} brokers some use the topic")

    def _check_dialect(self) -> None:
        others = (
            "crashes expiries outages removals splits lookups shutdowns compactions pauses flight_timer slow_closes"
        )
        if self.storage == Storage.METADATA_STORE or any(getattr(self, name) for name in others.split()):
            raise ValueError(
                f"dialect refused: {self.dialect}; it goes with assigns, unloads and transfers on the system topic only"
            )
        if self.dialect != Dialect.GENERATION_1 and self.unloads:
            raise ValueError(
                f"unloads refused: {self.unloads}; in the dialect {self.dialect} an unload is an empty message, which"
                " is not modelled yet"
            )
        if self.dialect != Dialect.GENERATION_1 and self.upgraded:
            raise ValueError(f"upgraded refused: {self.upgraded}; the dialect {self.dialect} has no versions")
        if self.upgraded > self.brokers:
            raise ValueError(f"upgraded refused: {self.upgraded}; there are {self.brokers} brokers")
