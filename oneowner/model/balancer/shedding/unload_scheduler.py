"""
``UnloadScheduler`` calls the shedder of the extensible load manager once every ``loadBalancerSheddingIntervalMinutes``.

Every broker does so, gate by gate; the owner of the channel alone comes to the shedder. It waits for what it has
published at most ``namespaceBundleUnloadingTimeoutMs``, and calls nobody meanwhile.

Source: UnloadScheduler.execute; but for logs no release differs, 3.0.0 to 5.0.0-M1.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Gate(StrEnum):
    """The reason that a run unloads nothing."""

    NOT_STARTED = "no leader's task runs at this broker"
    NO_STORE = "the metadata store is away"
    OFF = "loadBalancerEnabled or loadBalancerSheddingEnabled is false"
    NO_OWNER = "who owns the channel is not answered within namespaceBundleUnloadingTimeoutMs"
    NOT_OWNER = "this broker does not own the channel"
    NO_REGISTRY = "who is available is not answered within namespaceBundleUnloadingTimeoutMs"
    ONE_BROKER = "only one broker is available"
    THROWS = "the shedder throws"
    NOTHING = "the shedder names no bundle"


class Asked(NamedTuple):
    """The input of a run; None: the answer does not come in time."""

    unloads: tuple[tuple[str, str], ...] | None = ()
    """Bundles that the shedder names, each with its broker; None: it throws."""
    enabled: bool = True
    """``loadBalancerEnabled``"""
    sheds: bool = True
    """``loadBalancerSheddingEnabled``"""
    owner: bool | None = True
    """True if this broker owns the channel."""
    brokers: int | None = 2
    """The number of available brokers."""
    ages: tuple[tuple[str, float], ...] = ()
    """Bundles that it has unloaded, and how many minutes ago."""
    grace: float = 30.0
    """``loadBalancerSheddingGracePeriodMinutes``"""
    refused: frozenset[str] = frozenset()
    """Bundles whose unload is not published, or fails."""
    late: frozenset[str] = frozenset()
    """Bundles whose unload ends after the run has ceased to wait for it."""


class Run(NamedTuple):
    """The outcome of a run."""

    skipped: Gate | None
    """The first gate that said no."""
    told: tuple[str, ...] | None
    """Bundles that the shedder is told were unloaded lately; None: it is not asked."""
    unloaded: tuple[str, ...]
    """Bundles whose unload is published."""
    remembered: tuple[str, ...]
    """Bundles that count as unloaded when it ends."""


def execute(asked: Asked) -> Run:
    every = tuple(name for name, _ in asked.ages)
    if not (asked.enabled and asked.sheds):
        return Run(Gate.OFF, None, (), every)
    lately = recent(asked.ages, asked.grace)
    if (gate := gate_of(asked)) is not None:
        return Run(gate, None, (), lately)
    if not asked.unloads:
        return Run(Gate.THROWS if asked.unloads is None else Gate.NOTHING, lately, (), lately)
    names = tuple(name for name, _ in asked.unloads)
    done = (name for name in names if name not in asked.refused | asked.late)
    return Run(None, lately, names, tuple(dict.fromkeys([*lately, *done])))


def gate_of(asked: Asked) -> Gate | None:
    """Return the gate that says no before the shedder is asked, None if none does."""
    if not asked.owner:
        return Gate.NO_OWNER if asked.owner is None else Gate.NOT_OWNER
    if asked.brokers is None:
        return Gate.NO_REGISTRY
    return Gate.ONE_BROKER if asked.brokers <= 1 else None


def recent(ages: Iterable[tuple[str, float]], grace: float) -> tuple[str, ...]:
    """Return the bundles that were unloaded within the grace period."""
    return tuple(name for name, age in ages if age <= grace)
