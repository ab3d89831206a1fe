"""
What happens in the channel: its actions, in the order in which ties are broken.

An action is declared in the file of its mechanism; here stands only which files there are.
"""

from __future__ import annotations

from oneowner.model.channel import (
    broker,
    caches,
    cleanup,
    compacted_read,
    compactor,
    elections,
    flights,
    invalidation,
    leader,
    load_topics,
    locks,
    lookup,
    migration,
    outage,
    overtaking,
    pause,
    recovery,
    recreation,
    requests,
    resending,
    sessions,
    shedding,
    shutdown,
    slow_close,
    split,
    starts,
    syncer,
    tombstones,
    trimming,
)
from oneowner.model.kernel.action import declared_in

__traced__ = False  # lists actions from concrete bounds

MECHANISMS = (
    lookup,
    broker,
    resending,
    overtaking,
    syncer,
    split,
    recreation,
    requests,
    shutdown,
    sessions,
    starts,
    recovery,
    leader,
    outage,
    invalidation,
    cleanup,
    pause,
    flights,
    slow_close,
    tombstones,
    compactor,
    compacted_read,
    trimming,
    elections,
    caches,
    shedding,
    load_topics,
    migration,
    locks,
)

DECLARED = declared_in(MECHANISMS)
"""Every action of the model."""

STATE_CLASS = ("base[*].state", "serving[*,*]")
"""The slots by which states are sorted where they are too many to be counted: what every unit is, and who serves it."""
