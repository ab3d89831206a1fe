"""
Unobserved steps are proposed here: those that lead a broker to publish its observed records.

A broker's records reach the channel in the order in which it published them, so its outbox must at all times be a
prefix of its next observed records. This leaves few steps: it reads on, a close of topics ends, topics are opened that
it must soon close, its caches take over the content of the registry, and one command at most: the one that publishes
the next record. Steps of other brokers are not tried: they show only in records, and each broker takes its own when
they are needed. A broker also reads no further than that needs, since it handles later records later.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from oneowner.checkers.recordings.explain.model_steps import action
from oneowner.checkers.recordings.explain.sizing import is_looked_up
from oneowner.checkers.recordings.explain.unit_groups import Append
from oneowner.model.channel import (
    alone,
    boundaries,
    broker,
    cleanup,
    flights,
    invalidation,
    lookup,
    outage,
    recovery,
    sessions,
    shutdown,
    split,
    starts,
    tombstones,
    unregistering,
)
from oneowner.model.channel.lookup import has_no_owner
from oneowner.model.channel.parts import Node, Run, Stage
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
    is_absent,
    next_version,
)
from oneowner.model.channel.ring import is_in_ring
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action


def next_steps(state: State, actor: int, ahead: Sequence[Append]) -> Iterator[Action]:
    """
    Yield steps of *actor* that may lead to its next record; *ahead* is all that is still to come from its process.

    The model decides whether they are enabled.
    """
    if state.run[actor] == Run.DOWN:
        yield action(sessions.lose, broker=actor)
        return
    if state.run[actor] == Run.STARTING:
        yield action(starts.finish_start, broker=actor)
        return
    for unit in range(1, state.bounds.units + 1):
        if wants_lookup(state, actor, unit, ahead):
            yield action(lookup.look_up, broker=actor, unit=unit)
            return
    waiting = state.outbox[actor].length
    if waiting < len(ahead):
        wanted = ahead[waiting]
        yield from commands(state, actor, wanted.unit, wanted.written.record)
    yield from _splits(state, actor)
    for number in range(1, state.closing[actor].length + 1):
        yield action(broker.close, broker=actor, number=number)
    yield from _reading(state, actor)
    yield from _sessions(state, actor)


def wants_lookup(state: State, actor: int, unit: int, ahead: Sequence[Append]) -> bool:
    """
    Return whether *actor* should begin a lookup now: it can, and a record that only a lookup publishes is ahead.

    When the lookup ends is open, so one that has begun forbids nothing.
    """
    if state.asking[actor, unit] or not has_no_owner(state.view[actor, unit]):
        return False
    if not is_in_ring(state, actor, unit):
        return False
    waiting = state.outbox[actor].length
    return any(seen.unit == unit and is_looked_up(seen.written.record) for seen in ahead[waiting:])


def _reading(state: State, actor: int) -> Iterator[Action]:
    if state.bounds.storage == Storage.METADATA_STORE:
        for unit in range(1, state.bounds.units + 1):
            if state.changed[actor, unit]:
                yield from _openings(state, actor, unit, state.base[unit])
                yield action(broker.notify, broker=actor, unit=unit)
    elif state.cursor[actor] < state.log.length:
        coming = state.log[state.cursor[actor] + 1]
        yield from _openings(state, actor, coming.unit, coming.record)
        yield action(broker.consume, broker=actor)


def _openings(state: State, actor: int, unit: int, coming: Record) -> Iterator[Action]:
    """Yield the opening of topics that *actor* must close next, before it publishes the following record."""
    follows = coming.state == RELEASING or (coming.state == FREE and coming.force)
    if follows and coming.source == actor:
        for opened in range(1, state.bounds.units + 1):
            if opened == unit or state.bounds.splits:
                yield action(broker.open, broker=actor, unit=opened)


def handlers(wanted: Record) -> str:
    """Return the handler that publishes such a record, if there is one: those need no command."""
    if wanted.force or is_absent(wanted):
        return ""
    if wanted.state == OWNED:
        return "an Owned, as the answer to Assigning or as a split's child,"
    if wanted.state == ASSIGNING and wanted.source != NOBODY:
        return "an Assigning with source, as the end of a Releasing,"
    if wanted.state == FREE:
        return "a Free, as the end of a Releasing,"
    return "a Deleted, as the end of a split," if wanted.state == DELETED else ""


def commands(state: State, actor: int, unit: int, wanted: Record, any_version: bool = False) -> Iterator[Action]:
    """Yield the commands that publish *wanted*, and the entries of the actor's caches that they need."""
    if not is_absent(wanted) and next_version(state.view[actor, unit]) != wanted.version and not any_version:
        return  # a command is computed from the view
    named: dict[str, Any] = {"broker": actor, "unit": unit}
    given = {**named, "destination": wanted.destination}
    if is_absent(wanted):
        yield action(tombstones.tombstone, **named)
    elif wanted.state == ASSIGNING and wanted.source == NOBODY:
        yield from told(state, actor, wanted.destination)
        yield action(lookup.assign, **given)
    elif wanted.state == RELEASING and not wanted.force:
        if wanted.destination == NOBODY:
            yield action(lookup.unload, **named)
            yield action(unregistering.unload_leftover, **named)
        else:
            yield from told(state, actor, wanted.destination)
            yield action(lookup.transfer, **given)
    elif wanted.state == SPLITTING and not wanted.force:
        yield action(split.split, broker=actor)
    elif wanted.force:
        yield from _forced(state, actor, unit, wanted)


def _forced(state: State, actor: int, unit: int, wanted: Record) -> Iterator[Action]:
    """Yield the actions that publish forced records: overrides of the leader, hand-overs of a shutdown."""
    named: dict[str, Any] = {"broker": actor, "unit": unit}
    for other in range(1, state.bounds.brokers + 1):
        yield from told(state, actor, other)
    if wanted.state == FREE:
        yield action(recovery.free_orphan, **named)
        if state.bounds.shutdowns:
            yield from _leaving(actor)
            yield action(alone.free_own, **named)
        return
    if wanted.state == RELEASING and wanted.destination == NOBODY:
        yield action(lookup.remove, **named)
        return
    destination = wanted.source if wanted.state == SPLITTING else wanted.destination
    if destination == NOBODY:
        return
    if state.bounds.shutdowns:
        yield from _leaving(actor)
        yield action(shutdown.drain, **named, destination=destination)
    if wanted.state != RELEASING:
        yield action(recovery.override, **named, destination=destination)
        if state.bounds.flight_timer:
            yield action(flights.end_flight, **named, destination=destination)


def _leaving(actor: int) -> Iterator[Action]:
    yield action(shutdown.disable, broker=actor)
    yield action(shutdown.hurry, broker=actor)


def told(state: State, actor: int, other: int) -> Iterator[Action]:
    """Yield the notification of *actor* about the registration of *other*, if its cache differs."""
    if other != NOBODY and state.known[actor, other] != (state.node[other] != Node.ABSENT):
        notice = cleanup.notice if state.bounds.safe_mode else sessions.notice
        yield action(notice, observer=actor, broker=other)


def _splits(state: State, actor: int) -> Iterator[Action]:
    if state.bounds.splits:
        for number in range(1, state.splitting[actor].length + 1):
            job = {"broker": actor, **({"number": number} if state.bounds.splits_at_once > 1 else {})}
            yield action(boundaries.move_boundaries, **job)
            yield action(boundaries.retry_split, **job)
            yield action(split.delete_parent, **job)
        if state.boundaries[actor] != state.ring:
            yield action(boundaries.reload_boundaries, broker=actor)


def _sessions(state: State, actor: int) -> Iterator[Action]:
    if not state.bounds.safe_mode:
        if state.session_ended[actor]:
            yield action(sessions.reestablish, broker=actor)
        return
    yield action(outage.lose_session, broker=actor)
    yield action(outage.reconnect, broker=actor)
    yield action(outage.settle, broker=actor)
    for gone in range(1, state.bounds.brokers + 1):
        yield from told(state, actor, gone)
        yield action(cleanup.monitor, broker=actor, gone=gone)
        if state.cleaning[actor, gone]:
            yield action(cleanup.end_clean_up, broker=actor, gone=gone)
    if state.bounds.storage == Storage.METADATA_STORE:
        yield action(invalidation.fail, broker=actor)
        for unit in range(1, state.bounds.units + 1):
            yield action(invalidation.fill, broker=actor, unit=unit)


def leaving_steps(state: State, actor: int) -> Iterator[Action]:
    """Yield the unobserved steps of a broker that is to unregister: its own clean-up."""
    if state.stage[actor] == Stage.RUNNING:
        yield action(shutdown.disable, broker=actor)
    for unit in range(1, state.bounds.units + 1):
        yield action(shutdown.pass_over, broker=actor, unit=unit)
