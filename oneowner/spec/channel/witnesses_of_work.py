"""Witnesses of sessions, roles, splits, shutdowns and lookups."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Metadata, Outcome, Request, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import DELETED, SPLITTING, is_absent
from oneowner.model.channel.ring import FIRST_CHILD, PARENT, is_cut
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import sometimes
from oneowner.spec.channel.brokers import cannot_take_the_role, holds_the_lead_alone
from oneowner.spec.channel.channel import is_accepted, written
from oneowner.spec.channel.connections import clients_are_sent_on, some_connections_end
from oneowner.spec.channel.lookup import is_answered
from oneowner.spec.channel.ownership import writers
from oneowner.spec.channel.recovery import is_override
from oneowner.spec.channel.sessions import believers
from oneowner.spec.channel.witnesses import a_transfer_ends


@sometimes("safe-mode-begins", "PIP-192, Failure Recovery; ServiceUnitStateChannelImpl.getMetadataState")  # channel.9
def safe_mode_begins(before: State, action: Action, after: State) -> bool:
    """A broker hears that its session is lost."""
    return action.name == "lose_session"


@sometimes("safe-mode-is-over", "PIP-192, Failure Recovery; ServiceUnitStateChannelImpl.getMetadataState")  # channel.9
def safe_mode_is_over(before: State, action: Action, after: State) -> bool:
    """A broker is Stable again."""
    return action.name == "settle"


@sometimes("clean-up-called-off", "ServiceUnitStateChannelImpl.handleBrokerCreationEvent")  # models.S44
def a_clean_up_is_called_off(before: State, action: Action, after: State) -> bool:
    """A scheduled clean-up is called off, for its broker is back."""
    if action.name != "notice" and action.name != "call_off":
        return False
    observer, broker = action.argument("observer"), action.argument("broker")
    return before.cleaning[observer, broker] and not after.cleaning[observer, broker]


@sometimes("clean-up-in-safe-mode", "ServiceUnitStateChannelImpl.scheduleCleanup, doCleanup")  # models.S40, models.H10
def a_clean_up_fires_in_safe_mode(before: State, action: Action, after: State) -> bool:
    """A clean-up fires in safe mode."""
    return is_override(before, action, after) and before.metadata[action.argument("broker")] != Metadata.STABLE


@sometimes("monitor-finds-orphan", "ServiceUnitStateChannelImpl.monitorOwnerships")  # channel.9
def the_monitor_finds_an_orphan(before: State, action: Action, after: State) -> bool:
    """The monitor schedules a clean-up."""
    return action.name == "monitor"


@sometimes(
    "two-play-the-leader",
    "ExtensibleLoadManagerImpl.playFollower; seen in traces/real/zombie",  # models.S37, run.G3
)
def two_come_to_play_the_leader(before: State, action: Action, after: State) -> bool:
    """Two brokers play the leader."""
    return believers(before) < 2 and believers(after) > 1


@sometimes(
    "unregistered-leader",
    "LeaderElectionImpl, BrokerRegistryImpl; seen in traces/real/zk-partition-livelock",  # run.G2
)
def an_unregistered_broker_wins(before: State, action: Action, after: State) -> bool:
    """A broker that is not registered wins the election and cannot take the role."""
    return action.name == "elect" and cannot_take_the_role(after, action.argument("broker"))


@sometimes(
    "unregistered-lead-ends", "ZKSessionWatcher, LeaderElectionImpl; seen when zk-partition-livelock was recorded anew"
)
def the_lead_of_an_unregistered_broker_ends(before: State, action: Action, after: State) -> bool:
    """The session of an elected broker that is not registered ends, and with it the lead."""
    return action.name == "expire" and holds_the_lead_alone(before, action.argument("broker"))


def ends_split_of(before: State, after: State, parent: int) -> bool:
    if before.bounds.splits == 0 or not is_cut(after, parent):
        return False
    return entry(before, parent).state == DELETED and is_absent(entry(after, parent))


@sometimes("split-is-over", "ServiceUnitStateChannelImpl.handleDeleteEvent; apache/pulsar#22743")  # channel.P10
def a_split_ends(before: State, action: Action, after: State) -> bool:
    """A split ends: the parent's entry is gone."""
    return ends_split_of(before, after, PARENT)


@sometimes("nested-split-is-over", "ServiceUnitStateChannelImpl.handleDeleteEvent")  # models.S17
def a_nested_split_ends(before: State, action: Action, after: State) -> bool:
    """A split of a child ends."""
    return before.bounds.nested_splits > 0 and ends_split_of(before, after, FIRST_CHILD)


@sometimes("child-splits-early", "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry")  # models.S17
def a_child_splits_before_its_parent_is_gone(before: State, action: Action, after: State) -> bool:
    """A child begins to split before the entry of its parent is gone."""
    if before.bounds.nested_splits == 0 or not is_accepted(before, action, after):
        return False
    begins = written(before, action).unit == FIRST_CHILD and written(before, action).record.state == SPLITTING
    return begins and not is_absent(entry(before, PARENT))


@sometimes("split-taken-over", "ServiceUnitStateChannelImpl.overrideOwnership")  # channel.9
def a_split_is_taken_over(before: State, action: Action, after: State) -> bool:
    """A split that its broker did not end is ended by another one."""
    if action.name != "delete_parent":
        return False
    number = action.argument("number") if before.bounds.nested_splits > 0 else 1
    job = before.splitting[action.argument("broker")][number]
    return job.parent.force


@sometimes(
    "split-meets-stale-boundaries",
    "ServiceUnitStateChannelImpl.splitServiceUnitOnceAndRetry; apache/pulsar#1428, #9598",  # bugs.R63
)
def a_split_meets_stale_boundaries(before: State, action: Action, after: State) -> bool:
    """A split waits because somebody else moved the namespace's boundaries."""
    if action.name != "reload_boundaries":
        return False
    splitting = before.splitting[action.argument("broker")]
    return splitting.length > 0 and not splitting[1].moved


@sometimes("dual-serving-heals", "apache/pulsar#23011, #24478; seen in traces/real/zombie")  # models.S23, run.G1
def two_write_then_one(before: State, action: Action, after: State) -> bool:
    """Two brokers serve a unit or close its topics, then one."""
    return any(writers(before, unit) > 1 and writers(after, unit) == 1 for unit in units(after))


@sometimes(
    "unit-given-away",
    "ServiceUnitStateChannelImpl.overrideOwnership; seen in traces/real/delete-decommission",  # channel.9
)
def a_unit_is_given_away(before: State, action: Action, after: State) -> bool:
    """The unit of a broker that shuts down is owned by another before it is gone."""
    if not a_transfer_ends(before, action, after):
        return False
    return before.stage[written(before, action).record.source] != Stage.RUNNING


@sometimes("two-given-away-at-once", "ServiceUnitStateChannelImpl.tryWaitForOverrides")  # channel.D7
def two_are_given_away_at_once(before: State, action: Action, after: State) -> bool:
    """A broker that shuts down gives a unit away while its record of another is under way."""
    if action.name != "drain":
        return False
    waiting = before.outbox[action.argument("broker")]
    return waiting.length > 0 and waiting[1].record.force


@sometimes("kept-clients-sent-on", "PIP-307")
def kept_clients_are_sent_on(before: State, action: Action, after: State) -> bool:
    """Clients that were kept are disconnected and told the owner."""
    return some_connections_end(before, action, after) and clients_are_sent_on(before, action, after)


def is_answered_somewhere(before: State, action: Action, after: State, outcome: Outcome) -> bool:
    """Return whether this step answers a lookup that waited with *outcome*."""
    return any(
        before.request[broker, unit] == Request.WAITING
        and after.reply[broker, unit].outcome == outcome
        and is_answered(before, action, after, broker, unit)
        for broker in brokers(before)
        for unit in units(before)
    )


@sometimes("deferred-lookup-answered", "ServiceUnitStateChannelImpl.getOwnerAsync")  # channel.7
def a_lookup_that_waited_is_answered(before: State, action: Action, after: State) -> bool:
    """A lookup that waited for a hand-over is answered with the owner."""
    return action.name == "consume" and is_answered_somewhere(before, action, after, Outcome.OWNER)


@sometimes(
    "lookup-times-out",
    "ServiceUnitStateChannelImpl.deferGetOwner; seen in traces/real/kill-mid-transfer",  # channel.7, run.G7
)
def a_lookup_times_out(before: State, action: Action, after: State) -> bool:
    """A lookup waits too long, and fails."""
    return action.name == "time_out" and is_answered_somewhere(before, action, after, Outcome.FAILED)


@sometimes(
    "shutdown-fails-lookup",
    "ServiceUnitStateChannelImpl.handleEvent (ServiceUnitNotReadyException)",  # channel.6
)
def a_shutdown_ends_a_lookup(before: State, action: Action, after: State) -> bool:
    """A lookup that waits at a broker that shuts down fails."""
    return action.name == "consume" and is_answered_somewhere(before, action, after, Outcome.FAILED)
