"""
Laws of the steps of processes, sessions and roles: the changes of each, in the broker and in ZooKeeper.

They restate the *Changes* of these actions from the side of the cells: for which broker, and with which value.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import HealthCheck, Metadata, Node, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import SPLITTING
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, step_law
from oneowner.spec.channel.brokers import (
    holds_the_lead_alone,
    is_owner,
    its_compaction_ends,
    keeps_a_session,
    load_topic_moves,
    nothing_is_left,
    plays_the_leader,
)

# ---- a process or a session ends ----


def is_of_process(action: Action) -> bool:
    return action.name == "crash" or action.name == "stop" or action.name == "stop_registered"


def something_ends(before: State, action: Action, after: State) -> bool:
    return is_of_process(action) or fails_to_start(action) or action.name == "expire" or action.name == "unregister"


def fails_to_start(action: Action) -> bool:
    return action.name == "fail_start" or action.name == "give_up_start"


@step_law(
    "ends-altogether",
    "PulsarService.closeAsync; ZKSessionWatcher; BrokerRegistryImpl.unregister;"
    " LeaderElectionImpl.handleSessionNotification",
    when=something_ends,
    kind=LawKind.MIRROR,
)
def all_of_it_ends(before: State, action: Action, after: State) -> bool:
    """
    A process that dies loses its memory and its compaction, and leaves its nodes to its session, which goes on; a
    session that ends takes registration and lead along, and nothing else, and those of the process that runs if they
    are its own; a broker that shuts down, or fails to start, deletes both itself, and may unload the units that it
    still owns, unless it is the last one by its cache; one that shuts down without a session leaves both behind.
    """
    broker = action.argument("broker")
    if any(before.node[other] != after.node[other] for other in brokers(before) if other != broker):
        return False
    if is_of_process(action):
        is_left = before.node[broker] != Node.ABSENT and action.name != "stop"
        node = Node.LEFTOVER if is_left else before.node[broker]
        if not its_compaction_ends(before, broker, after):
            return False
        return after.node[broker] == node and after.leader == before.leader and nothing_is_left(after, broker)
    if after.node[broker] != Node.ABSENT:
        return False
    if action.name == "expire" and before.node[broker] == Node.LEFTOVER and before.run[broker] != Run.DOWN:
        knows = not after.known[broker, broker] and after.unregistered[broker]
        return after.leader == before.leader and (knows or not keeps_a_session(before, broker))
    if after.leader == broker or (before.leader != broker and after.leader != before.leader):
        return False
    if action.name == "expire":
        is_held = before.node[broker] == Node.PRESENT or holds_the_lead_alone(before, broker)
        was_live = is_held and before.metadata[broker] != Metadata.UNSTABLE
        is_unaware = before.bounds.live_sessions_end and (was_live or before.session_ended[broker])
        return after.session_ended[broker] == is_unaware and after.view[broker, 1] == before.view[broker, 1]
    is_out = fails_to_start(action) or (after.unregistered[broker] and after.stage[broker] == Stage.UNREGISTERED)
    if action.name == "unregister" and not may_unload_the_rest(after, broker):
        return False
    return is_out and not after.known[broker, broker] and not (after.hurried[broker] and action.name == "unregister")


def may_unload_the_rest(state: State, broker: int) -> bool:
    """Return whether *broker*, which has unregistered, plays no role, and has yet to unload its units, unless alone."""
    is_closed = state.bounds.stops_alone and not any(state.known[broker, other] for other in brokers(state))
    plays_a_role = state.bounds.beliefs > 0 and state.believes[broker]
    return not plays_a_role and all(state.drained[broker, unit] == is_closed for unit in units(state))


# ---- a process starts, or has a new session ----


def something_begins(before: State, action: Action, after: State) -> bool:
    is_start = action.name == "restart" or action.name == "begin_start" or action.name == "finish_start"
    return is_start or action.name == "reestablish" or action.name == "reconnect" or action.name == "register"


def has_read_it_all(state: State, broker: int) -> bool:
    """Return whether *broker*, which has started, holds the channel's entries, and serves nothing of them yet."""
    is_at_end = state.bounds.storage == Storage.METADATA_STORE or state.cursor[broker] == state.log.length
    is_told = state.bounds.splits == 0 or state.boundaries[broker] == state.ring
    return (
        is_at_end
        and is_told
        and state.run[broker] == Run.UP
        and all(
            state.view[broker, unit] == entry(state, unit)
            and not state.serving[broker, unit]
            and (not state.loaded[broker, unit] or is_owner(state.view[broker, unit], broker))
            for unit in units(state)
        )
    )


@step_law(
    "begins-with-what-is-there",
    "ExtensibleLoadManagerImpl.start; ServiceUnitStateChannelImpl.start; MetadataCacheImpl.invalidateAll;"
    " BrokerRegistryImpl.registerAsync",
    when=something_begins,
    kind=LawKind.MIRROR,
)
def it_knows_what_is_there(before: State, action: Action, after: State) -> bool:
    """
    A broker that starts registers unless a node of its older process is there, leads no longer, knows the channel, the
    boundaries and the registry as they are, and notifies no listener of a unit that it does not own; one that has a new
    session knows the registry; one that registers knows that it is registered.
    """
    broker = action.argument("broker")
    if action.name == "restart" or action.name == "finish_start":
        if not has_read_it_all(after, broker):
            return False
    if action.name == "restart" or action.name == "begin_start":
        had_node = before.node[broker] != Node.ABSENT
        node = before.node[broker] if had_node else Node.PRESENT
        if after.node[broker] != node or after.leader == broker:
            return False
    if action.name == "register":
        return after.node[broker] == Node.PRESENT and after.known[broker, broker] and not after.unregistered[broker]
    if action.name == "finish_start":
        return after.run[broker] == Run.UP
    if after.session_ended[broker] or (action.name == "reconnect" and after.metadata[broker] != Metadata.JITTERY):
        return False
    return all(after.known[broker, other] == (after.node[other] != Node.ABSENT) for other in brokers(after))


# ---- what a broker hears of others ----


def somebody_hears(before: State, action: Action, after: State) -> bool:
    return action.name == "notice"


def is_to_be_cleaned(before: State, after: State, observer: int, broker: int) -> bool:
    """Return whether a clean-up of *broker* is scheduled at *observer*, which hears that it comes or goes."""
    if after.known[observer, broker]:
        is_healthy = before.run[broker] == Run.UP
        if before.bounds.late_call_offs > 0 and is_healthy and before.cleaning[observer, broker]:
            return after.checking[observer, broker] == HealthCheck.ASKED
        return before.cleaning[observer, broker] and not is_healthy
    is_leader = plays_the_leader(before, observer) and before.metadata[observer] != Metadata.UNSTABLE
    is_leader = is_leader and before.stage[observer] == Stage.RUNNING
    return before.cleaning[observer, broker] or (before.bounds.safe_mode > 0 and is_leader)


@step_law(
    "hears-that-alone",
    "ServiceUnitStateChannelImpl.handleBrokerRegistrationEvent, handleBrokerCreationEvent, handleBrokerDeletionEvent",
    when=somebody_hears,
    kind=LawKind.MIRROR,
)
def it_knows_that_alone(before: State, action: Action, after: State) -> bool:
    """
    A broker that is notified that another one has come or gone updates that in its cache, and nothing else; a leader
    that is not Unstable and does not shut down schedules a clean-up of a broker that is gone, and cancels that of one
    that is back and healthy.
    """
    observer, broker = action.argument("observer"), action.argument("broker")
    if after.known[observer, broker] != (before.node[broker] != Node.ABSENT):
        return False
    for other in brokers(before):
        for one in brokers(before):
            if one != observer or other != broker:
                if after.known[one, other] != before.known[one, other]:
                    return False
                if after.cleaning[one, other] != before.cleaning[one, other]:
                    return False
    return after.cleaning[observer, broker] == is_to_be_cleaned(before, after, observer, broker)


# ---- clean-ups and roles ----


def a_role_or_a_clean_up_changes(before: State, action: Action, after: State) -> bool:
    if action.name == "elect" or action.name == "play_leader" or action.name == "play_follower":
        return True
    is_clean_up = action.name == "override" or action.name == "free_orphan" or action.name == "free_refused"
    return is_clean_up or action.name == "call_off" or action.name == "monitor" or action.name == "end_clean_up"


def is_host_as_before(before: State, after: State) -> bool:
    return before.host == after.host and after.channel_closed == before.channel_closed


@step_law(
    "role-steps-are-whole",
    "LeaderElectionImpl.elect; ExtensibleLoadManagerImpl.playLeader, playFollower;"
    " ServiceUnitStateChannelImpl.doCleanup",
    when=a_role_or_a_clean_up_changes,
    kind=LawKind.MIRROR,
)
def it_changes_as_it_says(before: State, action: Action, after: State) -> bool:
    """
    A broker that is elected leads and knows it, and the channel's topic stays where it is; one that takes the role
    plays the leader; one that gives it up no longer does, no broker reports there, and the elected one is registered,
    so that the topic of load data is found there; a clean-up that is scheduled, called off or over is so, and an
    override names the broker that is selected and uses up the flush before it.
    """
    if action.name == "call_off":
        observer, suspect = action.argument("observer"), action.argument("broker")
        is_off = before.checking[observer, suspect] != HealthCheck.ASKED or not after.cleaning[observer, suspect]
        return is_off and after.checking[observer, suspect] == HealthCheck.NONE
    broker = action.argument("broker")
    if action.name == "elect":
        return after.leader == broker and not after.unaware[broker] and is_host_as_before(before, after)
    if action.name == "play_leader":
        return after.believes[broker] and (before.bounds.load_topics == 0 or after.load_open[broker])
    if action.name == "play_follower":
        has_topic = before.bounds.load_topics > 0
        return not after.believes[broker] and (not has_topic or load_topic_moves(before, broker, after))
    if action.name == "monitor":
        return after.cleaning[broker, action.argument("gone")]
    if action.name == "end_clean_up":
        gone = action.argument("gone")
        is_asked = before.checking[broker, gone] == HealthCheck.ASKED
        is_kept = not is_asked or after.checking[broker, gone] == HealthCheck.OUTLIVED
        return not after.cleaning[broker, gone] and is_kept
    if after.outbox[broker].length != before.outbox[broker].length + 1 or after.flushed[broker]:
        return False
    sent = after.outbox[broker][after.outbox[broker].length]
    named = sent.record.source if sent.record.state == SPLITTING else sent.record.destination
    is_given = action.name != "override" or named == action.argument("destination")
    return is_given and sent.unit == action.argument("unit")


# ---- nothing else changes them ----


def something_happens(before: State, action: Action, after: State) -> bool:
    return True


def is_of_the_lead(action: Action) -> bool:
    is_won = action.name == "elect" or action.name == "elect_unheard" or action.name == "depose"
    return is_won or is_of_sessions(action)


def is_of_sessions(action: Action) -> bool:
    begins = action.name == "restart" or action.name == "begin_start" or action.name == "register"
    ends = is_of_process(action) or fails_to_start(action) or action.name == "expire" or action.name == "unregister"
    return begins or ends or is_of_contact(action) or action.name == "cut_over" or action.name == "resume"


def is_of_contact(action: Action) -> bool:
    return action.name == "reestablish" or action.name == "reconnect"


def registry_changes(before: State, after: State) -> bool:
    return any(before.node[broker] != after.node[broker] for broker in brokers(before))


def is_of_roles(action: Action) -> bool:
    of_process = is_of_process(action) or action.name == "resume" or fails_to_start(action)
    return of_process or action.name == "unregister" or action.name == "play_leader" or action.name == "play_follower"


def roles_change(before: State, after: State) -> bool:
    return any(before.believes[broker] != after.believes[broker] for broker in brokers(before))


def is_of_boundaries(action: Action) -> bool:
    of_namespace = action.name == "delete_namespace" or action.name == "create_namespace"
    return of_namespace or action.name == "move_boundaries" or action.name == "split_elsewhere"


@step_law(
    "roles-change-by-their-steps",
    "LeaderElectionImpl; BrokerRegistryImpl; ExtensibleLoadManagerImpl.monitor; LocalPoliciesResources",
    when=something_happens,
    kind=LawKind.MIRROR,
)
def only_its_own_steps_change_it(before: State, action: Action, after: State) -> bool:
    """
    Only an election, or the end of a session or process, changes who leads; only sessions, processes and registration
    change the registry; only a broker that is notified of an election changes its role; only a split, or the
    namespace's deletion or creation, moves its boundaries.
    """
    return (
        (is_of_the_lead(action) or before.leader == after.leader)
        and (is_of_sessions(action) or not registry_changes(before, after))
        and (is_of_roles(action) or not roles_change(before, after))
        and (is_of_boundaries(action) or before.ring == after.ring)
    )
