"""
The seam: what every engine knows of the model.

``initial_states`` and ``actions`` of some bounds, and ``step``. An action is a function that changes a
copy of a state or says, by ``require``, why it is not enabled; after every action the state is
normalised by the same step (``channel.forget_first``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from oneowner.model.channel import (
    broker,
    cleanup,
    compactor,
    flights,
    invalidation,
    leader,
    lookup,
    outage,
    overtaking,
    pause,
    recovery,
    recreation,
    requests,
    resending,
    sessions,
    shutdown,
    split,
    tombstones,
    trimming,
)
from oneowner.model.channel import compacted_read as carried
from oneowner.model.channel import slow_close as slow
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import forget_first, is_forgettable
from oneowner.model.channel.domains import BROKER, UNIT
from oneowner.model.channel.occasions import Occasion, occasions, syncing
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.sizes import BUDGETS
from oneowner.model.channel.start import initial_states
from oneowner.model.channel.state import State

__all__ = [
    "KINDS",
    "STATE_CLASS",
    "Action",
    "Bounds",
    "State",
    "actions",
    "budget",
    "initial_states",
    "needs_normalising",
    "normalise",
    "perturbations",
    "step",
]


@dataclass(frozen=True, slots=True)
class Action:
    """One action with its arguments: ``consume(broker=2)``."""

    name: str
    arguments: tuple[tuple[str, int], ...]
    run: Callable[..., None]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.arguments)})"

    def argument(self, name: str) -> int:
        """Return the value of argument *name*."""
        return dict(self.arguments)[name]


def actions(bounds: Bounds) -> list[Action]:
    """Return every action instance that these bounds leave room for, in a fixed order."""
    return list(_actions(bounds))


def _actions(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    unit = range(1, bounds.units + 1)
    if bounds.assigns:
        current = range(1, bounds.brokers - bounds.old_managers + 1)
        yield from instances(lookup.look_up, broker=current, unit=unit)
        yield from instances(lookup.assign, broker=current, unit=unit, destination=current)
    if bounds.unloads:
        yield from instances(lookup.unload, broker=each, unit=unit)
    if bounds.transfers:
        yield from instances(lookup.transfer, broker=each, unit=unit, destination=each)
    if bounds.removals:
        yield from instances(lookup.remove, broker=each, unit=unit)
    readers = range(1, bounds.brokers - bounds.synced + 1)
    yield from instances(broker.append, broker=readers)
    if bounds.resends:
        yield from instances(resending.append_unacknowledged, broker=each)
    if bounds.overtakes:
        yield from instances(overtaking.overtake, broker=each)
    if bounds.storage == Storage.SYSTEM_TOPIC:
        yield from instances(broker.consume, broker=readers)
    else:
        yield from instances(broker.notify, broker=each, unit=unit)
    yield from instances(broker.open, broker=each, unit=unit)
    yield from instances(broker.close, broker=each, number=range(1, bounds.closings + 1))
    yield from _instances(syncing(bounds))
    yield from _splits(bounds)
    yield from _lookups_and_shutdowns(bounds)
    yield from _failures(bounds)
    yield from _pauses_and_timers(bounds)
    yield from _deletions_compactions_outages(bounds)
    yield from _instances(occasions(bounds))


def _splits(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    if bounds.splits:
        yield from instances(split.split, broker=each)
        if bounds.nested_splits:
            yield from instances(split.split_child, broker=each)
            yield from instances(split.move_boundaries, broker=each, number=range(1, 3))
            yield from instances(split.delete_parent, broker=each, number=range(1, 3))
        else:
            yield from instances(split.move_boundaries, broker=each)
            yield from instances(split.delete_parent, broker=each)
        yield from instances(split.reload_boundaries, broker=each)
    if bounds.other_splits:
        yield from instances(split.split_elsewhere, broker=each)
    if bounds.recreations:
        yield from instances(recreation.delete_namespace, broker=each)
        yield from instances(recreation.create_namespace, broker=each)


def _lookups_and_shutdowns(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    unit = range(1, bounds.units + 1)
    if bounds.lookups:
        yield from instances(requests.open_lookup, broker=each, unit=unit)
        yield from instances(requests.select, broker=each, unit=unit, destination=each)
        yield from instances(requests.time_out, broker=each, unit=unit)
        if not bounds.rules.waits_in_one_step:
            yield from instances(requests.begin_wait, broker=each, unit=unit)
    if bounds.shutdowns:
        yield from instances(shutdown.disable, broker=each)
        yield from instances(shutdown.drain, broker=each, unit=unit, destination=each)
        yield from instances(shutdown.pass_over, broker=each, unit=unit)
        if bounds.late_handlers:
            yield from instances(shutdown.hurry, broker=each)
        if bounds.system_units:
            yield from instances(shutdown.set_aside, broker=each, unit=range(bounds.units, bounds.units + 1))
        if bounds.rules.shutdown_retries:
            yield from instances(shutdown.retry, broker=each, unit=unit, destination=each)
        yield from instances(shutdown.unregister, broker=each)
        yield from instances(shutdown.stop, broker=each)
        if not bounds.rules.unloads_before_closing:
            yield from instances(shutdown.cut_off, broker=each)
    drains = bounds.rules.drain_at_shutdown and bounds.storage == Storage.SYSTEM_TOPIC
    if bounds.shutdowns > (1 if drains else 0):
        # On the topic a single broker that drains is left with nothing: somebody leads, and its view is current.
        yield from instances(shutdown.unload_leftover, broker=each, unit=unit)


def _failures(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    unit = range(1, bounds.units + 1)
    if bounds.crashes:
        yield from instances(sessions.crash, broker=each)
    if bounds.crashes or bounds.shutdowns:
        yield from instances(sessions.lose, broker=each)
    if (bounds.crashes or bounds.shutdowns) and bounds.restarts:
        yield from instances(sessions.restart, broker=each)
    if bounds.failed_starts:
        yield from instances(sessions.fail_start, broker=each)
    if bounds.crashes or bounds.expiries or bounds.outages or bounds.pauses:
        yield from instances(sessions.expire, broker=each)
        if bounds.expiries or bounds.restarts or bounds.outages or bounds.pauses:  # else only the dead lose their nodes
            yield from instances(sessions.register, broker=each)
    if bounds.crashes or bounds.expiries or bounds.shutdowns or bounds.outages or bounds.pauses:
        notice = cleanup.notice if bounds.safe_mode else sessions.notice
        yield from instances(notice, observer=each, broker=each)
        yield from instances(sessions.elect, broker=each)
        yield from instances(recovery.override, broker=each, unit=unit, destination=each)
        if bounds.unplaced:
            yield from instances(recovery.free_orphan, broker=each, unit=unit)
        if bounds.refused:
            yield from instances(recovery.free_refused, broker=each, unit=unit)
        if bounds.beliefs:
            yield from instances(leader.play_leader, broker=each)
            yield from instances(leader.play_follower, broker=each)
        if bounds.safe_mode:
            yield from instances(outage.lose_session, broker=each)
            yield from instances(outage.reconnect, broker=each)
            yield from instances(outage.settle, broker=each)
            if bounds.storage == Storage.METADATA_STORE:
                yield from instances(invalidation.fill, broker=each, unit=unit)
                yield from instances(invalidation.fail, broker=each)
            yield from instances(cleanup.monitor, broker=each, gone=each)
            yield from instances(cleanup.end_clean_up, broker=each, gone=each)


def _pauses_and_timers(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    unit = range(1, bounds.units + 1)
    if bounds.pauses:
        yield from instances(pause.pause, broker=each)
        yield from instances(pause.resume, broker=each)
    if bounds.channel_host:
        yield from instances(pause.move_channel, broker=each)
    if bounds.flight_timer:
        yield from instances(flights.end_flight, broker=each, unit=unit, destination=each)
    if bounds.slow_closes:
        yield from instances(slow.time_out_close, broker=each, number=range(1, bounds.closings + 1))
        yield from instances(slow.end_close, broker=each, unit=unit)


def _deletions_compactions_outages(bounds: Bounds) -> Iterator[Action]:
    each = range(1, bounds.brokers + 1)
    unit = range(1, bounds.units + 1)
    if bounds.tombstones:
        yield from instances(tombstones.tombstone, broker=each, unit=unit)
    if bounds.compactions:
        yield from instances(compactor.start_compaction, broker=each)
        yield from instances(compactor.write_ledger, broker=each)
        yield from instances(compactor.show_ledger, broker=each)
        yield from instances(compactor.save_cursor, broker=each)
        yield from instances(compactor.delete_ledger, broker=each)
        yield from instances(carried.jump, broker=each)
    if bounds.failed_writes:
        yield from instances(compactor.fail_to_write, broker=each, unit=unit)
    if bounds.trims:
        yield from instances(trimming.trim)
        yield from instances(trimming.skip, broker=each)
    if bounds.outages:
        yield from instances(outage.stop_zookeeper)
        yield from instances(outage.start_zookeeper)


KINDS = {"broker": BROKER, "destination": BROKER, "gone": BROKER, "observer": BROKER, "unit": UNIT}
"""What the arguments of actions number."""


def instances(run: Callable[..., None], **ranges: range) -> Iterator[Action]:
    """Yield one action for every combination of arguments."""
    for values in product(*ranges.values()):
        yield Action(run.__name__, tuple(zip(ranges, values, strict=True)), run)


def _instances(found: Iterator[Occasion]) -> Iterator[Action]:
    for run, ranges in found:
        yield from instances(run, **ranges)


needs_normalising = is_forgettable
normalise = forget_first
"""After every action, while it is needed: states that differ only in what nobody can see become one."""


def step(state: State, action: Action) -> State:
    """Return the state after *action*; raise ``Disabled`` with the guard that refused it."""
    after = state.draft()
    arguments: dict[str, Any] = dict(action.arguments)
    action.run(after, **arguments)
    while needs_normalising(after):
        normalise(after)
    return after.completed()


STATE_CLASS = ("base[*].state", "serving[*,*]")
"""The slots by which states are sorted where they are too many to be counted: what every unit is, and who serves it."""


def budget(bounds: Bounds) -> int:
    """Return how many perturbations a run may hold."""
    return sum(getattr(bounds, name) for name in BUDGETS)


def perturbations(state: State) -> int:
    """Return how many perturbations led to *state*: the budgets that are spent."""
    left = 0
    for name in BUDGETS:
        left = left + getattr(state, f"{name}_left")
    return budget(state.bounds) - left
