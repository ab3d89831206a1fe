"""Predicates of steps that make a situation happen; witnesses name them (``witnesses.py``)."""

from __future__ import annotations

from oneowner.model.channel.channel import entry
from oneowner.model.channel.lookup_parts import Outcome, Request, Stage
from oneowner.model.channel.parts import Metadata, Run
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, NOBODY, OWNED, SPLITTING, is_absent, next_version
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.ring import FIRST_CHILD, PARENT, is_cut
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.spec.channel.brokers import cannot_take_the_role, holds_the_lead_alone
from oneowner.spec.channel.channel import is_accepted, is_write, written
from oneowner.spec.channel.connections import clients_are_sent_on, some_connections_end
from oneowner.spec.channel.lookup import is_answered
from oneowner.spec.channel.ownership import writers
from oneowner.spec.channel.recovery import is_override
from oneowner.spec.channel.sessions import believers


def accepts_state(before: State, action: Action, after: State) -> bool:
    return is_accepted(before, action, after) and not is_absent(written(before, action).record)


def an_assignment_ends(before: State, action: Action, after: State) -> bool:
    if not accepts_state(before, action, after):
        return False
    record = written(before, action).record
    return record.state == OWNED and record.source == NOBODY and not record.force


def kept_clients_are_sent_on(before: State, action: Action, after: State) -> bool:
    return some_connections_end(before, action, after) and clients_are_sent_on(before, action, after)


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
    """Return whether this step writes a record that the resolver refuses by *rule*."""
    if not is_write(action):
        return False
    publish = written(before, action)
    held, bounds = entry(before, publish.unit), before.bounds
    refused = refusal(held, publish.record, bounds.storage, bounds.dialect, bounds.last_version)
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
    return any(
        action.arguments[0] != ("broker", broker) and after.serving[broker, unit] and not after.tainted[unit]
        for broker in brokers(after)
        for unit in units(after)
    )


def two_write_then_one(before: State, action: Action, after: State) -> bool:
    return any(writers(before, unit) > 1 and writers(after, unit) == 1 for unit in units(after))


def a_tombstone_deletes(before: State, action: Action, after: State) -> bool:
    return is_accepted(before, action, after) and is_absent(written(before, action).record)


def a_unit_begins_anew(before: State, action: Action, after: State) -> bool:
    """Return whether a record is accepted after a tombstone was."""
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


def a_unit_is_given_away(before: State, action: Action, after: State) -> bool:
    if not a_transfer_ends(before, action, after):
        return False
    return before.stage[written(before, action).record.source] != Stage.RUNNING


def two_are_given_away_at_once(before: State, action: Action, after: State) -> bool:
    """Return whether a broker gives a unit away while its forced record of another is still under way."""
    if action.name != "drain":
        return False
    waiting = before.outbox[action.argument("broker")]
    return waiting.length > 0 and waiting[1].record.force


def is_answered_somewhere(before: State, action: Action, after: State, outcome: Outcome) -> bool:
    """Return whether this step answers a lookup that waited with *outcome*."""
    return any(
        before.request[broker, unit] == Request.WAITING
        and after.reply[broker, unit].outcome == outcome
        and is_answered(before, action, after, broker, unit)
        for broker in brokers(before)
        for unit in units(before)
    )


def a_lookup_that_waited_is_answered(before: State, action: Action, after: State) -> bool:
    return action.name == "consume" and is_answered_somewhere(before, action, after, Outcome.OWNER)


def a_lookup_times_out(before: State, action: Action, after: State) -> bool:
    return action.name == "time_out" and is_answered_somewhere(before, action, after, Outcome.FAILED)


def a_shutdown_ends_a_lookup(before: State, action: Action, after: State) -> bool:
    return action.name == "consume" and is_answered_somewhere(before, action, after, Outcome.FAILED)


def a_reader_is_carried_over_a_record(before: State, action: Action, after: State) -> bool:
    return action.name == "jump" and before.horizon - before.cursor[action.argument("broker")] > 1


def a_reader_is_carried_over_a_tombstone(before: State, action: Action, after: State) -> bool:
    if action.name != "jump":
        return False
    broker = action.argument("broker")
    return any(after.missed[broker, unit] and not before.missed[broker, unit] for unit in units(before))


def safe_mode_begins(before: State, action: Action, after: State) -> bool:
    return action.name == "lose_session"


def safe_mode_is_over(before: State, action: Action, after: State) -> bool:
    return action.name == "settle"


def a_clean_up_is_called_off(before: State, action: Action, after: State) -> bool:
    if action.name != "notice" and action.name != "call_off":
        return False
    observer, broker = action.argument("observer"), action.argument("broker")
    return before.cleaning[observer, broker] and not after.cleaning[observer, broker]


def a_clean_up_fires_in_safe_mode(before: State, action: Action, after: State) -> bool:
    return is_override(before, action, after) and before.metadata[action.argument("broker")] != Metadata.STABLE


def the_monitor_finds_an_orphan(before: State, action: Action, after: State) -> bool:
    return action.name == "monitor"


def two_come_to_play_the_leader(before: State, action: Action, after: State) -> bool:
    return believers(before) < 2 and believers(after) > 1


def an_unregistered_broker_wins(before: State, action: Action, after: State) -> bool:
    return action.name == "elect" and cannot_take_the_role(after, action.argument("broker"))


def the_lead_of_an_unregistered_broker_ends(before: State, action: Action, after: State) -> bool:
    return action.name == "expire" and holds_the_lead_alone(before, action.argument("broker"))


def a_split_ends(before: State, action: Action, after: State) -> bool:
    """Return whether the parent's entry is discarded once the boundaries cut it."""
    return ends_split_of(before, after, PARENT)


def ends_split_of(before: State, after: State, parent: int) -> bool:
    if before.bounds.splits == 0 or not is_cut(after, parent):
        return False
    return entry(before, parent).state == DELETED and is_absent(entry(after, parent))


def a_nested_split_ends(before: State, action: Action, after: State) -> bool:
    return before.bounds.nested_splits > 0 and ends_split_of(before, after, FIRST_CHILD)


def a_child_splits_before_its_parent_is_gone(before: State, action: Action, after: State) -> bool:
    """Return whether a child begins to split while the entry of its parent is still there."""
    if before.bounds.nested_splits == 0 or not is_accepted(before, action, after):
        return False
    begins = written(before, action).unit == FIRST_CHILD and written(before, action).record.state == SPLITTING
    return begins and not is_absent(entry(before, PARENT))


def a_split_is_taken_over(before: State, action: Action, after: State) -> bool:
    if action.name != "delete_parent":
        return False
    number = action.argument("number") if before.bounds.nested_splits > 0 else 1
    job = before.splitting[action.argument("broker")][number]
    return job.parent.force


def a_split_meets_stale_boundaries(before: State, action: Action, after: State) -> bool:
    """Return whether a broker that has begun to split learns of boundaries moved by somebody else."""
    if action.name != "reload_boundaries":
        return False
    splitting = before.splitting[action.argument("broker")]
    return splitting.length > 0 and not splitting[1].moved
