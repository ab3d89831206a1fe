"""
``DECLARED``, ``BOUNDS`` and ``SWITCHES`` collect the actions, bounds and switches of the channel from its mechanisms.

Each is declared in the file of its mechanism; this module lists the files, in the order in which ties are broken.
"""

from types import ModuleType

from oneowner.model.channel import (
    alone,
    answers,
    boundaries,
    broker,
    caches,
    channel,
    cleanup,
    compacted_read,
    compaction,
    compaction_losses,
    compactor,
    dialects,
    early_opens,
    elections,
    entries,
    failed_publishes,
    flights,
    flushes,
    invalidation,
    late_loads,
    leader,
    listeners,
    load_store,
    load_topics,
    locks,
    lookup,
    migration,
    operators,
    orphans,
    outage,
    overtaking,
    pause,
    policy_readers,
    recovery,
    recreation,
    requests,
    resending,
    resolver,
    ring,
    session,
    sessions,
    shedding,
    shutdown,
    slow_close,
    split,
    starts,
    syncer,
    syncer_start,
    tombstones,
    topics,
    trimming,
    unregistering,
)
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.bounds import MechanismBound
from oneowner.model.kernel.releases import switches_in
from oneowner.model.kernel.system import found_in

MECHANISMS = (
    lookup,
    broker.append,
    resending,
    failed_publishes,
    overtaking,
    broker.consume,
    broker.notify,
    broker.open,
    broker,
    syncer,
    syncer_start,
    split.split,
    split.split_child,
    boundaries.move_boundaries,
    boundaries.retry_split,
    boundaries.give_up_split,
    split.delete_parent,
    boundaries.reload_boundaries,
    split,
    boundaries,
    operators,
    recreation,
    requests.open_lookup,
    requests.select,
    requests.time_out,
    requests,
    shutdown,
    unregistering.unregister,
    unregistering.stop,
    unregistering,
    alone,
    sessions.crash,
    sessions.lose,
    starts,
    sessions.expire,
    sessions.reestablish,
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
    flushes,
    policy_readers,
    slow_close,
    late_loads,
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
"""Modules with actions, in the order in which ties are broken; some actions come before their module."""

DECLARED = declared_in(MECHANISMS)
"""Every action of the model."""

BESIDE = (
    answers,
    channel,
    compaction,
    dialects,
    early_opens,
    entries,
    listeners,
    orphans,
    resolver,
    ring,
    session,
    topics,
)
"""Modules without actions, whose functions are steps of those of others."""

_MODULES = (*(one for one in MECHANISMS if isinstance(one, ModuleType)), *BESIDE)

BOUNDS = found_in(_MODULES, MechanismBound)
"""Every bound that a mechanism declares."""

SWITCHES = switches_in(_MODULES)
"""Every switch that a mechanism declares, by the name of its field."""

STATE_CLASS = ("base[*].state", "serving[*,*]")
"""The slots by which states are sorted where they are too many to count: the state and the server of every unit."""
