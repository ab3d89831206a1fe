"""
These laws state exactly when a broker may lead, clean up, end hand-overs and follow the registry.

As those of ``may_serve.py`` they state from another side what the guards of the model ask, and call none of them.
"""

from functools import partial

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import HealthCheck, Metadata, Node, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import ASSIGNING, NOBODY, NOTHING, OWNED, RELEASING, SPLITTING, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.spec.channel.brokers import (
    cannot_change_its_role,
    cannot_take_the_role,
    has_read_the_channel,
    has_room,
    holds_the_lead_alone,
    is_at_work,
    is_registered,
    keeps_a_session,
    manages,
    plays_the_leader,
    process_runs,
    publishes_of,
    speaks_as_released,
)
from oneowner.spec.channel.ownership import is_closing, serves

# ---- clean-ups ----


def is_in_hand(record: Record) -> bool:
    return record.state == ASSIGNING or record.state == RELEASING or record.state == SPLITTING


def cleans(state: State, broker: int, unit: int, again: bool = False) -> bool:
    """Return whether a clean-up of *unit* goes on: it has read everything; *again*: or waits for an Owned entry."""
    if not is_at_work(state, broker) or state.stage[broker] != Stage.RUNNING or not keeps_a_session(state, broker):
        return False
    has_read = state.bounds.storage == Storage.METADATA_STORE or has_read_the_channel(state, broker)
    is_first = (has_read or state.flushed[broker]) and not publishes_of(state, broker, unit)
    waits = again and state.view[broker, unit].state == OWNED and publishes_of(state, broker, unit)
    if not has_room(state, broker) or not (is_first or waits):
        return False
    if state.bounds.safe_mode > 0:
        return state.leader != NOBODY
    if not plays_the_leader(state, broker):
        return False
    return state.bounds.beliefs == 0 or (state.known[broker, broker] and state.leader != NOBODY)


def is_missed(state: State, leader: int, broker: int) -> bool:
    """Return whether *leader* suspects *broker*, and a health check of it fails."""
    if broker == NOBODY or is_registered(state, broker):
        return False
    return state.cleaning[leader, broker] if state.bounds.safe_mode > 0 else not state.known[leader, broker]


def misses_its_brokers(state: State, leader: int, unit: int) -> bool:
    held = state.view[leader, unit]
    if (held.state == OWNED or is_in_hand(held)) and is_missed(state, leader, held.destination):
        return True
    return is_in_hand(held) and is_missed(state, leader, held.source)


def overrides(state: State, broker: int, unit: int, destination: int, again: bool = False) -> bool:
    may_have_it = state.known[broker, destination] and destination != state.bounds.refused
    is_sound = may_have_it and not state.cleaning[broker, destination]
    return is_sound and cleans(state, broker, unit, again) and misses_its_brokers(state, broker, unit)


def frees(state: State, broker: int, unit: int, again: bool = False) -> bool:
    return state.unplaced_left > 0 and cleans(state, broker, unit, again) and misses_its_brokers(state, broker, unit)


def frees_refused(state: State, broker: int, unit: int, again: bool = False) -> bool:
    for other in brokers(state):
        if other != state.bounds.refused and state.known[broker, other]:
            return False
    return cleans(state, broker, unit, again) and misses_its_brokers(state, broker, unit)


def asks_the_election(bounds: Bounds) -> bool:
    """Return whether brokers speak the releases' dialect, and read the leader without a cache."""
    return speaks_as_released(bounds) and bounds.leader_caches == 0


ORPHANS_ARE_TAKEN = enabled_law(
    "orphans-are-taken",
    "The leader that has read the channel and has a session gives an entry whose owner, or one of the two of a"
    " hand-over, is missing and fails its health check to any broker that its registry cache lists, that the policies"
    " allow and of which no clean-up is scheduled; itself and the former owner included. Where there is none the unit"
    " becomes free. A former leader that keeps its role does so too, while a registered broker is elected. It may do so"
    " again while it waits for an Owned entry to change.",
    "ServiceUnitStateChannelImpl.doCleanup, overrideOwnership, monitorOwnerships",
    Rule("override", overrides, partial(overrides, again=True)),
    Rule("free_orphan", frees, partial(frees, again=True)),
    Rule("free_refused", frees_refused, partial(frees_refused, again=True)),
    where=asks_the_election,
)


# ---- the monitor ----


def monitors(state: State, broker: int) -> bool:
    """Return whether the monitor of *broker* runs: it leads, and trusts its session."""
    return is_at_work(state, broker) and plays_the_leader(state, broker) and state.metadata[broker] == Metadata.STABLE


def lists(state: State, leader: int, broker: int) -> bool:
    return broker == NOBODY or state.known[leader, broker]


def ends_flight(state: State, broker: int, unit: int, destination: int) -> bool:
    held = state.view[broker, unit]
    if not is_in_hand(held) or (held.state == SPLITTING and state.split_time_outs_left == 0):
        return False
    lists_all = lists(state, broker, held.source) and lists(state, broker, held.destination)
    may = monitors(state, broker) and keeps_a_session(state, broker) and has_room(state, broker)
    return may and lists_all and state.known[broker, destination] and not publishes_of(state, broker, unit)


def deletes(state: State, broker: int, unit: int) -> bool:
    held = state.view[broker, unit]
    is_of_use = held.state == NOTHING or held.state == OWNED or is_in_hand(held)
    return state.tombstones_left > 0 and not is_of_use and monitors(state, broker) and has_room(state, broker)


def schedules(state: State, broker: int, gone: int) -> bool:
    is_new = not state.cleaning[broker, gone] and not state.known[broker, gone]
    return is_new and state.stage[broker] == Stage.RUNNING and monitors(state, broker) and names(state, broker, gone)


def names(state: State, broker: int, gone: int) -> bool:
    return any(is_party(state.view[broker, unit], gone) for unit in units(state))


def is_party(held: Record, broker: int) -> bool:
    if is_in_hand(held):
        return held.destination == broker or held.source == broker
    return held.state == OWNED and held.destination == broker


def ends_clean_up(state: State, broker: int, gone: int) -> bool:
    if not is_at_work(state, broker) or not state.cleaning[broker, gone]:
        return False
    if state.leader == NOBODY or is_registered(state, gone) or state.stage[broker] != Stage.RUNNING:
        return True
    has_read = state.bounds.storage == Storage.METADATA_STORE or has_read_the_channel(state, broker)
    return (has_read or state.flushed[broker]) and not names(state, broker, gone)


def calls_off(state: State, observer: int, broker: int) -> bool:
    return state.run[observer] == Run.UP and state.checking[observer, broker] != HealthCheck.NONE


def begins_shedding(state: State, broker: int) -> bool:
    is_new = state.sheddings_left > 0 and not state.shedding[broker]
    return is_new and is_at_work(state, broker) and plays_the_leader(state, broker)


MONITOR_RUNS = enabled_law(
    "monitor-runs",
    "The monitor of a leader that is Stable ends any hand-over whose brokers are listed, in favour of any broker"
    " that is listed; deletes any entry that is not active; schedules a clean-up of every missing broker that an"
    " entry names. A clean-up ends when its broker is healthy, its own broker shuts down, nobody leads, or nothing"
    " names it any more.",
    "ServiceUnitStateChannelImpl.monitorOwnerships, doCleanup, handleBrokerCreationEvent; UnloadScheduler.execute",
    exactly("end_flight", ends_flight),
    exactly("tombstone", deletes),
    exactly("monitor", schedules),
    exactly("end_clean_up", ends_clean_up),
    exactly("call_off", calls_off),
    exactly("begin_shedding", begins_shedding),
    where=asks_the_election,
)


# ---- sessions, the registry, the election, roles ----


def is_elected(state: State, broker: int) -> bool:
    may = state.node[broker] != Node.ABSENT or state.bounds.beliefs > 0
    may = may and state.stage[broker] != Stage.UNREGISTERED
    return state.leader == NOBODY and may and keeps_a_session(state, broker)


def may_register(state: State, broker: int) -> bool:
    is_out = state.node[broker] == Node.ABSENT and not state.known[broker, broker] and not state.unregistrable[broker]
    is_free = not cannot_take_the_role(state, broker) and state.stage[broker] != Stage.UNREGISTERED
    return is_out and is_free and manages(state, broker) and keeps_a_session(state, broker)


def registers(state: State, broker: int) -> bool:
    return may_register(state, broker) and not cannot_change_its_role(state, broker)


def takes_role(state: State, broker: int) -> bool:
    is_new = state.leader == broker and not state.believes[broker] and not state.unaware[broker]
    is_there = state.node[broker] != Node.ABSENT and (not state.bounds.channel_host or state.host == broker)
    is_there = is_there and state.stage[broker] == Stage.RUNNING
    return is_new and is_there and manages(state, broker)


def may_give_role_up(state: State, broker: int) -> bool:
    is_another = state.leader != broker and state.leader != NOBODY and state.stage[broker] == Stage.RUNNING
    return is_another and state.believes[broker] and manages(state, broker) and keeps_a_session(state, broker)


def gives_role_up(state: State, broker: int) -> bool:
    return may_give_role_up(state, broker) and not cannot_change_its_role(state, broker)


def notices(state: State, observer: int, broker: int) -> bool:
    differs = state.known[observer, broker] != (state.node[broker] != Node.ABSENT)
    hears = not state.zookeeper_down and not state.session_ended[observer] and not state.misled[observer, broker]
    return observer != broker and differs and hears and state.run[observer] == Run.UP


def ends_session(state: State, broker: int) -> bool:
    leads_dead = state.leader == broker and state.run[broker] == Run.DOWN
    leads_on = holds_the_lead_alone(state, broker)
    if state.zookeeper_down or (state.node[broker] == Node.ABSENT and not leads_dead and not leads_on):
        return False
    is_alive = (state.node[broker] == Node.PRESENT or leads_on) and state.run[broker] != Run.PAUSED
    return not is_alive or state.metadata[broker] == Metadata.UNSTABLE or state.expiries_left > 0


def comes_back(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.session_ended[broker]


def may_lose_session(state: State, broker: int) -> bool:
    is_lost = state.zookeeper_down or state.session_ended[broker]
    return is_lost and state.run[broker] == Run.UP and state.metadata[broker] != Metadata.UNSTABLE


def loses_session(state: State, broker: int) -> bool:
    return may_lose_session(state, broker) and has_room_to_close_all(state, broker)


def has_room_to_close_all(state: State, broker: int) -> bool:
    """Return whether the bounds have room for the closes that begin at once when the view of *broker* is emptied."""
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        return True
    count = state.closing[broker].length
    for unit in units(state):
        if state.view[broker, unit].state != NOTHING and (
            serves(state, broker, unit) or is_closing(state, broker, unit)
        ):
            count = count + 1
    return count <= state.bounds.closings


def reconnects(state: State, broker: int) -> bool:
    return not state.zookeeper_down and state.run[broker] == Run.UP and state.metadata[broker] == Metadata.UNSTABLE


def settles(state: State, broker: int) -> bool:
    return state.run[broker] == Run.UP and state.metadata[broker] == Metadata.JITTERY


def crashes(state: State, broker: int) -> bool:
    return state.crashes_left > 0 and process_runs(state, broker)


def reports(state: State, broker: int, destination: int) -> bool:
    both_run = state.run[broker] == Run.UP and state.run[destination] == Run.UP
    is_open = state.believes[destination] and state.load_open[destination]
    return both_run and is_open and state.reports_to[broker] == NOBODY


ROLES_FOLLOW = enabled_law(
    "roles-follow",
    "A broker with a session is elected while nobody leads, and registers while it has no node; the elected broker"
    " takes the role as soon as it is registered, and gives it up, in a session, only when another one is elected; a"
    " broker with a session is notified of every change of the registry; the session of any process may end; all"
    " brokers report to the leader.",
    "LeaderElectionImpl.elect; BrokerRegistryImpl.registerAsync, handleMetadataStoreNotification;"
    " ExtensibleLoadManagerImpl.playLeader, playFollower, monitor",
    exactly("elect", is_elected),
    Rule("register", registers, may_register),
    exactly("play_leader", takes_role),
    Rule("play_follower", gives_role_up, may_give_role_up),
    exactly("notice", notices),
    exactly("expire", ends_session),
    exactly("reestablish", comes_back),
    Rule("lose_session", loses_session, may_lose_session),
    exactly("reconnect", reconnects),
    exactly("settle", settles),
    exactly("crash", crashes),
    exactly("report", reports),
    where=speaks_as_released,
)
