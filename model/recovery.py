"""
The leader gives the units of a broker that is gone to another one (P13).

Mirrors ``monitorOwnerships``, ``handleBrokerDeletionEvent``, ``doCleanup`` and ``overrideOwnership`` of
``ServiceUnitStateChannelImpl`` (v4.0.6). One step does what the job does for one unit: it checks the
broker's health, waits until the leader has consumed the channel, and publishes the override.
"""

from __future__ import annotations

from model.broker import UP
from model.channel import is_publishing, publish
from model.guards import require
from model.record import FREE, NOBODY, OWNED, SPLITTING, Record, is_active, is_in_flight, next_version
from model.rules import Storage
from model.state import Node, Run, State


def override(state: State, broker: int, unit: int, destination: int) -> None:
    """
    The leader *broker* overrides an entry that names a broker which is gone, in favour of *destination*.

    Enabled: the broker leads, has consumed the whole channel (``flush``) and has no other publish of this
    unit under way; its registry cache misses a broker that owns the unit or takes part in its hand-over,
    that broker fails a health check; the destination is in the cache. Changes: a forced Owned is under
    way, naming the former owner so that it closes its topics in case it lives. Log: ``Overriding
    inactiveBroker:.., ownership serviceUnit:.. from orphanData:.. to overrideData:..``.
    """
    require_cleaner(state, broker, unit)
    require(state.known[broker, destination], "the leader's registry cache lists the destination")
    orphan = state.view[broker, unit]
    require(is_orphan(state, broker, orphan), "the entry names a broker that is gone for the leader")
    publish(state, broker, unit, overriding(orphan, destination), orphan)


def free_orphan(state: State, broker: int, unit: int) -> None:
    """
    The leader *broker* overrides an orphaned entry when no broker can be selected: the unit becomes free by force.

    Enabled: as ``override``, but ``selectAsync`` finds nobody (isolation, anti-affinity or version policies
    refuse every broker that is registered), within its budget. Changes: a forced Free is under way, naming the
    former owner so that it closes its topics in case it lives. Log: as ``override``. Mirrors:
    ``overrideOwnership`` (channel.9, "none selected"; since #22743).
    """
    require(state.unplaced_left > 0, "the budget allows another override to find no broker")
    require_cleaner(state, broker, unit)
    orphan = state.view[broker, unit]
    require(is_orphan(state, broker, orphan), "the entry names a broker that is gone for the leader")
    state.unplaced_left = state.unplaced_left - 1
    former = orphan.destination if orphan.state == OWNED else orphan.source
    publish(state, broker, unit, Record(FREE, NOBODY, former, True, next_version(orphan)), orphan)


def require_cleaner(state: State, broker: int, unit: int) -> None:
    """Require that *broker* leads, has consumed the channel, and publishes nothing for *unit*."""
    require_monitor(state, broker)
    require(is_caught_up(state, broker), "the leader has consumed the whole channel")
    require(not is_publishing(state, broker, unit), "no publish of the leader for the unit is under way")


def require_monitor(state: State, broker: int) -> None:
    """Require that *broker* is the leader, and that its monitor runs."""
    require(state.bounds.rules.monitor_runs, "no session event of old holds the leader's clean-ups up")
    require(state.run[broker] == Run.UP, UP)
    require(state.leader == broker, "the broker is the leader")


def overriding(orphan: Record, destination: int) -> Record:
    """
    Return the forced record that gives an orphaned unit to *destination* (channel.9).

    A split is begun again there: no record names the broker that had begun it as a loser (channel.D3).
    """
    if orphan.state == SPLITTING:
        return Record(SPLITTING, orphan.destination, destination, True, next_version(orphan))
    former = orphan.destination if orphan.state == OWNED else orphan.source
    source = NOBODY if former == destination else former
    return Record(OWNED, destination, source, True, next_version(orphan))


def is_orphan(state: State, leader: int, record: Record) -> bool:
    """
    Say whether the leader overrides this entry.

    Its destination is gone while it is active, or its source while it is in flight; until #23064 an
    Owned entry counted as orphaned by its source too (bugs.R10).
    """
    by_source = is_in_flight(record)
    if state.bounds.rules.owned_orphan_by_source:
        by_source = is_active(record)
    if is_active(record) and is_gone(state, leader, record.destination):
        return True
    return by_source and is_gone(state, leader, record.source)


def is_gone(state: State, leader: int, broker: int) -> bool:
    """Say whether *broker* is missing from the leader's cache and fails the health check."""
    if broker == NOBODY or state.known[leader, broker]:
        return False
    if state.bounds.rules.health_check:
        return not is_healthy(state, broker)
    return True


def is_healthy(state: State, broker: int) -> bool:
    """
    Say whether a health check of *broker* passes.

    It looks the broker up in the registry first, then calls it: a living broker that is not registered
    fails (recordings: ``The broker .. is not healthy because it's not found``).
    """
    return state.node[broker] != Node.ABSENT and state.run[broker] == Run.UP


def is_caught_up(state: State, broker: int) -> bool:
    """Say whether *broker* has consumed the whole channel."""
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        return state.cursor[broker] == state.log.length
    for unit in range(1, state.bounds.units + 1):
        if state.changed[broker, unit]:
            return False
    return True
