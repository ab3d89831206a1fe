"""
Behaviour that differs between releases, storages and hypothetical bugs, as named switches.

The defaults are the behaviour of Pulsar 4.0.6. A fault of ``spec/faults.yaml`` is a set of switches
turned away from their default; each switch is read at exactly one guard or step of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Storage(StrEnum):
    """Where the channel lives (``ServiceUnitState.StorageType``; PIP-378)."""

    SYSTEM_TOPIC = "system-topic"
    METADATA_STORE = "metadata-store"


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches; ``Rules()`` is release 4.0.6."""

    version_check: bool = True
    """A record whose version is not above the held one is refused (apache/pulsar#19620)."""

    broker_check: bool = True
    """The brokers that an unforced record names must fit the held one (resolver rule R8)."""

    close_before_assign: bool = True
    """The source of a transfer closes its topics before it assigns the destination (#19683)."""

    owned_orphan_by_source: bool = False
    """An Owned record whose *source* is gone counts as orphaned (until #23064)."""

    health_check: bool = True
    """The leader cleans up a broker only if it fails a health check (since #23382)."""

    force_overrules: bool = True
    """A forced record in its turn is accepted whatever the tables say (resolver rule R6)."""

    monitor_runs: bool = True
    """The leader's clean-ups run; until #25132 a session event of old could keep them from running for ever."""

    re_registration: bool = True
    """A living broker whose registration is gone registers again (#23359)."""

    re_election: bool = True
    """When the leader's node vanishes, brokers run for the lead again (#23516)."""

    children_first: bool = True
    """A split owns the children before it moves the boundaries (models.H17; PIP-192 gives no order)."""

    deleted_last: bool = True
    """A split moves the boundaries before it deletes the parent (models.H17; PIP-192 gives no order)."""

    boundaries_compared: bool = True
    """Boundaries are written by compare-and-set (#1428, #9598)."""

    # Assumptions and repairs that no release has; ``spec/variants.yaml`` measures what they are worth.

    gap_rule: bool = True
    """On the system topic a record behind a version gap is accepted unseen (resolver rule R5, #20110)."""

    tombstone_compares: bool = False
    """A tombstone names the version that it deletes, and is refused by any other entry (models.H6)."""

    lag_below_tombstone_delay: bool = False
    """Timing assumption T1: no living broker lags as long as the tombstone delay (models.H4)."""


RELEASE_4_0_6 = Rules()
