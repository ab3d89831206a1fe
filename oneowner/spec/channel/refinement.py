"""
Refinement mappings find the abstract specifications in the model; a search checks them on every explored step.

R1 and R5 map the channel (the log's fold; the metadata store's node) to R0, ``requirement.py``; R2 and R5 map the views
to readers of one history, ``reading.py``. In the metadata store notifications coalesce: one step may read several
entries. The refinements of compactions (R3, R4) are in ``compacted.py``.

A mapping may remember facts that the state alone does not show (a *history variable*: Abadi and Lamport, The existence
of refinement mappings): the brokers that have ever failed, the entries that a waiting notification has passed over. It
*observes* each state, and *follows* each step with its memory.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import entry, folded, has_read_channel
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.record import Record, is_in_flight, owner
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.handoff.requirement import (
    BREAK,
    NAMES,
    Flight,
    Ownership,
    Promised,
    action_between,
    action_unless_tainted,
)
from oneowner.model.kernel.refinement import Refinement
from oneowner.spec.channel.reading import READ, START, STOP, WRITE, Reader, Reads, one_read, several_reads

__traced__ = False  # maps explored states to abstract ones

# ---- R1, R5: who owns ----


def on_topic(bounds: Bounds) -> bool:
    return bounds.storage == Storage.SYSTEM_TOPIC


def in_store(bounds: Bounds) -> bool:
    return bounds.storage == Storage.METADATA_STORE


def ownership(state: State) -> Ownership:
    """Return the channel's entry of every unit, and the brokers that are dead or unregistered now."""
    entries = [entry(state, unit) for unit in range(1, state.bounds.units + 1)]
    failing = [broker for broker in range(1, state.bounds.brokers + 1) if is_failing(state, broker)]
    return Ownership(tuple(map(owner, entries)), tuple(map(flight, entries)), frozenset(failing))


def is_failing(state: State, broker: int) -> bool:
    """Return whether the process of *broker* is dead or its registration is gone."""
    return state.run[broker] != Run.UP or state.node[broker] == Node.ABSENT


def flight(record: Record) -> Flight | None:
    """Return the hand-over that an entry stands for; a split is one too: the source gives the unit to nobody."""
    if not is_in_flight(record):
        return None
    return Flight(record.source, record.destination)


def with_all_failures(before: Ownership, seen: Ownership) -> Ownership:
    """Return what is seen, with the brokers that have failed before: a failure is never taken back."""
    return seen._replace(lost=before.lost | seen.lost)


def ownership_and_taint(state: State) -> Promised:
    tainted = tuple(state.tainted[unit] for unit in range(1, state.bounds.units + 1))
    return Promised(ownership(state), tainted)


def promised_with_all_failures(before: Promised, seen: Promised) -> Promised:
    return Promised(with_all_failures(before.ownership, seen.ownership), seen.tainted)


# ---- R2, R5: what brokers read ----


def reads_of_log(state: State) -> Reads:
    """Return what the log holds for each broker behind its cursor, without the records that every reader drops."""
    units = range(1, state.bounds.units + 1)
    readers: list[Reader | None] = []
    for broker in range(1, state.bounds.brokers + 1):
        if not has_read_channel(state, broker):
            readers.append(None)
            continue
        unread = tuple(accepted_after(state, unit, state.cursor[broker]) for unit in units)
        readers.append(Reader(tuple(state.view[broker, unit] for unit in units), unread))
    return Reads(tuple(entry(state, unit) for unit in units), tuple(readers))


def accepted_after(state: State, unit: int, cursor: int) -> tuple[Record, ...]:
    """Return the entries that *unit* takes on in turn by the records of the log behind *cursor*."""
    held, found = state.base[unit], []
    for number in range(1, state.log.length + 1):
        before = held
        if state.log[number].unit == unit:
            held = folded(state, held, state.log[number].record)
        if number > cursor and held != before:
            found.append(held)
    return tuple(found)


def latest(before: Reads, seen: Reads) -> Reads:
    return seen


class Told(NamedTuple):
    """The sight of a broker in the metadata store: its view, and whether a notification waits; per unit."""

    shows: tuple[Record, ...]
    waits: tuple[bool, ...]


class Nodes(NamedTuple):
    """The sight of the metadata store: the nodes, and the notifications that every living broker has received."""

    nodes: tuple[Record, ...]
    told: tuple[Told | None, ...]


def nodes_and_notifications(state: State) -> Nodes:
    units = range(1, state.bounds.units + 1)
    told = [
        Told(tuple(state.view[broker, unit] for unit in units), tuple(state.changed[broker, unit] for unit in units))
        if state.run[broker] != Run.DOWN
        else None
        for broker in range(1, state.bounds.brokers + 1)
    ]
    return Nodes(tuple(state.base[unit] for unit in units), tuple(told))


def nothing_unread(seen: Nodes) -> Reads:
    readers = [None if told is None else Reader(told.shows, ((),) * len(told.shows)) for told in seen.told]
    return Reads(seen.nodes, tuple(readers))


def with_passed_over(before: Reads, seen: Nodes) -> Reads:
    """Return who has yet to read what: all that was written since the notification that waits for the broker."""
    readers: list[Reader | None] = []
    for reader, told in zip(before.readers, seen.told, strict=True):
        if told is None:
            readers.append(None)
            continue
        unread = []
        for unit, waits in enumerate(told.waits):
            earlier = () if reader is None else reader.unread[unit]
            written = () if seen.nodes[unit] == before.last[unit] else (seen.nodes[unit],)
            unread.append((*earlier, *written) if waits else ())
        readers.append(Reader(told.shows, tuple(unread)))
    return Reads(seen.nodes, tuple(readers))


def as_seen(seen: Any) -> Any:
    """Return what is seen of the initial state: nothing has to be remembered yet."""
    return seen


def to_r0(name: str, statement: str, source: str, applies: Callable[[Bounds], object]) -> Refinement:
    """Declare a mapping of the channel to R0."""
    means = (NAMES, ownership, as_seen, with_all_failures, action_between)
    return Refinement(name, statement, source, applies, *means)


def to_r0_unless_tainted(name: str, statement: str, source: str, applies: Callable[[Bounds], object]) -> Refinement:
    """Declare the same for units that are not tainted."""
    means = (ownership_and_taint, as_seen, promised_with_all_failures, action_unless_tainted)
    return Refinement(name, statement, source, applies, (*NAMES, BREAK), *means)


CHANNEL = to_r0(
    "channel",
    "The fold of the log is ownership as R0 has it: every step is one abstract action, or changes nothing.",
    "models.R1",
    on_topic,
)

CHANNEL_UNLESS_TAINTED = to_r0_unless_tainted(
    "channel-unless-tainted",
    "The same for every unit that is not tainted: overruled by force, tombstoned while active, continued behind a gap.",
    "models.R1 (its guard), models.S22",
    on_topic,
)

VIEWS = Refinement(
    "views",
    "Every broker reads one history, in order and without gaps or returns, one entry a step.",
    "models.R2",
    on_topic,
    (WRITE, READ, START, STOP),
    reads_of_log,
    as_seen,
    latest,
    one_read,
)

NODE = to_r0(
    "node",
    "The nodes of the metadata store are ownership as R0 has it; a write that loses changes nothing.",
    "models.R5, models.R1",
    in_store,
)

NODE_UNLESS_TAINTED = to_r0_unless_tainted(
    "node-unless-tainted",
    "The same for every unit that is not tainted.",
    "models.R5, models.R1 (its guard), models.S22",
    in_store,
)

NOTIFICATIONS = Refinement(
    "notifications",
    "Every broker reads one history in order; one notification stands for as many reads as entries it passes over.",
    "models.R5, models.R2, channel.D12",
    in_store,
    (WRITE, READ, START, STOP),
    nodes_and_notifications,
    nothing_unread,
    with_passed_over,
    several_reads,
)

REFINEMENTS_OF_STORAGES = (CHANNEL, CHANNEL_UNLESS_TAINTED, VIEWS, NODE, NODE_UNLESS_TAINTED, NOTIFICATIONS)
