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


RELEASE_4_0_6 = Rules()
