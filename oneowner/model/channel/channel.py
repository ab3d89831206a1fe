"""
The channel takes records in, holds an entry of each unit, and forgets old records.

System topic: a log with one total order. Appending is the linearisation point; each broker consumes
at its own pace, and its view is the fold of what it has consumed (``ServiceUnitStateTableViewImpl``,
pulsar-client ``TableViewImpl.handleMessage``). Metadata store: one node per unit, written by
compare-and-set after the writer has asked the resolver; watchers are told "changed" and read what is
there then, so values in between may be missed (``MetadataStoreTableViewImpl``, PIP-378).
"""

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.dialects import has_versions
from oneowner.model.channel.parts import Message, Publish, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import (
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    TOMBSTONE,
    Record,
    is_absent,
    is_active,
    next_version,
)
from oneowner.model.channel.resolver import refusal, releases_its_owner
from oneowner.model.channel.ring import is_cut, overlap
from oneowner.model.channel.rules import Dialect, Storage
from oneowner.model.channel.session import has_session
from oneowner.model.channel.state import State
from oneowner.model.kernel.guards import require_bound, require_room
from oneowner.model.kernel.releases import Switch

PUT_GIVES_UP = Switch(
    "A put into the metadata store that another one has overtaken is given up, not written over it (#24186).",
)

TOMBSTONE_COMPARES = Switch(
    "A tombstone names the version that it deletes, and is refused by any other entry (models.H6).",
)

DEDUPLICATION = Switch(
    "The topic drops a publish that it has taken before (``brokerDeduplicationEnabled``, off there; run.G8).",
)


def entry(state: State, unit: int) -> Record:
    """Return what the channel holds for *unit*: the fold of everything that was ever written."""
    return consumed(state, unit, state.log.length)


def consumed(state: State, unit: int, count: int) -> Record:
    """Return the entry of *unit* by the first *count* records of the window, as a reader there holds it."""
    record = state.base[unit]
    for number in range(1, state.bounds.window + 1):
        if number <= count and state.log[number].unit == unit:
            record = folded(state, record, state.log[number].record)
    return record


def folded(state: State, held: Record, proposed: Record) -> Record:
    """Return what a reader that holds *held* holds after *proposed*."""
    if accepts(state, held, proposed):
        return proposed
    return held


def accepts(state: State, held: Record, proposed: Record) -> bool:
    """Return whether the channel, and a reader of its dialect, that holds *held* takes *proposed*."""
    return takes(state, state.bounds.dialect, held, proposed)


def takes(state: State, dialect: Dialect, held: Record, proposed: Record) -> bool:
    """Return whether a reader that speaks *dialect* and holds *held* takes *proposed*."""
    if state.bounds.storage == Storage.METADATA_STORE and is_absent(held) and is_absent(proposed):
        return False  # NotFound, which ``ServiceUnitStateMetadataStoreTableViewImpl.delete`` swallows
    bounds = state.bounds
    return refusal(held, proposed, bounds.storage, dialect, bounds.last_version, bounds.rules) is None


def tombstone_of(state: State, held: Record) -> Record:
    """Return the tombstone that deletes *held*: in Pulsar a null, which does not name the entry that it deletes."""
    if state.bounds.rules.tombstone_compares:
        return Record(NOTHING, NOBODY, NOBODY, False, held.version)
    return TOMBSTONE


def publish(state: State, broker: int, unit: int, record: Record, basis: Record) -> None:
    """Hand *record* to the broker's producer; its outcome is open until it is appended or lost."""
    sent = stamped(state, record)
    waiting = state.outbox[broker]
    require_room(waiting.length < state.bounds.pending, "the broker's producer has room for a publish")
    require_bound(sent.version <= state.bounds.versions, "versions")
    if state.bounds.wraps:
        require_bound(is_absent(sent) or sent.version != 0, "versions")  # once around
    state.outbox[broker] = waiting.plus(Publish(unit, sent, basis))


def stamped(state: State, record: Record) -> Record:
    """Return *record* as it is sent: without a version in a dialect that has none, or with the one after the last."""
    if not has_versions(state.bounds.dialect):
        return Record(record.state, record.destination, record.source, record.force, 0)
    if state.bounds.wraps and record.version > state.bounds.versions:
        return Record(record.state, record.destination, record.source, record.force, -state.bounds.versions - 1)
    return record


def is_publishing(state: State, broker: int, unit: int) -> bool:
    """Return whether a publish of *broker* for *unit* is under way."""
    return any(
        number <= state.outbox[broker].length and state.outbox[broker][number].unit == unit
        for number in range(1, state.bounds.pending + 1)
    )


def has_host(state: State) -> bool:
    """Return whether a broker that runs hosts the channel's topic: any, unless its host is modelled."""
    if state.bounds.channel_host:
        return state.run[state.host] == Run.UP and not state.channel_closed
    return any(state.run[broker] == Run.UP for broker in brokers(state))


def is_known_to_topic(state: State, broker: int) -> bool:
    """Return whether the topic drops the oldest publish of *broker*: it has it, and with deduplication it knows."""
    return state.bounds.rules.deduplication and state.resent[broker]


def write(state: State, unit: int, record: Record) -> None:
    """
    Put *record* into the channel: the linearisation point of both storages.

    A record that the resolver refuses stays in the log, where every reader drops it; in the metadata
    store its writer drops it and still reports success.
    """
    held = entry(state, unit)
    accepted = accepts(state, held, record)
    if accepted:
        remember(state, unit, held, record)
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        require_room(state.log.length < state.bounds.window, "the slowest living broker is within the window")
        state.log = state.log.plus(Message(unit, record))
    elif accepted:
        put_node(state, unit, record)


def put_node(state: State, unit: int, record: Record) -> None:
    """Let the node of *unit* hold *record*, and whoever watches it be told."""
    state.base[unit] = record
    for broker in range(1, state.bounds.brokers + 1):
        state.changed[broker, unit] = is_told(state, broker, unit)


def arrive(state: State, broker: int, publish: Publish) -> bool:
    """Let a publish of *broker* reach the channel, and say whether it won: the channel has taken it."""
    won = accepts(state, entry(state, publish.unit), publish.record)
    if not won and overwrites(state, broker, publish):
        put_over(state, publish.unit, publish.record)
        return True
    if not is_known_to_topic(state, broker):
        write(state, publish.unit, publish.record)
    state.resent[broker] = False
    return won


def overwrites(state: State, broker: int, publish: Publish) -> bool:
    """
    Return whether a put that another one has overtaken is written over it.

    Until #24186 a compare-and-set that failed was tried again with the version that it found. Where the value is not
    judged anew (the writer's cache still says what it did), it lands on what nobody compared it with.
    """
    if state.bounds.storage != Storage.METADATA_STORE or state.bounds.rules.put_gives_up:
        return False
    return state.changed[broker, publish.unit] and accepts(state, state.view[broker, publish.unit], publish.record)


def put_over(state: State, unit: int, record: Record) -> None:
    """Put *record* into the node of *unit*, whatever it holds."""
    remember(state, unit, entry(state, unit), record)
    put_node(state, unit, record)


def has_read_channel(state: State, broker: int) -> bool:
    """Return whether the process of *broker* lives and has read the channel at its start: it has view and cursor."""
    return state.run[broker] != Run.DOWN and state.run[broker] != Run.STARTING


def is_told(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* gets a notification of *unit* once its node has changed; a watch needs a session."""
    if not has_session(state, broker):
        return state.changed[broker, unit]
    return state.run[broker] != Run.DOWN or state.changed[broker, unit]


def remember(state: State, unit: int, held: Record, accepted: Record) -> None:
    """Set the ghosts of *unit* when *accepted* replaces *held*."""
    rival = state.bounds.synced > 0 and is_rival(state.nodes[unit], accepted)
    if taints(held, accepted) or revives_parent(state, unit, held, accepted) or rival:
        for other in range(1, state.bounds.units + 1):  # its parent and children as well
            if overlap(state.bounds, unit, other):
                state.tainted[other] = True
    if is_absent(accepted):  # a tombstone ends this incarnation of the unit: versions start anew
        for place in range(1, places(state.bounds) + 1):
            state.won[unit, place] = False
    elif has_versions(state.bounds.dialect):
        state.won[unit, place_of(state.bounds, accepted.version)] = True


def places(bounds: Bounds) -> int:
    """Return how many versions a record may have."""
    return 2 * bounds.versions + 1 if bounds.wraps else bounds.versions


def place_of(bounds: Bounds, version: int) -> int:
    """Return the place of *version* among all, counted from 1 in the order in which they are used."""
    if bounds.wraps and version < 0:
        return version + 2 * bounds.versions + 2
    return version


def taints(held: Record, accepted: Record) -> bool:
    """
    Return whether accepting this record ends the promise that one broker at most serves the unit.

    A forced record overrules an owner who may live; a tombstone of an active entry and a record
    after a gap are accepted without any check (models.S22, models.H3, models.H6). A forced Releasing
    that asks the held owner is what an unforced one would be: the owner closes first.
    """
    if is_absent(accepted):
        return is_active(held)
    behind_a_gap = not is_absent(held) and accepted.version > next_version(held)
    asks_the_owner = accepted.state == RELEASING and held.state == OWNED and releases_its_owner(held, accepted)
    return (accepted.force and not asks_the_owner) or behind_a_gap


def revives_parent(state: State, unit: int, held: Record, accepted: Record) -> bool:
    """
    Return whether a parent comes to life beside its children, after its split.

    A record computed before its tombstone does it, and a lookup by a broker with stale boundaries (models.S17).
    """
    if state.bounds.splits == 0:
        return False
    return is_cut(state, unit) and is_active(accepted) and not is_active(held)


def is_rival(elsewhere: Record, accepted: Record) -> bool:
    """Return whether the other storage of a channel that is kept in two has accepted another record in its place."""
    return not is_absent(elsewhere) and elsewhere.version >= accepted.version and elsewhere != accepted


def forget_first(state: State) -> None:
    """
    Fold the first record of the window, which every broker that reads the channel has consumed, into ``base``.

    Exact: no step reads it except through the fold, and a broker that starts reads the fold
    (models.G1). With no living broker, everything is folded.
    """
    first = state.log[1]
    state.base[first.unit] = folded(state, state.base[first.unit], first.record)
    state.log = state.log.without(1)
    for broker in range(1, state.bounds.brokers + 1):
        state.cursor[broker] = cursor_after(state, broker)
    if state.bounds.synced:
        state.copied = state.copied - 1


def cursor_after(state: State, broker: int) -> int:
    """Return the cursor of *broker* when the first record is forgotten; a dead broker has none to move."""
    if has_read_channel(state, broker) and state.bounds.storage_of(broker) == Storage.SYSTEM_TOPIC:
        return state.cursor[broker] - 1
    return state.cursor[broker]


def is_forgettable(state: State) -> bool:
    """Return whether every living broker has consumed the window's first record, and no compaction will read it."""
    return state.bounds.compactions == 0 and state.log.length > 0 and is_consumed(state)


def is_consumed(state: State) -> bool:
    """Return whether every living reader of the topic, and the syncer, has consumed the window's first record."""
    if state.bounds.synced and state.copied == 0:
        return False
    return all(
        state.cursor[broker] != 0
        for broker in range(1, state.bounds.brokers - state.bounds.synced + 1)
        if has_read_channel(state, broker)
    )
