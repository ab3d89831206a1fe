"""A scenario: the events of a recorded cluster, and the requirements on the cluster."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from oneowner.checkers.lab.cluster.recording import Recording

SESSION: Final[Mapping[str, object]] = {"metadataStoreSessionTimeoutMillis": 10_000}
"""A session of 10 s is the least that is stable where all processes share a machine."""
SHORT: Final[Mapping[str, object]] = {
    **SESSION,
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 10_000,
    "loadBalancerServiceUnitStateMonitorIntervalInSeconds": 15,
    "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 60,
    "namespaceBundleUnloadingTimeoutMs": 20_000,
}
"""Every timer of the channel is short."""
STOCK: Final[Mapping[str, object]] = {}


@dataclass(frozen=True, slots=True)
class Scenario:
    """The events of a cluster of three brokers, and its properties."""

    done: Callable[[Recording], None]
    """Its docstring describes it."""
    settings: Mapping[str, object]
    """The settings of every broker; without them it would show nothing, or take long."""
    storage: str = "system-topic"
    """The storage of the channel."""
    gated: bool = False
    """True if it holds calls at gates in the brokers."""
    quiet: bool = False
    """True if brokers log as in production: no debug mode, and level INFO."""
    of_locks: bool = False
    """True if it also applies to a cluster whose bundles are owned by locks."""
    by_chance: bool = False
    """True if a seed chooses the events."""
    shows: tuple[str, ...] = ()
    """The laws by which its recording in ``traces/real`` is not valid; a race need not come again."""

    @property
    def about(self) -> str:
        """Its events, on one line."""
        return " ".join((self.done.__doc__ or "").split())
