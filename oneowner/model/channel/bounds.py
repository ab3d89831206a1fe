"""``Bounds`` say how big a model is, and which release it follows; they are concrete while it runs."""

from dataclasses import dataclass
from typing import ClassVar

from oneowner.model.channel.combinations import check_combination
from oneowner.model.channel.record import MAX_VERSION
from oneowner.model.channel.rules import RELEASE_4_0_6, Dialect, Rules, Sizes, Storage
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
        """True if sessions may end, of the dead or of the living."""
        return bool(self.crashes or self.expiries or self.outages or self.pauses)

    @property
    def live_sessions_end(self) -> bool:
        """True if the session of a living broker may end."""
        return bool(self.expiries or self.pauses)

    @property
    def brokers_go(self) -> bool:
        """True if a broker may be gone from the registry, or not be there yet."""
        return bool(self.sessions_end or self.shutdowns or self.newcomers)

    @property
    def drains_alone(self) -> bool:
        """True if a single broker that shuts down is left with nothing: somebody leads, and its view is current."""
        is_sound = not self.sessions_end and not self.short_flushes
        return self.rules.drain_at_shutdown and not self.in_store and is_sound

    @property
    def stops_alone(self) -> bool:
        """True if a broker that shuts down may find no other one: the last one does, or the others may be gone."""
        return bool(self.shutdowns and (self.last_stops or self.sessions_end))

    @property
    def swallows_tombstones(self) -> bool:
        """True if a compaction may carry a reader over a tombstone."""
        deletes = self.tombstones or self.unplaced or self.splits or self.stops_alone
        return bool(self.compactions and deletes)

    @property
    def lags_after_flush(self) -> bool:
        """True if a leader's flush may end although its view lags."""
        return bool(self.early_flushes or self.failed_flushes)

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

    @property
    def in_store(self) -> bool:
        """True if the channel lies in the metadata store."""
        return self.storage == Storage.METADATA_STORE

    @property
    def has_nodes(self) -> bool:
        """True if some broker keeps the channel in the metadata store."""
        return self.in_store or self.synced > 0

    @property
    def longest_log(self) -> int:
        """How many records of the topic may be ahead of the slowest living broker."""
        return 0 if self.in_store else self.window

    @property
    def speaks_dialect(self) -> bool:
        """True if some broker speaks a protocol that no release speaks."""
        return self.dialect != Dialect.RELEASED

    @property
    def splits_at_once(self) -> int:
        """How many splits a broker may have begun: of the parent, of its child, and one for each that is timed out."""
        return (2 if self.nested_splits else 1) + self.split_time_outs

    @property
    def may_stop_reading(self) -> bool:
        """True if a broker may stop to read the channel for good."""
        return self.role_races > 0 or not self.rules.tombstone_is_read

    @property
    def reads_registry_at_once(self) -> bool:
        """True if lookups are followed that do not wait for the registry's answer."""
        return self.lookups > 0 and not self.rules.registry_read_waits

    @property
    def may_live_unregistered(self) -> bool:
        """True if a broker may live although its load manager did not start."""
        return self.failed_starts > 0 and not self.rules.start_fails_fast

    @property
    def empties_views(self) -> bool:
        """True if a view is emptied when its broker hears that its session is lost."""
        return self.safe_mode > 0 and self.in_store

    def __post_init__(self) -> None:
        self.check_ranges()
        check_combination(self)
