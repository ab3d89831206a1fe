"""How big a model is, and which release it follows: what is concrete while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.channel.record import MAX_VERSION
from oneowner.model.channel.rules import RELEASE_4_0_6, Dialect, Rules, Storage
from oneowner.model.channel.sizes import Sizes
from oneowner.model.kernel.bounds import size, word


@dataclass(frozen=True, slots=True)
class Bounds(Sizes):
    """The size of a model, its protocol and its rules: everything here is concrete while the model runs."""

    declared_in: ClassVar[str] = "oneowner.spec.channel.system"

    dialect: Dialect = word(Dialect.RELEASED, "The protocol that brokers speak, and by which the channel is folded")
    upgraded: int = size(0, "How many brokers, from 1 on, speak the protocol of the releases already, and not dialect")
    rules: Rules = RELEASE_4_0_6

    def dialect_of(self, broker: int) -> Dialect:
        """Return the protocol that *broker* speaks."""
        return Dialect.RELEASED if broker <= self.upgraded else self.dialect

    @property
    def sessions_end(self) -> bool:
        """Whether sessions may end, of the dead or of the living."""
        return bool(self.crashes or self.expiries or self.outages or self.pauses)

    @property
    def brokers_go(self) -> bool:
        """Whether a broker may be gone from the registry."""
        return bool(self.sessions_end or self.shutdowns)

    @property
    def drains_alone(self) -> bool:
        """Whether a single broker that shuts down is left with nothing: somebody leads, and its view is current."""
        return self.rules.drain_at_shutdown and self.storage == Storage.SYSTEM_TOPIC

    @property
    def swallows_tombstones(self) -> bool:
        """Whether a compaction may carry a reader over a tombstone."""
        return self.compactions > 0 and (self.tombstones > 0 or self.unplaced > 0 or self.splits > 0)

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
        self.check_ranges()
        if self.outages < 0 or (self.outages and not self.safe_mode):
            raise ValueError(f"outages refused: {self.outages}; they are modelled with safe_mode: 1 only")
        if self.failed_starts and not (self.crashes and self.restarts):
            raise ValueError(f"failed_starts refused: {self.failed_starts}; only a broker that crashed starts")
        if self.listeners and (self.storage == Storage.METADATA_STORE or self.shutdowns or self.splits):
            raise ValueError("listeners refused: with the metadata store, shutdowns or splits; not modelled yet")
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
        self._check_compactions()
        self._check_pauses_and_timers()
        self._check_roles()
        self._check_operators()
        if self.slow_closes and self.multi_phase:
            raise ValueError("bounds refused: slow_closes with multi_phase; what meets there is not modelled yet")
        if self.wraps and (self.versions < 3 or self.lookups):
            raise ValueError("wraps refused: 1; versions: 3 or more are needed, and lookups are not followed over it")
        self._check_syncer()
        self._check_recovery()
        if self.lookups and self.units > 1:
            raise ValueError("bounds refused: lookups of several units; which broker was named is kept for one only")
        if self.dialect != Dialect.RELEASED:
            self._check_dialect()
        elif self.upgraded:
            raise ValueError("upgraded refused: every broker speaks the protocol of the releases; set dialect too")

    def _check_compactions(self) -> None:
        if (self.trims or self.failed_writes) and not self.compactions:
            raise ValueError("bounds refused: trims or failed_writes without compactions; nothing is kept then")
        if self.storage == Storage.METADATA_STORE and self.compactions:
            raise ValueError("bounds refused: compactions in the metadata store; only a topic is compacted")
        if self.compactions and self.owner and self.units > 1:
            raise ValueError(
                "bounds refused: compactions of several units with an owner at the start; what such a unit was assigned"
                " by lies before the log, and none of it is kept"
            )

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

    def _check_recovery(self) -> None:
        others = "transfers lookups shutdowns flight_timer unplaced beliefs safe_mode synced compactions"
        if self.refused > self.brokers or (self.refused and any(getattr(self, name) for name in others.split())):
            raise ValueError(f"refused refused: {self.refused}; it is a broker, and goes without {others}")
        if self.late_handlers and not self.shutdowns:
            raise ValueError(f"late_handlers refused: {self.late_handlers}; without shutdowns nothing is scanned")
        if self.recreations and (not self.splits or self.nested_splits or self.crashes):
            raise ValueError(f"recreations refused: {self.recreations}; they need splits, not nested, and no crashes")

    def _check_roles(self) -> None:
        if self.load_topics and not self.beliefs:
            raise ValueError("load_topics refused: 1; who opens and closes them is a matter of roles (beliefs: 1)")
        if self.leader_caches and (self.beliefs or self.crashes or self.shutdowns):
            raise ValueError("leader_caches refused: with beliefs, crashes or shutdowns; what is read is the role then")
        if self.channel_losses and not self.channel_host:
            raise ValueError(f"channel_losses refused: {self.channel_losses}; without channel_host it lies anywhere")
        if self.sheddings and (self.crashes or self.shutdowns or self.pauses or self.splits):
            raise ValueError("sheddings refused: with crashes, shutdowns, pauses or splits; not modelled")
        if self.migrations and (self.beliefs or self.outages or self.safe_mode or self.shutdowns or self.crashes):
            raise ValueError("migrations refused: with beliefs, outages, safe_mode, shutdowns or crashes; not modelled")
        if self.old_managers:
            others = "crashes expiries outages tombstones splits shutdowns lookups pauses unloads transfers synced"
            used = [name for name in others.split() if getattr(self, name)]
            if used or self.old_managers >= self.brokers or self.owner > self.brokers - self.old_managers:
                raise ValueError(
                    f"old_managers refused: {self.old_managers}; they go with assigns alone, not all brokers"
                )

    def _check_operators(self) -> None:
        others = "crashes expiries outages pauses shutdowns resends synced"
        if self.operators and (self.storage == Storage.METADATA_STORE or any(getattr(self, n) for n in others.split())):
            raise ValueError(
                f"operators refused: {self.operators}; they wait with commands alone, on the system topic ({others}: 0)"
            )
        if self.sequence_ids and (self.storage == Storage.METADATA_STORE or self.crashes or self.shutdowns):
            raise ValueError("sequence_ids refused: only a topic has them, and a process that ends loses its own")

    def _check_syncer(self) -> None:
        if self.syncs and not self.synced:
            raise ValueError(f"syncs refused: {self.syncs}; without synced there is no syncer")
        if self.synced:
            others = "crashes expiries outages unplaced resends compactions splits shutdowns lookups wraps pauses"
            if self.tombstones and (self.assigns or self.syncs):
                raise ValueError(
                    "synced refused: tombstones with assigns or syncs; a copied deletion is sent back there"
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
