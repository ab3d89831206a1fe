"""
Witnesses name situations that a family must reach; else its laws may hold because nothing happens.
"""

from __future__ import annotations

from oneowner.model.kernel.law import sometimes
from oneowner.spec.channel.situations import (
    a_broker_rule_refuses,
    a_child_splits_before_its_parent_is_gone,
    a_clean_up_fires_in_safe_mode,
    a_clean_up_is_called_off,
    a_fault_elsewhere_leaves_it_alone,
    a_gap_is_accepted,
    a_lookup_that_waited_is_answered,
    a_lookup_times_out,
    a_nested_split_ends,
    a_reader_is_carried_over_a_record,
    a_reader_is_carried_over_a_tombstone,
    a_resent_record_is_refused,
    a_shutdown_ends_a_lookup,
    a_split_ends,
    a_split_is_taken_over,
    a_split_meets_stale_boundaries,
    a_tombstone_deletes,
    a_transfer_ends,
    a_transition_refuses,
    a_unit_begins_anew,
    a_unit_is_freed_by_force,
    a_unit_is_given_away,
    a_version_refuses,
    an_assignment_ends,
    an_override_loses,
    an_override_wins,
    an_unload_ends,
    an_unregistered_broker_wins,
    kept_clients_are_sent_on,
    safe_mode_begins,
    safe_mode_is_over,
    the_assigned_broker_is_dead,
    the_lead_of_an_unregistered_broker_ends,
    the_monitor_finds_an_orphan,
    two_are_given_away_at_once,
    two_come_to_play_the_leader,
    two_write_then_one,
)

WITNESSES = (
    sometimes("assignment-ends", "An assigned broker owns the unit.", "PIP-192, Own", an_assignment_ends),
    sometimes("unload-ends", "An unloaded unit is free.", "PIP-192, Unload", an_unload_ends),
    sometimes("transfer-ends", "A unit is handed to another broker.", "PIP-192, Transfer", a_transfer_ends),
    sometimes(
        "version-refuses",
        "A record loses by its version.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R4
        a_version_refuses,
    ),
    sometimes(
        "transition-refuses",
        "A record loses by the transition table.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft; ServiceUnitState.isValidTransition",  # channel.R7
        a_transition_refuses,
    ),
    sometimes(
        "broker-refuses",
        "A record loses by its brokers.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R8
        a_broker_rule_refuses,
    ),
    sometimes(
        "resent-record-refused",
        "A record appended twice is refused the second time.",
        "ProducerImpl.resendMessages; seen in traces/real/kill-mid-transfer",  # run.G8
        a_resent_record_is_refused,
    ),
    sometimes(
        "dead-broker-assigned",
        "A unit is assigned to a dead, still registered broker.",
        "ExtensibleLoadManagerImpl.selectAsync; seen in traces/real/kill-mid-transfer",  # run.G7
        the_assigned_broker_is_dead,
    ),
    sometimes(
        "override-wins",
        "The leader's override is accepted.",
        "ServiceUnitStateChannelImpl.overrideOwnership",  # channel.P13
        an_override_wins,
    ),
    sometimes(
        "override-loses",
        "The leader's override loses by its version.",
        # channel.D10
        "ServiceUnitStateChannelImpl.overrideOwnership; ServiceUnitStateDataConflictResolver.shouldKeepLeft",
        an_override_loses,
    ),
    sometimes(
        "untainted-served-after-fault",
        "A fault elsewhere leaves a served unit untainted.",
        "follows from PIP-192, Bundle State Channel (one owner of a bundle)",  # models.S22
        a_fault_elsewhere_leaves_it_alone,
    ),
    sometimes(
        "tombstone-deletes",
        "A tombstone deletes an entry.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft",  # channel.R1
        a_tombstone_deletes,
    ),
    sometimes(
        "begins-anew",
        "A unit whose entry was deleted is assigned anew.",
        # models.H4
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft: the topic takes any version after a tombstone",
        a_unit_begins_anew,
    ),
    sometimes(
        "gap-accepted",
        "A record is accepted behind a version gap.",
        "ServiceUnitStateDataConflictResolver.shouldKeepLeft; apache/pulsar#20110",  # channel.R5, models.H6
        a_gap_is_accepted,
    ),
    sometimes(
        "freed-by-force",
        "An override that finds no broker frees the unit.",
        "ServiceUnitStateChannelImpl.overrideOwnership",  # channel.9
        a_unit_is_freed_by_force,
    ),
    sometimes(
        "reader-carried-over",
        "A lagging reader is given what a compaction kept, and never sees a record before that.",
        "ServiceUnitStateTableViewImpl; CompactedTopicUtils.asyncReadCompactedEntries",  # models.S8 (E4), channel.3
        a_reader_is_carried_over_a_record,
    ),
    sometimes(
        "tombstone-missed",
        "A compaction carries a lagging reader over a tombstone of an entry that it holds.",
        "apache/pulsar#26190",  # models.S8 (E4), bugs.R24
        a_reader_is_carried_over_a_tombstone,
    ),
    sometimes(
        "safe-mode-begins",
        "A broker hears that its session is lost.",
        "PIP-192, Failure Recovery; ServiceUnitStateChannelImpl.getMetadataState",  # channel.9
        safe_mode_begins,
    ),
    sometimes(
        "safe-mode-is-over",
        "A broker is Stable again.",
        "PIP-192, Failure Recovery; ServiceUnitStateChannelImpl.getMetadataState",  # channel.9
        safe_mode_is_over,
    ),
    sometimes(
        "clean-up-called-off",
        "A scheduled clean-up is called off, for its broker is back.",
        "ServiceUnitStateChannelImpl.handleBrokerCreationEvent",  # models.S44
        a_clean_up_is_called_off,
    ),
    sometimes(
        "clean-up-in-safe-mode",
        "A clean-up fires in safe mode.",
        "ServiceUnitStateChannelImpl.scheduleCleanup, doCleanup",  # models.S40, models.H10
        a_clean_up_fires_in_safe_mode,
    ),
    sometimes(
        "monitor-finds-orphan",
        "The monitor schedules a clean-up.",
        "ServiceUnitStateChannelImpl.monitorOwnerships",  # channel.9
        the_monitor_finds_an_orphan,
    ),
    sometimes(
        "two-play-the-leader",
        "Two brokers play the leader.",
        "ExtensibleLoadManagerImpl.playFollower; seen in traces/real/zombie",  # models.S37, run.G3
        two_come_to_play_the_leader,
    ),
    sometimes(
        "unregistered-leader",
        "A broker that is not registered wins the election and cannot take the role.",
        "LeaderElectionImpl, BrokerRegistryImpl; seen in traces/real/zk-partition-livelock",  # run.G2
        an_unregistered_broker_wins,
    ),
    sometimes(
        "unregistered-lead-ends",
        "The session of an elected broker that is not registered ends, and with it the lead.",
        "ZKSessionWatcher, LeaderElectionImpl; seen when zk-partition-livelock was recorded anew",
        the_lead_of_an_unregistered_broker_ends,
    ),
    sometimes(
        "split-is-over",
        "A split ends: the parent's entry is gone.",
        "ServiceUnitStateChannelImpl.handleDeleteEvent; apache/pulsar#22743",  # channel.P10
        a_split_ends,
    ),
    sometimes(
        "nested-split-is-over",
        "A split of a child ends.",
        "ServiceUnitStateChannelImpl.handleDeleteEvent",  # models.S17
        a_nested_split_ends,
    ),
    sometimes(
        "child-splits-early",
        "A child begins to split before the entry of its parent is gone.",
        "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry",  # models.S17
        a_child_splits_before_its_parent_is_gone,
    ),
    sometimes(
        "split-taken-over",
        "A split that its broker did not end is ended by another one.",
        "ServiceUnitStateChannelImpl.overrideOwnership",  # channel.9
        a_split_is_taken_over,
    ),
    sometimes(
        "split-meets-stale-boundaries",
        "A split waits because somebody else moved the namespace's boundaries.",
        "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry; apache/pulsar#1428, #9598",  # bugs.R63
        a_split_meets_stale_boundaries,
    ),
    sometimes(
        "dual-serving-heals",
        "Two brokers serve a unit or close its topics, then one.",
        "apache/pulsar#23011, #24478; seen in traces/real/zombie",  # models.S23, run.G1
        two_write_then_one,
    ),
    sometimes(
        "unit-given-away",
        "The unit of a broker that shuts down is owned by another before it is gone.",
        "ServiceUnitStateChannelImpl.overrideOwnership; seen in traces/real/delete-decommission",  # channel.9
        a_unit_is_given_away,
    ),
    sometimes(
        "two-given-away-at-once",
        "A broker that shuts down gives a unit away while its record of another is under way.",
        "ServiceUnitStateChannelImpl.tryWaitForOverrides",  # channel.D7
        two_are_given_away_at_once,
    ),
    sometimes(
        "kept-clients-sent-on",
        "Clients that were kept are disconnected and told the owner.",
        "PIP-307",
        kept_clients_are_sent_on,
    ),
    sometimes(
        "deferred-lookup-answered",
        "A lookup that waited for a hand-over is answered with the owner.",
        "ServiceUnitStateChannelImpl.getOwnerAsync",  # channel.7
        a_lookup_that_waited_is_answered,
    ),
    sometimes(
        "lookup-times-out",
        "A lookup waits too long, and fails.",
        "ServiceUnitStateChannelImpl.deferGetOwner; seen in traces/real/kill-mid-transfer",  # channel.7, run.G7
        a_lookup_times_out,
    ),
    sometimes(
        "shutdown-fails-lookup",
        "A lookup that waits at a broker that shuts down fails.",
        "ServiceUnitStateChannelImpl.handleEvent (ServiceUnitNotReadyException)",  # channel.6
        a_shutdown_ends_a_lookup,
    ),
)
