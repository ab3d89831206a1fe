"""
Witnesses: situations that a family must reach, or its laws may hold because nothing happens.
"""

from __future__ import annotations

from model.channel import entry
from model.leader import is_stuck
from model.record import ASSIGNING, DELETED, FREE, NOBODY, OWNED, is_absent, next_version
from model.reply import Outcome, Request, Stage
from model.resolver import refusal
from model.ring import PARENT
from model.state import Metadata, Run
from model.system import Action, State
from spec.channel import is_accepted, is_write, written
from spec.lookup import is_answered
from spec.ownership import servers
from spec.property import sometimes
from spec.recovery import is_override
from spec.sessions import believers


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
    held, bounds = entry(before, publish.unit), before.bounds
    refused = refusal(held, publish.record, bounds.storage, bounds.dialect)
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


def a_unit_is_given_away(before: State, action: Action, after: State) -> bool:
    if not a_transfer_ends(before, action, after):
        return False
    return before.stage[written(before, action).record.source] != Stage.RUNNING


def is_answered_somewhere(before: State, action: Action, after: State, outcome: Outcome) -> bool:
    """Say whether this step answers a lookup that waited with *outcome*."""
    for broker in range(1, before.bounds.brokers + 1):
        for unit in range(1, before.bounds.units + 1):
            if before.request[broker, unit] == Request.WAITING and after.reply[broker, unit].outcome == outcome:
                if is_answered(before, action, after, broker, unit):
                    return True
    return False


def a_lookup_that_waited_is_answered(before: State, action: Action, after: State) -> bool:
    return action.name == "consume" and is_answered_somewhere(before, action, after, Outcome.OWNER)


def a_lookup_times_out(before: State, action: Action, after: State) -> bool:
    return action.name == "time_out" and is_answered_somewhere(before, action, after, Outcome.FAILED)


def a_shutdown_ends_a_lookup(before: State, action: Action, after: State) -> bool:
    return action.name == "consume" and is_answered_somewhere(before, action, after, Outcome.FAILED)


def a_reader_is_carried_over_a_record(before: State, action: Action, after: State) -> bool:
    return action.name == "jump" and before.horizon - before.cursor[action.argument("broker")] > 1


def safe_mode_begins(before: State, action: Action, after: State) -> bool:
    return action.name == "lose_session"


def safe_mode_is_over(before: State, action: Action, after: State) -> bool:
    return action.name == "settle"


def a_clean_up_is_called_off(before: State, action: Action, after: State) -> bool:
    if action.name != "notice":
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
    return action.name == "elect" and is_stuck(after, action.argument("broker"))


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
    sometimes(
        "reader-carried-over",
        "A lagging reader is given what a compaction kept, and never sees a record before that.",
        "models.S8 (E4), channel.3",
        a_reader_is_carried_over_a_record,
    ),
    sometimes("safe-mode-begins", "A broker hears that its session is lost.", "PIP-192, channel.9", safe_mode_begins),
    sometimes("safe-mode-is-over", "A broker is Stable again.", "PIP-192, channel.9", safe_mode_is_over),
    sometimes(
        "clean-up-called-off",
        "A scheduled clean-up is called off, for its broker is back.",
        "models.S44",
        a_clean_up_is_called_off,
    ),
    sometimes(
        "clean-up-in-safe-mode",
        "A clean-up fires in safe mode.",
        "models.S40, models.H10",
        a_clean_up_fires_in_safe_mode,
    ),
    sometimes("monitor-finds-orphan", "The monitor schedules a clean-up.", "channel.9", the_monitor_finds_an_orphan),
    sometimes("two-play-the-leader", "Two brokers play the leader.", "models.S37, run.G3", two_come_to_play_the_leader),
    sometimes(
        "unregistered-leader",
        "A broker that is not registered wins the election and cannot take the role.",
        "run.G2",
        an_unregistered_broker_wins,
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
    sometimes(
        "unit-given-away",
        "The unit of a broker that shuts down is owned by another before it is gone.",
        "channel.9, recordings delete-decommission",
        a_unit_is_given_away,
    ),
    sometimes(
        "deferred-lookup-answered",
        "A lookup that waited for a hand-over is answered with the owner.",
        "channel.7",
        a_lookup_that_waited_is_answered,
    ),
    sometimes("lookup-times-out", "A lookup waits too long, and fails.", "channel.7, run.G7", a_lookup_times_out),
    sometimes(
        "shutdown-fails-lookup",
        "A lookup that waits at a broker that shuts down fails.",
        "channel.6 (ServiceUnitNotReadyException)",
        a_shutdown_ends_a_lookup,
    ),
)
