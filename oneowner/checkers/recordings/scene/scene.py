"""
A scene holds all evidence of one recorded run, ready to be judged.

Laws read it and never the manifest's list of faults. Sources that exist are named in ``present``; damaged ones also in
``damage``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.read.clock_leads import NO_LEADS, ClockLeads
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.logged_decisions import Decided
from oneowner.checkers.recordings.read.observations import Call, LogEvent, Lookup, NodeWrite, Poll, Send, Source
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.logged_channel import LoggedChannel
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.model.channel.rules import Storage

T = TypeVar("T")


class Life(NamedTuple):
    """One process of a broker, from its start to its end, as its log (or ZooKeeper) shows it."""

    broker: str
    number: int
    """From 0."""
    start: int
    """Its first line."""
    end: int
    """Its last line of any kind; no life is proved after it."""
    first: int
    """Its lines are ``scene.said[broker][first:last]``."""
    last: int
    debug_since: int | None
    """Since when it is proved to print every record that it handles (loadBalancerDebugModeEnabled); None: it is not."""

    @property
    def is_debug(self) -> bool:
        """True if it is proved to print them at any time."""
        return self.debug_since is not None


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in milliseconds, by configuration where the run has one, else Pulsar's defaults."""

    session: int = 30_000
    """metadataStoreSessionTimeoutMillis"""
    in_flight_wait: int = 30_000
    """loadBalancerInFlightServiceUnitStateWaitingTimeInMillis"""
    monitor: int = 60_000
    """loadBalancerServiceUnitStateMonitorIntervalInSeconds"""
    role_monitor: int = 120_000
    """``ExtensibleLoadManagerImpl.MONITOR_INTERVAL_IN_MILLIS``: registration, roles, compaction; no configuration"""
    unload: int = 60_000
    """namespaceBundleUnloadingTimeoutMs"""
    in_flight: int = 120_000
    """--in-flight-limit"""
    dual_serving: int = 10_000
    """--dual-serving-limit"""
    unavailable: int = 60_000
    """--unavailable-limit"""
    clock_skew: int = 0
    """The largest difference between the clocks of two machines (--clock-skew, or the manifest)."""

    @property
    def recovery(self) -> int:
        """The time that a unit may be without owner after its broker is gone: session, clean-up, one monitor run."""
        return self.session + self.in_flight_wait + self.monitor + self.in_flight_wait


@dataclass(slots=True)
class Scene:
    """One recorded run; lists come in the order of time, those of a log in the order of its lines."""

    name: str
    storage: Storage
    limits: Limits
    brokers: tuple[str, ...] = ()
    """Broker ids (host:port), as the channel, the logs and the manifest name them."""
    start: int | None = None
    end: int | None = None
    """First and last moment that anything was seen."""
    channel: Channel = field(default_factory=Channel)
    logged: LoggedChannel | None = None
    """The channel as far as logs show it, where nothing else does: the absence of a record proves nothing."""
    said: dict[str, Sequence[LogEvent]] = field(default_factory=dict)
    """Understood log lines, by broker."""
    lives: dict[str, list[Life]] = field(default_factory=dict)
    decided: list[Decided] = field(default_factory=list)
    """Placements, sheds and splits in the logs, each log for itself."""
    lookups: list[Lookup] = field(default_factory=list)
    polls: list[Poll] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    writes: list[NodeWrite] = field(default_factory=list)
    """ZooKeeper transactions of sessions, the registry, the election, policies; by zxid."""
    boundaries: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Of each namespace, the boundaries of its bundles at the end of the run (bundles.json ``after``)."""
    bounded_at: int | None = None
    """The time of their request, if it is recorded: they lack later changes."""
    present: frozenset[Source] = frozenset()
    release: str = ""
    """The release of Pulsar, by the manifest, such as 4.0.6; empty: unknown."""
    is_synced: bool = False
    """True if the leader copies records between both storages (loadBalancerServiceUnitTableViewSyncer)."""
    migration: str = ""
    """The evidence that the owners of bundles move to another place (``migrations.py``); empty: they do not."""
    is_one_phase: bool = False
    """True if a source closes its topics whole before it publishes: then none stays fenced."""
    clocks: ClockLeads = NO_LEADS
    """The clocks whose times are corrected here."""
    is_partial: bool = False
    """True if records of the channel may be missing (--partial): findings that this could fake only warn."""
    damage: dict[Source, tuple[str, ...]] = field(default_factory=dict)
    """The reason that laws that need a source cannot be valid: torn or unknown lines, a truncated file."""
    chunks: list[Summary] = field(default_factory=list)
    """The summary of each chunk of the files beside the channel; no engine reads them."""
    unreadable: list[Finding] = field(default_factory=list)
    """The notes on unreadable lines of these."""
    left_out: Excuse[Any] | None = None
    """The excuse that laws do not apply; None: they apply all."""
    whole: Scene | None = None
    """The run of which this is a part (``parts.py``); None: it is all of one."""
    tables: dict[Any, Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    """Tables put together from all parts (``tables.py``): nothing in them depends on limits."""
    _known: dict[Callable[[Scene], Any], Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def lacks(self, needs: Iterable[Source]) -> list[Source]:
        """Return those of *needs* that are missing."""
        return [source for source in needs if source not in self.present]

    def once(self, work: Callable[[Scene], T]) -> T:
        """Return ``work(self)``, computed at the first call: several laws share the same result."""
        if work not in self._known:
            self._known[work] = work(self)
        found: T = self._known[work]
        return found

    def with_limits(self, limits: Limits) -> Scene:
        """Return the same run, to be judged by other *limits*."""
        found = replace(self, limits=limits)
        found.tables = self.tables
        return found

    def without_logged(self) -> Scene:
        """Return the same run without the records that only logs show."""
        if self.logged is None:
            return self
        found = replace(self, channel=Channel(), logged=None)
        found.tables = self.tables
        return found

    def know(self, work: Callable[[Scene], T], found: T) -> T:
        """Keep a result computed elsewhere as ``work(self)``, and return it."""
        self._known[work] = found
        return found

    def of_run(self, work: Callable[[Scene], T]) -> T:
        """Return ``work`` of the whole run, for facts that a part cannot establish, such as registrations."""
        return (self.whole or self).once(work)

    def lines(self, *events: str) -> Sequence[LogEvent]:
        """Return the log lines of these kinds, of all brokers, by time."""
        found = [said for lines in self.said.values() for said in of_kinds(lines, *events)]
        return sorted(found, key=lambda said: (said.time, said.broker, said.origin))
