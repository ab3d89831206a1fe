"""
Witnesses name situations that a family must reach; else its laws may hold because nothing happens.

These are situations of records and of their readers.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Run
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import ASSIGNING, FREE, NOBODY, OWNED, is_absent, next_version
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import sometimes
from oneowner.spec.channel.channel import is_accepted, is_write, wins, written


@sometimes("assignment-ends", "PIP-192, Own")
def an_assignment_ends(before: State, action: Action, after: State) -> bool:
    """An assigned broker owns the unit."""
    if not wins(before, action, after):
        return False
    record = written(before, action).record
    return record.state == OWNED and record.source == NOBODY and not record.force


@sometimes("unload-ends", "PIP-192, Unload")
def an_unload_ends(before: State, action: Action, after: State) -> bool:
    """An unloaded unit is free."""
    if not wins(before, action, after):
        return False
    record = written(before, action).record
    return record.state == FREE and not record.force


@sometimes("transfer-ends", "PIP-192, Transfer")
def a_transfer_ends(before: State, action: Action, after: State) -> bool:
    """A unit is handed to another broker."""
    if not wins(before, action, after):
        return False
    record = written(before, action).record
    return record.state == OWNED and record.source != NOBODY and not record.force


def refused_by(before: State, action: Action, rule: str) -> bool:
    """Return whether this step writes a record that the resolver refuses by *rule*."""
    if not is_write(action):
        return False
    publish = written(before, action)
    held, bounds = entry(before, publish.unit), before.bounds
    refused = refusal(held, publish.record, bounds.storage, bounds.dialect, bounds.last_version)
    return refused is not None and refused.rule == rule


@sometimes("version-refuses", "ServiceUnitStateDataConflictResolver.shouldKeepLeft")  # channel.R4
def a_version_refuses(before: State, action: Action, after: State) -> bool:
    """A record loses by its version."""
    return refused_by(before, action, "version")


@sometimes(
    "transition-refuses",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; ServiceUnitState.isValidTransition",  # channel.R7
)
def a_transition_refuses(before: State, action: Action, after: State) -> bool:
    """A record loses by the transition table."""
    return refused_by(before, action, "transition")


@sometimes("broker-refuses", "ServiceUnitStateDataConflictResolver.shouldKeepLeft")  # channel.R8
def a_broker_rule_refuses(before: State, action: Action, after: State) -> bool:
    """A record loses by its brokers."""
    return refused_by(before, action, "broker")


@sometimes("resent-record-refused", "ProducerImpl.resendMessages; seen in traces/real/kill-mid-transfer")  # run.G8
def a_resent_record_is_refused(before: State, action: Action, after: State) -> bool:
    """A record appended twice is refused the second time."""
    if action.name != "append" or before.resends_left == before.bounds.resends:
        return False
    return entry(before, written(before, action).unit) == written(before, action).record


@sometimes(
    "dead-broker-assigned",
    "ExtensibleLoadManagerImpl.selectAsync; seen in traces/real/kill-mid-transfer",  # run.G7
)
def the_assigned_broker_is_dead(before: State, action: Action, after: State) -> bool:
    """A unit is assigned to a dead, still registered broker."""
    if not wins(before, action, after):
        return False
    record = written(before, action).record
    return record.state == ASSIGNING and before.run[record.destination] == Run.DOWN


@sometimes("override-wins", "ServiceUnitStateChannelImpl.overrideOwnership")  # channel.P13
def an_override_wins(before: State, action: Action, after: State) -> bool:
    """The leader's override is accepted."""
    return is_accepted(before, action, after) and written(before, action).record.force


@sometimes(
    "override-loses",
    "ServiceUnitStateChannelImpl.overrideOwnership; ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.D10
)
def an_override_loses(before: State, action: Action, after: State) -> bool:
    """The leader's override loses by its version."""
    if not is_write(action) or not written(before, action).record.force:
        return False
    return refused_by(before, action, "version")


@sometimes(
    "untainted-served-after-fault",
    "follows from PIP-192, Bundle State Channel (one owner of a bundle)",  # models.S22
)
def a_fault_elsewhere_leaves_it_alone(before: State, action: Action, after: State) -> bool:
    """A fault elsewhere leaves a served unit untainted."""
    if action.name != "crash" and action.name != "expire":
        return False
    return any(
        action.arguments[0] != ("broker", broker) and after.serving[broker, unit] and not after.tainted[unit]
        for broker in brokers(after)
        for unit in units(after)
    )


@sometimes("tombstone-deletes", "ServiceUnitStateDataConflictResolver.shouldKeepLeft")  # channel.R1
def a_tombstone_deletes(before: State, action: Action, after: State) -> bool:
    """A tombstone deletes an entry."""
    return is_accepted(before, action, after) and is_absent(written(before, action).record)


@sometimes(
    "begins-anew",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft: the topic takes any version after a tombstone",  # models.H4
)
def a_unit_begins_anew(before: State, action: Action, after: State) -> bool:
    """A unit whose entry was deleted is assigned anew."""
    if not wins(before, action, after) or before.tombstones_left == before.bounds.tombstones:
        return False
    return is_absent(entry(before, written(before, action).unit))


@sometimes(
    "gap-accepted",
    "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#20110",  # channel.R5, models.H6
)
def a_gap_is_accepted(before: State, action: Action, after: State) -> bool:
    """A record is accepted behind a version gap."""
    if not wins(before, action, after) or is_absent(entry(before, written(before, action).unit)):
        return False
    publish = written(before, action)
    return publish.record.version > next_version(entry(before, publish.unit))


@sometimes("freed-by-force", "ServiceUnitStateChannelImpl.overrideOwnership")  # channel.9
def a_unit_is_freed_by_force(before: State, action: Action, after: State) -> bool:
    """An override that finds no broker frees the unit."""
    return an_override_wins(before, action, after) and written(before, action).record.state == FREE


@sometimes(
    "reader-carried-over",
    "ServiceUnitStateTableViewImpl; CompactedTopicUtils.asyncReadCompactedEntries",  # models.S8 (E4), channel.3
)
def a_reader_is_carried_over_a_record(before: State, action: Action, after: State) -> bool:
    """A lagging reader is given what a compaction kept, and never sees a record before that."""
    return action.name == "jump" and before.horizon - before.cursor[action.argument("broker")] > 1


@sometimes("tombstone-missed", "apache/pulsar#26190")  # models.S8 (E4), bugs.R24
def a_reader_is_carried_over_a_tombstone(before: State, action: Action, after: State) -> bool:
    """A compaction carries a lagging reader over a tombstone of an entry that it holds."""
    if action.name != "jump":
        return False
    broker = action.argument("broker")
    return any(after.missed[broker, unit] and not before.missed[broker, unit] for unit in units(before))
