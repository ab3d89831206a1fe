"""
``DECLARED`` holds the actions of the channel, in the order in which ties are broken.

An action is declared in the file of its mechanism; here stands only which files there are.
"""

from __future__ import annotations

from oneowner.model.channel import (
    broker,
    caches,
    cleanup,
    compacted_read,
    compaction_losses,
    compactor,
    elections,
    flights,
    invalidation,
    leader,
    load_store,
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
    unregistering,
)
from oneowner.model.kernel.action import declared_in

__traced__ = False  # lists actions from concrete bounds

MECHANISMS = (
    lookup,
    broker.append,
    resending,
    overtaking,
    broker.consume,
    broker.notify,
    broker.open,
    broker,
    syncer,
    split.split,
    split.split_child,
    split.move_boundaries,
    split.delete_parent,
    split.reload_boundaries,
    split,
    recreation,
    requests.open_lookup,
    requests.select,
    requests.time_out,
    requests,
    shutdown,
    unregistering.unregister,
    unregistering.stop,
    unregistering,
    sessions.crash,
    sessions.lose,
    starts,
    sessions.expire,
    sessions.register,
    sessions.notice,
    cleanup.notice,
    sessions,
    recovery,
    leader,
    outage.lose_session,
    outage.reconnect,
    outage.settle,
    invalidation,
    cleanup,
    pause.pause,
    pause.resume,
    pause.move_channel,
    flights,
    slow_close,
    tombstones,
    compactor.start_compaction,
    compactor.write_ledger,
    compactor.show_ledger,
    compactor.save_cursor,
    compactor.delete_ledger,
    compacted_read,
    compactor,
    compaction_losses,
    trimming,
    outage,
    elections,
    caches,
    shedding,
    load_store,
    load_topics,
    pause,
    migration,
    locks,
)
"""Where actions are declared, in the order in which ties are broken; of a file, those that come earlier by name."""

DECLARED = declared_in(MECHANISMS)
"""Every action of the model."""

STATE_CLASS = ("base[*].state", "serving[*,*]")
"""The slots by which states are sorted where they are too many to be counted: what every unit is, and who serves it."""
