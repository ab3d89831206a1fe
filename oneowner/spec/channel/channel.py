"""
Laws of the channel require that the log only grows, and that exactly one record wins.

Laws about an accepted record look at the steps that write: the record is the oldest publish of the
broker that appends (the second one, if it overtakes), and it is accepted if the channel's entry for its unit becomes
that record.
"""

from oneowner.model.channel.channel import entry, folded, place_of
from oneowner.model.channel.dialects import has_versions
from oneowner.model.channel.parts import Message, Publish
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import Record, is_absent, next_version
from oneowner.model.channel.resolver import unlawful
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.language import Sequence
from oneowner.model.kernel.law import LawKind, Status, step_law


def is_write(action: Action) -> bool:
    """Return whether this action puts a publish into the channel."""
    return action.name == "append" or action.name == "append_unacknowledged" or action.name == "overtake"


def written(before: State, action: Action) -> Publish:
    """Return the publish that a writing action puts into the channel."""
    return before.outbox[action.argument("broker")][2 if action.name == "overtake" else 1]


def is_written(before: State, action: Action, unit: int, record: Record) -> bool:
    return written(before, action).unit == unit and written(before, action).record == record


def is_accepted(before: State, action: Action, after: State) -> bool:
    """Return whether this step writes a record that becomes its unit's entry."""
    if not is_write(action):
        return False
    publish = written(before, action)
    held = entry(before, publish.unit)
    return entry(after, publish.unit) == publish.record and held != publish.record


def replaces(before: State, action: Action, after: State) -> bool:
    """Return whether this step writes a record (no tombstone) that replaces another one."""
    if not is_accepted(before, action, after):
        return False
    publish = written(before, action)
    return not is_absent(publish.record) and not is_absent(entry(before, publish.unit))


# ---- models.S2 ----


def touches_channel(before: State, action: Action, after: State) -> bool:
    if before.log != after.log:
        return True
    return any(before.base[unit] != after.base[unit] for unit in units(before))


def fold_of(before: State, unit: int, log: Sequence[Message], count: int) -> Record:
    """Return the entry of *unit* when the first *count* records of *log* are folded into the base."""
    record = before.base[unit]
    for number in range(1, before.bounds.window + 2):
        if number <= count and log[number].unit == unit:
            record = folded(before, record, log[number].record)
    return record


@step_law("append-only", "ServiceUnitStateTableViewImpl.put", when=touches_channel, kind=LawKind.PROTOCOL)
def only_appends(before: State, action: Action, after: State) -> bool:
    """
    The channel changes only by appending the record that a broker published (or the syncer copied); consumed records
    are folded, never changed (metadata store: the written unit's node becomes that record).
    """
    if before.bounds.storage == Storage.METADATA_STORE:
        return all(
            is_write(action) and is_written(before, action, unit, after.base[unit])
            for unit in units(before)
            if before.base[unit] != after.base[unit]
        )
    grown = before.log
    if is_write(action):
        publish = written(before, action)
        grown = grown.plus(Message(publish.unit, publish.record))
    elif action.name == "copy_to_topic":
        grown = grown.plus(Message(action.argument("unit"), before.nodes[action.argument("unit")]))
    gone = grown.length - after.log.length
    if gone < 0:
        return False
    is_kept = all(
        after.log[number] == grown[number + gone]
        for number in range(1, before.bounds.window + 1)
        if number <= after.log.length
    )
    return is_kept and all(after.base[unit] == fold_of(before, unit, grown, gone) for unit in units(before))


# ---- models.S5, S6, S7, S18 ----


def follows_unforced(before: State, action: Action, after: State) -> bool:
    if not replaces(before, action, after):
        return False
    publish = written(before, action)
    if not has_versions(before.bounds.dialect):
        return not publish.record.force
    in_turn = publish.record.version == version_after(before, publish.unit)
    return in_turn and not publish.record.force


@step_law(
    "legal-step",
    "ServiceUnitState.isValidTransition; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
    when=follows_unforced,
    kind=LawKind.PROTOCOL,
)
def is_legal(before: State, action: Action, after: State) -> bool:
    """An unforced record accepted in its turn is a move that the transition table and its broker rule allow."""
    publish = written(before, action)
    held, bounds = entry(before, publish.unit), before.bounds
    return unlawful(held, publish.record, bounds.storage, bounds.dialect) is None


def replaces_with_a_version(before: State, action: Action, after: State) -> bool:
    return has_versions(before.bounds.dialect) and replaces(before, action, after)


def version_after(before: State, unit: int) -> int:
    """Return the version that follows that of the unit's entry; behind the last one comes the lowest."""
    held = entry(before, unit)
    if not is_absent(held) and held.version == before.bounds.last_version:
        return -before.bounds.last_version - 1
    return next_version(held)


@step_law(
    "version-chain",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#19620",  # models.H6, bugs.S4, channel.R3
    when=replaces_with_a_version,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def is_next_version(before: State, action: Action, after: State) -> bool:
    """
    An accepted record that replaces another one carries the version after it, unless the unit's entry was deleted since
    the record was computed: then a late one may leave a gap, behind which everything is accepted. So may one that was
    computed before versions wrapped around (the highest is followed by the lowest).
    """
    publish = written(before, action)
    return publish.record.version == version_after(before, publish.unit)


def wins(before: State, action: Action, after: State) -> bool:
    return is_accepted(before, action, after) and not is_absent(written(before, action).record)


def wins_with_a_version(before: State, action: Action, after: State) -> bool:
    return has_versions(before.bounds.dialect) and wins(before, action, after)


@step_law(
    "unique-winner",
    "PIP-192, Conflict State Resolution; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R3
    when=wins_with_a_version,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def wins_first(before: State, action: Action, after: State) -> bool:
    """
    Between two tombstones of a unit at most one record per version is accepted, unless versions have wrapped around:
    then every late record is above the held one.
    """
    publish = written(before, action)
    return not before.won[publish.unit, place_of(before.bounds, publish.record.version)]


@step_law(
    "accepted-is-cas",
    # channel.R3
    "follows from PIP-192, Conflict State Resolution; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
    when=wins,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def starts_from_entry(before: State, action: Action, after: State) -> bool:
    """
    An accepted record was computed from exactly the entry that it replaces, as if by compare-and-set: stale leaders and
    late publishers are harmless, unless the unit's entry was deleted meanwhile or versions have wrapped around.
    """
    publish = written(before, action)
    return publish.basis == entry(before, publish.unit)
