"""
Witnesses: situations that a family must reach, or its laws may hold because nothing happens.
"""

from __future__ import annotations

from model.channel import entry
from model.record import ASSIGNING, DELETED, FREE, NOBODY, OWNED, is_absent, next_version
from model.resolver import refusal
from model.ring import PARENT
from model.state import Run
from model.system import Action, State
from spec.channel import is_accepted, is_write, written
from spec.ownership import servers
from spec.property import sometimes


def accepts_state(before: State, action: Action, after: State) -> bool:
    return is_accepted(before, action, after) and not is_absent(written(before, action).record)


def an_assignment_ends(before: State, action: Action, after: State) -> bool:
    if not accepts_state(before, action, after):
        return False
    record = written(before, action).record
    return record.state == OWNED and record.source == NOBODY and not record.force


def an_unload_ends(before: State, action: Action, after: State) -> bool:
    if not accepts_state(before, action, after):
        return False
    record = written(before, action).record
    return record.state == FREE and not record.force


def a_transfer_ends(before: State, action: Action, after: State) -> bool:
    if not accepts_state(before, action, after):
        return False
    record = written(before, action).record
    return record.state == OWNED and record.source != NOBODY and not record.force


def an_override_wins(before: State, action: Action, after: State) -> bool:
    return is_accepted(before, action, after) and written(before, action).record.force


def an_override_loses(before: State, action: Action, after: State) -> bool:
    if not is_write(action) or not written(before, action).record.force:
        return False
    return refused_by(before, action, "version")


def refused_by(before: State, action: Action, rule: str) -> bool:
    """Say whether this step writes a record that the resolver refuses by *rule*."""
    if not is_write(action):
        return False
    publish = written(before, action)
    refused = refusal(entry(before, publish.unit), publish.record, before.bounds.storage)
    return refused is not None and refused.rule == rule


def a_version_refuses(before: State, action: Action, after: State) -> bool:
    return refused_by(before, action, "version")


def a_transition_refuses(before: State, action: Action, after: State) -> bool:
    return refused_by(before, action, "transition")


def a_broker_rule_refuses(before: State, action: Action, after: State) -> bool:
    return refused_by(before, action, "broker")


def a_resent_record_is_refused(before: State, action: Action, after: State) -> bool:
    if action.name != "append" or before.resends_left == before.bounds.resends:
        return False
    return entry(before, written(before, action).unit) == written(before, action).record


def the_assigned_broker_is_dead(before: State, action: Action, after: State) -> bool:
    if not accepts_state(before, action, after):
        return False
    record = written(before, action).record
    return record.state == ASSIGNING and before.run[record.destination] == Run.DOWN


def a_fault_elsewhere_leaves_it_alone(before: State, action: Action, after: State) -> bool:
    if action.name != "crash" and action.name != "expire":
        return False
    for broker in range(1, after.bounds.brokers + 1):
        for unit in range(1, after.bounds.units + 1):
            if action.arguments[0] != ("broker", broker) and after.serving[broker, unit] and not after.tainted[unit]:
                return True
    return False


def two_serve_then_one(before: State, action: Action, after: State) -> bool:
    for unit in range(1, after.bounds.units + 1):
        if servers(before, unit) > 1 and servers(after, unit) == 1:
            return True
    return False


def a_tombstone_deletes(before: State, action: Action, after: State) -> bool:
    return is_accepted(before, action, after) and is_absent(written(before, action).record)


def a_unit_begins_anew(before: State, action: Action, after: State) -> bool:
    """Say whether a record is accepted after a tombstone was."""
    if not accepts_state(before, action, after) or before.tombstones_left == before.bounds.tombstones:
        return False
    return is_absent(entry(before, written(before, action).unit))


def a_gap_is_accepted(before: State, action: Action, after: State) -> bool:
    if not accepts_state(before, action, after) or is_absent(entry(before, written(before, action).unit)):
        return False
    publish = written(before, action)
    return publish.record.version > next_version(entry(before, publish.unit))


def a_unit_is_freed_by_force(before: State, action: Action, after: State) -> bool:
    return an_override_wins(before, action, after) and written(before, action).record.state == FREE


def a_split_ends(before: State, action: Action, after: State) -> bool:
    """Say whether the parent's entry is discarded once the boundaries cut it."""
    if before.bounds.splits == 0 or not after.ring.split:
        return False
    return entry(before, PARENT).state == DELETED and is_absent(entry(after, PARENT))


def a_split_is_taken_over(before: State, action: Action, after: State) -> bool:
    if action.name != "delete_parent":
        return False
    job = before.splitting[action.argument("broker")][1]
    return job.parent.force


def a_split_meets_stale_boundaries(before: State, action: Action, after: State) -> bool:
    """Say whether a broker that has begun to split learns of boundaries moved by somebody else."""
    if action.name != "reload_boundaries":
        return False
    splitting = before.splitting[action.argument("broker")]
    return splitting.length > 0 and not splitting[1].moved


WITNESSES = (
    sometimes("assignment-ends", "An assigned broker owns the unit.", "PIP-192, Own", an_assignment_ends),
    sometimes("unload-ends", "An unloaded unit is free.", "PIP-192, Unload", an_unload_ends),
    sometimes("transfer-ends", "A unit is handed to another broker.", "PIP-192, Transfer", a_transfer_ends),
    sometimes("version-refuses", "A record loses by its version.", "channel.R4", a_version_refuses),
    sometimes("transition-refuses", "A record loses by the transition table.", "channel.R7", a_transition_refuses),
    sometimes("broker-refuses", "A record loses by its brokers.", "channel.R8", a_broker_rule_refuses),
    sometimes(
        "resent-record-refused",
        "A record appended twice is refused the second time.",
        "run.G8",
        a_resent_record_is_refused,
    ),
    sometimes(
        "dead-broker-assigned",
        "A unit is assigned to a dead, still registered broker.",
        "run.G7",
        the_assigned_broker_is_dead,
    ),
    sometimes("override-wins", "The leader's override is accepted.", "channel.P13", an_override_wins),
    sometimes("override-loses", "The leader's override loses by its version.", "channel.D10", an_override_loses),
    sometimes(
        "untainted-served-after-fault",
        "A fault elsewhere leaves a served unit untainted.",
        "models.S22",
        a_fault_elsewhere_leaves_it_alone,
    ),
    sometimes("tombstone-deletes", "A tombstone deletes an entry.", "channel.R1", a_tombstone_deletes),
    sometimes("begins-anew", "A unit whose entry was deleted is assigned anew.", "models.H4", a_unit_begins_anew),
    sometimes("gap-accepted", "A record is accepted behind a version gap.", "channel.R5, models.H6", a_gap_is_accepted),
    sometimes(
        "freed-by-force", "An override that finds no broker frees the unit.", "channel.9", a_unit_is_freed_by_force
    ),
    sometimes("split-ends", "A split ends: the parent's entry is gone.", "channel.P10", a_split_ends),
    sometimes(
        "split-taken-over",
        "A split that its broker did not end is ended by another one.",
        "channel.9",
        a_split_is_taken_over,
    ),
    sometimes(
        "split-meets-stale-boundaries",
        "A split waits because somebody else moved the namespace's boundaries.",
        "bugs.R63",
        a_split_meets_stale_boundaries,
    ),
    sometimes("dual-serving-heals", "Two brokers serve a unit, then one.", "models.S23, run.G1", two_serve_then_one),
)
